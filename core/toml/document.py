"""A TOML document: its text as a table, and what is wrong in it with its line."""

import datetime
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.data.reading.findings import Finding
from core.errors import MMMError
from core.text import count

#: Where a value stands: `("channel", 1, "prior", "family")`.
KeyPath = tuple[str | int, ...]
#: Tables and lists within each other, as deep as anything that Mixwright reads goes.
DEEPEST = 60
#: Whole numbers are below this: what 64 bits hold.
LARGEST = 2**63
#: A key of more parts than tables are nested in each other.
_LONG_KEY = re.compile(
    rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{DEEPEST}}}", re.ASCII
)
#: Problems of a file that are listed; whoever mends these sees the others.
_LISTED = 40


_Refusal = TypeVar("_Refusal", bound=MMMError)


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a file: where it stands, what it is, and the remedy."""

    path: KeyPath
    message: str
    hint: str = ""


def parse(text: str) -> dict[str, Any]:
    """The table that a text in TOML is.

    Raises:
        ValueError: It is not TOML, or holds what nothing here has; says which.
    """
    try:
        if _LONG_KEY.search(text):  # the parser takes the square of its length
            raise ValueError(f"a key has more than {DEEPEST} parts")
        document = tomllib.loads(text.removeprefix("\ufeff"))  # of Windows' editor
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    _check_values(document)
    return document


def refusal(
    kind: type[_Refusal],
    problems: Sequence[Problem],
    where: str,
    text: str | None = None,
) -> _Refusal:
    """The error of the first problem, with every one of the file as its findings.

    Args:
        kind: The error.
        problems: At least one.
        where: The file's name, or what was read.
        text: The file's content, for the lines; None where it is no file.
    """
    findings = []
    for problem in problems[:_LISTED]:
        line = None if text is None else line_of(text, problem.path)
        place = f"{where}, line {line}" if line else where
        hint = problem.hint or f"Correct it in {where}."
        findings.append(Finding("error", place, problem.message, hint))
    rest = len(problems) - len(findings)
    if rest:
        findings.append(Finding("error", where, f"{count(rest, 'more problem')}.", ""))

    def placed(finding: Finding) -> str:
        is_file = text is not None
        return f"{finding.where}: {finding.message}" if is_file else finding.message

    first = findings[0]
    return kind(placed(first), hint=first.hint, where=first.where, findings=findings)


def shown(value: object) -> str:
    """A value as it may be quoted in a message: its beginning where it is long."""
    text = value.isoformat() if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _check_values(document: dict) -> None:
    """Refuse what TOML can hold and no project does, before anything is made of it.

    Raises:
        ValueError: A text holds a NUL, a whole number has more than 64 bits, or tables
            are nested too deeply.
    """
    waiting: list[tuple[Any, int]] = [(document, 0)]
    while waiting:  # not by calls: the depth is what is in doubt
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if isinstance(value, dict):
            waiting += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list):
            waiting += [(entry, depth + 1) for entry in value]
        elif isinstance(value, str) and "\0" in value:
            raise ValueError(f"{shown(value)} holds a NUL (U+0000), which no text has")
        elif isinstance(value, int) and not -LARGEST <= value < LARGEST:
            raise ValueError("a whole number in it has more than 64 bits")


_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"'-]+(?:\s*\.\s*[A-Za-z0-9_\"'-]+)*)\s*=")


def line_of(text: str, path: KeyPath) -> int | None:
    """The line (from one) that holds a key or comes nearest to it."""
    table: KeyPath = ()
    counts: dict[str, int] = {}
    best, best_length = None, 0
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            names = [name.strip(" \"'") for name in header[2].split(".")]
            if header[1] == "[[":
                counts[names[0]] = counts.get(names[0], -1) + 1
            index = (counts[names[0]],) if names[0] in counts else ()
            place = table = (names[0], *index, *names[1:])
        elif key:
            place = (*table, *(name.strip(" \"'") for name in key[1].split(".")))
        else:
            continue
        if path[: len(place)] == place and len(place) > best_length:
            best, best_length = number, len(place)
    return best
