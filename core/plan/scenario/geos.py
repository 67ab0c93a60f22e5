"""Requests for a plan of geos: what a scenario file or the screen says beside channels.

[geos]
bounds = ["50 %", "200 %"]   # of what each channel spends in each geo now
totals = ["80 %", "120 %"]   # of what each geo has now, all channels; default: free

[geos.geo.Harbour]
min = 100_000                # of all channels there: money, or "80 %"
max = "110 %"
bounds = ["90 %", "110 %"]   # of each channel there

[geos.geo."North Coast"]
lock = true                  # keeps what it has

[geos.spend.Harbour]         # nothing is searched: exactly this is evaluated
TV = 50_000                  # of every channel that runs there, in every geo

[[geos.reserved]]            # for planned tests: core/plan/scenario/reserved.py
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from core.plan.limits.findings import fault, refuse
from core.plan.limits.stated import StatedRow, as_row, row_of
from core.plan.response.geos import GeoResponse
from core.plan.response.price import evaluated
from core.plan.scenario.amounts import finish, not_negative, range_of, reader_of
from core.plan.scenario.reserved import Reserved, as_rows, reserved_of
from core.toml.table import TableReader

Range = tuple[float, float]

#: Limits of a channel in a geo, as multiples of what it spends there now.
DEFAULT_BOUNDS: Range = (0.5, 2.0)


@dataclass(frozen=True)
class GeoRequest:
    """Limits of geos, as people state them.

    Attributes:
        bounds: Of every channel in every geo, multiples of its spend there.
        totals: Of every geo, multiples of its spend; None where geos are free.
        geos: What is said about single geos.
        scaled: Multiples are of current spend scaled to the budget.
        reserved: What planned tests fix.
        spend: Amounts by geo and channel that are evaluated as they are, whatever
            other limits say; empty where they are to be planned.
    """

    bounds: Range = DEFAULT_BOUNDS
    totals: Range | None = None
    geos: Mapping[str, StatedRow] = field(default_factory=dict)
    scaled: bool = False
    reserved: tuple[Reserved, ...] = ()
    spend: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of_geo(self, name: str) -> StatedRow:
        """What is said about a geo."""
        return self.geos.get(name, StatedRow())

    def as_table(self) -> dict[str, Any]:
        """The request in the words of a scenario file."""
        if self.spend:
            return {"spend": {geo: dict(row) for geo, row in self.spend.items()}}
        table: dict[str, Any] = {"bounds": _percents(self.bounds)}
        if self.totals is not None:
            table["totals"] = _percents(self.totals)
        if self.geos:
            table["geo"] = {name: as_row(row) for name, row in self.geos.items()}
        if self.reserved:
            table["reserved"] = as_rows(self.reserved, "geos")
        return table


def geo_request(table: Mapping[str, Any]) -> GeoRequest:
    """The request of a `[geos]` table.

    Args:
        table: See this module.

    Raises:
        PlanError: The table is not understood.
    """
    geos = reader_of({"geos": table}).child("geos")
    options: dict[str, Any] = {
        key: geos.converted(key, range_of) for key in ("bounds", "totals")
    }
    options["reserved"] = reserved_of(geos, "geos")
    by_geo = geos.named("geo")
    for row in by_geo.values():
        row.converted("bounds", range_of)
        row.any("min"), row.any("max")  # amounts of what the geo spends
        if not isinstance(row.any("lock"), bool | None):
            hint = "A locked geo keeps what it has; give others min and max."
            row.problem(f"lock in {row.place} is neither true nor false.", hint, "lock")
        row.finish()
    options["spend"] = _spend(geos.named("spend"))
    finish(geos)
    options = {key: value for key, value in options.items() if value is not None}
    rows = {name: row_of(row.table, StatedRow) for name, row in by_geo.items()}
    return GeoRequest(**options, geos=rows)


def _spend(by_geo: Mapping[str, TableReader]) -> dict[str, dict[str, float]] | None:
    """Amounts by geo and channel; problems are noted in the rows."""
    spend = {}
    for geo, row in by_geo.items():
        amounts = {name: row.converted(name, not_negative) for name in row.table}
        spend[geo] = {name: each for name, each in amounts.items() if each is not None}
        row.finish()
    return spend or None


def with_totals(
    scenario: Mapping[str, Any], limits: GeoRequest, channels: Sequence[str]
) -> dict[str, Any]:
    """A scenario with the totals of a request's amounts as those of its channels.

    What channels cost by their volume stays.

    Args:
        scenario: As in a scenario file.
        limits: Limits of geos; without amounts the scenario is as it was.
        channels: That run in the periods of the plan; one without amounts spends 0.
    """
    if not limits.spend:
        return dict(scenario)
    parts: dict[str, list[float]] = {name: [] for name in channels}
    for row in limits.spend.values():
        for name, money in row.items():
            parts.setdefault(name, []).append(money)
    totals = {name: math.fsum(each) for name, each in parts.items()}
    return evaluated(scenario, "channels", totals)


def cell_names(response: GeoResponse) -> tuple[str, ...]:
    """What cells are called in messages."""
    return tuple(
        f"{response.channels[channel]} in {response.geos[geo]}"
        for channel, geo in zip(response.channel, response.geo, strict=True)
    )


def settled_spend(
    response: GeoResponse, spend: Mapping[str, Mapping[str, float]]
) -> Float[np.ndarray, " cell"]:
    """Amounts by geo and channel, as cells.

    Raises:
        PlanError: A cell has no amount, or an amount no cell.
    """
    cells = [
        (response.geos[geo], response.channels[channel])
        for geo, channel in zip(response.geo, response.channel, strict=True)
    ]
    hint = "Give an amount; 0 is one, too."
    faults = [
        fault(f"{geo}.{name}", f"The spend of {name} in {geo} is missing.", hint)
        for geo, name in cells
        if name not in spend.get(geo, {})
    ]
    hint = "Give it 0 there, and the money to another geo."
    faults += [
        fault(
            f"{geo}.{name}",
            f"{name} has not run in {geo}, so its effect there is not known.",
            hint,
        )
        for geo, row in spend.items()
        for name, money in row.items()
        if money > 0 and (geo, name) not in cells
    ]
    refuse(faults)
    return np.array([spend[geo][name] for geo, name in cells])


def _percents(bounds: Range) -> list[str]:
    return [f"{100 * end:g} %" for end in bounds]
