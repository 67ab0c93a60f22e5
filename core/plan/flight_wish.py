"""Wishes for a plan of weeks: what a scenario file or the screen says about them.

budget = 3_000_000           # of all weeks; default: what the year before spent in them
objective = "mean"           # or cvar10, the mean of the worst tenth of draws
bounds = ["70 %", "130 %"]   # of every channel's spend in the same weeks a year before
within_seen = true           # no week dearer than any so far

[weeks]
count = 26
start = "2025-01-06"         # default: the first after the data
most = 200_000               # of each week, or {"2025-03-03" = 50_000}
value = [1.0, 1.1]           # value of a KPI unit over last year's: one, or per week
after = 1.0                  # media after the plan, a multiple of the year before's

[channel.TV]
min = 1_000_000              # of all weeks: money, or "80 %"
max = "120 %"
price = 1.05                 # cost of a media unit over last year's: one, or per week
dark = ["2025-02-03"]        # weeks without it
weeks = {"2025-01-06" = 50_000}   # booked
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.errors import PlanError
from core.plan.amounts import amount, bounds_of, known, number, table_of, wrong
from core.plan.cells import Cells
from core.plan.cents import in_steps, step
from core.plan.limits import Money
from core.plan.measure import Measure, measure_of

_TOP = ("name", "notes", "budget", "objective", "bounds", "scaled", "within_seen")
_TOP += ("weeks", "channel")
_WEEKS = ("count", "start", "most", "value", "after")
_CHANNEL = ("min", "max", "price", "dark", "weeks")
#: Weeks where none are asked for, and the most that can be.
WEEKS, MOST_WEEKS = 26, 104
BOUNDS = (0.7, 1.3)


@dataclass(frozen=True)
class FlightWish:
    """What a plan of weeks is to keep to.

    Attributes:
        count: Number of weeks (periods of the data).
        start: First day of the first one; None for the first after the data.
        budget: Currency; None for what the same weeks cost a year before.
        objective: `mean`, or a CVaR.
        bounds: Of every channel, multiples of its usual spend in these weeks.
        scaled: Whether multiples are of usual spend scaled to the budget.
        within_seen: Whether no week may be dearer than any so far.
        most: Most of each week, or by first day.
        value: Value of a KPI unit over last year's.
        after: Media after the plan, as a multiple of the year before's.
        channels: What is said about single channels, as in a scenario file.
    """

    count: int = WEEKS
    start: str | None = None
    budget: float | None = None
    objective: str = "mean"
    bounds: tuple[float, float] = BOUNDS
    scaled: bool = False
    within_seen: bool = False
    most: Any = None
    value: Any = 1.0
    after: float = 1.0
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def flight_wish(table: Mapping[str, Any], **given: Any) -> FlightWish:
    """The wish of a table, as a scenario file has it.

    Args:
        table: See this module.
        given: Fields that go before what the table says.

    Raises:
        PlanError: The table is not understood.
    """
    known(table, _TOP, "the scenario")
    weeks = table_of(table, "weeks")
    known(weeks, _WEEKS, "weeks")
    count = number(weeks, "count", "weeks")
    count = given.pop("count", count)
    options: dict[str, Any] = {
        "budget": number(table, "budget", "the scenario"),
        "count": _count(WEEKS if count is None else count),
    }
    for key, kind in (("objective", str), ("scaled", bool), ("within_seen", bool)):
        if key in table:
            options[key] = kind(table[key])
    options |= {key: weeks[key] for key in ("most", "value") if key in weeks}
    if "after" in weeks:
        options["after"] = amount(weeks["after"], 1.0, "weeks")
        if not (math.isfinite(options["after"]) and options["after"] >= 0):
            raise wrong("The media after the plan is no multiple.", "Give 1.0 or 0.")
    if "start" in weeks:
        options["start"] = str(weeks["start"])
    if "bounds" in table:
        options["bounds"] = bounds_of(table["bounds"])
    rows = table_of(table, "channel")
    for name, row in rows.items():
        known(row, _CHANNEL, f"channel {name}")
    made = FlightWish(**(options | {"channels": dict(rows)} | given))
    _measure(made)
    return made


def _count(count: float) -> int:
    """The number of weeks.

    Raises:
        PlanError: There is none, it is not whole, or there are too many.
    """
    if not (math.isfinite(count) and count == int(count) and 1 <= count <= MOST_WEEKS):
        raise PlanError(
            f"A plan of {count:g} weeks is not possible.",
            hint=f"Ask for 1 to {MOST_WEEKS}.",
            where="weeks.count",
        )
    return int(count)


def _measure(wish: FlightWish) -> Measure:
    """What is made large.

    Raises:
        PlanError: Weeks cannot be planned for it.
    """
    measure = measure_of(str(wish.objective))
    if measure.kind not in ("mean", "cvar"):
        raise PlanError(
            f"Weeks are not planned for the objective {wish.objective}.",
            hint="Use mean, or cvar10 for a cautious plan: both have a bound.",
            where="objective",
        )
    return measure


def skipped(wish: FlightWish, next_times: np.ndarray) -> int:
    """Periods between the data and the first week of the plan.

    Args:
        wish: The wish.
        next_times: First days of the periods after the data.

    Raises:
        PlanError: The start is no first day of a period to come.
    """
    if wish.start is None:
        return 0
    return _places([wish.start], next_times, "weeks.start")[0]


def factors(
    wish: FlightWish, names: Sequence[str], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Price of media (channel week) and value of a KPI unit (week), over last year's.

    Raises:
        PlanError: A channel is unknown, or an amount is none or not above zero.
    """
    for name in wish.channels:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(names)}."
            said = f"There is no channel {name} with spend in this fit."
            raise PlanError(said, hint=hint, where=name)
    price = [
        _per_week(wish.channels.get(name, {}).get("price", 1.0), n, f"price of {name}")
        for name in names
    ]
    return np.array(price), _per_week(wish.value, n, "value of a KPI unit")


def _per_week(given: Any, n: int, what: str) -> np.ndarray:
    rows = np.asarray(given, dtype=object).ravel()
    if len(rows) not in (1, n):
        raise wrong(f"The {what} has {len(rows)} numbers for {n} weeks.", "Give one.")
    made = np.array([amount(one, 1.0, f"the {what}") for one in rows])
    if not (np.isfinite(made) & (made > 0)).all():
        raise wrong(f"The {what} is not above zero in every week.", "Give 1.0 for as.")
    return np.broadcast_to(made, n).astype(float)


def cells_of(
    wish: FlightWish,
    names: tuple[str, ...],
    weeks: np.ndarray,
    usual: np.ndarray,
    dearest: np.ndarray,
    currency: str = "",
) -> Cells:
    """Limits of every cell.

    Args:
        wish: The wish.
        names: Channels.
        weeks: First days, datetime64[D].
        usual: Spend of the same weeks a year before, channel week.
        dearest: Most that a week ever cost, channel.
        currency: For messages.

    Raises:
        PlanError: The limits cannot be met.
    """
    money = Money(currency)
    total = float(usual.sum())
    budget = total if wish.budget is None else float(wish.budget)
    is_money = math.isfinite(budget) and budget > 0
    scale = budget / total if wish.scaled and is_money else 1.0
    least, most = np.zeros(len(names)), np.zeros(len(names))
    low = np.zeros(usual.shape)
    high = np.full(usual.shape, max(budget, 0.0) if is_money else 0.0)
    for i, name in enumerate(names):
        row = wish.channels.get(name, {})
        base = float(usual[i].sum()) * scale
        ends = [
            amount(row[key], base, f"channel {name}") if key in row else bound * base
            for key, bound in zip(("min", "max"), wish.bounds, strict=True)
        ]
        least[i], most[i] = ends
        if wish.within_seen:
            high[i] = np.minimum(high[i], dearest[i])
        for day, booked in _booked(name, row).items():
            at = _places([day], weeks, name)[0]
            low[i, at] = high[i, at] = amount(booked, math.nan, f"channel {name}")
    size = float(step(budget)) if is_money else 0.01
    made = Cells(
        names,
        tuple(str(week) for week in weeks),
        low,
        high,
        np.floor(least / size) * size,
        np.ceil(most / size) * size,
        _column_most(wish, weeks),
        float(in_steps(budget, step(budget)) * step(budget)) if is_money else budget,
    )
    made.check(money)
    return made


def _booked(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    dark = row.get("dark", [])
    if isinstance(dark, str) or not isinstance(dark, Sequence):
        raise wrong(f"The dark weeks of {name} are not a list of dates.")
    return dict.fromkeys(map(str, dark), 0.0) | dict(table_of(row, "weeks"))


def _column_most(wish: FlightWish, weeks: np.ndarray) -> np.ndarray:
    most = np.full(len(weeks), math.inf)
    if isinstance(wish.most, Mapping):
        for day, limit in wish.most.items():
            most[_places([day], weeks, "weeks.most")[0]] = amount(limit, 1.0, "weeks")
    elif wish.most is not None:
        most[:] = amount(wish.most, 1.0, "weeks")
    return most


def _places(days: Sequence[str], weeks: np.ndarray, where: str) -> list[int]:
    """The place of each date among the weeks.

    Raises:
        PlanError: It is none of them.
    """
    listed = [str(week)[:10] for week in weeks]
    for day in days:
        if str(day)[:10] not in listed:
            raise PlanError(
                f"{day} is no first day of a week to come.",
                hint=f"They begin on {listed[0]}, the last on {listed[-1]}; keep the "
                "rhythm of the data.",
                where=where,
            )
    return [listed.index(str(day)[:10]) for day in days]
