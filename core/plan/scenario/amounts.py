"""Amounts: money, percentages and numbers as scenario files and screens state them."""

import difflib
from collections.abc import Mapping
from typing import Any

from core.data.cells.typed import typed_amount
from core.errors import PlanError, ValueRangeError

_NO_AMOUNT = "{!r} in {} is neither an amount nor a percentage."


def bounds_of(given: Any) -> tuple[float, float]:
    """A pair of multiples."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise wrong('The bounds are not a pair such as ["70 %", "130 %"].')
    low, high = (amount(end, 1.0, "bounds") for end in given)
    return low, high


def is_percent(given: Any) -> bool:
    """Whether something is written as a percentage."""
    return isinstance(given, str) and given.strip().endswith("%")


def amount(given: Any, base: float, where: str) -> float:
    """Money, or a percentage of a base."""
    try:
        if is_percent(given):
            return float(given.strip().removesuffix("%")) / 100 * base
        if isinstance(given, str):
            return typed_amount(given)
        if not isinstance(given, bool):
            return float(given)
    except ValueRangeError as error:
        raise wrong(_NO_AMOUNT.format(given, where), error.hint) from error
    except (TypeError, ValueError):
        pass
    raise wrong(_NO_AMOUNT.format(given, where))


def number(row: Mapping[str, Any], key: str, where: str) -> float | None:
    """A number; None where there is none."""
    given = row.get(key)
    if given is None:
        return None
    if isinstance(given, str):
        try:
            return typed_amount(given, key)
        except ValueRangeError as error:
            told = f"{key} of {where} is not a number: {given!r}."
            raise wrong(told, error.hint) from error
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise wrong(f"{key} of {where} is not a number: {given!r}.")
    return float(given)


def table_of(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A table within a table; an empty one where there is none."""
    given = table.get(key, {})
    if not isinstance(given, Mapping):
        raise wrong(f"{key} is not a table.")
    return given


def known(row: Any, keys: tuple[str, ...], where: str) -> None:
    """Refuse keys that mean nothing, and name the nearest that does."""
    if not isinstance(row, Mapping):
        raise wrong(f"{where[0].upper()}{where[1:]} is not a table.")
    for key in row:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            said = f"Did you mean {near[0]}?" if near else f"It has {', '.join(keys)}."
            raise wrong(f"There is no {key} in {where}.", said)


def wrong(message: str, hint: str = "See docs/planning.md.") -> PlanError:
    """What cannot be understood."""
    return PlanError(message, hint=hint, where="scenario")
