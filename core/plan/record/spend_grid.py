"""Spend grid: what a plan of weeks or of geos spends, a row per week or geo."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float


@dataclass(frozen=True)
class SpendGrid:
    """Planned spend of channels by week or geo.

    Attributes:
        over: `week` or `geo`.
        rows: First days of weeks as YYYY-MM-DD, or names of geos.
        channels: Names.
        planned: Currency; NaN where a channel has no spend to plan in a geo.
        current: Of each channel: what it spends now, or a year before.
        row_current: Of each geo, the same; None for weeks.
        beyond: Cells dearer than was ever seen.
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


def spend_grid(plan: Mapping[str, Any]) -> SpendGrid:
    """The spend of a plan of weeks or geos as it is kept or printed."""
    channels = tuple(str(row["name"]) for row in plan["channels"])
    current = np.array([float(row["current"]) for row in plan["channels"]])
    if "cells" in plan:
        return _of_geos(plan, channels, current)
    return SpendGrid(
        over="week",
        rows=tuple(str(week) for week in plan["weeks"]),
        channels=channels,
        planned=np.array([row["weeks"] for row in plan["channels"]], dtype=float).T,
        current=current,
        row_current=None,
        beyond=np.array([row["beyond_seen"] for row in plan["channels"]], bool).T,
    )


def _of_geos(
    plan: Mapping[str, Any], channels: tuple[str, ...], current: np.ndarray
) -> SpendGrid:
    geos = tuple(str(row["name"]) for row in plan["geos"])
    planned = np.full((len(geos), len(channels)), np.nan)
    beyond = np.zeros(planned.shape, dtype=bool)
    row = {name: place for place, name in enumerate(geos)}
    column = {name: place for place, name in enumerate(channels)}
    for cell in plan["cells"]:
        place = row[cell["geo"]], column[cell["channel"]]
        planned[place], beyond[place] = cell["planned"], cell["beyond_seen"]
    return SpendGrid(
        over="geo",
        rows=geos,
        channels=channels,
        planned=planned,
        current=current,
        row_current=np.array([float(one["current"]) for one in plan["geos"]]),
        beyond=beyond,
    )
