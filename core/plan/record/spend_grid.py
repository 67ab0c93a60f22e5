"""Spend grid: what a plan of weeks or of geos spends, a row per week or geo."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from core.plan.record.plan_record import PlanRecord


@dataclass(frozen=True)
class SpendGrid:
    """Planned spend of channels by week or geo.

    Attributes:
        over: `week` or `geo`.
        rows: First days of weeks as YYYY-MM-DD, or names of geos.
        channels: Names.
        planned: Currency; NaN where a channel has no spend to plan in a geo.
        current: Of each channel: what it spends now, or a year earlier.
        row_current: Of each geo, the same; None for weeks.
        beyond: Cells above what was ever spent.
    """

    over: str
    rows: tuple[str, ...]
    channels: tuple[str, ...]
    planned: Float[np.ndarray, "row channel"]
    current: Float[np.ndarray, " channel"]
    row_current: Float[np.ndarray, " row"] | None
    beyond: Bool[np.ndarray, "row channel"]

    @property
    def row_totals(self) -> Float[np.ndarray, " row"]:
        """Of each week or geo, currency."""
        return np.nansum(self.planned, axis=1)

    @property
    def totals(self) -> Float[np.ndarray, " channel"]:
        """Of each channel, currency."""
        return np.nansum(self.planned, axis=0)


def spend_grid(plan: PlanRecord) -> SpendGrid:
    """The spend of a plan of weeks or geos."""
    channels = tuple(line.name for line in plan.channels)
    current = np.array([line.current for line in plan.channels])
    if plan.over == "geos":
        return _of_geos(plan, channels, current)
    return SpendGrid(
        over="week",
        rows=plan.weeks,
        channels=channels,
        planned=np.array([line.weeks for line in plan.channels], dtype=float).T,
        current=current,
        row_current=None,
        beyond=np.array([line.weeks_beyond_seen for line in plan.channels], bool).T,
    )


def _of_geos(
    plan: PlanRecord, channels: tuple[str, ...], current: np.ndarray
) -> SpendGrid:
    geos = tuple(line.name for line in plan.geos)
    planned = np.full((len(geos), len(channels)), np.nan)
    beyond = np.zeros(planned.shape, dtype=bool)
    for cell in plan.cells:
        place = geos.index(cell.geo), channels.index(cell.channel)
        planned[place], beyond[place] = cell.planned, cell.beyond_seen
    return SpendGrid(
        over="geo",
        rows=geos,
        channels=channels,
        planned=planned,
        current=current,
        row_current=np.array([line.current for line in plan.geos]),
        beyond=beyond,
    )
