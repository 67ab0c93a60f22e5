"""Hidden: rows, columns and sheets of a workbook that its reader does not see.

They are read, too, because nobody can tell a row that was filtered out for a
look from one that was set aside. What they hold is kept with the table, in
`attrs["hidden"]`, and said by `core.data.reading.reading_notes`.
"""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

_CHUNK = 1 << 20
_TAG = re.compile(rb"<(?:\w+:)?(row|col)\s([^<>]*)>")
#: A cell whose formula has no result, which is no text: `t="str"` may be an empty one.
_UNCALCULATED = re.compile(
    rb"<c\s([^<>]*)>\s*<f[^<>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>"
)
_CELL = re.compile(rb"([A-Z]{1,3})(\d+)")
_VALUE = re.compile(rb"""(\w+)\s*=\s*["']([^"']*)["']""")
_TRUE = (b"1", b"true")
_SHOWN_ROWS = 5


@dataclass(frozen=True)
class Hidden:
    """What of a sheet is hidden.

    Attributes:
        rows: Rows, the first is 1.
        columns: Columns, the first is 0.
        sheet: The name of the sheet where all of it is hidden, else empty.
        uncalculated: First cell of each column whose formulas have no result: its
            row and its column, counted as above.
    """

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    sheet: str = ""
    uncalculated: tuple[tuple[int, int], ...] = ()


def hidden_in(book: Any, sheet: Any) -> Hidden:
    """What is hidden of a sheet, or filtered out, or has no height or width.

    openpyxl leaves this out where it reads row by row, so the sheet's tags are looked
    at a second time.
    """
    rows: set[int] = set()
    columns: set[int] = set()
    row = 0
    formulas: dict[int, int] = {}
    # openpyxl has no public way to them in a workbook that is read row by row.
    with book._archive.open(sheet._worksheet_path) as part:
        for tag, attributes in _tags(part):
            if tag == b"c":
                place = _CELL.fullmatch(attributes.get(b"r", b""))
                if place and attributes.get(b"t") != b"str":
                    formulas.setdefault(_number(place[1]), int(place[2]))
            elif tag == b"row":
                row = int(attributes.get(b"r", row + 1))
                if _is_hidden(attributes, b"ht"):
                    rows.add(row)
            elif _is_hidden(attributes, b"width"):
                first, last = int(attributes[b"min"]), int(attributes[b"max"])
                columns.update(range(first - 1, min(last, first + 16_384)))
    title = "" if sheet.sheet_state == "visible" else sheet.title
    first_cells = tuple((row, column) for column, row in sorted(formulas.items()))
    return Hidden(frozenset(rows), frozenset(columns), title, first_cells)


def _number(letters: bytes) -> int:
    """A column by its letters: A is 0."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def _tags(part: zipfile.ZipExtFile) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    """The tags of rows, columns and uncalculated cells of a sheet, with attributes."""
    rest = b""
    while chunk := part.read(_CHUNK):
        text = rest + chunk
        end = max(text.rfind(b"<row"), 0) or text.rfind(b"<")
        rest, text = (text[end:], text[:end]) if end >= 0 else (b"", text)
        yield from _tags_of(text)
    yield from _tags_of(rest)


def _tags_of(text: bytes) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    for match in _TAG.finditer(text):
        yield match[1], dict(_VALUE.findall(match[2]))
    for match in _UNCALCULATED.finditer(text):
        yield b"c", dict(_VALUE.findall(match[1]))


def _is_hidden(attributes: dict[bytes, bytes], size: bytes) -> bool:
    if attributes.get(b"hidden", b"").lower() in _TRUE:
        return True
    return size in attributes and float(attributes[size]) == 0.0


def keep_hidden(frame: pd.DataFrame, hidden: Hidden, names: list[str]) -> None:
    """Note with a table what of it is hidden.

    Args:
        frame: The table; its index is the row of the file less two.
        hidden: What is hidden of its sheet.
        names: The names of the sheet's columns, by position.
    """
    at = np.isin(frame.index.to_numpy() + 2, list(hidden.rows))
    numbers = frame.select_dtypes("number")
    sizes = numbers.abs()
    whole = sizes.sum()
    shares = sizes[at].sum() / whole.where(whole > 0)
    columns = [
        names[place] or f"Column {place + 1}"
        for place in sorted(hidden.columns)
        if place < len(names)
    ]
    columns = [name for name in columns if name in frame.columns]
    if not at.any() and not columns and not hidden.sheet:
        return
    rows = frame.index.to_numpy()[at] + 2
    frame.attrs["hidden"] = {
        "n_rows": int(at.sum()),
        "rows": [int(row) for row in rows[:_SHOWN_ROWS]],
        "shares": {
            str(name): float(share) for name, share in shares.items() if share > 0
        },
        "columns": columns,
        "sheet": hidden.sheet,
    }
