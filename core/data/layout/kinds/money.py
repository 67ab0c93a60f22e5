"""Money: which columns of a file are amounts, and in which currency each of them is.

A currency stands in a column of codes, in the name of an amount, in its cells or in
their number format. Columns of one file may be in several.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pandas as pd

from core.data.cells.currencies import (
    CODES,
    NAMES,
    SIGNS,
    currency,
    named_currency,
    symbol,
)
from core.data.cells.words import GEO
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_currency, level, measure, spoken

_CODE = re.compile(r"(?<![A-Z])([A-Z]{3})(?![A-Z])")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
#: Currencies of exports; among all codes are words (ALL, TOP, CUP).
_CODES = frozenset(
    "EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON BGN JPY CNY INR AUD CAD NZD BRL MXN "
    "ARS CLP COP ZAR TRY RUB UAH ILS AED SAR SGD HKD KRW THB IDR MYR PHP VND".split()
)
#: Codes that name a currency wherever they stand in a name, in lower case.
_ANYWHERE = {code: code.upper() for code in ("eur", "usd", "gbp", "chf")}
#: Signs that are no letters.
_SIGNS = tuple(sign for sign in SIGNS if len(sign) == 1)
#: An amount in a name says what an offer costs, not what the column is in: `$5 deal`.
_AMOUNT = re.compile(f"[{re.escape(''.join(_SIGNS))}](?=[0-9])")
#: Names of currencies that are names of places, too.
_PLACES = frozenset({"franken"})
#: Signs of letters, which are words of other things elsewhere than at the end.
_LETTERS = frozenset("kr zł kč fr sfr rs".split())
_SAMPLE = 500


def currency_of(file: File, money: list[str], more: Iterable[str] = ()) -> dict:
    """The currencies of a file's amounts.

    Args:
        file: The file.
        money: Columns that are amounts of money.
        more: Columns that are, where they name a currency.

    Returns:
        Fields of a `Source`: currency, currency_column, currencies, money; none where
        nothing names a currency.
    """
    signs = file.frame.attrs.get("currencies", {})
    candidates = [*money, *(name for name in more if name in signs or code_in(name))]
    candidates = list(dict.fromkeys(candidates))
    own = {
        name: code for name in candidates if (code := signs.get(name) or code_in(name))
    }
    columns = code_columns(file.frame)
    fields: dict[str, Any] = {}
    if columns and candidates:
        column = min(columns, key=len)
        own |= _of_columns(file.frame, columns, column, candidates)
        codes = distinct_codes(file.frame[column])
        fields = {
            "currency": codes[0] if len(codes) == 1 else None,
            "currency_column": column,
        }
    elif own:
        counts = Counter(_canonical(code, own.values()) for code in own.values())
        first = next((own[name] for name in money if name in own), None)
        likely = max(counts, key=lambda code: (counts[code], code == first))
        fields = {"currency": likely}
    if not fields:
        return {}
    common = fields["currency"]
    apart = {
        name: _canonical(code, own.values())
        for name, code in own.items()
        if common is None or not is_same(code, common)
    }
    return fields | {"currencies": tuple(apart.items()), "money": tuple(candidates)}


def code_in(name: str) -> str | None:
    """The currency that a name has: `Amount spent (USD)`, `Umsatz in €`, `cost_eur`."""
    code = next((code for code in _CODE.findall(name) if code in _CODES), None)
    rest = _AMOUNT.sub(" ", name)
    sign = next((_only(sign) for sign in _SIGNS if sign in rest), None)
    spoken_words = spoken(name)
    word = next(filter(None, map(_of_word, spoken_words)), None)
    brackets = [part.strip().lower() for part in _BRACKETS.findall(name)]
    last = [*name.lower().rstrip(" .)]").split()[-1:], *spoken_words[-1:], *brackets]
    ending = next((part.upper() for part in last if part.upper() in _CODES), None)
    ending = ending or next((symbol(SIGNS[p]) for p in last if p in _LETTERS), None)
    phrase = next((symbol(codes) for p in brackets if (codes := named_currency(p))), "")
    return code or _dollars(name) or sign or phrase or word or ending


def _of_word(word: str) -> str | None:
    """The code or sign of a word that names a currency, without accents."""
    names = frozenset() if word in _PLACES else NAMES.get(word, frozenset())
    return _ANYWHERE.get(word) or symbol(names) or None


def code_columns(frame: pd.DataFrame) -> list[str]:
    """Columns whose cells are all codes or signs of currencies."""
    results = []
    for name in map(str, frame.columns):
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype) or not column.notna().any():
            continue
        is_named = is_currency(name)
        if not is_named and (level(name) or set(spoken(name)) & GEO):
            continue
        cells = {str(cell).strip() for cell in column.dropna().head(_SAMPLE)}
        if not all(cell.upper() in _CODES or named_currency(cell) for cell in cells):
            continue
        # A column of ALL and TOP is of words, though both are codes.
        is_sure = any(cell.upper() in _CODES or cell not in CODES for cell in cells)
        if is_named or is_sure:
            results.append(name)
    return results


def codes_of(column: pd.Series) -> pd.Series:
    """The code of each cell, upper case; a sign that is several codes stays a sign."""
    cells = column.astype("str").str.strip()
    by_cell = {cell: _code(cell) for cell in cells[column.notna()].unique()}
    return cells.map(by_cell).where(column.notna())


def distinct_codes(column: pd.Series) -> list[str]:
    """The codes of a column, each once."""
    return [str(code) for code in codes_of(column).dropna().unique()]


def is_same(code: str, other: str) -> bool:
    """Whether two codes or signs can be one currency: $ and USD, not $ and EUR."""
    return bool(_meanings(code) & _meanings(other))


def rate_of(code: str, rates: dict[str, float]) -> float | None:
    """What one unit of a currency is worth; a sign has the rate of its one code."""
    if code in rates:
        return rates[code]
    alike = [other for other in rates if is_same(code, other)]
    return rates[alike[0]] if len(alike) == 1 else None


def _of_columns(
    frame: pd.DataFrame, columns: list[str], main: str, money: list[str]
) -> dict[str, str]:
    """Amounts that a column of codes of their own names: `spend_currency`."""
    constant = {
        column: codes[0]
        for column in columns
        if len(codes := distinct_codes(frame[column])) == 1
    }
    own = {}
    for name in money:
        best = max(
            columns, key=lambda column: (_likeness(name, column), column == main)
        )
        if best != main and best in constant and _likeness(name, best) > (0, 0):
            own[name] = constant[best]
    return own


def _likeness(name: str, column: str) -> tuple[int, int]:
    """How surely a column of codes is about an amount: words and what they measure."""
    words, about = set(spoken(name)), set(spoken(column))
    return len(words & about), len(_about({name}) & _about(about))


def _about(names: set[str]) -> set[str]:
    """What names measure: spend, an outcome."""
    return {what for name in names if (what := measure(name)) is not None}


def _canonical(code: str, others: Iterable[str]) -> str:
    """A sign as the code that others name, where one does: $ as USD beside USD."""
    named = [other for other in others if len(other) == 3 and is_same(code, other)]  # noqa: PLR2004
    return code if len(code) == 3 or not named else named[0]  # noqa: PLR2004


def _code(cell: str) -> str:
    return symbol(named_currency(cell)) or cell.upper()


def _meanings(code: str) -> frozenset[str]:
    return currency(code) or frozenset({code.upper()})


def _only(sign: str) -> str:
    codes = SIGNS[sign]
    return next(iter(codes)) if len(codes) == 1 else sign


def _dollars(name: str) -> str | None:
    """A dollar that says whose it is: A$, US$."""
    match = re.search(r"(?<![A-Za-z])(us|a|au|c|ca|nz|hk|s|mx|r)\$", name, re.I)
    return None if match is None else _only(match[0].lower())
