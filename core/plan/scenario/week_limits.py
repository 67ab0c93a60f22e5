"""Limits of every cell of a plan of weeks, its prices and values, from a request."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.plan.limits.cell_faults import cell_faults
from core.plan.limits.cells import Cells
from core.plan.limits.cents import in_steps, step
from core.plan.limits.change import Change, change_of
from core.plan.limits.channels import Money
from core.plan.limits.findings import fault, refuse, unknown
from core.plan.limits.stated import StatedRow
from core.plan.scenario.amounts import amount, wrong
from core.plan.scenario.calendar import joint_rows, running, whole_budget
from core.plan.scenario.reserved import booked_otherwise, refuse_naming
from core.plan.scenario.weeks import WeekRequest, places
from core.text import count
from core.text.languages.language import marked
from core.toml.table import is_percent


def factors(
    ask: WeekRequest, names: Sequence[str], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Price of media (channel week) and value of a KPI unit (week), over last year's.

    Raises:
        PlanError: A channel is unknown, or an amount is none or not above zero.
    """
    _refuse_beliefs(ask, names)
    channels = (*names, *(belief.name for belief in ask.beliefs))
    refuse(
        [
            unknown("channel", name, channels)
            for name in ask.channels
            if name not in channels
        ]
    )
    price = [
        _per_week(_or(of_channel(ask, name).price, 1.0), n, f"price of {name}")
        for name in names
    ]
    return np.array(price), _per_week(ask.value, n, marked("value of a KPI unit"))


def _refuse_beliefs(ask: WeekRequest, names: Sequence[str]) -> None:
    """Refuse beliefs of channels that were measured, and their prices.

    Args:
        ask: The request.
        names: Channels of the fit.

    Raises:
        PlanError: There are such.
    """
    faults = [
        fault(
            belief.name,
            f"{belief.name} is a channel of this fit.",
            "Leave [belief] out: its response was measured.",
        )
        for belief in ask.beliefs
        if belief.name in names
    ]
    faults += [
        fault(
            belief.name,
            f"{belief.name} never ran, so it has no {key} that could be another.",
            "Leave it out: what is believed of it is in money.",
        )
        for belief in ask.beliefs
        for key in ("price", "gamma", "frequency")
        if getattr(of_channel(ask, belief.name), key) is not None
    ]
    refuse(faults)


def _per_week(stated: Any, n: int, what: str) -> np.ndarray:
    texts = np.asarray(stated, dtype=object).ravel()
    if len(texts) not in (1, n):
        numbers, weeks = count(len(texts), "number"), count(n, "week")
        raise wrong(f"The {what} has {numbers} for {weeks}.", "Give one.")
    factors = np.array([amount(text, 1.0, f"the {what}") for text in texts])
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise wrong(
            f"The {what} is not above zero in every week.",
            "Use 1.0 to keep last year's level.",
        )
    return np.broadcast_to(factors, n).astype(float)


def cells_of(
    ask: WeekRequest,
    names: tuple[str, ...],
    weeks: np.ndarray,
    usual: np.ndarray,
    dearest: np.ndarray,
    currency: str = "",
) -> Cells:
    """Limits of every cell.

    Args:
        ask: The request.
        names: Channels; those that are believed in may be among them.
        weeks: First days, datetime64[D].
        usual: Spend of the same weeks a year earlier, channel week.
        dearest: Most that a week ever cost, channel.
        currency: For messages.

    Raises:
        PlanError: The limits cannot be met.
    """
    money = Money(currency)
    new = [each.name for each in ask.beliefs if each.name not in names]
    names = (*names, *new)
    usual = np.concatenate([usual, np.zeros((len(new), usual.shape[1]))])
    dearest = np.append(dearest, np.full(len(new), np.inf))
    usual_totals = usual.sum(axis=1)
    scale = 1.0
    if ask.scaled and ask.budget is not None and _is_money(ask.budget):
        scale = ask.budget / float(usual_totals.sum())
    least, most = _totals(ask, names, usual_totals, scale)
    budget, spare = _budget(ask, weeks, float(usual_totals.sum()), float(most.sum()))
    low = np.zeros(usual.shape)
    high = np.full(usual.shape, budget if _is_money(budget) else 0.0)
    if ask.within_seen:
        high = np.minimum(high, dearest[:, None])
    off, steps = _every_week(ask, names, weeks, (low, high), money)
    size = float(step(budget)) if _is_money(budget) else 0.01
    cells = Cells(
        names,
        tuple(str(week) for week in weeks),
        low,
        high,
        np.floor(least / size) * size,
        np.ceil(most / size) * size,
        _column_most(ask, weeks),
        budget,
        _change(ask, names, low, high),
        spare,
        joint_rows(ask, names, weeks, budget, money),
        off if off.any() else None,
        steps if steps.any() else None,
    )
    refuse_naming(
        cell_faults(cells, money),
        ask.reserved,
        lambda: cells_of(
            replace(ask, reserved=()), names, weeks, usual, dearest, currency
        ),
    )
    return cells


def _every_week(
    ask: WeekRequest,
    names: tuple[str, ...],
    weeks: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    money: Money,
) -> tuple[np.ndarray, np.ndarray]:
    """Limits of single weeks, booked and reserved ones last, in place.

    Returns:
        Weeks that may pause, and the steps they are bought in; channel week.
    """
    low, high = ends
    off, steps = np.zeros(low.shape, bool), np.zeros(low.shape)
    for i, name in enumerate(names):
        row = of_channel(ask, name)
        off[i], steps[i] = _of_weeks(name, row, weeks, (low[i], high[i]), money)
        for day, booked in _booked(name, row).items():
            at = places([day], weeks, name)[0]
            low[i, at] = high[i, at] = amount(booked, math.nan, f"channel {name}")
            off[i, at], steps[i, at] = False, 0.0
    is_reserved = _reserve(ask, names, weeks, ends, money)
    return off & ~is_reserved, np.where(is_reserved, 0.0, steps)


def _reserve(
    ask: WeekRequest,
    names: tuple[str, ...],
    weeks: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    money: Money,
) -> np.ndarray:
    """Fix the cells that tests have reserved, in place; which they are.

    Raises:
        PlanError: One is booked for another amount, or a channel is unknown.
    """
    low, high = ends
    faults, is_reserved = [], np.zeros(low.shape, bool)
    for each in ask.reserved:
        if each.channel not in names:
            refuse([unknown("channel", each.channel, names)])
        i = names.index(each.channel)
        fixed = _booked(each.channel, of_channel(ask, each.channel))
        bookings = set(places(list(fixed), weeks, each.channel))
        for day, spend in each.weeks.items():
            at = places([day], weeks, each.test)[0]
            if at in bookings and abs(low[i, at] - spend) >= 0.01:
                amounts = money(low[i, at]), money(spend)
                faults.append(booked_otherwise(each, day, amounts))
                continue
            low[i, at] = high[i, at] = spend
            is_reserved[i, at] = True
    refuse(faults)
    return is_reserved


def _of_weeks(
    name: str,
    row: StatedRow,
    weeks: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    money: Money,
) -> tuple[np.ndarray, float]:
    """Limits of every week of a channel, in place.

    Returns:
        Weeks that may pause, and the step that all are bought in; 0 for any amount.

    Raises:
        PlanError: One is not understood, or contradicts another.
    """
    low, high = ends
    where = f"channel {name}"
    least, most, step = (
        amount(_or(value, other), math.nan, where)
        for value, other in (
            (row.week_low, 0.0),
            (row.week_high, math.inf),
            (row.step, 0.0),
        )
    )
    may_be_off = _or(row.may_be_off, True)
    if not isinstance(may_be_off, bool):
        raise wrong(f"may_be_off of {name} is neither true nor false.")
    if row.may_be_off and least == 0:
        raise wrong(
            f"{name} has no least spend per week, so may_be_off says nothing about "
            "its weeks.",
            "Give week_min, or leave may_be_off out.",
        )
    if not (0 <= least < math.inf and most >= 0 and 0 <= step < math.inf):
        raise wrong(
            f"week_min, week_max and step of {name} have to be amounts of 0 or more.",
            "Give money, such as 20000.",
        )
    runs = running(name, row, weeks)
    high[:] = np.where(runs, np.minimum(high, most), 0.0)
    top = float(high.max())
    if runs.any() and least > top:
        raise wrong(
            f"A week of {name} spends at least {money(least)} when it runs, and its "
            f"most is {money(top)}.",
            f"Lower week_min to {money(math.floor(top))}, or allow more in a week.",
        )
    can = runs & (high >= least)
    high[:], low[:] = np.where(can, high, 0.0), np.where(can, least, 0.0)
    return can & (may_be_off and least > 0), step


def of_channel(request: WeekRequest, name: str) -> StatedRow:
    """What is said about a channel."""
    return request.channels.get(name, StatedRow())


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


def _is_money(amount: float) -> bool:
    return math.isfinite(amount) and amount > 0


def own_budget(
    ask: WeekRequest, names: Sequence[str], usual: np.ndarray, budget: float
) -> float:
    """An own budget as near to another as the limits of channels allow, in cents.

    Where a plan pays for more than its channels' own media, its budget is not theirs.

    Args:
        ask: The request.
        names: Channels.
        usual: Spend of the same weeks a year earlier, channel week.
        budget: Currency.
    """
    ends = [each.sum() for each in _totals(ask, names, usual.sum(axis=1), 1.0)]
    middle, cents = sum(ends) / 2, 0.01 * len(names)  # each channel's are rounded
    low, high = min(ends[0] + cents, middle), max(ends[1] - cents, middle)
    return round(float(np.clip(budget, low, high)), 2)


def _totals(
    ask: WeekRequest, names: Sequence[str], usual: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Least and most of each channel over all weeks.

    Percentages are of usual spend times a scale; a locked channel keeps its usual
    spend, or the amount of the lock.
    """
    ends = []
    believed = {belief.name: belief.spend for belief in ask.beliefs}
    for name, base in zip(names, usual, strict=True):
        row = of_channel(ask, name)
        bounds = (0.0, 1.0) if name in believed else ask.bounds
        of = believed.get(name, base * scale)
        if row.locked is not False:
            kept = believed.get(name, base)
            is_usual = row.locked is True
            held = kept if is_usual else amount(row.locked, kept, f"lock of {name}")
            ends.append([held, held])
            continue
        ends.append(
            [
                end * of if stated is None else amount(stated, of, f"channel {name}")
                for stated, end in zip((row.low, row.high), bounds, strict=True)
            ]
        )
    least, most = np.array(ends, float).T
    return least, most


def _budget(
    ask: WeekRequest, weeks: np.ndarray, usual: float, room: float
) -> tuple[float, float]:
    """The budget in whole cents, and what may be left of it."""
    if ask.find is None:
        budget = usual if ask.budget is None else float(ask.budget)
        if ask.budget is None and (stated := whole_budget(ask, weeks)) is not None:
            budget = stated
    else:
        least = ask.find.least or 0.0
        budget = max(room, least) if ask.find.most is None else ask.find.most
    if not _is_money(budget):
        return budget, 0.0
    size = step(budget)
    budget = float(in_steps(budget, size) * size)
    if ask.find is None:
        return budget, 0.0
    return budget, max(budget - (ask.find.least or 0.0), 0.0)


def _change(
    ask: WeekRequest, names: Sequence[str], low: np.ndarray, high: np.ndarray
) -> Change | None:
    """Limits of change from week to week."""
    shares, amounts = [], []
    for name in names:
        stated = _or(of_channel(ask, name).change, ask.change)
        limit = math.inf if stated is None else amount(stated, 1.0, f"change of {name}")
        if math.isnan(limit) or limit < 0:
            raise wrong(
                f"The largest change of {name} from week to week is "
                f"{'not a number' if math.isnan(limit) else 'negative'}.",
                'Give money, or a percentage of the week before such as "30 %".',
            )
        shares.append(limit if is_percent(stated) else math.nan)
        amounts.append(math.nan if is_percent(stated) else limit)
    return change_of(shares, amounts, low, high)


def _booked(name: str, row: StatedRow) -> dict[str, Any]:
    if isinstance(row.dark, str) or not isinstance(row.dark, Sequence):
        raise wrong(f"The dark weeks of {name} are not a list of dates.")
    if not isinstance(row.weeks, Mapping):
        raise wrong(f"The weeks of {name} are not a table of amounts by date.")
    return dict.fromkeys(map(str, row.dark), 0.0) | dict(row.weeks)


def _column_most(ask: WeekRequest, weeks: np.ndarray) -> np.ndarray:
    most = np.full(len(weeks), math.inf)
    if isinstance(ask.most, Mapping):
        for day, limit in ask.most.items():
            most[places([day], weeks, "weeks.most")[0]] = amount(limit, 1.0, "weeks")
    elif ask.most is not None:
        most[:] = amount(ask.most, 1.0, "weeks")
    return most


def given_spend(ask: WeekRequest, names: Sequence[str], n: int) -> np.ndarray:
    """The amounts that are to be evaluated, channel week.

    Raises:
        PlanError: One is missing or no amount.
    """
    by_channel = dict(ask.spend or {})
    if set(by_channel) != set(names):
        raise wrong(
            "The spend to evaluate does not name every channel once.",
            f"It needs {', '.join(names)}.",
        )
    amounts = []
    for name in names:
        row = by_channel[name]
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != n:
            message = f"The spend of {name} is not {count(n, 'amount')}."
            raise wrong(message, "Give one a week.")
        amounts.append([amount(text, math.nan, f"the spend of {name}") for text in row])
    spend = np.array(amounts, float)
    if not (np.isfinite(spend) & (spend >= 0)).all() or spend.sum() <= 0:
        raise wrong(
            "The spend to evaluate has to be amounts of money.", "Give amounts above 0."
        )
    return spend


def cells_as_given(
    spend: np.ndarray, names: tuple[str, ...], weeks: np.ndarray
) -> Cells:
    """Cells without limits, around spend that is evaluated as it is.

    Args:
        spend: See `given_spend`.
        names: Channels.
        weeks: First days, datetime64[D].
    """
    budget = round(float(spend.sum()), 2)
    none, every = np.zeros(spend.shape), np.full(spend.shape, budget)
    columns = tuple(str(week) for week in weeks)
    totals = np.zeros(len(names)), np.full(len(names), budget)
    free = np.full(len(weeks), math.inf)
    return Cells(names, columns, none, every, *totals, free, budget)
