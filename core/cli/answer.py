"""Answers of commands, and how they are printed.

Standard output is for the answer alone: one JSON object with --json, a text to read
otherwise. Everything else (progress, messages, remarks) goes to standard error.
"""

import json
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import to_builtins

from core import as_text
from core.errors import MMMError
from core.text import tidy

#: Exit statuses.
DONE, AT_FAULT, WRONG_USAGE, NOT_SAMPLED, BUG = 0, 1, 2, 3, 70
#: Ctrl-C, as `core.process` says it before this is loaded.
INTERRUPTED = 130
#: A condition of `refresh --if` holds.
HOLDS = 4


@dataclass(frozen=True)
class Answer:
    """What a command has to say.

    Attributes:
        data: The object that --json prints.
        text: The same for people.
        code: Exit status.
        remarks: Lines for standard error.
    """

    data: dict[str, Any]
    text: str
    code: int = DONE
    remarks: tuple[str, ...] = field(default=())


def as_json(data: dict[str, Any]) -> str:
    """The object as JSON that every parser reads."""
    return json.dumps(data, indent=1, allow_nan=False, default=to_builtins)


def tell(line: str = "") -> None:
    """A line on standard error."""
    print(clean(line), file=sys.stderr, flush=True)


def tell_error(error: MMMError) -> None:
    """An error with everything it found, and what to do, on standard error."""
    tell(f"Error: {error.message}")
    if error.hint:
        tell(f"  {error.hint}")
    for finding in error.findings[1:]:
        tell(f"Error: {finding.message}")
        if finding.hint:
            tell(f"  {finding.hint}")


def clean(text: str) -> str:
    """The text without control characters, which could steer a terminal."""
    text = as_text(text)
    return "".join(
        sign if sign.isprintable() or sign in "\n\u00a0" else " " for sign in text
    )


#: Columns of a terminal that tables with `fold` keep to, and the least of a folded one.
_TERMINAL, _LEAST = 100, 12


def table(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    texts: int = 1,
    fold: bool = False,
) -> str:
    """Aligned columns: the first `texts` to the left, numbers to the right.

    Args:
        titles: Of the columns.
        rows: Cells, as they are shown.
        texts: How many columns are texts.
        fold: Whether cells of the first column take several lines where the table
            would be wider than a terminal of 100 columns.
    """
    lines = [
        [tidy(title) for title in titles],
        *([clean(cell) for cell in row] for row in rows),
    ]
    if fold:
        lines = _folded(lines)
    widths = [
        max(_width(cell) for cell in column) for column in zip(*lines, strict=True)
    ]
    output = []
    for line in lines:
        cells = [
            cell + " " * (width - _width(cell))
            if at < texts
            else " " * (width - _width(cell)) + cell
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        output.append("  ".join(cells).rstrip())
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([output[0], rule, *output[1:]])


def side_by_side(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1
) -> str:
    """A table that goes on below where it is wider than a terminal of 100 columns.

    Args:
        titles: Of the columns; the first begins each part.
        rows: Cells, as they are shown.
        texts: How many columns are texts.
    """
    columns = list(zip(titles, *rows, strict=True))
    widths = [max(_width(cell) for cell in column) for column in columns]
    parts: list[list[int]] = []
    room = 0
    for at, width in enumerate(widths[1:], 1):
        room -= width + 2
        if room < 0 or not parts:
            parts.append([0])
            room = _TERMINAL - widths[0] - width - 2
        parts[-1].append(at)
    tables = []
    for part in parts or [[*range(len(columns))]]:
        head, *body = zip(*(columns[at] for at in part), strict=True)
        tables.append(table(head, body, texts=sum(at < texts for at in part)))
    return "\n\n".join(tables)


def _folded(lines: list[list[str]]) -> list[list[str]]:
    """Lines whose first cells take several where they are too wide together."""
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    room = max(_TERMINAL - sum(widths[1:]) - 2 * len(widths[1:]), _LEAST)
    if widths[0] <= room:
        return lines
    folded = []
    for first, *rest in lines:
        parts = textwrap.wrap(first, room) or [""]
        folded.append([parts[0], *rest])
        folded += [[part, *("" for _ in rest)] for part in parts[1:]]
    return folded


def _width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    over = sum(unicodedata.combining(sign) > 0 for sign in text)
    return len(text) + wide - over
