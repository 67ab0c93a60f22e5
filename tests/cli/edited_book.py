"""The workbook of a plan with cells changed, as people give it back."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import openpyxl


def edit(path: Path, changes: Mapping[str, object], drop: Iterable[str]) -> Path:
    """Change cells of the sheet Plan, hide its rows (`row 5`), and take sheets out."""
    book = openpyxl.load_workbook(path)
    for cell, value in changes.items():
        if cell.startswith("row "):
            book["Plan"].row_dimensions[int(cell[4:])].hidden = True
        else:
            book["Plan"][cell] = value
    for title in drop:
        del book[title]
    book.save(path)
    return path


def assert_no_other_currency(say, fit: Path, path: Path, cell: str, what: str) -> None:
    """A cell, then the whole plan, in dollars: both are refused by a fit in euros."""
    book = openpyxl.load_workbook(path)
    book["Plan"][cell].number_format = "[$$-409]#,##0.00"
    book.save(path)
    said = say("plan", fit, "--scenario", path)
    assert f"cell {cell}: the {what} is in $; this fit is in €" in said.err
    book["As planned"]["B1"] = "USD"
    book.save(path)
    said = say("plan", fit, "--scenario", path)
    assert "is a plan in USD; this fit is in EUR" in said.err
