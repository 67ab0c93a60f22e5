"""Typed amounts: one number as a person types it, read like the cells of a table.

`75M`, `75,000`, `75 Mio`, `€1.5m`, `1 234,56` and `8e7` are amounts; `75.000`, which is
75 here and 75,000 there, is asked about instead of guessed. Where the reader's locale
writes thousands with a point, that is `75,000`.
"""

import contextlib
import math
import re

from core.data.cells.affixes import read_affix
from core.data.cells.currencies import currency as codes_of
from core.data.cells.currencies import symbol
from core.errors import ValueRangeError
from core.text.languages.language import marked

_CORE = re.compile(r"[0-9](?:[0-9.,'’  \u202f]*[0-9])?(?:[eE][+-]?[0-9]+)?")
_GAPS = re.compile(r"(?<=[0-9])['’  \u202f](?=[0-9]{3}(?![0-9]))")
_THOUSANDS = {
    mark: re.compile(rf"[0-9]{{1,3}}(\{mark}[0-9]{{3}})+") for mark in (",", ".")
}


class Amount(float):
    """A number with the currency that was typed beside it.

    Attributes:
        currency: Codes that the currency can be; empty where none was typed.
    """

    currency: frozenset[str] = frozenset()


def typed_amount(
    text: str, what: str = "amount", *, group: str = ",", currency: str = ""
) -> Amount:
    """The number that a text means.

    Args:
        text: What was typed.
        what: What it is, for messages: `budget`, `goal`.
        group: What the reader writes between thousands; files and options have commas.
        currency: Code or sign of what the amount is in; empty where that is unknown.

    Raises:
        ValueRangeError: It is not an amount, could be two, or is in another currency.
    """
    core = _CORE.search(text)
    tail = text[core.end() :].strip() if core else ""
    tail = "M" if tail == "m" else tail  # in a column m may be metres, here it is not
    affix = read_affix(text[: core.start()], tail) if core else None
    if affix is None or affix.is_percent:
        raise ValueRangeError(
            f"{text.strip()!r} is not an amount"
            + (f" for the {what}." if what != "amount" else "."),
            hint="Write it like 75M, 75,000 or 1250000.50.",
            where=what,
        )
    value = _number(core[0], what, group) * affix.factor
    if not math.isfinite(value):
        raise ValueRangeError(f"The {what} is too large.", where=what)
    amount = Amount(-value if affix.is_negative else value)
    amount.currency = affix.currency
    refuse_other_currency(amount, currency, what)
    return amount


def refuse_other_currency(
    amount: float,
    currency: str,
    what: str = "amount",
    money: str = marked("the project"),
) -> None:
    """Refuse an amount that was typed with the sign of another currency.

    Args:
        amount: With the currency that was typed.
        currency: Code or sign of what it should be in; empty where that is unknown.
        what: What the amount is, for messages.
        money: What is in that currency, for messages.

    Raises:
        ValueRangeError: The amount states a currency that is not `currency`.
    """
    stated = getattr(amount, "currency", frozenset())
    ours = codes_of(currency.strip())
    if not stated or not ours or stated & ours:
        return
    theirs = symbol(stated) or "/".join(sorted(stated)[:3])
    raise ValueRangeError(
        f"The {what} is in {theirs}, and {money} is in {currency}.",
        hint=f"Convert it to {currency}, and write it without a currency.",
        where=what,
    )


def _number(core: str, what: str, group: str) -> float:
    """The number without what stands around it."""
    digits = _GAPS.sub("", core)
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and point >= 0:  # the later one is the decimal sign
        mark, sign = (",", ".") if comma < point else (".", ",")
        whole, _, decimals = digits.rpartition(sign)
        if _THOUSANDS[mark].fullmatch(whole) and decimals.isdigit():
            return float(f"{whole.replace(mark, '')}.{decimals}")
    mark = "," if comma >= 0 else "."
    if _THOUSANDS[mark].fullmatch(digits) and not digits.startswith("0"):
        if mark == group or digits.count(mark) > 1:
            return float(digits.replace(mark, ""))
        raise _two_ways(digits, mark, what)
    if comma < 0 or re.fullmatch(r"[0-9]+,[0-9]{1,2}", digits):
        with contextlib.suppress(ValueError):
            return float(digits.replace(",", "."))
    raise ValueRangeError(
        f"{core} is not a number for the {what}.",
        hint="Write it like 75M, 75,000 or 1250000.50.",
        where=what,
    )


def _two_ways(digits: str, mark: str, what: str) -> ValueRangeError:
    """The question that is asked about `75.000`."""
    whole, least = digits.replace(mark, ""), float(digits.replace(mark, "."))
    return ValueRangeError(
        f"{digits} can be {int(whole):,} or {least:g}.",
        hint=f"Write the {what} as {whole} or {least:g}.",
        where=what,
    )
