"""Currency: its sign, and on which side of the amount it stands.

That is the locale's (`core.text.languages.locale`). In the standard one pounds,
dollars, yen and their kin stand before the amount and take its prefix without a space:
`£13.3M`, `−$950k`. The euro, whatever has a code only, and every other unit stand
behind it: `13.3 M €`, `1.20 M CHF`, `12.3 k orders`. The space does not break.
"""

from core.text.languages.locale import locale

_SPACE = "\u00a0"
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹"}
#: Units that are the sign of a currency.
SIGNS = frozenset(_SYMBOLS.values())
#: Signs that their own countries put before the amount; `$` is a dollar that nobody has
#: said more about.
_OWN = ("$", "£", "¥", "₹")
_BEFORE = {"own": _OWN, "before": (*_OWN, "€"), "behind": ()}


def currency_symbol(currency: str) -> str:
    """The sign of the commonest currencies, else the code itself."""
    return _SYMBOLS.get(currency.strip().upper(), currency.strip())


def scaled_unit(prefix: str, unit: str) -> str:
    """A unit with its prefix, as axes and column heads have it: `M €`, `$M`."""
    if unit in _BEFORE[locale().side]:
        return f"{unit}{prefix}"
    return _SPACE.join(part for part in (prefix, unit) if part)


def with_unit(text: str, unit: str) -> str:
    """A number with its unit, on the side where it belongs.

    Args:
        text: The number as text, with its sign.
        unit: A unit, or what `scaled_unit` gives.
    """
    if not unit:
        return text
    how = locale()
    prefixes = ("", how.thousand, how.million, how.billion)
    if unit[0] in _BEFORE[how.side] and unit[1:] in prefixes:
        sign = text[0] if text[:1] in ("+", "−", "-") else ""
        return f"{sign}{unit[0]}{text[len(sign) :]}{unit[1:]}"
    return f"{text}{_SPACE}{unit}"


def cell_format(currency: str, digits: str = "#,##0.00") -> str:
    """Format of a spreadsheet's cells of money, the sign on its side: `"$"#,##0.00`."""
    unit = currency_symbol("".join(sign for sign in currency if sign not in '"\\'))
    if not unit:
        return digits
    is_before = unit in _BEFORE[locale().side]
    return f'"{unit}"{digits}' if is_before else f'{digits} "{unit}"'
