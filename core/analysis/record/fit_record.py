"""Fit record: what a fit says, as everybody reads it.

One frozen type; summary.json is its serialisation.
"""

from typing import Any, TypeVar

from core import text as fmt
from core.analysis.record.sections import (
    Accuracy,
    Channel,
    ChannelPrior,
    Diagnostics,
    FollowsDemand,
    Funnel,
    LeaveOneOut,
    LiftTestResult,
    ModelCheck,
    Span,
)
from core.errors import WorkspaceError, converted
from core.estimate import OptionalEstimate

_Kind = TypeVar("_Kind")


#: Bayes factor of no effect from which the data hardly speak against it.
AS_WELL = 1 / 3


class FitRecord(fmt.Measured, frozen=True, kw_only=True, omit_defaults=True):
    """What a fit says: returns of channels, how it agrees with the data, its verdict.

    Attributes:
        channels: In the order of the data.
        baseline_share: Baseline over the expected outcome.
        baseline_negative_probability: How likely the baseline is below zero.
        expected_outcome: Over all periods.
        accuracy: Of the whole, on all cells.
        outcome_unit: `revenue` or `kpi`.
        start: First day of the first period, YYYY-MM-DD.
        end: First day of the last period.
        n_geos: Number of geos; 1 where the data are national.
        follows_demand: Channels whose spend follows demand.
        n_times: Number of periods.
        spend: Of all channels over all periods, currency.
        accuracy_by_geo: None where the data are national.
        accuracy_held_out: On cells held out; None where none were.
        model_check: Simulations beside the data; None where none were made.
        loo: Score of cells left out; None where they were not scored.
        currency: Of money; empty where unknown.
        kpi_name: Of the KPI.
        has_value: 1 where the KPI has a value in money, else 0.
        funnel: None without mediators.
        run: Folder of the fit when it was made.
        horizon: Of plans unless another is asked for.
        diagnostics: The verdict.
        experiments: Its lift tests, with what they did.
    """

    channels: tuple[Channel, ...]
    baseline_share: OptionalEstimate
    baseline_negative_probability: float
    expected_outcome: OptionalEstimate
    accuracy: Accuracy
    outcome_unit: str
    start: str
    end: str
    n_geos: int
    follows_demand: FollowsDemand
    n_times: int
    spend: float
    accuracy_by_geo: Accuracy | None = None
    accuracy_held_out: Accuracy | None = None
    model_check: ModelCheck | None = None
    loo: LeaveOneOut | None = None
    currency: str
    kpi_name: str
    has_value: int
    funnel: Funnel | None
    run: str
    horizon: Span
    diagnostics: Diagnostics
    experiments: tuple[LiftTestResult, ...]

    @property
    def verdict(self) -> str:
        """`trustworthy`, `doubtful` or `failed`."""
        return self.diagnostics.verdict

    @property
    def is_money(self) -> bool:
        """Whether its outcome is money."""
        return self.outcome_unit == "revenue"

    @property
    def priors(self) -> dict[str, ChannelPrior]:
        """Prior of every channel by its name."""
        return {channel.name: channel.prior for channel in self.channels}

    @property
    def unseen(self) -> tuple[str, ...]:
        """Channels that the data would hardly miss."""
        factors = {x.name: x.evidence.no_effect for x in self.channels if x.evidence}
        return tuple(name for name, own in factors.items() if own and own >= AS_WELL)

    def channel(self, name: str) -> Channel:
        """A channel by its name.

        Raises:
            KeyError: There is none.
        """
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise KeyError(name)


def as_record(content: Any) -> FitRecord:
    """A record of what summary.json has.

    Raises:
        WorkspaceError: It is none; the message names the place.
    """
    return part_of_result(content, FitRecord, "summary")


def part_of_result(content: Any, kind: type[_Kind], where: str) -> _Kind:
    """A record of what a file of a fit's result holds.

    Args:
        content: What it holds.
        kind: The record.
        where: The place that a message names where no part of it is to blame.

    Raises:
        WorkspaceError: It is none; the message names the place.
    """
    fault = "The result of this fit cannot be read"
    hint = "It was made by another version of Mixwright; fit again."
    return converted(content, kind, WorkspaceError, fault, hint, where)
