"""Affixes: what stands before and after a number, and what it does to it.

`-5 €`, `(12.50)`, `1.2 Mio. EUR`, `$3.4k` and `5 %` are a number with a sign, a
currency, a unit word or a percent sign. A word that means different numbers in
different languages (MIL, BIL, T) is no unit word: its cell is not read.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.data.cells.currencies import currency
from core.data.cells.words import plain, word_sets

_FACTORS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "lakh": 1e5, "crore": 1e7}
_FACTORS |= {"ten_thousand": 1e4, "hundred_million": 1e8}
#: Unit words, in lower case without a point or accents, and what they multiply by.
UNITS: dict[str, float] = {
    word: _FACTORS[name] for name, words in word_sets("units").items() for word in words
}
_KRONOR = ("tkr", "mkr", "mdkr")
_MINUS = "-−–"


@dataclass(frozen=True)
class Affix:
    """What surrounds a number.

    Attributes:
        is_negative: Whether it turns the number below zero.
        factor: What the number is multiplied by.
        is_percent: Whether there is a percent sign.
        currency: Codes that the currency can be; empty where there is none.
    """

    is_negative: bool = False
    factor: float = 1.0
    is_percent: bool = False
    currency: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def read_affix(head: str, tail: str) -> Affix | None:
    """What stands before and after a number, None where that is not understood."""
    head, tail = head.strip(), tail.strip()
    is_negative = False
    if head.startswith("(") and tail.endswith(")"):
        head, tail, is_negative = head[1:].strip(), tail[:-1].strip(), True
    signs = 0
    for mark in ("+", *_MINUS):
        for end in ("start", "stop"):
            if end == "start" and head.startswith(mark):
                head, signs = head[1:].strip(), signs + 1
            elif end == "stop" and head.endswith(mark):
                head, signs = head[:-1].strip(), signs + 1
            else:
                continue
            is_negative |= mark in _MINUS
    if tail.startswith(("-", "−")) or tail.endswith(("-", "−")):
        tail, is_negative, signs = tail.strip("-−").strip(), True, signs + 1
    if signs > 1:
        return None
    before = _parts(head)
    if [kind for kind, _ in before] == ["unit"]:
        return None  # K1 and M2 are names; an amount has its unit behind it
    parts = [*before, *_parts(tail)]
    kinds = [kind for kind, _ in parts]
    if "?" in kinds or len(set(kinds)) < len(kinds):
        return None
    fields = dict(parts)
    if "%" in fields and len(fields) > 1:
        return None
    return Affix(
        is_negative,
        fields.get("unit", 1.0),
        "%" in fields,
        fields.get("currency", _NONE),
    )


_NONE: frozenset[str] = frozenset()


def _parts(text: str) -> list[tuple[str, object]]:
    """Unit word, currency and percent sign in a text; `?` for anything else."""
    text = re.sub(r"[\s\u00a0\u202f\u2009]+", " ", text).strip()
    if not text:
        return []
    if text == "%":
        return [("%", True)]
    whole = _one(text)
    if whole and text != "m":  # metres, unless a currency stands beside it
        return whole
    cuts = [at for at, mark in enumerate(text) if mark == " "] or range(1, len(text))
    for at in cuts:
        first, second = _one(text[:at].strip()), _one(text[at:].strip())
        if not first and text[:at].strip() in ("T", "t"):  # T€ and TEUR, not T alone
            first = [("unit", 1e3)]
        if len(first) == len(second) == 1 and first[0][0] != second[0][0]:
            return [*first, *second]
    return [("?", text)]


def _one(text: str) -> list[tuple[str, object]]:
    """A text that is a unit word or a currency; empty for neither."""
    word = plain(text).rstrip(".")
    if word in _KRONOR:
        return [("unit", UNITS[word]), ("currency", currency("kr"))]
    if word in UNITS:
        return [("unit", UNITS[word])]
    codes = currency(text)
    return [("currency", codes)] if codes else []
