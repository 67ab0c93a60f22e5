"""Arguments: what a notebook hands on, of the kind that it has to be.

A command line has parsed its options, and a tool its arguments; a notebook hands on
whatever somebody has: a number of NumPy's, a text instead of a number, a misspelt name.
"""

import math
import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import msgspec

from core.errors import SpecError
from core.text import listed
from core.text.near import near_name

Kind = TypeVar("Kind")


def plain(value: Any) -> Any:
    """Numbers of NumPy's, and lists and mappings of them, as Python has them."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else value
    return {k: plain(v) for k, v in value.items()} if type(value) is dict else value


def named(
    kind: type[Kind], options: Mapping[str, Any], what: str, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Options by the names that there are, in plain numbers.

    Args:
        kind: What they make.
        options: As they came.
        what: Who takes them, for messages.
        names: Those that it takes; else all that there are.

    Raises:
        SpecError: There is no such option.
    """
    names = names or [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for name in options:
        if name not in names:
            near = near_name(name, names)
            hint = f"Did you mean {near}?" if near else f"It takes {listed(names)}."
            raise SpecError(f"{what} has no option {name}.", hint=hint, where=name)
    return {name: plain(value) for name, value in options.items()}


def checked(
    kind: type[Kind], options: Mapping[str, Any], what: str, names: Sequence[str] = ()
) -> Kind:
    """Options as what they make, each of its type.

    Args:
        kind: A record of texts, numbers and choices.
        options: As they came.
        what: Who takes them, for messages.
        names: See `named`.

    Raises:
        SpecError: One is unknown, of another type or not finite.
    """
    values = named(kind, options, what, names)
    for name, value in values.items():
        if not all(map(math.isfinite, _numbers(value))):
            raise SpecError(
                f"{name} of {what} is not a finite number.",
                hint="Give a number, or leave it out.",
                where=name,
            )
    try:
        msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise SpecError(
            f"{what} cannot take this: {str(error)[:300]}.",
            hint="help() of it says what each option is.",
            where=what,
        ) from error
    return kind(**values)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | float):
        yield value
