"""Changes from week to week that contradict other limits, and what would do."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.errors import PlanError
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money
from core.plan.solve.weeks.linear_program import total_range

_HALVINGS = 40
_SLACK = 0.005  # half a cent


def check_change(cells: Cells, money: Money, column: str) -> None:
    """Refuse limits of change that leave no plan.

    Args:
        cells: Limits that can be met without those of change.
        money: How amounts are written.
        column: What a column is.

    Raises:
        PlanError: They leave none; with the smallest change that would do.
    """
    for place, name in enumerate(cells.names):
        alone = _alone(cells, place)
        if alone.change.free.all() or total_range(alone) is not None:
            continue
        raise PlanError(
            f"The limits and booked {column}s of {name} do not go together with a "
            f"change of at most {_said(alone, money)} from {column} to {column}.",
            hint=f"Allow {_enough(alone, _is_possible, money)}, or free a booked "
            f"{column}.",
            where=name,
        )
    ends = total_range(cells)
    if ends is None:
        raise PlanError(
            f"The maximums of {column}s and the limits of change leave no plan.",
            hint=_allow(cells, _is_possible, money) + f"raise the maximum of a "
            f"{column}.",
            where="weeks.change",
        )
    _check_budget(cells, ends, money, column)


def _check_budget(
    cells: Cells, ends: tuple[float, float], money: Money, column: str
) -> None:
    """Refuse a budget that only the limits of change rule out."""
    least, most = ends
    lowest = cells.budget - cells.spare
    if least <= cells.budget + _SLACK and lowest <= most + _SLACK:
        return
    needs_more = least > cells.budget
    end, word = (least, "Raise") if needs_more else (most, "Lower")
    budget = cells.budget if needs_more else lowest
    side = "ask for at least" if needs_more else "leave room for"
    raise PlanError(
        f"The limits of change from {column} to {column} {side} {money(end)}, "
        f"{money(abs(end - budget))} {'more' if needs_more else 'less'} than the "
        f"budget of {money(budget)}.",
        hint=_allow(cells, _has_budget, money)
        + f"{word.lower()} the budget to {money(end)}.",
        where="budget",
    )


def _alone(cells: Cells, place: int) -> Cells:
    """One channel without the others."""
    part = slice(place, place + 1)
    return replace(
        cells,
        names=cells.names[part],
        low=cells.low[part],
        high=cells.high[part],
        least=cells.least[part],
        most=cells.most[part],
        change=cells.change.of(place),
    )


def _is_possible(cells: Cells) -> bool:
    return total_range(cells) is not None


def _has_budget(cells: Cells) -> bool:
    ends = total_range(cells)
    if ends is None:
        return False
    lowest = cells.budget - cells.spare
    return ends[0] <= cells.budget + _SLACK and lowest <= ends[1] + _SLACK


def _said(cells: Cells, money: Money) -> str:
    """The limit of one channel."""
    share = float(cells.change.share[0])
    if np.isnan(share):
        return money(float(cells.change.amount[0]))
    return f"{100 * share:g} %"


def _allow(cells: Cells, will_do: Callable[[Cells], bool], money: Money) -> str:
    """The smallest limit of change for all, where one kind of limit is used."""
    is_money = ~np.isnan(cells.change.amount)
    is_share = ~np.isnan(cells.change.share)
    if is_money.any() and is_share.any():
        return "Allow larger changes, or "
    return f"Allow changes of {_enough(cells, will_do, money)}, or "


def _enough(cells: Cells, will_do: Callable[[Cells], bool], money: Money) -> str:
    """The smallest limit with which there is a plan, rounded up."""
    is_money = not np.isnan(cells.change.amount).all()
    key, low = ("amount", 0.0) if is_money else ("share", 0.0)
    high = float(cells.high.max()) if is_money else 1.0

    def with_limit(limit: float) -> bool:
        return will_do(replace(cells, change=cells.change.at_least(**{key: limit})))

    while not is_money and not with_limit(high) and high < 1e6:
        low, high = high, 10 * high
    finest = 0.01 if is_money else 1e-4
    for _ in range(_HALVINGS):
        if high - low <= finest / 10:
            break
        middle = (low + high) / 2
        low, high = (low, middle) if with_limit(middle) else (middle, high)
    if is_money:
        return money(float(np.ceil(100 * high - 0.05)) / 100)
    return f"{np.ceil(1000 * high - 1e-3) / 10:g} %"
