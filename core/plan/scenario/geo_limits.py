"""Domain of a plan of geos: limits of cells, channels and geos as one set of splits.

A cell is a channel in a geo. Cells have ranges; rows are the budget, the channels'
totals and groups of the scenario, and the geos' totals.
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from core.data.findings import Finding
from core.plan.limits.cents import in_steps, step
from core.plan.limits.channels import Money
from core.plan.limits.domain import Domain
from core.plan.response.geos import GeoResponse
from core.plan.scenario.amounts import amount, bounds_of
from core.plan.scenario.geos import GeoWish
from core.plan.scenario.scenario import Scenario, refuse


class _Row(NamedTuple):
    """A joint limit of cells, currency."""

    name: str
    weights: Float[np.ndarray, " cell"]
    least: float
    most: float


@dataclass(frozen=True)
class GeoDomain:
    """Splits of a budget over cells that are allowed.

    Attributes:
        domain: Over cells; amounts are whole cents.
        rows: What the rows after the budget are called in messages.
        base: What a cell's multiples are of, currency; zero where they do not hold.
        geo_low: Least total of each geo.
        geo_high: Most total of each geo.
        locked: Geos that keep what they have.
    """

    domain: Domain
    rows: tuple[str, ...]
    base: Float[np.ndarray, " cell"]
    geo_low: Float[np.ndarray, " geo"]
    geo_high: Float[np.ndarray, " geo"]
    locked: tuple[str, ...]


def geo_domain(given: GeoResponse, scenario: Scenario, wish: GeoWish) -> GeoDomain:
    """The splits over cells that a scenario and its limits of geos allow.

    Args:
        given: Response by geo.
        scenario: Budget and limits of channels; the budget is known, and channels
            may take any amount in their range.
        wish: Limits of cells and geos.

    Raises:
        PlanError: A limit of a geo is wrong.
    """
    _check_names(given, wish)
    now = given.curves.spend
    scale = scenario.budget / now.sum() if wish.scaled else 1.0
    size = float(step(scenario.budget))
    low, high, base = _cells(given, scenario, wish, (scale, size))
    locked = tuple(name for name, row in wish.geos.items() if row.get("lock"))
    geo_low, geo_high = _totals(given, wish, scale)
    low, high = _outward(low, high, size)
    geo_low, geo_high = _outward(geo_low, geo_high, size)
    rows = [
        *_channel_rows(given, scenario, size),
        *(
            _Row(f"geo {name}", given.in_geo[i], geo_low[i], geo_high[i])
            for i, name in enumerate(given.geos)
        ),
    ]
    low, high = _folded(rows, low, high)
    rows = [row for row in rows if _matters(row, low, high)]
    return GeoDomain(
        _domain(low, high, scenario.budget, rows),
        tuple(row.name for row in rows),
        base,
        geo_low,
        geo_high,
        locked,
    )


def _domain(
    low: np.ndarray, high: np.ndarray, budget: float, rows: Sequence[_Row]
) -> Domain:
    """Ranges, the budget in whole cents, and the other rows."""
    cent, none = step(budget), np.zeros(len(low))
    total = float(in_steps(budget, cent) * cent)
    return Domain(
        low=low,
        high=high,
        off=none > 0,
        step=none,
        rows=np.stack([np.ones(len(low)), *(row.weights for row in rows)]),
        least=np.array([total, *(row.least for row in rows)]),
        most=np.array([total, *(row.most for row in rows)]),
    )


def _cells(
    given: GeoResponse, scenario: Scenario, wish: GeoWish, units: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least and most of every cell, and what their multiples are of.

    Args:
        given: Response by geo.
        scenario: Limits of channels.
        wish: Limits of geos.
        units: What current spend is scaled by, and the size of a cent.
    """
    scale, size = units
    now, base = given.curves.spend, scale * given.curves.spend
    bounds = np.array(
        [
            bounds_of(wish.geos.get(name, {}).get("bounds", list(wish.bounds)))
            for name in given.geos
        ]
    )[given.geo]
    low, high = bounds[:, 0] * base, bounds[:, 1] * base
    if scenario.within_seen:
        top = np.where(np.isfinite(given.curves.seen), now * given.curves.seen, np.inf)
        top = np.floor(top / size) * size
        _refuse_unseen(given, low, top, Money(scenario.currency))
        base[high > top] = 0.0
        high = np.minimum(high, top)
    by_name = {one.name: one for one in scenario.channels}
    for i, name in enumerate(given.channels):
        lock = by_name[name].locked
        if lock is not None:
            here = given.channel == i
            low[here] = high[here] = now[here] * lock / now[here].sum()
            base[here] = 0.0
    for i, name in enumerate(given.geos):
        if wish.geos.get(name, {}).get("lock"):
            here = given.geo == i
            low[here] = high[here] = now[here]
            base[here] = 0.0
    return low, high, base


def _refuse_unseen(
    given: GeoResponse, low: np.ndarray, top: np.ndarray, money: Money
) -> None:
    """Refuse least spends above the dearest period.

    Raises:
        PlanError: There is one.
    """
    place = int((low - top).argmax())
    if low[place] > top[place] * (1 + 1e-9):
        channel, geo = (
            given.channels[given.channel[place]],
            given.geos[given.geo[place]],
        )
        refuse(
            [
                Finding(
                    "error",
                    "geos.bounds",
                    f"{channel} has to spend {money(low[place])} in {geo}, and its "
                    f"dearest period so far makes {money(top[place])} the most seen.",
                    "Lower the smaller bound of geos, or allow spend beyond what was "
                    "seen.",
                )
            ]
        )


def _totals(
    given: GeoResponse, wish: GeoWish, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Least and most of every geo.

    Raises:
        PlanError: One is not a number, negative, or above the other.
    """
    now = given.in_geo @ given.curves.spend
    low, high = np.zeros(len(now)), np.full(len(now), math.inf)
    if wish.totals is not None:
        low, high = (end * scale * now for end in wish.totals)
    faults = []
    for i, name in enumerate(given.geos):
        row: Mapping[str, Any] = wish.geos.get(name, {})
        where = f"geo {name}"
        if row.get("lock"):
            low[i] = high[i] = now[i]
            continue
        for key, ends in (("min", low), ("max", high)):
            if key in row:
                ends[i] = amount(row[key], scale * now[i], where)
                if not math.isfinite(ends[i]) or ends[i] < 0:
                    said = f"The {key} of {where} is no amount: {row[key]!r}."
                    faults.append(Finding("error", where, said, "Give one above 0."))
        if low[i] > high[i]:
            said = f"The minimum of {where} is above its maximum."
            hint = f"Lower the minimum by {low[i] - high[i]:,.2f}."
            faults.append(Finding("error", where, said, hint))
    refuse(faults)
    return low, high


def _channel_rows(given: GeoResponse, scenario: Scenario, size: float) -> list[_Row]:
    """Totals of channels and groups, in whole cents."""
    names, over = given.channels, scenario.domain(given.channels)
    groups = [f"group {name}" for name in scenario.row_names(names)]
    ranges = zip(*scenario.ranges(names), strict=True)
    limits = [*ranges, *zip(over.least[1:], over.most[1:], strict=True)]
    low, high = _outward(*np.array(limits, dtype=float).T, size)
    weights = np.concatenate([np.eye(len(names)), over.rows[1:]]) @ given.in_channel
    labels = [*(f"channel {name}" for name in names), *groups]
    return [_Row(*row) for row in zip(labels, weights, low, high, strict=True)]


def _folded(
    rows: Sequence[_Row], low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of cells with the totals of channels and geos that are one cell."""
    low, high = low.copy(), high.copy()
    for row in rows:
        if np.count_nonzero(row.weights) != 1 or row.weights.max() != 1:
            continue
        cell = int(row.weights.argmax())
        inner = max(low[cell], row.least), min(high[cell], row.most)
        if inner[0] <= inner[1]:
            low[cell], high[cell] = inner
    return low, high


def _matters(row: _Row, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether the cells' ranges alone do not keep to a row."""
    up, down = np.maximum(row.weights, 0.0), np.minimum(row.weights, 0.0)
    smallest, largest = up @ low + down @ high, up @ high + down @ low
    slack = 1e-9 * max(abs(largest), 1.0)
    return bool(smallest < row.least - slack or largest > row.most + slack)


def _outward(
    low: np.ndarray, high: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Limits in whole cents, widened by less than one so that each can be met."""
    return np.floor(low / size + 1e-6) * size, np.ceil(high / size - 1e-6) * size


def _check_names(given: GeoResponse, wish: GeoWish) -> None:
    """Refuse geos that are not there.

    Raises:
        PlanError: One is not.
    """
    faults = []
    for name in wish.geos:
        if name not in given.geos:
            near = difflib.get_close_matches(name, given.geos, n=1)
            hint = f"Did you mean {near[0]}?" if near else _listed(given.geos)
            said = f"There is no geo {name} with spend in this fit."
            faults.append(Finding("error", name, said, hint))
    refuse(faults)


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"It has {', '.join(names[:8])}{more}."
