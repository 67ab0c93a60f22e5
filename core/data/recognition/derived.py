"""Derived columns: what an analyst worked out from a column that stands beside it.

`TV Spend lag1`, `log TV Spend` and `TV Spend LY` are the spend of `TV Spend` again, and
no channels.
"""

import re
from collections.abc import Sequence

from core.data.reading.words import SPEND, word_set, words

#: Words that say what was done to another column's numbers.
_DONE = word_set("derived.done")
#: The same words with a number behind them: `lag2`, `ma4`, `log1p`, `t-1`.
_NUMBERED = re.compile(r"(?:lag|lead|l|ma|sma|ema|log|ln|roll|t)\d+p?")
#: What may stand beside them, and says nothing alone.
_SPAN = word_set("derived.span")
_PHRASES = ({"last", "year"}, {"prior", "year"}, {"last", "week"}, {"prior", "week"})

#: Why such a column is not used.
DERIVED_FROM = "It is worked out from {other}."


def derived(names: Sequence[str]) -> dict[str, str]:
    """Columns that are worked out from another one by their names, and that one.

    Args:
        names: Columns of a table; both must be among them.
    """
    spoken = {name: _spoken(name) for name in names}
    plain: dict[tuple[str, ...], str] = {}
    for name, line in spoken.items():
        plain.setdefault(tuple(sorted(line)), name)
    for name, line in spoken.items():  # `TV_adstock` beside `TV_spend`
        rest = [word for word in line if word not in SPEND]
        if len(rest) < len(line):
            plain.setdefault(tuple(sorted(rest)), name)
    sources = {}
    for name, line in spoken.items():
        done = [word for word in line if _is_done(word)]
        is_shift = re.search(r"\bt ?- ?\d+\b", name.lower()) is not None
        if not (done or is_shift or any(phrase <= {*line} for phrase in _PHRASES)):
            continue
        for rest in (
            [word for word in line if not _is_done(word)],
            [word for word in line if not (_is_done(word) or _is_span(word))],
        ):
            other = plain.get(tuple(sorted(rest)))
            if other is not None and other != name:
                sources[name] = other
    return sources


def _spoken(name: str) -> list[str]:
    """The words of a name; `YoY` is one word."""
    whole = re.sub(r"(?i)(?<![a-z])(yoy|wow|mom)(?![a-z])", r" \1 ", name)
    whole = re.sub(r" (yoy|wow|mom) ", lambda m: m.group().lower(), whole, flags=re.I)
    return [word.text for word in words(whole)]


def _is_done(word: str) -> bool:
    return word in _DONE or _NUMBERED.fullmatch(word) is not None


def _is_span(word: str) -> bool:
    return word in _SPAN or re.fullmatch(r"\d+[a-z]?", word) is not None
