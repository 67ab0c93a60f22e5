"""What was changed in an edited workbook: its table beside the original."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import PlanError
from core.plan.scenario.workbook.sheet import (
    BUDGET,
    LEAST,
    LOCKED,
    MOST,
    ORIGIN,
    Cell,
    Sheet,
)
from core.text.sentences import listed

LIMITS = (LEAST, MOST, LOCKED)
_YES = frozenset({"yes", "y", "x", "true", "1", "✓", "ja", "j", "oui", "sí", "si"})
_YES |= {"wahr", "vrai", "verdadero"}
_NO = frozenset({"", "no", "n", "false", "0", "-", "nein", "non"})
_NO |= {"falsch", "faux", "falso"}


class Tables(NamedTuple):
    """The table that people edit, and the hidden one; None where it is not there."""

    edited: Sheet | None
    origin: Sheet | None


def tables_of(
    sheets: Sequence[Mapping[str, Any]],
    table: Callable[[Mapping[str, Any]], Sheet | None],
) -> Tables:
    """The two tables of a workbook.

    Args:
        sheets: What `core.data.files.load.workbook_cells` gives.
        table: Reads the table of a sheet.

    Raises:
        PlanError: There are several to edit: a sheet was copied.
    """
    tables = [each for each in map(table, sheets) if each is not None]
    edited = [each for each in tables if each.title != ORIGIN]
    copies = [each for each in edited[1:] if each.heads == edited[0].heads]
    if copies:
        titles = listed([edited[0].title, *(each.title for each in copies)])
        raise PlanError(
            f"Several sheets hold the plan: {titles}. Which one is meant?",
            hint="Delete the others, and save the file again.",
            where=edited[0].title,
        )
    return Tables(
        edited[0] if edited else None,
        next((table for table in tables if table.title == ORIGIN), None),
    )


def is_same(cell: Cell, before: Cell) -> bool:
    """Whether a cell holds what it did."""
    if cell.is_number and before.is_number:
        return math.isclose(cell.value, before.value, rel_tol=1e-9, abs_tol=1e-9)
    return cell.text == before.text


def is_yes(cell: Cell) -> bool:
    """Whether a cell says yes, in any language of the house."""
    return cell.text.casefold() in _YES


def is_answer(cell: Cell) -> bool:
    """Whether a cell says yes or no, or nothing."""
    return cell.text.casefold() in _YES | _NO


def is_unchanged(
    line: Mapping[str, Cell], before: Mapping[str, Cell], heads: Iterable[str]
) -> bool:
    """Whether cells of a row hold what they did; a column that is gone says nothing."""
    for head in heads:
        if head not in line:
            continue
        cell, cell_before = line[head], before.get(head, Cell("", None))
        if head == LOCKED and is_yes(cell) != is_yes(cell_before):
            return False
        if head != LOCKED and not is_same(cell, cell_before):
            return False
    return True


def is_evaluated(edited: Sheet, origin: Sheet | None, amounts: Sequence[str]) -> bool:
    """Whether amounts are settled: they were edited, or nothing was.

    Args:
        edited: What people edited; it has the rows of `origin`.
        origin: As it was written; None where that is not known.
        amounts: Heads of the columns with amounts.
    """
    if origin is None:
        return True
    lines = dict(edited.lines)
    pairs = [(lines[name], before) for name, before in origin.lines]
    if not all(is_unchanged(*pair, amounts) for pair in pairs):
        return True
    return has_same_budget(edited, origin) and all(
        is_unchanged(*pair, LIMITS) for pair in pairs
    )


def has_same_budget(edited: Sheet, origin: Sheet) -> bool:
    """Whether the budget is what it was; a cell that is gone says nothing."""
    budget = edited.about.get(BUDGET)
    before = origin.about.get(BUDGET, Cell("", None))
    return budget is None or is_same(budget, before)


def with_budget(
    scenario: dict[str, Any], edited: Sheet, origin: Sheet, spent: float
) -> dict[str, Any]:
    """A scenario with the budget of the workbook, where it is not to be found.

    Args:
        scenario: That the file was planned with.
        edited: What people edited.
        origin: As it was written.
        spent: What the amounts add up to, where no cell says the budget.
    """
    if "find" in scenario and has_same_budget(edited, origin):
        return scenario
    cell = edited.about.get(BUDGET, origin.about.get(BUDGET))
    budget = float(cell.value) if cell is not None else spent
    rest = {key: value for key, value in scenario.items() if key != "find"}
    return rest | {"budget": budget}
