"""Whether limits of geos can be met together, and the smallest change that would do.

A linear program asks for any split. Where there is none, it is asked again with one
limit at a time allowed to give way: the least by which it must.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.data.findings import Finding
from core.plan.limits.channels import Money
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.scenario import refuse

_MOST_WAYS = 3
_SLACK = 0.01  # cents


class _Knob(NamedTuple):
    """What may give way: a row, or the range of all cells (row -1); up or down."""

    row: int
    is_up: bool


def check_geos(limits: GeoDomain, bounds: tuple[float, float], money: Money) -> None:
    """Refuse limits that cannot be met.

    Args:
        limits: Limits of cells, channels and geos.
        bounds: Multiples that most cells keep to, for the message.
        money: How amounts are written.

    Raises:
        PlanError: No split keeps to all of them.
    """
    if _least(limits, None) is not None:
        return
    found = []
    for knob in _knobs(limits):
        change = _least(limits, knob)
        if change is not None:
            size = change * float(limits.base.sum()) if knob.row < 0 else change
            found.append((size, _told(limits, knob, change, bounds, money)))
    ways = [text for _, text in sorted(found, key=lambda one: round(one[0], 2))]
    hint = "Loosen several limits at once: no single change would do."
    if ways:
        few = list(dict.fromkeys(ways))[:_MOST_WAYS]
        hint = f"The smallest change that works: {'; or '.join(few)}."
    budget = money(float(limits.domain.budgets[0]))
    said = f"No split of {budget} over channels and geos keeps to all limits together."
    refuse([Finding("error", "geos", said, hint)])


def _knobs(limits: GeoDomain) -> Iterator[_Knob]:
    for row in range(len(limits.domain.rows)):
        for is_up, limit in ((True, limits.domain.most), (False, limits.domain.least)):
            if np.isfinite(limit[row]):
                yield _Knob(row, is_up)
    if limits.base.any():
        yield _Knob(-1, True)
        yield _Knob(-1, False)


def _least(limits: GeoDomain, knob: _Knob | None) -> float | None:
    """By how much a limit must give way; None if that is not enough.

    Currency, or multiples of current spend for the range of all cells. Variables are
    spend of cells and the give; cells that may give way are rows too.
    """
    from scipy.optimize import linprog

    domain = limits.domain
    n = len(domain.low)
    money = max(float(domain.high.max()), 1e-6)
    size = _cent(domain)
    low, high = domain.low / money, domain.high / money
    rows = np.concatenate([domain.rows, -domain.rows])
    most = np.concatenate([domain.most, -domain.least])
    kept = np.isfinite(most)
    given = np.zeros(len(rows))
    if knob is not None and knob.row >= 0:
        given[knob.row + (0 if knob.is_up else len(domain.rows))] = -1.0
        if knob.row == 0:  # the budget is one number: both of its sides move
            other = len(domain.rows) if knob.is_up else 0
            given[other] = 1.0
    blocks = [np.column_stack([rows, given])[kept]]
    ends = [(most[kept] + _SLACK * size) / money]
    if knob is not None and knob.row < 0:
        side, limit = (1.0, high) if knob.is_up else (-1.0, -low)
        blocks.append(np.column_stack([side * np.eye(n), -limits.base / money]))
        ends.append(limit)
        low, high = (low, np.inf) if knob.is_up else (0.0 * low, high)
    top = 0.0 if knob is None else 1e4
    bounds = np.column_stack([np.append(low, 0.0), np.append(high + 0 * low, top)])
    solved = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.concatenate(blocks),
        b_ub=np.concatenate(ends),
        bounds=bounds,
        method="highs",
    )
    if solved.status != 0:
        return None
    unit = 1.0 if knob is not None and knob.row < 0 else money
    return float(solved.x[-1] * unit)


def _cent(domain) -> float:
    from core.plan.limits.cents import step

    return float(step(domain.budgets[0]))


def _told(
    limits: GeoDomain,
    knob: _Knob,
    change: float,
    bounds: tuple[float, float],
    money: Money,
) -> str:
    if knob.row < 0:
        low, high = bounds
        if knob.is_up:
            to = 100 * (high + change)
            return f"let channels go up to {np.ceil(to - 1e-6):g} % in each geo"
        to = max(100 * (low - change), 0.0)
        return f"let channels go down to {np.floor(to + 1e-6):g} % in each geo"
    domain = limits.domain
    now = (domain.most if knob.is_up else domain.least)[knob.row]
    to = _cents(now + change if knob.is_up else now - change, is_up=knob.is_up)
    verb = "raise" if knob.is_up else "lower"
    if knob.row == 0:
        return f"{verb} the budget to {money(to)}"
    limit = "maximum" if knob.is_up else "minimum"
    name = limits.rows[knob.row - 1]
    if now == 0 and (domain.rows[knob.row] < 0).any():  # a share of the budget
        more = "more" if knob.is_up else "less"
        return f"let {name} have {money(_cents(change, is_up=True))} {more}"
    return f"{verb} the {limit} of {name} from {money(now)} to {money(to)}"


def _cents(amount: float, *, is_up: bool) -> float:
    """Rounded so that the change is enough."""
    rounded = np.ceil if is_up else np.floor
    return float(rounded(round(100 * amount, 3))) / 100
