"""Escaping: what somebody typed stays text, in a spreadsheet and on a slide."""

#: First signs by which a spreadsheet takes a text for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


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
