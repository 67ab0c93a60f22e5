"""Currencies that the cells of a workbook show, though their numbers do not hold them.

`1,200 €` is the number 1200 with a format such as `#,##0 [$€-407]`.
"""

import re
from typing import Any

from core.data.cells.currencies import SIGNS, currency, symbol
from core.errors import SchemaError

_BRACKET = re.compile(r"\[\$([^\]-]*)(?:-([0-9A-Fa-f]+))?\]")
_QUOTED = re.compile(r'"([^"]*)"')
_SIGN = re.compile("[" + "".join(sign for sign in SIGNS if len(sign) == 1) + "]")
#: Dollars by the language that a format is of.
_LANGUAGES = {"409": "USD", "1009": "CAD", "c0c": "CAD", "c09": "AUD", "1409": "NZD"}
_LANGUAGES |= {"80a": "MXN", "2c0a": "ARS", "340a": "CLP", "240a": "COP"}


def codes_of_format(format_code: str) -> frozenset[str]:
    """The currencies that a number format can stand for; none where it shows none."""
    for text, language in _BRACKET.findall(format_code):
        if text.strip() == "$" and language.lower() in _LANGUAGES:
            return frozenset({_LANGUAGES[language.lower()]})
        if codes := currency(text.strip()):
            return codes
    for text in _QUOTED.findall(format_code):
        if codes := currency(text.strip()):
            return codes
    bare = _QUOTED.sub("", _BRACKET.sub("", format_code))
    sign = _SIGN.search(bare.replace("\\", ""))
    return SIGNS[sign[0]] if sign else frozenset()


def shows_currencies(book: Any) -> bool:
    """Whether a cell style of a workbook, as openpyxl has opened it, shows one."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS  # noqa: PLC0415

    own = book._number_formats  # noqa: SLF001
    formats = [
        own[style.numFmtId - 164] if style.numFmtId >= 164 else  # noqa: PLR2004
        BUILTIN_FORMATS.get(style.numFmtId, "")
        for style in book._cell_styles  # noqa: SLF001
    ]  # fmt: skip
    return any(codes_of_format(format_code) for format_code in formats)


def currencies_of(rows: Any, names: list[str], filename: str) -> dict[str, str]:
    """The code or sign of each column whose cells show a currency.

    Args:
        rows: Rows of cells below the header.
        names: The columns from the first on.
        filename: For messages.

    Raises:
        SchemaError: Cells of one column show two currencies.
    """
    seen: dict[int, dict[str, frozenset[str]]] = {}
    codes: dict[int, frozenset[str]] = {}
    for row in rows:
        for at, cell in enumerate(row[: len(names)]):
            if type(cell.value) not in (int, float):
                continue
            style = cell._style_id  # noqa: SLF001
            if style not in codes:
                codes[style] = codes_of_format(cell.number_format)
            if codes[style] and codes[style] not in seen.get(at, {}).values():
                seen.setdefault(at, {})[cell.coordinate] = codes[style]
    known = {}
    for at, shown in seen.items():
        common = frozenset.intersection(*shown.values())
        if not common:
            raise _two(names[at], shown, filename)
        known[names[at]] = symbol(common) or sorted(common)[0]
    return known


def _two(name: str, shown: dict[str, frozenset[str]], filename: str) -> SchemaError:
    cells = [f"{symbol(codes)} in {place}" for place, codes in shown.items()]
    return SchemaError(
        f"Column {name} of {filename} holds amounts in several currencies by the "
        f"formats of its cells: {', '.join(cells[:3])}.",
        hint="Put the currency of each row into a column of its own, such as currency "
        "with EUR and USD, or convert the amounts.",
        where=f"{filename}, column {name}",
    )
