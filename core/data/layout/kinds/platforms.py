"""Platforms: whose export a file is, told by its columns, and its currency."""

import re
from typing import Any

import pandas as pd

from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_currency, measure, spoken

_CODE = re.compile(r"(?<![A-Z])([A-Z]{3})(?![A-Z])")
_SIGNS = {"€": "EUR", "£": "GBP"}
_CODES = frozenset(
    "EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON BGN JPY CNY INR AUD CAD NZD BRL MXN "
    "ARS CLP COP ZAR TRY RUB UAH ILS AED SAR SGD HKD KRW THB IDR MYR PHP VND".split()
)
#: Words that a report of each platform has together.
_META = (
    *({"amount", "spent"}, {"montant", "depense"}, {"ausgegebener", "betrag"}),
    *({"importe", "gastado"}, {"importo", "speso"}, {"valor", "usado"}),
    {"besteed", "bedrag"},
)
_GOOGLE = (
    *({"impr", "cost"}, {"impr", "kosten"}, {"impr", "cout"}, {"impr", "coste"}),
    *({"impr", "costo"}, {"impr", "custo"}, {"impr", "costi"}, {"vertoningen"}),
)
_FLAT_FILE = frozenset("period geography variablename variablevalue".split())


def schema_of(file: File) -> str:
    """What an export is called; empty where its columns are nobody's in particular."""
    names = [str(name) for name in file.frame.columns]
    plain = {"".join(spoken(name)) for name in names}
    spoken_words = {word for name in names for word in spoken(name)}
    if plain >= _FLAT_FILE:
        return "a master flat file"
    if {"adid", "platform", "sourcerelation"} <= plain:
        return "Fivetran's ad report"
    if {"orderid", "totalprice", "financialstatus"} <= plain:
        return "Fivetran's Shopify orders"
    if any(set(spoken(name)) >= words for name in names for words in _META):
        return "a Meta export"
    rates = {"ctr", "cpc", "conv", "conversions", "conversionen", "konversionen"}
    if any(words <= spoken_words for words in _GOOGLE) and spoken_words & rates:
        return "a Google Ads export"
    return ""


def prefix_of(file: File) -> str:
    """What stands before the names of channels of one platform's export."""
    schema = schema_of(file)
    return {"a Meta export": "Meta", "a Google Ads export": "Google"}.get(schema, "")


def currency_of(file: File, money: list[str]) -> dict[str, Any]:
    """The currency of a file, by a column of codes or by the name of an amount.

    Returns:
        Fields of a `Source`: currency, currency_column, money.
    """
    columns = [
        str(name)
        for name in file.frame.columns
        if is_currency(str(name)) and _has_codes(file.frame[name])
    ]
    if columns:
        column = min(columns, key=len)
        codes = file.frame[column].dropna().astype("str").str.strip().str.upper()
        distinct = codes.unique()
        single = str(distinct[0]) if len(distinct) == 1 else None
        return {"currency": single, "currency_column": column, "money": tuple(money)}
    paid = [name for name in money if measure(name) == "spend"] or money
    for name in paid:
        code = code_in(name)
        if code:
            return {"currency": code, "money": tuple(money)}
    return {}


def code_in(name: str) -> str | None:
    """The code of a currency that a name has: `Amount spent (USD)`."""
    code = next((code for code in _CODE.findall(name) if code in _CODES), None)
    low = name.lower().replace("_", " ").split()
    named = next((word.upper() for word in low if word.upper() in _CODES), None)
    sign = next((code for sign, code in _SIGNS.items() if sign in name), None)
    return code or sign or named


def _has_codes(column: pd.Series) -> bool:
    codes = column.dropna()
    if pd.api.types.is_numeric_dtype(codes.dtype) or not len(codes):
        return False
    return bool(
        codes.head(500).astype("str").str.strip().str.upper().isin(_CODES).all()
    )
