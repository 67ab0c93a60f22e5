"""Derived columns: what an analyst worked out from a column that stands beside it.

`TV Spend lag1`, `log TV Spend` and `TV Spend LY` are the spend of `TV Spend` again, and
no channels; neither is a column of what all others spend together.
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.data.cells.words import SPEND, word_set, words
from core.data.reading.numbers import as_numbers
from core.data.recognition.channels import NAMELESS
from core.data.recognition.roles import ColumnRole

#: Words that say what was done to another column's numbers.
_DONE = word_set("derived.done")
#: The same words with a number behind them: `lag2`, `ma4`, `log1p`, `t-1`.
_NUMBERED = re.compile(r"(?:lag|lead|l|ma|sma|ema|log|ln|roll|t)\d+p?")
#: What may stand beside them, and says nothing alone.
_SPAN = word_set("derived.span")
_PHRASES = ({"last", "year"}, {"prior", "year"}, {"last", "week"}, {"prior", "week"})

#: Why such a column is not used.
DERIVED_FROM = "It is worked out from {other}."
#: Why such a column has no role.
TOTAL_OF = "It is what all other channels spend together."
#: Columns of spend of which one may be the sum of the others, at least.
_LEAST = 3
#: Share of rows in which it is the sum; cells are rounded.
_ALWAYS, _SAME, _CENT = 0.98, 1e-3, 0.01


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
        verbs = [word for word in line if _is_done(word)]
        is_shift = re.search(r"\bt ?- ?\d+\b", name.lower()) is not None
        if not (verbs or is_shift or any(phrase <= {*line} for phrase in _PHRASES)):
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


def without_totals(
    frame: pd.DataFrame, roles: dict[str, ColumnRole]
) -> dict[str, ColumnRole]:
    """Roles in which a column that sums up all other spend is no channel's.

    Args:
        frame: The table.
        roles: Of its columns.
    """
    names = [name for name, entry in roles.items() if entry.role == "spend"]
    spends = {name: _amounts(frame, name) for name in names}
    spends = {name: values for name, values in spends.items() if values.any()}
    if len(spends) < _LEAST - 1:
        return roles
    together = np.sum(list(spends.values()), axis=0)
    open_ones = [name for name, entry in roles.items() if entry.reason == NAMELESS]
    sums = [name for name in open_ones if _is_sum(_amounts(frame, name), together)]
    if not sums and len(spends) >= _LEAST:
        sums = [n for n, own in spends.items() if _is_sum(own, together - own)][:1]
    channels = {roles[name].channel for name in sums} - {""}
    return {
        column: ColumnRole(column, "ignored", "", TOTAL_OF)
        if column in sums or entry.channel in channels
        else entry
        for column, entry in roles.items()
    }


def _amounts(frame: pd.DataFrame, name: str) -> np.ndarray:
    return np.nan_to_num(as_numbers(frame[name]).values)


def _is_sum(values: np.ndarray, others: np.ndarray) -> bool:
    # Amounts in millions, or of a coin, may all lie below a cent.
    little = min(_CENT, _SAME * float(np.abs(values).max(initial=0.0)))
    return bool(np.isclose(values, others, rtol=_SAME, atol=little).mean() >= _ALWAYS)
