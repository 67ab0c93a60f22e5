"""Currency: which one a table names, in its columns' names, its cells or a column."""

import re
from collections.abc import Iterator

import pandas as pd

from core.data.mapping import ColumnMapping
from core.data.recognition.words import words
from core.text.sentences import listed

#: What words and signs stand for. A dollar or yen sign says no more than itself.
_CODES = {
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("£", "gbp"), "GBP"),
    **dict.fromkeys(("$", "dollar", "dollars"), "$"),
    "¥": "¥",
    **{code: code.upper() for code in "usd chf sek nok dkk pln jpy cad aud".split()},
    **{code: code.upper() for code in "nzd inr brl mxn czk huf ron try zar".split()},
}
_ISO = re.compile(r"^[A-Z]{3}$")
_NAMES_CURRENCY = frozenset({"currency", "wahrung", "devise", "moneda", "valuta"})


def guess_currency(frame: pd.DataFrame, mapping: ColumnMapping) -> tuple[str, str]:
    """The currency of spend and revenue, and why; both empty where nothing names one.

    Where a table names two, the currency is empty and the reason says which.
    """
    clues = list(_clues(frame, mapping))
    named = dict.fromkeys(code for code, _ in clues)
    if {"$", "USD"} <= named.keys():
        del named["$"]
    if len(named) == 1:
        code = next(iter(named))
        return code, next(reason for other, reason in clues if other == code)
    if named:
        return "", f"The table names {listed(list(named))}."
    return "", ""


def _clues(frame: pd.DataFrame, mapping: ColumnMapping) -> Iterator[tuple[str, str]]:
    for column in frame.columns:
        name = str(column)
        if name in _money_columns(mapping):
            for word in words(name):
                if word.text in _CODES:
                    yield _CODES[word.text], f"Column {name} names it."
        elif _is_codes(name, frame[column]):
            yield str(frame[column].dropna().iloc[0]).strip(), f"Column {name} says so."
    for name, code in frame.attrs.get("currencies", {}).items():
        if name in _money_columns(mapping):
            yield code, f"The cells of {name} carry its sign."


def _is_codes(name: str, column: pd.Series) -> bool:
    """Whether a column holds one currency code in every row."""
    if _NAMES_CURRENCY.isdisjoint(word.text for word in words(name)):
        return False
    values = column.dropna().astype(str).str.strip().unique()
    return len(values) == 1 and bool(_ISO.match(values[0]))


def _money_columns(mapping: ColumnMapping) -> set[str]:
    """Columns that hold money: spend, and the KPI or its value."""
    columns = {channel.spend for channel in mapping.channels if channel.spend}
    if isinstance(mapping.revenue_per_kpi, str):
        columns.add(mapping.revenue_per_kpi)
    return columns | {mapping.kpi}
