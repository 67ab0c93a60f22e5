"""Escaping: what somebody typed stays text, in sheets, on slides and on screens."""

import re

#: First signs by which a spreadsheet takes a text for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

#: What Markdown takes for more than a sign, as it is shown.
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]()#+-!|<>~$:"})
#: Spaces at which a line may break; the others hold a number and its unit together.
_LOOSE = re.compile(r"[^\S\u00a0\u202f]+")


def inert(content: object) -> object:
    """What a cell of a CSV or a sheet may hold: texts never run as formulas."""
    if isinstance(content, str) and content.startswith(_FORMULA):
        return f"'{content}"
    return content


def printable(text: object) -> str:
    """Text without control signs, which XML refuses; the hard space stays."""
    return "".join(
        sign if sign.isprintable() or sign == "\u00a0" else " " for sign in str(text)
    )


def plain(text: object) -> str:
    """Text that Markdown shows as typed, on one line."""
    return _LOOSE.sub(" ", str(text)).strip().translate(_SPECIAL)
