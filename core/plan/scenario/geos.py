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
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.plan.scenario.amounts import bounds_of, known, table_of, wrong

Range = tuple[float, float]

_TOP = ("bounds", "totals", "geo")
_GEO = ("min", "max", "bounds", "lock")
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
    """

    bounds: Range = DEFAULT_BOUNDS
    totals: Range | None = None
    geos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scaled: bool = False

    def as_table(self) -> dict[str, Any]:
        """The wish in the words of a scenario file."""
        table: dict[str, Any] = {"bounds": _percents(self.bounds)}
        if self.totals is not None:
            table["totals"] = _percents(self.totals)
        if self.geos:
            table["geo"] = {name: dict(row) for name, row in self.geos.items()}
        return table


def geo_wish(table: Mapping[str, Any], **given: Any) -> GeoWish:
    """The wish of a `[geos]` table.

    Args:
        table: See this module.
        given: Fields that go before what the table says.

    Raises:
        PlanError: The table is not understood.
    """
    known(table, _TOP, "geos")
    options: dict[str, Any] = {
        key: _range(table[key], f"{key} of geos")
        for key in ("bounds", "totals")
        if key in table
    }
    rows = table_of(table, "geo")
    for name, row in rows.items():
        known(row, _GEO, f"geo {name}")
        if "bounds" in row:
            _range(row["bounds"], f"bounds of geo {name}")
        if not isinstance(row.get("lock", False), bool):
            raise wrong(
                f"The lock of geo {name} is neither true nor false.",
                "A locked geo keeps what it has; give others min and max.",
            )
    options = options | {"geos": dict(rows)} | given
    for key in ("bounds", "totals"):
        if options.get(key) is not None:
            _range(options[key], f"{key} of geos")
    return GeoWish(**options)


def _range(given: Any, what: str) -> Range:
    low, high = bounds_of(given)
    if not (math.isfinite(low) and math.isfinite(high) and 0 <= low <= high):
        raise wrong(
            f"The {what} are not a range: {100 * low:g} % to {100 * high:g} %.",
            "Give the smaller one first, and none below 0.",
        )
    return low, high


def _percents(given: Range) -> list[str]:
    return [f"{100 * end:g} %" for end in given]
