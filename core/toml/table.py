"""One TOML table, read with care: types checked, unknown keys named, problems kept.

All problems of a file are collected and shown together, each with its place, the
nearest known key and the remedy. Project files and scenarios are read with it.
"""

import datetime
import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from core.data.cells.typed import typed_amount
from core.errors import ValueRangeError
from core.text import count
from core.text.languages.language import marked
from core.toml.document import KeyPath, Problem, shown

#: A percentage with a decimal comma; three digits behind it could be thousands.
_COMMA = re.compile(r"^(-?\d+),(\d{1,2})$")
#: Unknown keys of a table that are named one by one.
_NAMED = 20
_Value = TypeVar("_Value")


class TableReader:
    """One table of the file, read key by key.

    Args:
        table: The parsed table.
        path: Where it stands.
        problems: The file's list of problems, added to.
        owner: The channel or experiment that the table is about, for messages.
        name: What the whole is called in messages.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        path: KeyPath,
        problems: list[Problem],
        owner: str = "",
        name: str = "The file",
    ):
        self.table = table
        self.path = path
        self.problems = problems
        self.owner = owner
        self.name = name
        self._known: dict[str, None] = {}
        self._had = len(problems)
        self._above: TableReader | None = None
        self._below: list[TableReader] = []

    @property
    def title(self) -> str:
        """The table as written in the file: `[channel.prior]`."""
        names = [str(part) for part in self.path if isinstance(part, str)]
        of = f" of {self.owner}" if self.owner else ""
        return f"[{'.'.join(names)}]{of}" if names else self.name

    @property
    def place(self) -> str:
        """The table within a sentence."""
        title = self.title
        return title if title.startswith("[") else title[0].lower() + title[1:]

    @property
    def has_problems(self) -> bool:
        """Whether anything was wrong since this table was opened."""
        return len(self.problems) > self._had

    def problem(self, message: str, hint: str = "", key: str | None = None) -> None:
        """Note something wrong about the table or one of its keys."""
        path = self.path if key is None else (*self.path, key)
        self.problems.append(Problem(path, message, hint))

    def _take(self, key: str) -> object:
        self._known[key] = None
        return self.table.get(key)

    def accepted(
        self,
        key: str,
        read: Callable[[Any], _Value | None],
        wanted: str,
        default: _Value | None = None,
    ) -> _Value | None:
        """What a function makes of the value; one that it makes nothing of is wrong.

        Args:
            key: Of the value.
            read: Gives None for what the value must not be.
            wanted: What it must be, for the message.
            default: Where it is missing or wrong.
        """
        value = self._take(key)
        if value is None:
            return default
        made = read(value)
        if made is not None:
            return made
        message = f"{key} in {self.place} must be {wanted}, not {shown(value)}."
        self.problem(message, key=key)
        return default

    def text(self, key: str, default: str | None = None) -> str | None:
        """A string."""
        return self.accepted(key, only(str), marked("a text in quotes"), default)

    def required(self, key: str, remedy: str) -> str:
        """A string that must be given; empty if it is not."""
        if self._take(key) is None:
            self.problem(f"{self.title} lacks {key}.", remedy)
            return ""
        return self.text(key) or ""

    def choice(
        self, key: str, options: Sequence[str], default: str | None = None
    ) -> Any:
        """One of a few words."""
        value = self._take(key)
        if value is None or value in options:
            return default if value is None else value
        near = difflib.get_close_matches(shown(value).strip("'"), options, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Use {' or '.join(options)}."
        self.problem(f"{key} in {self.place} cannot be {shown(value)}.", hint, key)
        return default

    def integer(self, key: str, default: int | None = None) -> int | None:
        """A whole number."""
        return self.accepted(key, only(int), marked("a whole number"), default)

    def number(self, key: str, default: float | None = None) -> float | None:
        """A finite number."""
        return self.accepted(key, as_number, marked("a finite number"), default)

    def amount(self, key: str, base: float | None = None) -> float | None:
        """Money as people write it, or a percentage of a base where there is one."""

        def read(value: object) -> float:
            if base is None and is_percent(value):
                raise ValueRangeError(
                    f"{shown(value)} is a percentage of nothing that is known here.",
                    hint="Write an amount like 75M or 75,000.",
                )
            return float(amount_of(value, math.nan if base is None else base, key))

        return self.converted(key, read)

    def converted(
        self, key: str, convert: Callable[[Any], _Value], default: _Value | None = None
    ) -> _Value | None:
        """What a function makes of the value; its ValueRangeError is a problem."""
        value = self._take(key)
        if value is None:
            return default
        try:
            return convert(value)
        except ValueRangeError as error:
            message = f"{key} in {self.place}: {error.message}"
            self.problem(message, error.hint, key)
            return default

    def boolean(self, key: str, default: bool | None = False) -> bool | None:
        """True or false."""
        return self.accepted(key, only(bool), marked("true or false"), default)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        return self.accepted(key, _texts, 'a list of texts, like ["a", "b"]', ())

    def pairs(self, key: str, wanted: str, dates: tuple[int, ...]) -> tuple:
        """A list of pairs of texts, those at the positions in `dates` ISO dates."""
        return self.accepted(key, partial(_pairs, dates=dates), wanted, ())

    def numbers(self, key: str) -> dict[str, float] | None:
        """A table of numbers; None if it is missing or wrong."""
        wanted = "a table of finite numbers, like {loc = 0.2, scale = 0.9}"
        return self.accepted(key, _numbers, wanted)

    def options(
        self, record: type, own: Mapping[str, "Own | None"] | None = None
    ) -> dict[str, Any]:
        """Fields of a dataclass or Struct, read by their types, in their order.

        Args:
            record: The type. A field may be a text, a number, true or false, one
                of a few words or a list of texts, each also None.
            own: What reads fields whose type says too little; None for those that the
                table does not have.
        """
        own = own or {}
        hints = get_type_hints(record)
        values = {}
        of = structs.fields if issubclass(record, Struct) else fields
        for field in of(record):
            reader = own.get(field.name, partial(_option, field, hints[field.name]))
            if reader is not None:
                values[field.name] = reader(self)
        return values

    def any(self, key: str) -> Any:
        """Whatever stands there; the caller checks it."""
        return self._take(key)

    def child(self, key: str) -> "TableReader":
        """The table below a key; an empty one if there is none."""
        value = self.accepted(key, only(dict), f"a table, [{key}]", {})
        path = (*self.path, key)
        child = TableReader(value, path, self.problems, self.owner, self.name)
        child._above = self
        self._below.append(child)
        return child

    def named(self, key: str) -> dict[str, "TableReader"]:
        """The tables below a key, each under a name of the user's: `[channel.TV]`."""
        tables = self.child(key)
        return {name: tables.child(name) for name in tables.table}

    def children(self, key: str) -> list["TableReader"]:
        """The tables of an array of tables."""
        value = self.accepted(key, _tables, f"a list of tables, [[{key}]]", [])
        return [
            TableReader(entry, (*self.path, key, index), self.problems)
            for index, entry in enumerate(value)
        ]

    def in_words(self) -> tuple[str, ...]:
        """What is wrong with the file, each with its remedy."""
        texts = (f"{each.message} {each.hint}".rstrip() for each in self.problems)
        return tuple(texts)

    def finish(self) -> None:
        """Note every key that nobody asked for, with the nearest known one."""
        unknown = [key for key in self.table if key not in self._known]
        for key in unknown[:_NAMED]:
            near = difflib.get_close_matches(key[:80], self._known, n=1, cutoff=0.5)
            remedy = self._elsewhere(key) or (
                f"Did you mean {near[0]}?"
                if near
                else f"Known here: {', '.join(self._known)}."
            )
            message = f"{self.title} has an unknown key {key[:80]}."
            self.problem(message, remedy, key)
        if len(unknown) > _NAMED:
            rest = len(unknown) - _NAMED
            self.problem(f"{self.title} has {count(rest, 'more unknown key')}.")

    def _elsewhere(self, key: str) -> str:
        """Where a key belongs that another table of the file has; empty if none has."""
        above = self._above
        while above is not None:
            if key in above._known and not isinstance(self.table[key], dict):
                if above.path:
                    return f"It belongs in {above.place}."
                return (
                    "It belongs at the top of the file, above the first [table]: "
                    f"below {self.title} it is a key of that table."
                )
            above = above._above
        owner = next((each for each in self._below if key in each._known), None)
        return "" if owner is None else f"It belongs in {owner.place}."


#: What reads a field of an option in its own way.
Own = Callable[[TableReader], Any]


def _option(field: Field | structs.FieldInfo, hint: Any, table: TableReader) -> Any:
    """One field of a dataclass, as its type says."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(each for each in get_args(hint) if each is not NoneType)
    if get_origin(hint) is Literal:
        return table.choice(field.name, get_args(hint), field.default)
    if get_origin(hint) is tuple:
        return table.texts(field.name)
    readers = {
        str: table.text,
        bool: table.boolean,
        int: table.integer,
        float: table.number,
    }
    return readers[hint](field.name, field.default)


def is_percent(value: object) -> bool:
    """Whether something is written as a percentage."""
    return isinstance(value, str) and value.strip().endswith("%")


def amount_of(value: object, base: float = math.nan, what: str = "amount") -> float:
    """Money as people write it, or a percentage of a base.

    Args:
        value: What was written.
        base: What a percentage is of.
        what: What it is, for messages: `budget`.

    Raises:
        ValueRangeError: It is neither, or could be two.
    """
    try:
        if isinstance(value, str) and is_percent(value):
            share = _COMMA.sub(r"\1.\2", value.strip().removesuffix("%").strip())
            return float(share) / 100 * base
        if value == "inf":  # as TOML writes it; JSON has no other word for it
            return math.inf
        if isinstance(value, str):
            return typed_amount(value, what)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise ValueRangeError(
        f"{shown(value)} is neither an amount nor a percentage.",
        hint='Write it like 75M, 75,000 or "80 %".',
    )


def only(kind: type[_Value]) -> Callable[[Any], _Value | None]:
    """What gives a value that is of this type; true and false are no numbers."""
    return lambda value: (
        value
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        else None
    )


def _texts(value: Any) -> tuple[str, ...] | None:
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return tuple(value) if is_list else None


def _tables(value: Any) -> list[dict] | None:
    is_list = isinstance(value, list) and all(isinstance(each, dict) for each in value)
    return value if is_list else None


def _numbers(value: Any) -> dict[str, float] | None:
    if not isinstance(value, dict) or not all(map(is_number, value.values())):
        return None
    return {name: float(entry) for name, entry in value.items()}


def _pairs(value: Any, dates: tuple[int, ...]) -> tuple | None:
    listed = value if isinstance(value, list) else [value]
    pairs = tuple(_pair(entry, dates) for entry in listed)
    return None if None in pairs else pairs


def as_number(value: object) -> float | None:
    """A finite number; None for anything else."""
    return float(value) if is_number(value) else None


def is_number(value: object) -> bool:
    """Whether the value is a finite number (true and false are none)."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and math.isfinite(value)


def iso_date(value: object) -> str | None:
    """The date as ISO text, None if it is not a date."""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return datetime.date.fromisoformat(str(value)).isoformat()
    except ValueError:
        return None


def _pair(entry: object, dates: tuple[int, ...]) -> tuple[str, str] | None:
    if not isinstance(entry, list) or len(entry) != 2:
        return None
    texts = [
        iso_date(value) if position in dates else value
        for position, value in enumerate(entry)
    ]
    return tuple(texts) if all(isinstance(text, str) for text in texts) else None
