"""Wishes for a plan of geos: what a scenario file or the screen says beside channels.

[geos]
bounds = ["50 %", "200 %"]   # of what each channel spends in each geo now
totals = ["80 %", "120 %"]   # of what each geo has now, all channels; default: free

[geos.geo.Harbour]
min = 100_000                # of all channels there: money, or "80 %"
max = "110 %"
bounds = ["90 %", "110 %"]   # of each channel there

[geos.geo."North Coast"]
lock = true                  # keeps what it has

[[geos.reserved]]            # for planned tests: core/plan/scenario/reserved.py
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.plan.scenario.amounts import finish, range_of, reader_of
from core.plan.scenario.reserved import Reserved, as_rows, reserved_of

Range = tuple[float, float]

#: Limits of a channel in a geo, as multiples of what it spends there now.
DEFAULT_BOUNDS: Range = (0.5, 2.0)


@dataclass(frozen=True)
class GeoWish:
    """Limits of geos, as people state them.

    Attributes:
        bounds: Of every channel in every geo, multiples of its spend there.
        totals: Of every geo, multiples of its spend; None where geos are free.
        geos: What is said about single geos, as in a scenario file.
        scaled: Multiples are of current spend scaled to the budget.
        reserved: What planned tests fix.
    """

    bounds: Range = DEFAULT_BOUNDS
    totals: Range | None = None
    geos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scaled: bool = False
    reserved: tuple[Reserved, ...] = ()

    def as_table(self) -> dict[str, Any]:
        """The wish in the words of a scenario file."""
        table: dict[str, Any] = {"bounds": _percents(self.bounds)}
        if self.totals is not None:
            table["totals"] = _percents(self.totals)
        if self.geos:
            table["geo"] = {name: dict(row) for name, row in self.geos.items()}
        if self.reserved:
            table["reserved"] = as_rows(self.reserved, "geos")
        return table


def geo_wish(table: Mapping[str, Any], **flags: Any) -> GeoWish:
    """The wish of a `[geos]` table.

    Args:
        table: See this module.
        flags: Fields that go before what the table says.

    Raises:
        PlanError: The table is not understood.
    """
    stated = {key: value for key, value in flags.items() if value is not None}
    if isinstance(table, Mapping):
        table = {**table, **stated}
    geos = reader_of({"geos": table}).child("geos")
    options: dict[str, Any] = {
        key: geos.converted(key, range_of) for key in ("bounds", "totals")
    }
    options["reserved"] = reserved_of(geos, "geos")
    rows = geos.named("geo")
    for row in rows.values():
        row.converted("bounds", range_of)
        row.any("min"), row.any("max")  # amounts of what the geo spends
        if not isinstance(row.any("lock"), bool | None):
            hint = "A locked geo keeps what it has; give others min and max."
            row.problem(f"lock in {row.place} is neither true nor false.", hint, "lock")
        row.finish()
    finish(geos)
    options = {key: value for key, value in options.items() if value is not None}
    return GeoWish(**options, geos={name: row.table for name, row in rows.items()})


def _percents(bounds: Range) -> list[str]:
    return [f"{100 * end:g} %" for end in bounds]
