"""Arguments: the small languages of options, read once; mistakes are wrong usage."""

import math
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import timedelta

from core import as_text
from core.errors import MMMError
from core.service.records.team import Role

Range = tuple[float, float]


def name_of(text: str) -> str:
    """The name that something is saved under."""
    if not text.strip():
        raise ArgumentTypeError('an empty name is no name; write one, like "Spring"')
    return as_text(text)


def multiples(text: str) -> Range:
    """Two numbers from `0.7:1.3` or `70%:130%`."""
    return _between(text, _multiple, "0.7:1.3")


def channel_range(text: str) -> tuple[str, Range]:
    """A channel and two numbers from `TV=0.9:1.1`; the name may hold equals signs."""
    name, limits = _of_channel(text, "LOW:HIGH", "TV=0.9:1.1")
    return name, multiples(limits)


def channel_amounts(text: str) -> tuple[str, Range]:
    """A channel and two amounts from `TV=5M:12M`; the name may hold equals signs."""
    name, limits = _of_channel(text, "LOW:HIGH", "TV=5M:12M")
    return name, _between(limits, money, "5M:12M")


def channel_multiple(text: str) -> tuple[str, float]:
    """A channel and a number from `TV=1.2`; the name may hold equals signs."""
    name, number = _of_channel(text, "X", "TV=1.2")
    try:
        if 0 <= (multiple := _multiple(number)) < float("inf"):
            return name, multiple
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text!r} is not CHANNEL=X, like TV=1.2")


def ratio(text: str) -> float:
    """A number from `0.3` or `30%`."""
    try:
        if math.isfinite(number := _multiple(text)):
            return number
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text!r} is not a number, like 0.3 or 30%")


def _of_channel(text: str, form: str, example: str) -> tuple[str, str]:
    """The name of a channel, and what is said of it."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{text!r} is not CHANNEL={form}, like {example}")
    return name, value


def _between(text: str, parse: Callable[[str], float], example: str) -> Range:
    """The two ends of a range."""
    low, colon, high = text.partition(":")
    try:
        if colon:
            return parse(low), parse(high)
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text!r} is not LOW:HIGH, like {example}")


def _multiple(text: str) -> float:
    """A number, perhaps in percent."""
    text = text.strip()
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def lock(text: str) -> tuple[str, float | bool]:
    """A channel, and the amount of `TV=120000` or, for `TV`, that it is locked.

    A name that ends in no number is a name as it stands.
    """
    name, equals, amount = text.rpartition("=")
    try:
        return (name, money(amount)) if equals and name else (text, True)
    except ArgumentTypeError:
        return text, True


def money(text: str) -> float:
    """An amount from `75M`, `75,000` or `8e7`."""
    from core.service.data.amounts import typed_amount

    try:
        return typed_amount(text)
    except MMMError as error:
        raise ArgumentTypeError(str(error)) from error


def money_or_column(text: str) -> float | str:
    """An amount, or the name of a column where the text is none."""
    try:
        return money(text)
    except ArgumentTypeError:
        return text


def budget(text: str) -> float | tuple[float, float]:
    """An amount, or the least and most of one: `75M`, `60M:80M`."""
    low, colon, high = text.partition(":")
    if not colon:
        return money(text)
    ends = money(low), money(high)
    if ends[0] > ends[1]:
        raise ArgumentTypeError(f"{low} is more than {high}; write the least first")
    return ends


def age(text: str) -> timedelta:
    """A stretch of time from `30d`, `12h` or `8w`."""
    units = {"h": "hours", "d": "days", "w": "weeks"}
    number, unit = text[:-1], text[-1:]
    if unit in units and number.isdigit() and int(number) <= 100_000:
        return timedelta(**{units[unit]: int(number)})
    raise ArgumentTypeError(f"{text!r} is not an age such as 30d, 12h or 8w")


def seconds(text: str) -> float:
    """A wait from `10` or `0.5`, at most an hour."""
    try:
        if 0 < float(text) <= 3600:
            return float(text)
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text!r} is not a number of seconds such as 10")


def port_number(text: str) -> int:
    """A port of a server; 0 is any that is free."""
    if text.isdecimal() and text.isascii() and int(text) < 65536:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a port such as 8501")


def grant(text: str) -> tuple[str, Role]:
    """A name and a role from `anna@example.com=planner`."""
    name, equals, word = text.rpartition("=")
    role = Role.named(word.strip())
    if equals and name.strip() and role is not None:
        return name.strip(), role
    raise ArgumentTypeError(f"{text!r} is not NAME=ROLE; {Role.choices()}")


def channel_kind(text: str) -> tuple[str, str]:
    """A channel and its kind from `Kanal 5=shopping ads`."""
    name, equals, kind = text.rpartition("=")
    if equals and name and kind:
        return name, kind
    raise ArgumentTypeError(f"{text!r} is not CHANNEL=KIND, like Kanal 5=shopping ads")


def names(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def weeks(text: str) -> tuple[int, ...]:
    """Whole numbers of weeks between commas, 2 to 12 each."""
    parts = names(text)
    if parts and all(part.isdigit() and 2 <= int(part) <= 12 for part in parts):
        return tuple(sorted({int(part) for part in parts}))
    raise ArgumentTypeError(f"{text!r} is not weeks from 2 to 12, like 4,8")
