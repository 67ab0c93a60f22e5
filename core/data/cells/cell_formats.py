"""Currencies and units that cells of a workbook show and their numbers do not hold.

`1,200 €` is the number 1200 with a format such as `#,##0 [$€-407]`; `1,200 TEUR` is the
number 1200 with the format `#,##0 "TEUR"`, and stands for 1,200,000.
"""

import re
from typing import Any

from core.data.cells.currencies import SIGNS, named_currency, symbol
from core.data.cells.scales import stated_scale
from core.errors import SchemaError

_BRACKET = re.compile(r"\[\$([^\]-]*)(?:-([0-9A-Fa-f]+))?\]")
_HIDDEN = re.compile(r"[0#?](,+)(?![0#?])")
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
        if codes := _named(text):
            return codes
    for text in _QUOTED.findall(format_code):
        if codes := _named(text):
            return codes
    bare = _QUOTED.sub("", _BRACKET.sub("", format_code))
    sign = _SIGN.search(bare.replace("\\", ""))
    return SIGNS[sign[0]] if sign else frozenset()


def _named(text: str) -> frozenset[str]:
    """The currencies of a text, a unit before them or not: `€`, `TEUR`, `Mio. €`."""
    last = text.split()[-1] if text.strip() else ""
    without_unit = last[1:] if last[:1] in "TtKkMm" else last
    ways = (text, last, without_unit)
    return next(filter(None, map(named_currency, ways)), frozenset())


def scale_of_format(format_code: str) -> float:
    """What one unit of a number stands for by what its format shows; 1 if nothing.

    Each comma after the digits hides three of them: `#,##0, "k€"` shows 1,200,000 as
    1,200 k€, which is what it is.
    """
    positive = format_code.split(";")[0]
    texts = [text for text, _ in _BRACKET.findall(positive)]
    texts += _QUOTED.findall(positive)
    stated = (stated_scale(f"amount ({text.strip()})") for text in texts if text)
    factor = next((factor for factor in stated if factor > 1), 1.0)
    hidden = _HIDDEN.search(_QUOTED.sub("", _BRACKET.sub("", positive)))
    return factor / 1000 ** len(hidden[1]) if hidden and factor > 1 else factor


def shows_units(book: Any) -> bool:
    """Whether a cell style of a workbook, as openpyxl has opened it, shows one.

    A currency, or thousands and the like.
    """
    from openpyxl.styles.numbers import BUILTIN_FORMATS  # noqa: PLC0415

    own = book._number_formats  # noqa: SLF001
    formats = [
        own[style.numFmtId - 164] if style.numFmtId >= 164 else  # noqa: PLR2004
        BUILTIN_FORMATS.get(style.numFmtId, "")
        for style in book._cell_styles  # noqa: SLF001
    ]  # fmt: skip
    return any(codes_of_format(f) or scale_of_format(f) != 1 for f in formats)


def units_of(
    rows: Any, names: list[str], filename: str
) -> tuple[dict[str, str], dict[str, float]]:
    """What the formats of cells show, by column.

    Args:
        rows: Rows of cells below the header.
        names: The columns from the first on.
        filename: For messages.

    Returns:
        The code or sign of the currency, and what one unit stands for; without columns
        that show none.

    Raises:
        SchemaError: Cells of one column show two currencies, or two units.
    """
    styles: dict[int, dict[int, Any]] = {}
    for row in rows:
        for at, cell in enumerate(row[: len(names)]):
            if type(cell.value) in (int, float) and cell.value:
                styles.setdefault(at, {}).setdefault(cell._style_id, cell)  # noqa: SLF001
    codes, scales = {}, {}
    for at, cells in styles.items():
        codes_by_cell = {
            cell.coordinate: code
            for cell in cells.values()
            if (code := codes_of_format(cell.number_format))
        }
        common = (
            frozenset.intersection(*codes_by_cell.values())
            if codes_by_cell
            else frozenset()
        )
        if codes_by_cell and not common:
            raise _two(names[at], codes_by_cell, filename)
        if common:
            codes[names[at]] = symbol(common) or sorted(common)[0]
        factors = {scale_of_format(cell.number_format) for cell in cells.values()}
        if len(factors) > 1:
            raise _two_units(names[at], filename)
        if factors != {1.0}:
            scales[names[at]] = factors.pop()
    return codes, scales


def _two(
    name: str, codes_by_cell: dict[str, frozenset[str]], filename: str
) -> SchemaError:
    cells = [f"{symbol(codes)} in {place}" for place, codes in codes_by_cell.items()]
    return SchemaError(
        f"Column {name} of {filename} holds amounts in several currencies by the "
        f"formats of its cells: {', '.join(cells[:3])}.",
        hint="Put the currency of each row into a column of its own, such as currency "
        "with EUR and USD, or convert the amounts.",
        where=f"{filename}, column {name}",
    )


def _two_units(name: str, filename: str) -> SchemaError:
    return SchemaError(
        f"Some cells of column {name} of {filename} show thousands or millions by "
        "their format, and others do not.",
        hint="Give all cells of the column one number format.",
        where=f"{filename}, column {name}",
    )
