"""Calendar: budgets of months and quarters, and channels that start or stop at a date.

A week belongs to the month and the quarter that it begins in.
"""

import math
import re
from typing import Any

import numpy as np

from core.plan.limits.channels import Money, group_faults
from core.plan.limits.findings import refuse
from core.plan.limits.polytope import Rows, dense_rows
from core.plan.limits.stated import StatedRow
from core.plan.scenario.amounts import amount, wrong
from core.plan.scenario.scenario import group_rows
from core.plan.scenario.weeks import WeekRequest

_HOW = "Write a month (2025-03), a quarter (2025-Q1), a year or 2025-03-03..2025-05-26."


def joint_rows(
    ask: WeekRequest,
    names: tuple[str, ...],
    weeks: np.ndarray,
    budget: float,
    money: Money,
) -> Rows | None:
    """Groups of channels and budgets of periods, as limits of sums of cells.

    Args:
        ask: The request.
        names: Channels.
        weeks: First days, datetime64[D].
        budget: Currency.
        money: How amounts are written.

    Raises:
        PlanError: One is not understood, or contradicts itself.
    """
    refuse(group_faults(ask.groups, names, money))
    rows = [
        (text, np.repeat(weights, len(weeks)), least, most)
        for text, weights, least, most in group_rows(ask.groups, names)
    ]
    base = budget if ask.find is None else math.nan
    for period, stated in ask.budgets.items():
        inside = within(period, weeks)
        least, most = _ends(period, stated, base)
        weights = np.tile(inside.astype(float), len(names))
        rows.append((f"the budget of {period}", weights, least, most))
    if not rows:
        return None
    text, weights, least, most = zip(*rows, strict=True)
    return dense_rows(text, np.stack(weights), least, most)


def whole_budget(ask: WeekRequest, weeks: np.ndarray) -> float | None:
    """The budget that periods add up to; None where they leave it open."""
    count, total = np.zeros(len(weeks), int), 0.0
    for period, stated in ask.budgets.items():
        if isinstance(stated, list | tuple | str):
            return None
        count += within(period, weeks)
        total += amount(stated, math.nan, f"the budget of {period}")
    return total if ask.budgets and (count == 1).all() else None


def _ends(period: str, stated: Any, base: float) -> tuple[float, float]:
    """Least and most of a period's budget."""
    pair = stated if isinstance(stated, list | tuple) else (stated, stated)
    where = f"the budget of {period}"
    if len(pair) != 2:
        raise wrong(f"{where[0].upper()}{where[1:]} is neither an amount nor a pair.")
    least, most = (amount(end, base, where) for end in pair)
    if not (0 <= least <= most < math.inf):
        raise wrong(
            f"{where[0].upper()}{where[1:]} is not an amount or a range of amounts.",
            "Give money, a share of a fixed budget, or both ends, the smaller first.",
        )
    return least, most


def within(period: str, weeks: np.ndarray) -> np.ndarray:
    """Which weeks begin in a period.

    Args:
        period: `2025-03`, `2025-Q1`, `2025`, or two days with `..` between.
        weeks: First days, datetime64[D].

    Raises:
        PlanError: It is no period, or no week begins in it.
    """
    first, after = _days(str(period))
    inside = (weeks >= first) & (weeks < after)
    if not inside.any():
        raise wrong(
            f"No week of the plan begins in {period}.",
            f"They begin between {weeks[0]} and {weeks[-1]}. {_HOW}",
        )
    return inside


def _days(period: str) -> tuple[np.datetime64, np.datetime64]:
    """The first day of a period, and the one after its last."""
    quarter = re.fullmatch(r"(\d{4})-?[Qq]([1-4])", period.strip())
    if quarter:
        year, number = quarter.groups()
        first = np.datetime64(f"{year}-{3 * int(number) - 2:02d}", "M")
        ends = first, first + 3
    elif re.fullmatch(r"\d{4}-\d{2}", period.strip()):
        first = _day(period.strip(), "M")
        ends = first, first + 1
    elif re.fullmatch(r"\d{4}", period.strip()):
        first = np.datetime64(period.strip(), "Y")
        ends = first, first + 1
    elif period.count("..") == 1:
        first, last = (_day(day.strip()) for day in period.split(".."))
        ends = first, last + 1
    else:
        raise wrong(f"{period} is not a period.", _HOW)
    return ends[0].astype("datetime64[D]"), ends[1].astype("datetime64[D]")


def _day(text: str, unit: str = "D") -> np.datetime64:
    try:
        return np.datetime64(text, unit)
    except ValueError as error:
        raise wrong(f"{text} is not a date.", _HOW) from error


def running(name: str, row: StatedRow, weeks: np.ndarray) -> np.ndarray:
    """Weeks in which a channel may run: from its start until its stop.

    Args:
        name: The channel.
        row: What the scenario says of it.
        weeks: First days, datetime64[D].

    Raises:
        PlanError: A date is none, or it stops before it starts.
    """
    first, last = str(row.start), str(row.end)
    runs = np.ones(len(weeks), bool)
    if first:
        runs &= weeks >= _day(first)
    if last:
        runs &= weeks <= _day(last)
    if first and last and _day(first) > _day(last):
        raise wrong(
            f"{name} stops on {last}, before it starts on {first}.", "Swap them."
        )
    return runs
