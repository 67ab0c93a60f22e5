"""Limits of channels and weeks that contradict each other, and what would do.

Single numbers come first, then each channel and week alone, then all together, then
changes from week to week: a contradiction is told where it is smallest, and whatever is
wrong at that size is told at once.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.data.findings import Finding
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault
from core.plan.limits.program import total_range

_HALVINGS = 40
_SLACK = 0.005  # half a cent


def cell_faults(cells: Cells, money: Money, column: str = "week") -> list[Finding]:
    """Why limits cannot be met, with the smallest change that would do.

    Args:
        cells: Any limits.
        money: How amounts are written.
        column: What a column is.
    """
    findings = _number_faults(cells, money, column) or _sum_faults(cells, money, column)
    findings = findings or _budget_faults(replace(cells, change=None), money)
    if findings or cells.change is None:
        return findings
    return _change_faults(cells, money, column)


def _number_faults(cells: Cells, money: Money, column: str) -> list[Finding]:
    """Faults of single numbers."""
    if not cells.columns:
        return [fault("weeks", f"The plan has no {column}s.", "Ask for 1 or more.")]
    faults = []
    if not np.isfinite(cells.budget) or cells.budget <= 0:
        said = "not a number" if np.isnan(cells.budget) else money(cells.budget)
        faults.append(fault("budget", f"The budget is {said}.", "Give one above 0."))
    amounts = [
        (name, f"A limit of channel {name}", amount)
        for name, *ends in zip(cells.names, cells.least, cells.most, strict=True)
        for amount in ends
    ]
    amounts += [
        (name, f"The spend of {name} in {column} {label}", cells.low[i, t])
        for i, name in enumerate(cells.names)
        for t, label in enumerate(cells.columns)
    ]
    amounts += [
        (label, f"The maximum of {column} {label}", most)
        for label, most in zip(cells.columns, cells.column_most, strict=True)
        if not np.isposinf(most)
    ]
    for where, what, amount in amounts:
        if not np.isfinite(amount):
            faults.append(fault(where, f"{what} is not a number.", "Give one."))
        elif amount < 0:
            said = f"{what} is negative: {money(amount)}."
            faults.append(fault(where, said, "Spend cannot be below 0."))
    return faults


def _sum_faults(cells: Cells, money: Money, column: str) -> list[Finding]:
    """Faults of a channel or a column alone."""
    faults = []
    booked, room = cells.low.sum(axis=1), cells.high.sum(axis=1)
    for i, name in enumerate(cells.names):
        least, most = float(cells.least[i]), float(cells.most[i])
        if least > most + _SLACK:
            said = f"The minimum of {name} ({money(least)}) is above its maximum"
            hint = f"Lower the minimum by {money(least - most)}."
            faults.append(fault(name, f"{said} ({money(most)}).", hint))
        elif booked[i] > most + _SLACK:
            gap = float(booked[i]) - most
            said = f"{name} has {money(booked[i])} booked, and its maximum is"
            hint = f"Raise it to {money(booked[i])}, or book {money(gap)} less."
            faults.append(fault(name, f"{said} {money(most)}.", hint))
        elif room[i] < least - _SLACK:
            said = f"The {column}s of {name} can take {money(room[i])} in all, and its"
            hint = f"Lower the minimum to {money(room[i])}, or free more {column}s."
            faults.append(fault(name, f"{said} minimum is {money(least)}.", hint))
    booked = cells.low.sum(axis=0)
    for t, label in enumerate(cells.columns):
        most = float(cells.column_most[t])
        if booked[t] > most + _SLACK:
            said = f"{column.capitalize()} {label} has {money(booked[t])} booked, and"
            hint = f"Raise the maximum to {money(booked[t])}."
            faults.append(fault(label, f"{said} its maximum is {money(most)}.", hint))
    return faults


def _off_budget(
    cells: Cells, ends: tuple[float, float]
) -> tuple[float, float, bool] | None:
    """The total nearest to the budget, the budget it misses, and whether above it."""
    (least, most), smallest = ends, cells.budget - cells.spare
    if least > cells.budget + _SLACK:
        return least, cells.budget, True
    return None if smallest <= most + _SLACK else (most, smallest, False)


def _budget_faults(cells: Cells, money: Money) -> list[Finding]:
    """A budget that the limits together do not allow."""
    ends = total_range(cells.polytope)
    if ends is None:
        needed = np.maximum(cells.least, cells.low.sum(axis=1))
        bare = replace(cells, least=cells.low.sum(axis=1), most=needed)
        gap = float(needed.sum()) - total_range(bare.polytope)[1]
        said = (
            f"The minimums of channels add up to {money(needed.sum())}, {money(gap)} "
            "more than the maximums of weeks leave room for."
        )
        hint = f"Lower the minimums by {money(gap)} in total, or raise the maximum"
        return [fault("weeks", said, f"{hint} of a week.")]
    off = _off_budget(cells, ends)
    if off is None:
        return []
    (end, budget, is_above), gap = off, money(abs(off[0] - off[1]))
    subject = "Booked spend and minimums add up to"
    verb, other = "Raise", f"book {gap} less"
    if not is_above:
        subject = "The limits leave room for"
        verb, other = "Lower", f"raise maximums by {gap} in total"
    said = f"{subject} {money(end)}, {gap} {'more' if is_above else 'less'} than the"
    hint = f"{verb} the budget to {money(end)}, or {other}."
    return [fault("budget", f"{said} budget of {money(budget)}.", hint)]


def _change_faults(cells: Cells, money: Money, column: str) -> list[Finding]:
    """Limits of change that leave no plan, where the others leave one."""
    faults = []
    for place, name in enumerate(cells.names):
        alone = cells.of(place)
        if alone.change.free.all() or _is_possible(alone):
            continue
        said = (
            f"The limits and booked {column}s of {name} do not go together with a "
            f"change of at most {_said(alone, money)} from {column} to {column}."
        )
        enough = _enough(alone, _is_possible, money)
        hint = f"Allow {enough}, or free a booked {column}."
        faults.append(fault(name, said, hint))
    if faults:
        return faults
    ends = total_range(cells.polytope)
    if ends is None:
        said = f"The maximums of {column}s and the limits of change leave no plan."
        hint = _allow(cells, _is_possible, money) + f"raise the maximum of a {column}."
        return [fault("weeks.change", said, hint)]
    off = _off_budget(cells, ends)
    if off is None:
        return []
    end, budget, is_above = off
    said = (
        f"The limits of change from {column} to {column} "
        f"{'ask for at least' if is_above else 'leave room for'} {money(end)}, "
        f"{money(abs(end - budget))} {'more' if is_above else 'less'} than the budget "
        f"of {money(budget)}."
    )
    word = "raise" if is_above else "lower"
    hint = f"{_allow(cells, _has_budget, money)}{word} the budget to {money(end)}."
    return [fault("budget", said, hint)]


def _is_possible(cells: Cells) -> bool:
    return total_range(cells.polytope) is not None


def _has_budget(cells: Cells) -> bool:
    ends = total_range(cells.polytope)
    return ends is not None and _off_budget(cells, ends) is None


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
    """The smallest limit with which there is a plan, rounded up.

    A share multiplies spend, so that no linear program gives way by it: it is halved.
    """
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
