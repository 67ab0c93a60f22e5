"""Cells: limits of spend per channel and column, a column being a week or a geo.

low_ct <= x_ct <= high_ct      least_c <= sum_t x_ct <= most_c
sum_c x_ct <= column_most_t    budget - spare <= sum_ct x_ct <= budget

and, between neighbouring weeks, the limits of `core.plan.limits.change`.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from core.data.findings import Finding
from core.errors import PlanError
from core.plan.limits.change import Change
from core.plan.limits.channels import Money
from core.plan.scenario.scenario import refuse

_SLACK = 0.005  # half a cent


@dataclass(frozen=True)
class Cells:
    """What every cell, channel and column may spend. Currency.

    Attributes:
        names: Channels.
        columns: What the columns are called in messages.
        low: Least spend, channel column.
        high: Most spend; equal to `low` where a cell is locked.
        least: Least total of a channel.
        most: Most total of a channel.
        column_most: Most total of a column; inf where there is no limit.
        budget: What is spent in all.
        change: By how much spend may change from one column to the next.
        spare: What may be left of the budget.
    """

    names: tuple[str, ...]
    columns: tuple[str, ...]
    low: Float[np.ndarray, "channel column"]
    high: Float[np.ndarray, "channel column"]
    least: Float[np.ndarray, " channel"]
    most: Float[np.ndarray, " channel"]
    column_most: Float[np.ndarray, " column"]
    budget: float
    change: Change | None = None
    spare: float = 0.0

    def check(self, money: Money, column: str = "week") -> None:
        """Refuse limits that cannot be met.

        Args:
            money: How amounts are written.
            column: What a column is.

        Raises:
            PlanError: They cannot; with the smallest change that would do.
        """
        refuse(_number_faults(self, money, column))
        refuse(_sum_faults(self, money, column))
        _check_budget(replace(self, change=None), money)
        if self.change is not None:
            from core.plan.limits.change_faults import check_change

            check_change(self, money, column)


def _number_faults(cells: Cells, money: Money, column: str) -> list[Finding]:
    """Faults of single numbers."""
    if not cells.columns:
        return [_fault("weeks", f"The plan has no {column}s.", "Ask for 1 or more.")]
    if not np.isfinite(cells.budget) or cells.budget <= 0:
        nan = np.isnan(cells.budget)
        said = "not a number" if nan else money(cells.budget)
        return [_fault("budget", f"The budget is {said}.", "Give one above 0.")]
    faults = []
    for i, name in enumerate(cells.names):
        for amount in (cells.least[i], cells.most[i]):
            faults += _amount_faults(name, f"A limit of channel {name}", amount, money)
        for t, label in enumerate(cells.columns):
            amount = cells.low[i, t]
            where = f"The spend of {name} in {column} {label}"
            faults += _amount_faults(name, where, amount, money)
    for t, label in enumerate(cells.columns):
        amount = cells.column_most[t]
        if not np.isposinf(amount):
            where = f"The maximum of {column} {label}"
            faults += _amount_faults(label, where, amount, money)
    return faults


def _amount_faults(where: str, what: str, amount: float, money: Money):
    if not np.isfinite(amount):
        return [_fault(where, f"{what} is not a number.", "Give one.")]
    if amount < 0:
        said = f"{what} is negative: {money(amount)}."
        return [_fault(where, said, "Spend cannot be below 0.")]
    return []


def _sum_faults(cells: Cells, money: Money, column: str) -> list[Finding]:
    """Faults of a channel or a column alone."""
    faults = []
    booked, room = cells.low.sum(axis=1), cells.high.sum(axis=1)
    for i, name in enumerate(cells.names):
        least, most = float(cells.least[i]), float(cells.most[i])
        if least > most + _SLACK:
            said = f"The minimum of {name} ({money(least)}) is above its maximum"
            hint = f"Lower the minimum by {money(least - most)}."
            faults.append(_fault(name, f"{said} ({money(most)}).", hint))
        elif booked[i] > most + _SLACK:
            gap = float(booked[i]) - most
            said = f"{name} has {money(booked[i])} booked, and its maximum is"
            hint = f"Raise it to {money(booked[i])}, or book {money(gap)} less."
            faults.append(_fault(name, f"{said} {money(most)}.", hint))
        elif room[i] < least - _SLACK:
            said = f"The {column}s of {name} can take {money(room[i])} in all, and its"
            hint = f"Lower the minimum to {money(room[i])}, or free more {column}s."
            faults.append(_fault(name, f"{said} minimum is {money(least)}.", hint))
    booked = cells.low.sum(axis=0)
    for t, label in enumerate(cells.columns):
        most = float(cells.column_most[t])
        if booked[t] > most + _SLACK:
            said = f"{column.capitalize()} {label} has {money(booked[t])} booked, and"
            hint = f"Raise the maximum to {money(booked[t])}."
            faults.append(_fault(label, f"{said} its maximum is {money(most)}.", hint))
    return faults


def _check_budget(cells: Cells, money: Money) -> None:
    """Refuse a budget that the limits together do not allow.

    Raises:
        PlanError: They do not.
    """
    from core.plan.solve.weeks.linear_program import total_range

    found = total_range(cells)
    if found is None:
        needed = np.maximum(cells.least, cells.low.sum(axis=1))
        bare = replace(cells, least=cells.low.sum(axis=1), most=needed)
        gap = float(needed.sum()) - total_range(bare)[1]
        raise PlanError(
            f"The minimums of channels add up to {money(needed.sum())}, {money(gap)} "
            "more than the maximums of weeks leave room for.",
            hint=f"Lower the minimums by {money(gap)} in total, or raise the maximum "
            "of a week.",
            where="weeks",
        )
    least, most = found
    if cells.budget < least - _SLACK:
        gap = least - cells.budget
        raise PlanError(
            f"Booked spend and minimums add up to {money(least)}, {money(gap)} more "
            f"than the budget of {money(cells.budget)}.",
            hint=f"Raise the budget to {money(least)}, or book {money(gap)} less.",
            where="budget",
        )
    if cells.budget - cells.spare > most + _SLACK:
        gap = cells.budget - cells.spare - most
        raise PlanError(
            f"The limits leave room for {money(most)}, {money(gap)} less than the "
            f"budget of {money(cells.budget - cells.spare)}.",
            hint=f"Lower the budget to {money(most)}, or raise maximums by "
            f"{money(gap)} in total.",
            where="budget",
        )


def _fault(where: str, message: str, hint: str) -> Finding:
    return Finding("error", where, message, hint)
