"""What the priors alone imply, before any data: the record of prior.json."""

from msgspec import Struct

from core.estimate import Estimate
from core.text import Measured


class ImpliedChannel(Struct, frozen=True, kw_only=True):
    """A channel by its priors.

    Attributes:
        name: The channel.
        contribution_share: Of the actual outcome.
        roi: Incremental outcome over spend; None without spend.
    """

    name: str
    contribution_share: Estimate
    roi: Estimate | None


class ImpliedKpi(Struct, frozen=True, kw_only=True):
    """The outcome of each period: as it was, and what the priors allow.

    Attributes:
        time: First day of each period, ISO.
        actual: What was observed.
        median: Of the draws.
        lo: Lower end of their interval.
        hi: Upper end.
    """

    time: tuple[str, ...]
    actual: tuple[float, ...]
    median: tuple[float, ...]
    lo: tuple[float, ...]
    hi: tuple[float, ...]


class PriorCheck(Measured, frozen=True, kw_only=True):
    """What the priors imply.

    Attributes:
        baseline_share: Of the actual outcome.
        channels: Each by its priors.
        kpi: The outcome by period.
    """

    baseline_share: Estimate
    channels: tuple[ImpliedChannel, ...]
    kpi: ImpliedKpi
