"""Reading notes: what was done to cells so that they could be read, and to how many."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from core.data.reading.doubts import plain_number
from core.data.reading.findings import Finding
from core.data.reading.numbers import Done
from core.text import percent
from core.text.sentences import count, listed, verb

_SAID = {
    "comma": 'Decimal commas: "{example}" was read as {value}',
    "currency": 'Currency signs: "{example}" was read as {value}',
    "unit": 'Unit words: "{example}" was read as {value}',
    "percent": 'Percent signs: "{example}" was read as {value}',
    "scale": 'Amounts in {detail}: "{example}" was read as {value}',
    "below": 'Less than one: "{example}" was read as {value}',
    "nothing": 'Cells such as "{example}" were read as empty',
}
_HINTS = {
    "unit": "Export full numbers if you can: what the unit word rounds off is lost.",
    "scale": "The header or a title states it. If cells are whole units, correct it "
    "and load the file again; or, for a header, list the column under whole_units in "
    "[data] of project.toml.",
    "nothing": "",
}


def notes(by_kind: dict[str, dict[str, Done]]) -> Iterator[Finding]:
    """What was done to cells, one finding per kind; by kind and column."""
    for column, step in by_kind.pop("settled", {}).items():
        yield _settled(column, step)
    for kind, columns in _by_scale(by_kind):
        first = next(iter(columns.values()))
        deed = _SAID[kind].format(
            example=first.example,
            value=plain_number(first.value),
            detail=first.detail,
        )
        number = count(sum(step.count for step in columns.values()), "cell")
        message = f"{deed} ({number} in {listed(list(columns), limit=3)})."
        where = listed([f"column {column}" for column in columns], limit=3)
        yield Finding("info", where, message, _HINTS.get(kind, ""))


def _by_scale(
    by_kind: dict[str, dict[str, Done]],
) -> Iterator[tuple[str, dict[str, Done]]]:
    """Each kind with its columns; thousands apart from millions."""
    for kind, columns in by_kind.items():
        groups: dict[str, dict[str, Done]] = {}
        for column, step in columns.items():
            groups.setdefault(step.detail if kind == "scale" else "", {})[column] = step
        for group in groups.values():
            yield kind, group


def hidden_cells(frame: pd.DataFrame, called: str) -> Iterator[Finding]:
    """What of a sheet is hidden and was read.

    Args:
        frame: The table, as it was loaded.
        called: The file, and the part of it, for messages.
    """
    hidden = frame.attrs.get("hidden")
    if not hidden:
        return
    if hidden["sheet"]:
        message = f"The sheet {hidden['sheet']} of {called} is hidden, and is read."
        hint = "Choose another sheet if this one should not count."
        yield Finding("warning", called, message, hint)
    if hidden["n_rows"]:
        yield _hidden_rows(hidden, called)
    if hidden["columns"]:
        columns = hidden["columns"]
        message = (
            f"{count(len(columns), 'hidden column')} of {called} "
            f"{verb(len(columns), 'are')} read: {listed(columns, limit=12)}."
        )
        them = "it" if len(columns) == 1 else "them"
        hint = f"Leave {them} unused in the column mapping if not meant to count."
        is_number = any(
            pd.api.types.is_numeric_dtype(frame[name].dtype)
            for name in columns
            if name in frame.columns
        )
        kind = "warning" if is_number else "info"
        yield Finding(kind, f"{called}, column {columns[0]}", message, hint)


def _hidden_rows(hidden: dict[str, Any], called: str) -> Finding:
    """Rows that are hidden or filtered out, and their share of every number."""
    number, rows = hidden["n_rows"], hidden["rows"]
    shown = ", ".join(f"{row:,}" for row in rows) + (
        ", …" if number > len(rows) else ""
    )
    shares = [f"{percent(v)} of {name}" for name, v in hidden["shares"].items()]
    hold = f", with {listed(shares, limit=6)}" if shares else ""
    message = (
        f"{count(number, 'row')} of {called} that are hidden or filtered out are "
        f"read{hold} (rows {shown})."
    )
    if number == 1:
        message = (
            f"{count(number, 'row')} of {called} that is hidden or filtered out is "
            f"read{hold} (row {shown})."
        )
    hint = "If they should not count, delete them and load the file again."
    kind = "warning" if shares else "info"
    return Finding(kind, f"{called}, row {rows[0]}", message, hint)


def _settled(column: str, step: Done) -> Finding:
    message = (
        f'Column {column}: "{step.example}" was read as {plain_number(step.value)}, '
        f"{step.detail} ({count(step.count, 'cell')})."
    )
    return Finding("info", f"column {column}", message)
