"""A sheet of a plan's workbook: its table of channels, geos or weeks, cell by cell."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from core.plan.limits.stated import FIELDS, stated
from core.text.languages.language import LANGUAGES, marked, say, spoken_in

CHANNEL, PLANNED = marked("Channel"), marked("Planned spend")
LEAST, MOST, LOCKED = (FIELDS[name].label for name in ("low", "high", "locked"))
BUDGET, TOTAL = marked("Budget"), marked("Total")
WEEK, GEO, ALL_CHANNELS = marked("Week"), marked("Geo"), marked("All channels")
#: The hidden sheet, and what it says beside the channels.
ORIGIN, CURRENCY, SCENARIO = "As planned", "Currency", "Scenario"
FIT = "Fit"
#: What is written in the language of the one who downloads, and read in any.
_WRITTEN = (CHANNEL, PLANNED, LEAST, MOST, LOCKED, BUDGET, TOTAL)
_WRITTEN += (WEEK, GEO, ALL_CHANNELS)


@cache
def in_languages(*texts: str) -> dict[str, str]:
    """Texts by what they are called in every language."""
    names: dict[str, str] = {}
    for name in LANGUAGES:
        with spoken_in(name):
            names |= {say(text): text for text in texts if say(text) not in names}
    return names


class Cell(NamedTuple):
    """One cell: where it is, what it holds, and its number format."""

    ref: str
    value: Any
    form: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it holds a finite number."""
        is_real = isinstance(self.value, int | float) and self.value is not True
        return is_real and self.value is not False and math.isfinite(self.value)

    @property
    def text(self) -> str:
        """Its content as text on one line."""
        return "" if self.value is None else " ".join(str(self.value).split())


class Sheet(NamedTuple):
    """The table on a sheet, a cell per head, and what stands around it.

    Attributes:
        title: Of the sheet.
        lines: Name of each row (a channel, geo or week), with its cells by head.
        about: What stands above the table, by the text before it.
        totals: Cells of the row `Total` by head; empty where there is none.
        hidden: Names of rows that are hidden or filtered out.
    """

    title: str
    lines: list[tuple[str, dict[str, Cell]]]
    about: dict[str, Cell]
    totals: dict[str, Cell]
    hidden: frozenset[str] = frozenset()

    @property
    def heads(self) -> list[str]:
        """Of its columns, the names of rows first; none without a row."""
        return list(self.lines[0][1]) if self.lines else []

    def planned(self) -> dict[str, float]:
        """What every channel is to spend; cells are checked."""
        return {name: float(line[PLANNED].value) for name, line in self.lines}


def channel_sheet(sheet: Mapping[str, Any]) -> Sheet | None:
    """The table of channels of a sheet; None where it has none."""
    return _sheet_with_heads(sheet, CHANNEL, PLANNED)


def geo_sheet(sheet: Mapping[str, Any]) -> Sheet | None:
    """The table of geos of a sheet; None where it has none."""
    return _sheet_with_heads(sheet, GEO)


def week_sheet(sheet: Mapping[str, Any]) -> Sheet | None:
    """The table of weeks of a sheet; None where it has none."""
    return _sheet_with_heads(sheet, WEEK)


def fit_of(sheets: Sequence[Mapping[str, Any]]) -> str:
    """The fit that a workbook was planned with; empty where it does not say."""
    for sheet in sheets:
        for row in sheet["rows"] if sheet["sheet"] == ORIGIN else ():
            cells = [Cell(*cell) for cell in row]
            if len(cells) > 1 and cells[0].text == FIT:
                return cells[1].text
    return ""


def stored_scenario(origin: Sheet | None) -> dict[str, Any]:
    """The scenario that the file was planned with; empty where that is not known."""
    cell = None if origin is None else origin.about.get(SCENARIO)
    try:
        table = json.loads("{}" if cell is None else cell.text)
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def with_beliefs(names: Sequence[str], origin: Sheet | None) -> tuple[str, ...]:
    """Channels of the fit, and those that the plan believes in beside them."""
    new = stated(stored_scenario(origin)).belief
    return tuple(dict.fromkeys([*names, *map(str, new)]))


def _sheet_with_heads(sheet: Mapping[str, Any], key: str, *also: str) -> Sheet | None:
    """The table with these heads, its rows named by the first of them."""
    heads: dict[str, str] = {}
    called = in_languages(*_WRITTEN)
    about: dict[str, Cell] = {}
    lines: list[tuple[str, dict[str, Cell]]] = []
    for row in sheet["rows"]:
        cells = [Cell(*cell) for cell in row]
        by_column = {_column(cell): cell for cell in cells}
        if not heads:
            places = {cell.text: _column(cell) for cell in cells if cell.text}
            if key not in places:
                places = {called.get(text, text): at for text, at in places.items()}
            if {key, *also} <= set(places):
                heads = places
            elif len(cells) > 1:
                text = cells[0].text
                about.setdefault(called.get(text, text), cells[1])
            continue
        number = _row_of(cells[0])
        line = {
            head: by_column.get(column, Cell(f"{column}{number}", None))
            for head, column in heads.items()
        }
        name = line[key].text
        if name == "" and all(line[head].value is None for head in also):
            break
        lines.append((name, line))
        if called.get(name) == TOTAL:
            break
    if not heads:
        return None
    has_totals = bool(lines) and called.get(lines[-1][0]) == TOTAL
    totals = lines.pop()[1] if has_totals else {}
    unseen = {str(row) for row in sheet.get("hidden", ())}
    hidden = [name for name, line in lines if _row_of(line[key]) in unseen]
    return Sheet(str(sheet["sheet"]), lines, about, totals, frozenset(hidden))


def _row_of(cell: Cell) -> str:
    return re.sub("[A-Z]", "", cell.ref)


def _column(cell: Cell) -> str:
    return re.sub("[0-9]", "", cell.ref)
