"""Domain of a plan of geos: limits of cells, channels and geos as one set of splits.

A cell is a channel in a geo. Cells have ranges; rows are the budget, the channels'
totals and groups of the scenario, and the geos' totals.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from core.data.reading.findings import Finding
from core.plan.limits.cents import in_money, in_steps, step
from core.plan.limits.channels import Money
from core.plan.limits.faults import Way, Words, joint_faults, ways_of_rows
from core.plan.limits.findings import fault, refuse, unknown
from core.plan.limits.polytope import (
    Polytope,
    Rows,
    budget_row,
    dense_rows,
    polytope,
    stacked,
)
from core.plan.limits.program import Give
from core.plan.response.geos import GeoResponse
from core.plan.scenario.amounts import amount, bounds_of
from core.plan.scenario.geos import GeoRequest, cell_names, settled_spend
from core.plan.scenario.reserved import refuse_naming, reserve_geos
from core.plan.scenario.scenario import Scenario
from core.text.languages.language import marked


@dataclass(frozen=True)
class GeoDomain:
    """Splits of a budget over cells that are allowed.

    Attributes:
        domain: Over cells; amounts are whole cents.
        base: What a cell's multiples are of, currency; zero where they do not hold.
        geo_low: Least total of each geo.
        geo_high: Most total of each geo.
        locked: Geos that keep what they have.
    """

    domain: Polytope
    base: Float[np.ndarray, " cell"]
    geo_low: Float[np.ndarray, " geo"]
    geo_high: Float[np.ndarray, " geo"]
    locked: tuple[str, ...]


def geo_domain(
    response: GeoResponse, scenario: Scenario, by_geo: GeoRequest
) -> GeoDomain:
    """The splits over cells that a scenario and its limits of geos allow.

    Args:
        response: Response by geo.
        scenario: Budget and limits of channels, which may take any amount in their
            range; a budget that is to be found leaves its range free.
        by_geo: Limits of cells and geos.

    Raises:
        PlanError: A limit of a geo is wrong, or no split keeps to all of them.
    """
    refuse(
        [
            unknown("geo", name, response.geos)
            for name in (*by_geo.geos, *by_geo.spend)
            if name not in response.geos
        ]
    )
    if by_geo.spend:
        return _one_split(response, by_geo)
    total = float(response.curves.spend.sum())
    usual = total if scenario.budget is None else scenario.budget
    scale = usual / total if by_geo.scaled else 1.0
    size = float(step(usual))
    low, high, base = _cells(response, scenario, by_geo, (scale, size))
    locked = tuple(name for name in by_geo.geos if by_geo.of_geo(name).locked)
    geo_low, geo_high = _totals(response, by_geo, scale)
    low, high = _outward(low, high, size)
    geo_low, geo_high = _outward(geo_low, geo_high, size)
    labels = tuple(f"geo {name}" for name in response.geos)
    joint = stacked(
        _channel_rows(response, scenario, size),
        dense_rows(labels, response.in_geo, geo_low, geo_high),
    )
    low, high = _folded(joint, low, high)
    names = cell_names(response)
    joint = stacked(budget_row(len(low), *_budgets(response, scenario)), joint)
    domain = polytope(names, low, high, joint).reduced()
    limits = GeoDomain(domain, base, geo_low, geo_high, locked)
    refuse_naming(
        _joint_faults(limits, by_geo.bounds, Money(scenario.currency)),
        by_geo.reserved,
        lambda: geo_domain(response, scenario, replace(by_geo, reserved=())),
    )
    return limits


def _budgets(response: GeoResponse, scenario: Scenario) -> tuple[float, float]:
    """Least and most of the budget: one amount where it is known."""
    if scenario.budget is None:
        return scenario.domain(response.channels).budgets
    size = step(scenario.budget)
    total = float(in_steps(scenario.budget, size) * size)
    return total, total


def _one_split(response: GeoResponse, limits: GeoRequest) -> GeoDomain:
    """The domain of the one split whose amounts are settled, to the cent."""
    amounts = settled_spend(response, limits.spend)
    size = step(float(amounts.sum()))
    spend = in_money([in_steps(amount, size) for amount in amounts], size)
    names, total = cell_names(response), float(spend.sum())
    totals = response.in_geo @ spend
    domain = polytope(names, spend, spend, budget_row(len(spend), total, total))
    return GeoDomain(domain, np.zeros(len(spend)), totals, totals, ())


def _joint_faults(
    limits: GeoDomain, bounds: tuple[float, float], money: Money
) -> list[Finding]:
    """No split keeps to all limits together.

    Args:
        limits: Limits of cells, channels and geos.
        bounds: Multiples that most cells keep to, for the message.
        money: How amounts are written.
    """
    ways = list(ways_of_rows(limits.domain, money))
    if limits.base.any():
        ways += _ways_of_bounds(limits.base, bounds)
    words = Words(money, what=marked("split over channels and geos"), where="geos")
    return joint_faults(limits.domain, ways, words)


def _ways_of_bounds(
    base: Float[np.ndarray, " cell"], bounds: tuple[float, float]
) -> Iterator[Way]:
    """The multiples of all cells, upwards and downwards."""
    (low, high), total = bounds, float(base.sum())

    def up(change: float) -> str:
        to = np.ceil(100 * (high + change / total) - 1e-6)
        return f"let channels go up to {to:g} % in each geo"

    def down(change: float) -> str:
        to = np.floor(max(100 * (low - change / total), 0.0) + 1e-6)
        return f"let channels go down to {to:g} % in each geo"

    yield Way(Give(True, cells=base / total), up)
    yield Way(Give(False, cells=base / total), down)


def _cells(
    response: GeoResponse,
    scenario: Scenario,
    limits: GeoRequest,
    units: tuple[float, float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least and most of every cell, and what their multiples are of.

    Args:
        response: Response by geo.
        scenario: Limits of channels.
        limits: Limits of geos.
        units: What current spend is scaled by, and the size of a cent.
    """
    scale, size = units
    now, highest = response.curves.spend, response.curves.highest_seen
    base = scale * now
    bounds = np.array(
        [
            bounds_of(limits.of_geo(name).bounds or list(limits.bounds))
            for name in response.geos
        ]
    )[response.geo]
    low, high = bounds[:, 0] * base, bounds[:, 1] * base
    if scenario.within_seen:
        top = np.where(np.isfinite(highest), now * highest, np.inf)
        top = np.floor(top / size) * size
        _refuse_unseen(response, low, top, Money(scenario.currency))
        base[high > top] = 0.0
        high = np.minimum(high, top)
    by_name = {limit.name: limit for limit in scenario.channels}
    by_belief = np.isin(np.array(response.channels), response.curves.beliefs)
    for i in np.flatnonzero(by_belief):
        here = response.channel == i
        low[here], base[here] = 0.0, 0.0
        high[here] = by_name[response.channels[i]].range[1]
    locked = np.zeros(len(now), dtype=bool)
    for i, name in enumerate(response.channels):
        lock = by_name[name].locked
        if lock is not None:
            here = response.channel == i
            low[here] = high[here] = now[here] * lock / now[here].sum()
            locked |= here
    for i, name in enumerate(response.geos):
        if limits.of_geo(name).locked:
            here = response.geo == i
            low[here] = high[here] = now[here]
            locked |= here
    base[locked] = 0.0
    if not limits.reserved:
        return low, high, base
    ends = (low, high, base)
    return reserve_geos(response, limits.reserved, ends, locked, scenario.currency)


def _refuse_unseen(
    response: GeoResponse, low: np.ndarray, top: np.ndarray, money: Money
) -> None:
    """Refuse least spends above the most expensive period.

    Raises:
        PlanError: There is one.
    """
    place = int((low - top).argmax())
    if low[place] > top[place] * (1 + 1e-9):
        channel = response.channels[response.channel[place]]
        geo = response.geos[response.geo[place]]
        message = (
            f"{channel} has to spend {money(low[place])} in {geo}, but its most "
            f"expensive period so far allows no more than {money(top[place])}."
        )
        hint = "Lower the smaller bound of geos, or allow spend beyond what was seen."
        refuse([fault("geos.bounds", message, hint)])


def _totals(
    response: GeoResponse, limits: GeoRequest, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Least and most of every geo.

    Raises:
        PlanError: One is not a number, negative, or above the other.
    """
    now = response.in_geo @ response.curves.spend
    low, high = np.zeros(len(now)), np.full(len(now), math.inf)
    if limits.totals is not None:
        low, high = (end * scale * now for end in limits.totals)
    faults = []
    for i, name in enumerate(response.geos):
        asked, where = limits.of_geo(name), f"geo {name}"
        if asked.locked:
            low[i] = high[i] = now[i]
            continue
        for key, row, ends in (("min", asked.low, low), ("max", asked.high, high)):
            if row is not None:
                ends[i] = amount(row, scale * now[i], where)
                if not math.isfinite(ends[i]) or ends[i] < 0:
                    message = f"The {key} of {where} is not an amount: {row!r}."
                    faults.append(fault(where, message, "Give one above 0."))
        if low[i] > high[i]:
            message = f"The minimum of {where} is above its maximum."
            hint = f"Lower the minimum by {low[i] - high[i]:,.2f}."
            faults.append(fault(where, message, hint))
    refuse(faults)
    return low, high


def _channel_rows(response: GeoResponse, scenario: Scenario, size: float) -> Rows:
    """Totals of channels and groups, in whole cents."""
    names, over = response.channels, scenario.domain(response.channels)
    least, most = (
        np.concatenate([ends, rest[1:]])
        for ends, rest in zip(
            scenario.ranges(names), (over.rows.least, over.rows.most), strict=True
        )
    )
    weights = (
        np.concatenate([np.eye(len(names)), over.matrix[1:]]) @ response.in_channel
    )
    labels = (*(f"channel {name}" for name in names), *over.rows.names[1:])
    return dense_rows(labels, weights, *_outward(least, most, size))


def _folded(
    joint: Rows, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of cells with the totals of channels and geos that are one cell."""
    low, high = low.copy(), high.copy()
    is_alone = np.bincount(joint.row, minlength=joint.n)[joint.row] == 1
    for entry in np.flatnonzero(is_alone & (joint.weight == 1)):
        row, cell = joint.row[entry], joint.cell[entry]
        inner = max(low[cell], joint.least[row]), min(high[cell], joint.most[row])
        if inner[0] <= inner[1]:
            low[cell], high[cell] = inner
    return low, high


def _outward(
    low: np.ndarray, high: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Limits in whole cents, widened by less than one so that each can be met."""
    low, high = np.floor(low / size + 1e-6), np.ceil(high / size - 1e-6)
    return np.round(low * size, 10), np.round(high * size, 10)
