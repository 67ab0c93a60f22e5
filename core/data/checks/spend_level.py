"""Spend as the table gives it: per geo and period, per period, or as one total.

A number for all geos stands in every one of their rows (or in one of them); it is
spread over geos and periods in proportion to media units, so that its total stays
what it was. Where there are no units, every geo gets the same.
"""

from collections.abc import Iterator

import numpy as np

from core.data.mapping import ChannelColumns
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import count, listed


def media_units(observed: Observations, channel: ChannelColumns) -> np.ndarray:
    """What a channel does: units, impressions from reach, or values; geo time."""
    if channel.reach and channel.frequency:
        reach = np.nan_to_num(observed.grid(channel.reach))
        return reach * np.nan_to_num(observed.grid(channel.frequency))
    return np.nan_to_num(observed.grid(channel.column or channel.media))


def spend(observed: Observations, channel: ChannelColumns) -> np.ndarray:
    """Cost over the periods that have a KPI; geo time, nothing counts as zero."""
    cells = observed.grid(channel.spend)
    if channel.spend_level == "geo_time":
        return np.nan_to_num(cells[:, observed.n_history :])
    units = media_units(observed, channel)[:, observed.n_history :]
    if channel.spend_level == "total":
        return _one_number(cells) * _shares(units.ravel()).reshape(units.shape)
    totals = [_one_number(period) for period in cells[:, observed.n_history :].T]
    return np.stack([_shares(period) for period in units.T], axis=1) * totals


def check_spend_level(
    observed: Observations, channel: ChannelColumns
) -> Iterator[Finding]:
    """Numbers that differ where they stand for one, and one number in every geo."""
    cells = observed.grid(channel.spend)[:, observed.n_history :]
    where = f"column {channel.spend}"
    if channel.spend_level == "total":
        numbers = cells[~np.isnan(cells)]
        if len(np.unique(numbers)) > 1:
            message = (
                f"Column {channel.spend} is the total spend of {channel.name} and has "
                f"{len(np.unique(numbers)):,} different numbers."
            )
            hint = (
                'Write the total in every row, or map it as "Spend" '
                '(spend_level = "geo_time").'
            )
            yield Finding("error", where, message, hint)
        return
    if len(observed.geos) == 1 or not cells.size:
        return
    low = np.min(np.where(np.isnan(cells), np.inf, cells), axis=0)
    high = np.max(np.where(np.isnan(cells), -np.inf, cells), axis=0)
    if channel.spend_level == "time" and (low < high).any():
        periods = observed.times[observed.n_history :][low < high]
        message = (
            f"Column {channel.spend} is the spend of {channel.name} in all geos and "
            f"differs between geos in {count(len(periods), observed.periods.period)} "
            f"({listed(list(periods), limit=3)})."
        )
        hint = (
            'Write the same number in every geo, or map it as "Spend" '
            '(spend_level = "geo_time").'
        )
        yield Finding("error", where, message, hint)
    is_same = not np.isnan(cells).any() and (low == high).all() and (high > 0).any()
    if channel.spend_level == "geo_time" and is_same:
        message = (
            f"Column {channel.spend} has the same number in every geo, so it counts "
            f"{len(observed.geos)} times."
        )
        hint = (
            'If it is the spend of all geos together, map it as "Spend, all geos" '
            '(spend_level = "time").'
        )
        yield Finding("warning", where, message, hint)


def empty_periods(observed: Observations, channel: ChannelColumns) -> np.ndarray:
    """Rows of periods for which no geo has the spend that all of them share."""
    filled = observed.filled(channel.spend).any(axis=0)
    if channel.spend_level == "total":
        filled[:] = filled.any()
    return (observed.time_at >= 0) & ~filled[observed.time_at]


def _one_number(cells: np.ndarray) -> float:
    """The number that stands in all cells that are filled; zero where none is."""
    numbers = cells[~np.isnan(cells)]
    return float(numbers.max()) if numbers.size else 0.0


def _shares(units: np.ndarray) -> np.ndarray:
    total = units.sum()
    return units / total if total > 0 else np.full(len(units), 1 / len(units))
