"""A sheet of a plan's workbook: its table of channels, cell by cell."""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

CHANNEL, PLANNED, LEAST, MOST = "Channel", "Planned spend", "Least", "Most"
LOCKED, BUDGET, TOTAL = "Locked", "Budget", "Total"
#: The hidden sheet, and what it says beside the channels.
ORIGIN, CURRENCY, SCENARIO = "As planned", "Currency", "Scenario"


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
    """The table of channels on a sheet, a cell per head, and what stands around it."""

    title: str
    lines: list[tuple[str, dict[str, Cell]]]
    about: dict[str, Cell]
    total: Cell | None

    def planned(self) -> dict[str, float]:
        """What every channel is to spend; cells are checked."""
        return {name: float(line[PLANNED].value) for name, line in self.lines}


def channel_sheet(sheet: Mapping[str, Any]) -> Sheet | None:
    """The table of channels of a sheet; None where it has none."""
    heads: dict[str, str] = {}
    about: dict[str, Cell] = {}
    lines: list[tuple[str, dict[str, Cell]]] = []
    for row in sheet["rows"]:
        cells = [Cell(*cell) for cell in row]
        by_column = {_column(cell): cell for cell in cells}
        if not heads:
            found = {cell.text: _column(cell) for cell in cells}
            if CHANNEL in found and PLANNED in found:
                heads = found
            elif len(cells) > 1:
                about.setdefault(cells[0].text, cells[1])
            continue
        number = re.sub("[A-Z]", "", cells[0].ref)
        line = {
            head: by_column.get(column, Cell(f"{column}{number}", None))
            for head, column in heads.items()
        }
        name = line[CHANNEL].text
        if name == "" and line[PLANNED].value is None:
            break
        lines.append((name, line))
        if name == TOTAL:
            break
    if not heads:
        return None
    total = lines.pop()[1][PLANNED] if lines and lines[-1][0] == TOTAL else None
    return Sheet(str(sheet["sheet"]), lines, about, total)


def _column(cell: Cell) -> str:
    return re.sub("[0-9]", "", cell.ref)
