"""What a read-out found, as the workspace keeps it; keys of lift_tests.json."""

from msgspec import Struct

from core.estimate import Estimate
from core.experiments.reading.checks import Check


class Series(Struct, frozen=True):
    """Outcome of the treated geos by period, and their counterfactual."""

    time: tuple[str, ...]
    observed: tuple[float, ...]
    counterfactual: tuple[float, ...]


class Cumulative(Struct, frozen=True):
    """Effect up to each period of the test, with its 90 % interval, KPI."""

    time: tuple[str, ...]
    mean: tuple[float, ...]
    lo: tuple[float, ...]
    hi: tuple[float, ...]


class ReadoutRecord(Struct, frozen=True, kw_only=True):
    """What a test did, as it is kept and printed; see `reading.readout.Readout`.

    Attributes:
        treated: Treated geos.
        start: First day.
        end: Last day.
        channels: Tested.
        unit: Of the KPI.
        lift: Effect as a share of the counterfactual.
        incremental: Effect in KPI.
        iroas: Effect per unit of money; None where no known channel's changed.
        p: Share of placebos with an effect as large.
        checks: What speaks for and against it.
        spend_change: By channel, currency.
        cumulative: Effect up to each period.
        series: What it was read from.
        controls: Weight of each control geo.
        placebos: How many there were.
        ridge: Of the counterfactual; None for an infinite one.
        interval: Mass of the intervals.
    """

    treated: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    channels: tuple[str, ...] = ()
    unit: str = ""
    lift: Estimate | None = None
    incremental: Estimate | None = None
    iroas: Estimate | None = None
    p: float | None = None
    checks: tuple[Check, ...] = ()
    spend_change: dict[str, float] = {}
    cumulative: Cumulative | None = None
    series: Series | None = None
    controls: dict[str, float] = {}
    placebos: int | None = None
    ridge: float | None = None
    interval: float | None = None
