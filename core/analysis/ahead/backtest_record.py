"""Record of a backtest: forecasts as they would have been, and how far results move.

The names of attributes are the keys of `backtest --json` and of the parts that the
worker writes. Outcomes are in units of the outcome, intervals are 50 and 90 %.
"""

from typing import Any

from msgspec import Struct

from core.errors import WorkspaceError, converted
from core.estimate import OptionalEstimate

#: Forecasts of a period, the model's first.
NAMES = ("model", "seasonal_naive", "knots")


class Ends(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a forecast says of a period: median, and ends of intervals where it has any.

    Attributes:
        lo90: Lower end of the 90 % interval; None of a forecast without one.
        lo50: Lower end of the 50 % interval.
        median: Of the draws.
        hi50: Upper end of the 50 % interval.
        hi90: Upper end of the 90 % interval.
    """

    lo90: float | None = None
    lo50: float | None = None
    median: float
    hi50: float | None = None
    hi90: float | None = None


class Week(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One period of a test window.

    Attributes:
        time: Its first day, YYYY-MM-DD.
        actual: What happened.
        seasonal_naive: The same period a year earlier.
        model: The model's forecast.
        knots: That of knots, the last one held; None where it was not fitted.
    """

    time: str
    actual: float
    seasonal_naive: Ends
    model: Ends
    knots: Ends | None = None

    def forecast(self, name: str) -> Ends | None:
        """A forecast by its name in `NAMES`."""
        return getattr(self, name)


class Scores(Struct, frozen=True, kw_only=True):
    """How good a forecast was.

    Attributes:
        wmape: Sum of errors over the sum of the outcome.
        bias: Sum of the differences over it.
        coverage_50: Share of periods in the 50 % interval; None without one.
        coverage_90: The same of the 90 % interval.
    """

    wmape: float
    bias: float
    coverage_50: float | None
    coverage_90: float | None


class Fold(Struct, frozen=True, kw_only=True):
    """One origin: what was forecast from there, and what happened.

    Attributes:
        origin: First day of the test window.
        n_seen: Periods before it.
        weeks: The window.
        scores: Of every forecast, by its name.
    """

    origin: str
    n_seen: int
    weeks: tuple[Week, ...]
    scores: dict[str, Scores]


class Share(Struct, frozen=True):
    """A channel's share of the best split."""

    mean: float
    sd: float


class Refitted(Struct, frozen=True, omit_defaults=True):
    """A channel without the last periods: its ROI, and its share where planned."""

    roi: OptionalEstimate
    share: Share | None = None


class Refit(Struct, frozen=True):
    """Channels of a fit without the last periods, by name."""

    channels: dict[str, Refitted]


class Skipped(Struct, frozen=True):
    """A part that could not be fitted, and why."""

    origin: str
    why: str


class Moved(Struct, frozen=True, kw_only=True):
    """How far a channel moves when the last periods are dropped.

    Attributes:
        name: The channel.
        roi: By the number of periods dropped, as text.
        share: Of the best split, likewise.
        moved: Largest move of the ROI over its sd with all data; None where unknown.
        share_moved: The same of the share.
    """

    name: str
    roi: dict[str, OptionalEstimate]
    moved: float | None
    share: dict[str, Share]
    share_moved: float | None


class Stability(Struct, frozen=True, kw_only=True):
    """How far channels move when the last periods are dropped.

    Attributes:
        drops: Numbers of periods dropped, zero among them.
        channels: Each with its moves.
        largest: The channel whose ROI moved most; None without channels.
    """

    drops: tuple[int, ...]
    channels: tuple[Moved, ...]
    largest: str | None


class BacktestRecord(Struct, frozen=True, kw_only=True):
    """A backtest.

    Attributes:
        folds: One per origin.
        skipped: Parts that could not be fitted.
        horizon: Periods of each forecast.
        is_structural: Whether the model's baseline goes on after its data.
        scores: Of every forecast over all weeks, by its name.
        skill: Of the model against each other forecast; None where that has no error.
        study: Its identifier in a project; empty elsewhere.
        created: When, ISO UTC.
        refresh: How far results move without the last periods; None where not asked.
    """

    folds: tuple[Fold, ...]
    skipped: tuple[Skipped, ...]
    horizon: int
    is_structural: bool
    scores: dict[str, Scores]
    skill: dict[str, float | None]
    study: str = ""
    created: str = ""
    refresh: Stability | None = None

    @property
    def model(self) -> Scores:
        """Scores of the model; there are folds."""
        return self.scores[NAMES[0]]


def as_fold(content: Any) -> Fold:
    """A fold of what a part of a backtest wrote.

    Raises:
        WorkspaceError: It is none.
    """
    return converted(content, Fold, WorkspaceError, *_FAULT)


def as_refit(content: Any) -> Refit:
    """A refit of what a part of a backtest wrote.

    Raises:
        WorkspaceError: It is none.
    """
    return converted(content, Refit, WorkspaceError, *_FAULT)


_FAULT = ("This part of a backtest cannot be read", "Run the backtest again.", "part")
