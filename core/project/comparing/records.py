"""Records of comparisons: fits and specifications side by side.

The names of attributes are the keys of `compare --json`.
"""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from core import text as fmt
from core.estimate import OptionalEstimate
from core.plan.comparison import Apart, ComparedChannel, Difference, Loss
from core.project.fits.run_differences import Setting

#: `same`: means within Monte-Carlo error, intervals as wide. `sharper`: means so,
#: intervals not. `different`: means by more. `other data`: another question.
#: `unknown`: nothing to judge by.
Status = Literal["same", "sharper", "different", "other data", "unknown"]


class Convergence(Struct, frozen=True):
    """Verdict on a fit, and its worst R-hat; None where a chain is stuck."""

    verdict: str
    rhat_max: float | None


class Elpd(Struct, frozen=True):
    """A difference of scores, with its standard error where that is known."""

    elpd: float
    se: float | None


class Score(Elpd, frozen=True, kw_only=True):
    """A score on cells that all fits saw, and what the fit's own score says.

    Attributes:
        n: Cells.
        p_loo: Effective number of parameters.
        n_bad_k: Cells with a tail too heavy to score them.
        n_smoothed: Cells.
        k_max: The heaviest tail.
        k_limit: From where on one is too heavy.
        warnings: What is to be known.
    """

    n: int
    p_loo: float | None = None
    n_bad_k: int | None = None
    n_smoothed: int | None = None
    k_max: float | None = None
    k_limit: float | None = None
    warnings: tuple[str, ...] | None = None


class Checked(Struct, frozen=True):
    """The model check of a fit; without its parts where none was made."""

    status: str | UnsetType = UNSET
    missed: tuple[str, ...] | UnsetType = UNSET

    @property
    def n_missed(self) -> int | None:
        """Checks that are missed; None without a check."""
        return None if isinstance(self.missed, UnsetType) else len(self.missed)


class Backtested(Struct, frozen=True, kw_only=True):
    """Scores of the newest backtest of the same specification and data.

    Attributes:
        wmape: Sum of errors over the sum of the outcome.
        coverage_90: Share of periods in the 90 % interval.
        skill: Against each other forecast; None where that has no error.
        horizon: Periods of each forecast.
        origins: First days of the test windows.
        created: When, ISO UTC.
    """

    wmape: float
    coverage_90: float | None
    skill: dict[str, float | None]
    horizon: int
    origins: tuple[str, ...]
    created: str

    @property
    def against_naive(self) -> float | None:
        """Skill against last year's values."""
        return self.skill.get("seasonal_naive")


class Specification(Struct, frozen=True, kw_only=True):
    """One fit among others.

    Attributes:
        name: A, B, ...
        run: Its folder.
        run_id: Its name.
        options: Those that differ, as text.
        is_structural: Whether its baseline goes on after the data; None where unknown.
        convergence: Its verdict.
        loo: Its score; None without one.
        difference: To the highest score; None without one, or without another.
        check: Its model check.
        backtest: None without one.
        roi: By channel.
        fit: `best`, `same`, `worse`, `alone`, `doubtful` or `unknown`.
        forecast: `best`, `same`, `worse`, `cannot` or `untested`.
        verdict: A sentence or two.
    """

    name: str
    run: str
    run_id: str
    options: dict[str, str]
    is_structural: bool | None
    convergence: Convergence
    loo: Score | None
    difference: Elpd | None
    check: Checked
    backtest: Backtested | None
    roi: dict[str, OptionalEstimate]
    fit: str = ""
    forecast: str = ""
    verdict: str = ""


class Specifications(fmt.Measured, frozen=True, kw_only=True):
    """Two or more fits in one table.

    Attributes:
        rows: One per fit.
        note: What the score is, and is not.
        remarks: What makes it no fair comparison.
    """

    rows: tuple[Specification, ...]
    note: str
    remarks: tuple[str, ...]


class Side(Struct, frozen=True, kw_only=True):
    """One of two fits."""

    run: str
    run_id: str
    created: str
    verdict: str
    seed: int | None


class TwoFits(Struct, frozen=True, kw_only=True):
    """Whether two fits give the same answer.

    Attributes:
        status: See `Status`.
        text: In a sentence.
        findings: On means, intervals and advice.
        remarks: For analysts.
        compared: Numbers that are compared.
        limit: Monte-Carlo errors above which a difference is more than chance.
        beyond: Those above it, the largest first.
        largest: The largest difference; None without any.
        resolution: The least difference that would have been seen in every number, in
            posterior deviations; None where unknown.
    """

    status: Status
    compared: int
    limit: float
    beyond: tuple[Difference, ...]
    largest: Difference | None
    resolution: float | None
    remarks: tuple[str, ...]
    text: str = ""
    findings: tuple[str, ...] = ()


class Amount(Apart, frozen=True, kw_only=True):
    """Spend of a channel in the best split by either fit, currency."""

    name: str
    a: float
    b: float


class Splits(Struct, frozen=True, kw_only=True):
    """The best split of the budget that ran by each fit, and what the other's costs."""

    budget: float
    channels: tuple[Amount, ...]
    loss_of_b_under_a: Loss
    loss_of_a_under_b: Loss


class Comparison(fmt.Measured, frozen=True, kw_only=True):
    """Two finished fits side by side.

    Attributes:
        runs: Both.
        verdict: Whether they give the same answer.
        settings: What they were given that differs.
        channels: Those of both.
        advice: Of `a` and of `b`; empty where one cannot be planned.
        only: Channels that one of them has alone.
        plan: Their best splits; None where these cannot be compared.
        specifications: Both as specifications, where that is asked for.
    """

    runs: tuple[Side, Side]
    verdict: TwoFits
    settings: tuple[Setting, ...]
    channels: tuple[ComparedChannel, ...]
    advice: dict[str, str]
    only: dict[str, list[str]]
    plan: Splits | None
    specifications: Specifications | UnsetType = UNSET


def as_dict(comparison: Comparison | Specifications) -> dict[str, Any]:
    """The comparison as `compare --json` prints it."""
    return msgspec.to_builtins(comparison)
