"""Limits of channels and weeks that contradict each other, and what would do.

Single numbers come first, then the limits of sums (`core.plan.limits.faults`), then
changes from week to week.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.data.reading.findings import Finding
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money, budget_faults
from core.plan.limits.faults import (
    ROOM_LEFT,
    Way,
    Words,
    budget_off,
    in_cents_beyond,
    joint_faults,
    off_budget,
    slack_of,
    ways_of_rows,
)
from core.plan.limits.findings import fault
from core.plan.limits.polytope import Polytope
from core.plan.limits.program import Give, total_range
from core.text.languages.language import marked

_HALVINGS = 40


def cell_faults(cells: Cells, money: Money) -> list[Finding]:
    """Why limits cannot be met, with the smallest change that would do.

    Args:
        cells: Any limits.
        money: How amounts are written.
    """
    findings = _number_faults(cells, money)
    findings = findings or _fixed_faults(replace(cells, change=None), money)
    if findings or cells.relaxed.change is None:
        return findings
    return _change_faults(cells.relaxed, money)


def _row_faults(limits: Polytope, money: Money) -> list[Finding]:
    """Channels and weeks whose limits contradict each other or what is booked."""
    faults, totals = [], limits.rows
    booked, room, slack = limits.floor_sums, limits.high_sums, slack_of(limits)
    for row in range(1, totals.n):
        name, least, most = totals.names[row], totals.least[row], totals.most[row]
        if (totals.weight[totals.row == row] < 0).any():
            continue  # a share of the others
        if least > most + slack:
            low, high = money(least), money(most)
            message = f"The minimum of {name} ({low}) is above its maximum ({high})."
            hint = f"Lower the minimum by {money(least - most)}."
            faults.append(fault(name, message, hint))
        elif booked[row] > most + slack:
            amount, high = money(booked[row]), money(most)
            start = name[0].upper() + name[1:]
            message = f"{start} has {amount} booked, and its maximum is {high}."
            less = money(booked[row] - most)
            hint = f"Raise it to {amount}, or book {less} less."
            faults.append(fault(name, message, hint))
        elif room[row] < least - slack:
            message = (
                f"The weeks of {name} can take {money(room[row])} in all, and its "
                f"minimum is {money(least)}."
            )
            hint = f"Lower the minimum to {money(room[row])}, or free more weeks."
            faults.append(fault(name, message, hint))
    return faults


def _step_faults(cells: Cells, money: Money) -> list[Finding]:
    """Channels whose total holds no whole number of steps."""
    if cells.step is None:
        return []
    faults = []
    for i, name in enumerate(cells.names):
        size, fixed = (
            float(cells.step[i].max()),
            float(cells.low[i][cells.fixed[i]].sum()),
        )
        is_free = ~cells.fixed[i]
        if size <= 0 or (cells.step[i][is_free] != size).any():
            continue
        least, most = cells.least[i] - fixed, cells.most[i] - fixed
        if np.floor(most / size + 1e-9) >= np.ceil(least / size - 1e-9):
            continue
        near = (
            np.floor(most / size) * size + fixed,
            np.ceil(least / size) * size + fixed,
        )
        low, high = money(cells.least[i]), money(cells.most[i])
        message = (
            f"{name} is bought in steps of {money(size)} a week, and its total "
            f"between {low} and {high} holds no whole number of them."
        )
        hint = (
            f"Let its total be {money(near[0])} or {money(near[1])}, or change steps."
        )
        faults.append(fault(name, message, hint))
    return faults


def _fixed_faults(cells: Cells, money: Money) -> list[Finding]:
    """What stands against all limits but those of change."""
    limits, n = cells.polytope, cells.n_named
    faults = _row_faults(limits, money) or _step_faults(cells, money)
    if faults:
        return faults
    ways = list(ways_of_rows(limits, money, few=n))
    if limits.rows.n > n:
        every = (np.arange(limits.rows.n) >= n).astype(float)

        def said(change: float) -> str:
            amount = money(in_cents_beyond(change, is_up=True))
            return f"raise the maximum of every week by {amount}"

        ways.append(Way(Give(is_up=True, rows=every), said))
    words = Words(
        money,
        what="plan",
        sum_of_least=marked(
            "Booked spend and minimums add up to {total}, {gap} more than the budget "
            "of {budget}."
        ),
        sum_of_most=ROOM_LEFT,
    )
    return joint_faults(limits, ways, words)


def _number_faults(cells: Cells, money: Money) -> list[Finding]:
    """Faults of single numbers."""
    if not cells.columns:
        return [fault("weeks", "The plan has no weeks.", "Ask for 1 or more.")]
    faults = budget_faults(cells.budget, money)
    amounts = [
        (name, f"A limit of channel {name}", amount)
        for name, *ends in zip(cells.names, cells.least, cells.most, strict=True)
        for amount in ends
    ]
    amounts += [
        (name, f"The spend of {name} in week {label}", cells.low[i, t])
        for i, name in enumerate(cells.names)
        for t, label in enumerate(cells.columns)
    ]
    amounts += [
        (label, f"The maximum of week {label}", most)
        for label, most in zip(cells.columns, cells.column_most, strict=True)
        if not np.isposinf(most)
    ]
    for where, what, amount in amounts:
        if not np.isfinite(amount):
            faults.append(fault(where, f"{what} is not a number.", "Give one."))
        elif amount < 0:
            message = f"{what} is negative: {money(amount)}."
            faults.append(fault(where, message, "Spend cannot be below 0."))
    return faults


def _change_faults(cells: Cells, money: Money) -> list[Finding]:
    """Limits of change that leave no plan, where the others leave one."""
    faults = []
    for place, name in enumerate(cells.names):
        alone = cells.of(place)
        if alone.change.free.all() or _is_possible(alone):
            continue
        message = (
            f"The limits and booked weeks of {name} do not go together with a "
            f"change of at most {_channel_limit(alone, money)} from week to week."
        )
        enough = _enough(alone, _is_possible, money)
        hint = f"Allow {enough}, or free a booked week."
        faults.append(fault(name, message, hint))
    if faults:
        return faults
    ends = total_range(cells.polytope)
    if ends is None:
        message = "The maximums of weeks and the limits of change leave no plan."
        allow = _allow(cells, _is_possible, money)
        hint = f"{allow}, or raise the maximum of a week."
        return [fault("weeks.change", message, hint)]
    off = off_budget(cells.polytope, ends)
    if off is None:
        return []
    allow, total = _allow(cells, _has_budget, money), money(off.total)
    message = marked(
        "The limits of change leave room for {total}, {gap} less than the budget of "
        "{budget}."
    )
    hint = f"{allow}, or lower the budget to {total}."
    if off.is_above:
        message = marked(
            "The limits of change ask for {total}, {gap} more than the budget of "
            "{budget}."
        )
        hint = f"{allow}, or raise the budget to {total}."
    return [fault("budget", budget_off(message, off, money), hint)]


def _is_possible(cells: Cells) -> bool:
    return total_range(cells.polytope) is not None


def _has_budget(cells: Cells) -> bool:
    ends = total_range(cells.polytope)
    return ends is not None and off_budget(cells.polytope, ends) is None


def _channel_limit(cells: Cells, money: Money) -> str:
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
        return marked("Allow larger changes")
    return f"Allow changes of {_enough(cells, will_do, money)}"


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
        # Rounded up, but for what halving leaves of a cent.
        return money(float(np.ceil(100 * high - 0.05)) / 100)
    return f"{np.ceil(1000 * high - 1e-3) / 10:g} %"
