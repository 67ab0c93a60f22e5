"""Stated results: what a report says a test found, as the model takes it.

A report gives an incremental outcome, an incremental return on ad spend, a cost per
incremental unit or a percent lift, with a standard error or an interval. The model
takes an incremental outcome with a standard error, the outcome with more media less
that with less. What is needed for that (spend and outcome of the test's geos and weeks)
is in the data.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from core.data.cells.words import KPI_COUNT, words
from core.data.experiments.entry import Entry
from core.data.experiments.uncertainty import (
    HIGHEST_SKEWNESS,
    lopsided,
    skewness,
    standard_error,
)
from core.data.input_data import InputData
from core.dims import INTERVAL
from core.errors import SpecError
from core.experiments.panel import Panel, panel_of
from core.text import listed

Measure = Literal["incremental_outcome", "iroas", "cost_per_incremental", "lift"]

_WORDS: dict[Measure, str] = {
    "incremental_outcome": "incremental outcome",
    "iroas": "iROAS",
    "cost_per_incremental": "cost per incremental unit",
    "lift": "lift",
}


#: Spend by a report and by the data that differ by a larger factor are two things.
_AS_MUCH = 2.0


@dataclass(frozen=True)
class Stated:
    """A result as it was reported.

    Attributes:
        channels: Tested, together where there are several.
        start: First day, ISO.
        end: Last day, ISO.
        measure: What the value is.
        value: The result; a share for a lift. None where only an interval is given.
        standard_error: Of the value; None where an interval is given.
        interval: Its ends; None where a standard error is given.
        level: Mass of the interval.
        geos: Where it ran; everywhere if empty.
        multiple: Media of the other arm, as a multiple of what ran.
        tested_at: Spend of the test over usual spend, where the data hold the test;
            the other arm is then usual spend.
        amount: Spend of the other arm, currency.
        spend: Of the test by the report; None where the data's counts.
        spend_between_arms: How much more one arm spent by the report; None where it
            does not say.
        kpi: What was counted, as the report calls it; empty where it does not say.
        half_life: Weeks until the result counts half.
        source: Where it comes from, for messages.
    """

    channels: tuple[str, ...]
    start: str
    end: str
    measure: Measure
    value: float | None = None
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    level: float = INTERVAL
    geos: tuple[str, ...] = ()
    multiple: float = 0.0
    tested_at: float | None = None
    amount: float | None = None
    spend: float | None = None
    spend_between_arms: float | None = None
    kpi: str = ""
    half_life: float | None = None
    source: str = "The result"


def as_entry(stated: Stated, data: InputData, kpi_name: str) -> Entry:
    """The result as `[[experiment]]` has it.

    Args:
        stated: As it was reported.
        data: The market.
        kpi_name: What the model's KPI is called.

    Raises:
        SpecError: It has no uncertainty, counts another KPI, or cannot be converted.
    """
    low, value, high = _ends(stated)
    level = INTERVAL if stated.interval is None else stated.level
    panel = panel_of(data)
    factor = _unit(stated, data, kpi_name)
    arm = _arm(stated, panel)
    convert = _conversion(stated, panel, arm, factor)
    ends = sorted(convert(end) for end in (low, high))
    outcome = convert(value)
    lean = skewness(ends[0], outcome, ends[1], level)
    if abs(lean) > HIGHEST_SKEWNESS:
        raise _lopsided(stated, low, value, high)
    return Entry(
        channel=stated.channels[0],
        geos=stated.geos,
        together_with=stated.channels[1:],
        start=stated.start,
        end=stated.end,
        incremental_outcome=float(outcome),
        # Further digits are a millionth of it, and read as if they were known.
        standard_error=float(f"{standard_error(*ends, level):.7g}"),
        multiple=arm.multiple or None,
        amount=arm.amount or None,
        half_life=stated.half_life or None,
        skewness=round(float(lean), 4) or None,
    )


def _lopsided(stated: Stated, low: float, value: float, high: float) -> SpecError:
    message, hint = lopsided(stated.source, value, low, high)
    return SpecError(message, hint=hint, where="interval")


def _ends(stated: Stated) -> tuple[float, float, float]:
    """Low end, value and high end of the interval, 90 % for a standard error."""
    source, what = stated.source, _WORDS[stated.measure]
    if stated.interval is not None:
        low, high = sorted(stated.interval)
        if not 0 < stated.level < 1 or not low < high:
            raise SpecError(
                f"{source}: {low:g} to {high:g} at {stated.level:g} is not an "
                "interval.",
                hint="Give two different ends, and a level such as 0.9.",
                where="interval",
            )
        middle = (low + high) / 2 if stated.value is None else stated.value
        if not low < middle < high:
            raise _lopsided(stated, low, middle, high)
    elif stated.value is None or not (stated.standard_error or 0) > 0:
        raise SpecError(
            f"{source} has no uncertainty: its {what} comes without a standard error "
            "or an interval."
            if stated.value is not None
            else f"{source} has no {what}.",
            hint="Add the standard error, or both ends of the interval and its level; "
            "a result without one would count as certain.",
            where="standard_error",
        )
    else:
        middle = stated.value
        reach = float(stated.standard_error) / standard_error(-1.0, 1.0, INTERVAL)
        low, high = middle - reach, middle + reach
    if stated.measure == "lift" and middle <= -1:
        raise SpecError(
            f"{source} has a lift of {100 * middle:g} %; sales cannot fall by "
            "more than all there are.",
            hint="Give a lift as a share, such as 0.054 for 5.4 %, above -1.",
            where="lift",
        )
    return low, middle, high


def _unit(stated: Stated, data: InputData, kpi_name: str) -> float:
    """Outcome per unit of what was counted."""
    counted = _plain(stated.kpi)
    own = {word.text for word in words(kpi_name)}
    if counted in KPI_COUNT & own:  # `conversions` of `Conversions (web)`
        counted = _plain(kpi_name)
    elif counted in KPI_COUNT and data.outcome_unit != "revenue":
        return 1.0  # what a platform calls a conversion
    money = {"revenue", "sales value", "conversion value", "umsatz", "money"}
    is_money = data.outcome_unit == "revenue"
    if not counted or (is_money and counted in money):
        return 1.0
    if counted == _plain(kpi_name):
        if not is_money or data.kpi_type == "revenue":
            return 1.0
        geos, window = _cells(stated, panel_of(data))
        kpi = data.kpi[geos][:, window].sum()
        return float(data.outcome[geos][:, window].sum() / kpi) if kpi else 1.0
    unit = "revenue" if is_money else kpi_name
    raise SpecError(
        f"{stated.source} counts {stated.kpi}, and the model explains {unit}: a result "
        "about one says nothing about the other.",
        hint=f"Give the test's result in {unit}, or fit a model of {stated.kpi}.",
        where="kpi",
    )


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())


def _cells(stated: Stated, panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    geos = panel.is_in(stated.geos) if stated.geos else np.ones(len(panel.geos), bool)
    window = panel.within(stated.start, stated.end)
    if not geos.any() or not window.any():
        raise SpecError(
            f"{stated.source}: the data have no period from {stated.start} to "
            f"{stated.end} in {listed(list(stated.geos)) or 'any geo'}.",
            hint="Check the dates and geos, or add the periods to the data.",
            where="start",
        )
    return geos, window


def _spend(stated: Stated, panel: Panel) -> tuple[float, float]:
    """Spend in the test's cells, and per period of its geos before it; all channels."""
    geos, window = _cells(stated, panel)
    lacking = [name for name in stated.channels if name not in panel.spend]
    if lacking:
        raise SpecError(
            f"{stated.source}: {listed(lacking)} has no spend in the data, so its "
            f"{_WORDS[stated.measure]} cannot be used.",
            hint="Add the channel's cost, or give the incremental outcome.",
            where="channel",
        )
    money = sum(panel.spend[name] for name in stated.channels)[geos].sum(axis=0)
    first = int(np.flatnonzero(window)[0])
    past = money[max(first - 4 * int(window.sum()), 0) : first]
    usual = float(past.mean() * window.sum()) if len(past) else 0.0
    return float(money[window].sum()), usual


class _Arm(NamedTuple):
    """The other arm: a multiple of what ran, or an amount in its place."""

    multiple: float = 0.0
    amount: float | None = None


def _arm(stated: Stated, panel: Panel) -> _Arm:
    if stated.amount is not None:
        return _Arm(amount=stated.amount)
    if stated.tested_at is None:
        return _Arm(stated.multiple)
    if stated.tested_at > 0:
        return _Arm(1 / stated.tested_at)
    return _Arm(amount=_spend(stated, panel)[1])


def _conversion(stated: Stated, panel: Panel, arm: _Arm, factor: float):
    """A function from what was reported to the incremental outcome."""
    if stated.measure == "incremental_outcome":
        return lambda value: value * factor
    if stated.measure == "lift":
        geos, window = _cells(stated, panel)
        total = float(panel.kpi[geos][:, window].sum())
        is_more = arm.multiple <= 1
        if arm.amount is not None:
            is_more = arm.amount <= _spend(stated, panel)[0]
        sign = 1.0 if is_more else -1.0
        return lambda lift: sign * total * lift / (1 + max(lift, -0.99))
    money = _between_arms(stated, panel, arm)
    if stated.measure == "iroas":
        return lambda ratio: ratio * money * factor
    return _per_cost(stated, money * factor)


def _between_arms(stated: Stated, panel: Panel, arm: _Arm) -> float:
    """How much more one arm spent: by the report where it says so, else by the data.

    Raises:
        SpecError: The arms spent the same, or report and data are about two things.
    """
    ran, _ = _spend(stated, panel)
    tested = ran if stated.spend is None else stated.spend
    other = arm.multiple * tested if arm.amount is None else arm.amount
    money = abs(tested - other)
    if stated.spend_between_arms is not None:
        money = abs(stated.spend_between_arms)
    if not money > 0:
        raise SpecError(
            f"{stated.source}: {listed(list(stated.channels))} has no spend in its "
            f"geos and weeks, so its {_WORDS[stated.measure]} says nothing.",
            hint="Check channel, geos and dates, or give the incremental outcome.",
            where="channel",
        )
    ours = abs(ran - (arm.multiple * ran if arm.amount is None else arm.amount))
    if not ours / _AS_MUCH <= money <= ours * _AS_MUCH:
        raise SpecError(
            f"{stated.source} says that {_amount(money)} was spent on the test, and "
            f"the data have {_amount(ours)} for its channel, geos and dates.",
            hint="Check the geos, the dates and the currency of both; give the "
            "incremental outcome in place of the "
            f"{_WORDS[stated.measure]} if both are right.",
            where="spend",
        )
    return money


def _amount(value: float) -> str:
    return f"{value:,.0f}"


def _per_cost(stated: Stated, money: float):
    """Cost per unit to units; its interval must not contain zero."""
    low, _, _ = _ends(stated)
    if low <= 0:
        raise SpecError(
            f"{stated.source}: a cost per incremental unit whose interval reaches zero "
            "or below has no finite counterpart.",
            hint="Give the incremental outcome with its interval instead.",
            where="cost_per_incremental",
        )
    return lambda cost: money / cost
