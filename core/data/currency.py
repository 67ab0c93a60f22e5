"""Currency: which one a table names, in its columns' names, its cells or a column."""

from collections.abc import Iterable, Iterator

import pandas as pd

from core.data.layout.kinds.money import code_columns, code_in, distinct_codes, is_same
from core.data.mapping import ColumnMapping
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.text.sentences import listed


def guess_currency(frame: pd.DataFrame, mapping: ColumnMapping) -> tuple[str, str]:
    """The currency of spend and revenue, and why; both empty where nothing names one.

    Where a table names two, the currency is empty and the reason says which.
    """
    if code := frame.attrs.get("currency"):
        return code, "The layout converts to it."
    clues = list(_clues(frame, mapping))
    # A dollar sign says no more than itself, unless a code says whose it is.
    codes = sorted(dict.fromkeys(code for code, _ in clues), key=lambda c: -len(c))
    named: list[str] = []
    for code in codes:
        if not any(is_same(code, other) for other in named):
            named.append(code)
    if len(named) == 1:
        return named[0], next(reason for other, reason in clues if other == named[0])
    if named:
        return "", f"The table names {listed(named)}."
    return "", ""


def other_currency(
    frame: pd.DataFrame, called: str, columns: Iterable[str | None], currency: str
) -> Iterator[Finding]:
    """That a table beside the data is in another currency, by its names or cells.

    Args:
        frame: As it was loaded.
        called: The table, for messages; begins a sentence.
        columns: Those of amounts.
        currency: That of the project; empty where nobody has said.
    """
    signs = frame.attrs.get("currencies", {})
    named = [
        (str(name), code)
        for name in (columns if currency else ())
        if name in frame and (code := signs.get(name) or code_in(str(name)))
    ]
    for name in code_columns(frame) if currency else ():
        named += [(name, code) for code in distinct_codes(frame[name])]
    other = [pair for pair in named if not is_same(pair[1], currency)]
    if other:
        name, code = other[0]
        message = f"{called} is in {code} ({name}), and the project is in {currency}."
        hint = f"Convert its amounts to {currency}."
        yield Finding("error", called, message, hint)


def refuse_other_currency(
    frame: pd.DataFrame, called: str, columns: Iterable[str | None], currency: str
) -> None:
    """Refuse a table in another currency; see `other_currency`.

    Raises:
        SchemaError: It is.
    """
    for finding in other_currency(frame, called, columns, currency):
        raise SchemaError(finding.message, hint=finding.hint, where=called)


def money_columns_of(mapping: ColumnMapping) -> list[str]:
    """Columns of money of a table beside the data: those of the data, and channels."""
    return [*sorted(_money_columns(mapping)), *(one.name for one in mapping.channels)]


def _clues(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[tuple[str, str]]:
    money = _money_columns(mapping)
    for name in (name for name in map(str, frame.columns) if name in money):
        if code := code_in(name):
            yield code, f"Column {name} names it."
    used = {mapping.time, mapping.geo, *mapping.controls}
    for name in code_columns(frame):
        if name not in used:
            for code in distinct_codes(frame[name]):
                yield code, f"Column {name} says so."
    for name, code in frame.attrs.get("currencies", {}).items():
        if name in money:
            yield code, f"The cells of {name} carry its sign."


def _money_columns(mapping: ColumnMapping) -> set[str]:
    """Columns that hold money: spend, and the KPI or its value."""
    columns = {channel.spend for channel in mapping.channels if channel.spend}
    if isinstance(mapping.revenue_per_kpi, str):
        columns.add(mapping.revenue_per_kpi)
    return columns | {mapping.kpi}
