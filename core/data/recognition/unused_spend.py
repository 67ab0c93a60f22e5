"""Spend that is in the table and in no channel: what it returned goes to others."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from core import text as fmt
from core.data.cells import words as vocabulary
from core.data.cells.words import word_set
from core.data.mapping import ColumnMapping
from core.data.multiples import SAME_CORRELATION, multiple
from core.data.reading.findings import Finding
from core.data.reading.numbers import as_numbers
from core.data.recognition.derived import derived
from core.data.recognition.naming import Name, read_name
from core.text.languages.language import say

#: Names of amounts that are no spend, though they hold a currency or a word of cost.
_OTHERS = (
    vocabulary.PER
    | vocabulary.RATIO
    | vocabulary.KPI_REVENUE
    | vocabulary.KPI_OPEN
    | vocabulary.VALUE_OF
    | vocabulary.VALUE_NAME
    | word_set("unused_spend.others")
)
#: Amounts below this share of all spend leave no mark on a fit.
_SMALL = 0.005
_EXACT = 1e-6


def check_unused_spend(
    frame: pd.DataFrame, mapping: ColumnMapping
) -> Iterator[Finding]:
    """Columns of spend that no channel uses, but totals and copies of those used."""
    spends = {
        channel.spend: as_numbers(frame[channel.spend]).values
        for channel in mapping.channels
        if channel.spend and channel.spend in frame.columns
    }
    used = {column for channel in mapping.channels for column in channel.columns()}
    used |= {mapping.time, mapping.kpi, mapping.geo, mapping.population}
    used |= {*mapping.controls}
    if isinstance(mapping.revenue_per_kpi, str):
        used.add(mapping.revenue_per_kpi)
    others = np.array(list(spends.values())).T
    everything = float(np.nansum(others)) if spends else 0.0
    again = derived(list(map(str, frame.columns)))
    used |= {column for column, other in again.items() if other in used}
    for column in map(str, frame.columns):
        if column in used or not _is_spend(read_name(column)):
            continue
        numbers = as_numbers(frame[column])
        total = float(np.nansum(numbers.values))
        if numbers.bad.any() or total <= _SMALL * everything or total <= 0:
            continue
        if spends and _is_sum(numbers.values, others):
            continue
        if not np.ptp(numbers.values[np.isfinite(numbers.values)]):
            continue  # what never changes is the baseline's, and no channel may use it
        copied = _multiple_of(numbers.values, spends)
        if copied is not None:
            yield _copied(column, *copied)
            continue
        share = total / (total + everything)
        message = say(
            "Column {column} holds {total} of spend, {share} of all, and no channel "
            "uses it: what it brought is credited to others.",
            column=column,
            total=f"{total:,.0f}",
            share=fmt.share(share),
        )
        hint = _instead(column, _twin_of(numbers.values, spends))
        yield Finding("warning", f"column {column}", message, hint)


def _instead(column: str, twin: str | None) -> str:
    """What to do with spend that no channel uses."""
    if twin is not None:
        return say(
            "Add it to {used} in the file: the two move as one, so that no model tells "
            "them apart.",
            used=twin,
        )
    return say(
        "Make {column} a channel's spend, or leave the column out of the file if it is "
        "not paid media.",
        column=column,
    )


def _multiple_of(
    values: np.ndarray, spends: dict[str, np.ndarray]
) -> tuple[str, float] | None:
    """The column in use that a column is a multiple of, and how many times as much."""
    factors = ((column, multiple(used, values)) for column, used in spends.items())
    return next(((column, f) for column, f in factors if f is not None), None)


def _twin_of(values: np.ndarray, spends: dict[str, np.ndarray]) -> str | None:
    """The column in use beside which a column would be refused as the same."""
    for column, used in spends.items():
        both = np.isfinite(values) & np.isfinite(used)
        pair = values[both], used[both]
        if both.sum() < 3 or not all(map(np.ptp, pair)):
            continue
        if np.corrcoef(*pair)[0, 1] > SAME_CORRELATION:
            return column
    return None


def _copied(column: str, used: str, factor: float) -> Finding:
    message = say(
        "Column {column} is {factor} times {used} in every row: the same spend, such "
        "as with and without tax or fees. {used} is used.",
        column=column,
        used=used,
        factor=f"{factor:.4g}",
    )
    hint = say(
        "If {column} is the spend that is meant, choose it in the column mapping.",
        column=column,
    )
    return Finding("warning", f"column {column}", message, hint)


def _is_spend(name: Name) -> bool:
    is_spend = name.measure == "spend" and not name.has(_OTHERS)
    return is_spend and not vocabulary.is_cost_of_goods(name.words)


def _is_sum(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether a column is one of the others, or several of them together."""
    whole = np.isfinite(values) & np.isfinite(others).all(axis=1)
    if whole.sum() <= others.shape[1]:
        return False
    weights, *_ = np.linalg.lstsq(others[whole], values[whole], rcond=None)
    chosen, own = np.rint(np.clip(weights, 0, 1)), values[whole]
    little = min(1e-2, 1e-3 * float(np.abs(own).max()))
    return bool(
        chosen.any()
        and np.allclose(others[whole] @ chosen, own, rtol=_EXACT, atol=little)
    )
