"""Typed amounts: one number as a person types it, read like the cells of a table.

`75M`, `75,000`, `75 Mio`, `€1.5m`, `1 234,56` and `8e7` are amounts; `75.000`, which is
75 here and 75,000 there, is asked about instead of guessed. Where the reader's locale
writes thousands with a point, that is `75,000`.
"""

import contextlib
import math
import re

from core.data.cells.affixes import read_affix
from core.errors import ValueRangeError

_CORE = re.compile(r"[0-9](?:[0-9.,'’  \u202f]*[0-9])?(?:[eE][+-]?[0-9]+)?")
_GAPS = re.compile(r"(?<=[0-9])['’  \u202f](?=[0-9]{3}(?![0-9]))")
_THOUSANDS = {
    mark: re.compile(rf"[0-9]{{1,3}}(\{mark}[0-9]{{3}})+") for mark in (",", ".")
}


def typed_amount(text: str, what: str = "amount", *, group: str = ",") -> float:
    """The number that a text means.

    Args:
        text: What was typed.
        what: What it is, for messages: `budget`, `goal`.
        group: What the reader writes between thousands; files and options have commas.

    Raises:
        ValueRangeError: It is not an amount, or could be two.
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
    return -value if affix.is_negative else value


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
