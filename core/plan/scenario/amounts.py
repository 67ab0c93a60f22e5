"""Amounts: money, percentages and ranges as scenario files and screens state them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from core.data.cells.typed import refuse_other_currency, typed_amount
from core.errors import PlanError, ValueRangeError
from core.plan.limits.buying import BEST, LARGEST
from core.plan.limits.stated import stated
from core.text.languages.language import marked
from core.toml.document import refusal, shown
from core.toml.table import TableReader, amount_of

#: Keys whose texts are no amounts; a table under one of them may have some.
_TEXTS = frozenset(
    {"name", "notes", "channel", "channels", "geo", "group", "day", "kind", "of"}
)


def reader_of(table: Mapping[str, Any], *path: str) -> TableReader:
    """A scenario, or a table of one, to be read."""
    return TableReader(table, path, [], name=marked("The scenario"))


def finish(reader: TableReader, where: str = "scenario") -> None:
    """End the reading of a table that stands for itself.

    Args:
        reader: Of the table.
        where: What it is.

    Raises:
        PlanError: Something in it is not understood; `findings` has all of that.
    """
    reader.finish()
    if reader.problems:
        raise refusal(PlanError, reader.problems, where)


def bounds_of(value: Any) -> tuple[float, float]:
    """A pair of multiples.

    Raises:
        ValueRangeError: It is none.
    """
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueRangeError(
            f"{shown(value)} is not a pair.", hint='Give one such as ["70 %", "130 %"].'
        )
    low, high = (amount_of(end, 1.0) for end in value)
    return low, high


def range_of(value: Any) -> tuple[float, float]:
    """A pair of multiples, the smaller one first and none below zero.

    Raises:
        ValueRangeError: It is none.
    """
    low, high = bounds_of(value)
    if not (math.isfinite(low) and math.isfinite(high) and 0 <= low <= high):
        raise ValueRangeError(
            f"{100 * low:g} % to {100 * high:g} % is not a range.",
            hint="Give the smaller one first, and none below 0.",
        )
    return low, high


def not_negative(value: Any) -> float:
    """An amount of zero or more.

    Raises:
        ValueRangeError: It is none.
    """
    amount = amount_of(value, 1.0)
    if not (math.isfinite(amount) and amount >= 0):
        raise ValueRangeError(f"{shown(value)} is not 0 or more.", hint="Give one.")
    return amount


def amount(value: Any, base: float, where: str) -> float:
    """Money, or a percentage of a base.

    Raises:
        PlanError: It is neither.
    """
    try:
        return amount_of(value, base)
    except ValueRangeError as error:
        raise wrong(f"{error.message} It stands in {where}.", error.hint) from error


def wrong(message: str, hint: str = "See docs/planning.md.") -> PlanError:
    """What cannot be understood."""
    return PlanError(message, hint=hint, where="scenario")


def refuse_other_currencies(
    table: Mapping[str, Any], currency: str, money: str = marked("the project")
) -> None:
    """Refuse amounts that were written with the sign or code of another currency.

    Args:
        table: A scenario's table, or options that go before it.
        currency: Of the fit; empty where nobody has said.
        money: What is in that currency, for messages.

    Raises:
        PlanError: An amount is in another currency; `where` is its key.
    """
    for key, value in _amounts(table):
        try:
            if isinstance(value, str):
                value = typed_amount(value.removeprefix("reach:"), key)
            refuse_other_currency(value, currency, key, money)
        except ValueRangeError as error:
            if "Convert it" in error.hint:
                raise PlanError(error.message, hint=error.hint, where=key) from error


def refuse_money_goals(table: Mapping[str, Any], outcome_unit: str) -> None:
    """Refuse a goal in money where the KPI is a number of something.

    Args:
        table: A scenario's table, or options that go before it.
        outcome_unit: Of the fit: `revenue` or `kpi`.

    Raises:
        PlanError: A goal was written with a currency; `where` is its key.
    """
    if outcome_unit != "kpi":
        return
    request = stated(table)
    objective, find = str(request.objective or ""), request.find
    goals = {"goal": request.goal}
    if objective.startswith("reach:"):
        goals["objective"] = objective.removeprefix("reach:")
    if find.kind == "outcome":
        goals["target"] = find.target
    for key, value in goals.items():
        amount = _read(value)
        if getattr(amount, "currency", None):
            raise PlanError(
                f"The {key} is an amount of money ({shown(value)}), and the KPI is a "
                "number without a value.",
                hint="Write the number to reach, or set the value of the KPI on Data.",
                where=key,
            )


def _read(value: object) -> object:
    """A text as an amount; as it is where it is none."""
    if not isinstance(value, str):
        return value
    try:
        return typed_amount(value)
    except ValueRangeError:
        return None


def plain_numbers(ask: Any) -> Any:
    """A scenario's table whose amounts are numbers without the currency typed."""
    if isinstance(ask, Mapping):
        return {key: plain_numbers(value) for key, value in ask.items()}
    if isinstance(ask, list | tuple):
        return [plain_numbers(value) for value in ask]
    return float(ask) if isinstance(ask, float) else ask


def _amounts(ask: object, key: str = "amount") -> Iterator[tuple[str, Any]]:
    """Texts and numbers of a table, with the key that they stand under."""
    if isinstance(ask, Mapping):
        for name, value in ask.items():
            is_text = name in _TEXTS and not isinstance(value, Mapping)
            if not is_text and name != "horizon":
                yield from _amounts(value, str(name))
    elif isinstance(ask, list | tuple):
        for value in ask:
            yield from _amounts(value, key)
    elif isinstance(ask, str | float):
        yield key, ask


def is_at_best(row: TableReader) -> bool:
    """Whether a channel is to be bought at its best frequency."""
    stated = row.text("frequency")
    if stated not in (None, BEST):
        row.problem(
            f"{stated} is not a frequency of {row.title} that can be planned.",
            'Use "best", or leave it out for the frequency that ran.',
            "frequency",
        )
    return stated == BEST


def price_of(
    row: TableReader, ran: Float[np.ndarray, " period"] | None = None
) -> float:
    """What a unit of a channel costs over last year's; 1 where that is not stated.

    A price for each period counts as its average over what was spent in these periods
    a year earlier: media keeps its timing, so that this is exact.

    Args:
        row: What is stated of the channel.
        ran: Its spend in the periods of the plan a year earlier; None where unknown.
    """
    stated = row.any("price")
    if isinstance(stated, list | tuple):
        price = _average(row, stated, ran)
    else:
        price = row.number("price")
    price = 1.0 if price is None else price
    if not 0.01 <= price <= 100:
        row.problem(
            f"The price of {row.title} is not between 0.01 and 100.",
            "Use 1 for last year's price; 1.05 makes a unit cost 5 % more.",
            "price",
        )
        return 1.0
    return price


def _average(
    row: TableReader, stated: Sequence[Any], ran: Float[np.ndarray, " period"] | None
) -> float | None:
    """The average of prices by period; None where they are not understood."""
    prices = [each for each in stated if isinstance(each, int | float) and each > 0]
    if len(prices) != len(stated) or ran is None or len(ran) != len(prices):
        there = "what ran in them is not known: fit again" if ran is None else len(ran)
        row.problem(
            f"The prices of {row.title} are not one number above 0 for each period of "
            f"the plan ({there}).",
            "Give one number, such as 1.05, or one for every period of the plan.",
            "price",
        )
        return None
    return float(np.average(prices, weights=ran if ran.any() else None))


def gamma_of(row: TableReader) -> float:
    """How much dearer a channel gets with volume; 0 where that is not stated."""
    gamma = row.number("gamma") or 0.0
    if not 0 <= gamma <= LARGEST:
        row.problem(
            f"gamma of {row.title} is not between 0 and {LARGEST:g}.",
            "Use 0 for one price; 0.2 makes twice the units cost 2.4 times as much.",
            "gamma",
        )
    return gamma
