"""Declared: a field that is stated once, from which every face takes its words.

A field of a Struct says in its Meta what it asks for and what it is called elsewhere: a
key of files, a flag, a column of a table. `--help` reads this module, which imports
little.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from msgspec import Meta, Struct, structs


@dataclass(frozen=True)
class Field:
    """What one field is called, and what it asks for.

    Attributes:
        name: Of the field, for Python and agents.
        default: What holds where nothing is said.
        about: What it asks for, for commands and agents.
        choices: What it may be; empty where that is open.
        key: In files.
        flag: Of the command line, without dashes; empty where it has none.
        metavar: What stands for the value of the flag; empty for a yes.
        label: Of its column or control on the screens; empty where they have none.
        help: What that says of itself.
        part: Which fields it stands among.
    """

    name: str
    default: Any
    about: str = ""
    choices: tuple[str, ...] = ()
    key: str = ""
    flag: str = ""
    metavar: str = ""
    label: str = ""
    help: str = ""
    part: str = ""

    @property
    def argument(self) -> str:
        """What the flag is called in Python."""
        return self.flag.replace("-", "_")


def meaning(about: str, **words: str) -> Meta:
    """What a field asks for, and its words by the attributes of `Field`."""
    return Meta(description=about, extra=words)


def declared(struct: type[Struct]) -> tuple[Field, ...]:
    """The fields of a struct, in their order; one that has no key is called its name.

    Args:
        struct: Its fields have a `Meta` of limits, of `meaning`, or of both.
    """
    return tuple(map(_declared, structs.fields(struct)))


def _declared(each: structs.FieldInfo) -> Field:
    kind, *metas = get_args(each.type)
    words = {"key": each.name}
    for meta in metas:
        words |= meta.extra or {}
    about = "".join(meta.description or "" for meta in metas)
    return Field(each.name, each.default, about, next(_choices(kind), ()), **words)


def _choices(kind: Any) -> Iterator[tuple[str, ...]]:
    """What each way to read a type may be, of those that are lists of words."""
    return (get_args(one) for one in get_args(kind) if get_origin(one) is Literal)
