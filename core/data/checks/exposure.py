"""Exposure: do the media units, reach, frequency and spend of channels make sense?

Spend as the table gives it: per geo and period, per period, or as one total.

A number for all geos stands in every one of their rows (or in one of them); it is
spread over geos and periods in proportion to media units, so that its total stays
what it was. Where there are no units, every geo gets the same.
"""

from collections.abc import Iterator

import numpy as np

from core.data.checks.values import check_filled, is_constant
from core.data.mapping import PAID, ChannelColumns
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.data.scaling import sized_by_kpi
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


def people(observed: Observations) -> np.ndarray:
    """People of each geo, its mean over time, or by its mean KPI where not known; geo.

    One where the table has no number, and for a national market.
    """
    column, n_geos = observed.mapping.population, len(observed.geos)
    if n_geos == 1:
        return np.ones(1)
    if column is None:
        kpi = observed.grid(observed.mapping.kpi)[:, observed.n_history :]
        return sized_by_kpi(np.nan_to_num(kpi), np.ones(n_geos))
    grid = observed.grid(column)
    mean = np.nansum(grid, axis=1) / np.maximum((~np.isnan(grid)).sum(axis=1), 1)
    return np.where(mean > 0, mean, 1.0)


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


#: A cost per media unit this many times the usual one is worth a look.
_ODD_COST = 10.0
#: Who was reached saw it once at least; less is a fault beyond rounding.
_LOW_FREQUENCY = 0.95


def check_exposure(observed: Observations) -> Iterator[Finding]:
    """Every channel: empty, negative, never on, never off, spend against media."""
    if not observed.fills_grid:
        return
    spend_only = []
    for channel in observed.mapping.channels:
        if not set(channel.columns()) <= set(observed.numbers):
            continue
        if channel.spend and channel.spend == channel.media:
            spend_only.append(channel.name)
        yield from _empty(observed, channel)
        yield from _negative(observed, channel)
        if channel.kind in PAID:
            yield from check_spend_level(observed, channel)
        yield from _level(observed, channel)
        if channel.kind in PAID and channel.spend != channel.media:
            yield from _spend_against_media(observed, channel)
        if channel.reach and channel.frequency:
            yield from _reach_and_frequency(observed, channel)
    if spend_only:
        message = (
            f"{listed(spend_only)} came with spend only, which stands for media units."
        )
        hint = "Add impressions, clicks or GRPs if you have them."
        yield Finding("info", "channels", message, hint)


def _empty(observed: Observations, channel: ChannelColumns) -> Iterator[Finding]:
    """Empty cells: zero for media and spend, a fault for other treatments."""
    if channel.kind == "non_media":
        yield from check_filled(
            observed, channel.column, "Write 0 where there was none."
        )
        return
    for column in dict.fromkeys(channel.columns()):
        numbers = observed.numbers[column]
        empty = numbers.is_empty & (observed.time_at >= 0)
        if column == channel.spend and column != channel.media:
            empty &= observed.time_at >= observed.n_history
            if channel.spend_level != "geo_time":
                empty &= empty_periods(observed, channel)
        if empty.any() and not numbers.is_empty.all():
            where = f"{count(int(empty.sum()), 'row')} ({observed.row_list(empty)})"
            message = f"Column {column} is empty in {where}, which count as 0."
            hint = "Fill it in if the channel ran there."
            yield Finding("warning", f"column {column}", message, hint)


def _negative(observed: Observations, channel: ChannelColumns) -> Iterator[Finding]:
    if channel.kind == "non_media":
        return
    for column in dict.fromkeys(channel.columns()):
        negative = observed.numbers[column].values < 0
        if negative.any():
            where = (
                f"{count(int(negative.sum()), 'row')} ({observed.row_list(negative)})"
            )
            message = f"Column {column} is negative in {where}."
            hint = "Media and spend are zero or more: enter refunds where they belong."
            yield Finding("error", f"column {column}", message, hint)


def _level(observed: Observations, channel: ChannelColumns) -> Iterator[Finding]:
    """Channels that never ran, never changed, or cost nothing."""
    where = f"channel {channel.name}"
    columns = [observed.numbers[name] for name in channel.columns()]
    if any((numbers.is_empty | numbers.bad).all() for numbers in columns):
        return  # said where its cells are read
    if channel.kind in PAID and not spend(observed, channel).any():
        message = (
            f"Channel {channel.name} has no spend in any {observed.periods.period}."
        )
        hint = (
            "Add its cost, mark it organic, or leave it out: --ignore COLUMN with core "
            "init, or Ignore on the Data screen."
        )
        yield Finding("error", where, message, hint)
        if channel.spend == channel.media:
            return
    units = media_units(observed, channel)
    if channel.kind != "non_media" and not units.any():
        message = f"Channel {channel.name} never ran: its media is zero everywhere."
        hint = (
            "Add its media, or leave it out: --ignore COLUMN with core init, or Ignore "
            "on the Data screen."
        )
        yield Finding("error", where, message, hint)
    elif is_constant(units):
        noun = "Treatment" if channel.kind == "non_media" else "Channel"
        message = (
            f"{noun} {channel.name} never changes, so its effect cannot be told from "
            "the baseline."
        )
        hint = "Leave it out: --ignore with core init, or Ignore on the Data screen."
        yield Finding("error", where, message, hint)


def _spend_against_media(
    observed: Observations, channel: ChannelColumns
) -> Iterator[Finding]:
    """Media without spend, spend without media, and odd costs per unit."""
    where = f"channel {channel.name}"
    units = media_units(observed, channel)[:, observed.n_history :]
    cost = spend(observed, channel)
    if not cost.any() or not units.any():
        return
    free, lost = (units > 0) & (cost == 0), (units == 0) & (cost > 0)
    if free.any():
        message = (
            f"Channel {channel.name} has media in {_extent(observed, free)} without "
            "spend."
        )
        hint = "Add its cost, or mark it organic."
        yield Finding("warning", where, message, hint)
    if lost.any():
        message = (
            f"Channel {channel.name} has spend in {_extent(observed, lost)} without "
            "media."
        )
        hint = "Add its media, or move the cost to where it ran."
        yield Finding("warning", where, message, hint)
    both = (units > 0) & (cost > 0)
    per_unit = cost[both] / units[both]
    usual = np.median(per_unit) if per_unit.size else 0.0
    odd = both.copy()
    odd[both] = (per_unit > _ODD_COST * usual) | (per_unit < usual / _ODD_COST)
    if 0 < odd.sum() < 0.05 * both.sum() + 1:
        message = (
            f"Channel {channel.name} has a cost per media unit more than ten times "
            f"away from the usual {usual:.3g} in {_extent(observed, odd)}."
        )
        hint = f"Check the units of {' and '.join(dict.fromkeys(channel.columns()))}."
        yield Finding("warning", where, message, hint)


def _extent(observed: Observations, where: np.ndarray) -> str:
    """How far a condition reaches: `12 weeks`, `12 weeks (30 rows in 3 geos)`."""
    at = where.any(axis=0)
    extent = count(int(at.sum()), observed.periods.period)
    notes = []
    if at.sum() <= 2:
        notes.append(listed(list(observed.times[observed.n_history :][at])))
    if len(observed.geos) > 1:
        n_rows = count(int(where.sum()), "row")
        notes.append(f"{n_rows} in {count(int(where.any(axis=1).sum()), 'geo')}")
    return f"{extent} ({', '.join(notes)})" if notes else extent


def _reach_and_frequency(
    observed: Observations, channel: ChannelColumns
) -> Iterator[Finding]:
    """Reach without frequency, and frequency below one."""
    where = f"channel {channel.name}"
    reach = observed.numbers[channel.reach].values
    frequency = np.nan_to_num(observed.numbers[channel.frequency].values)
    without = (reach > 0) & (frequency <= 0)
    if without.any():
        in_words = observed.row_list(without)
        message = f"Channel {channel.name} has reach without frequency in {in_words}."
        yield Finding("warning", where, message, "Fill in its frequency.")
    low = (reach > 0) & (frequency > 0) & (frequency < _LOW_FREQUENCY)
    if low.any():
        in_words = observed.row_list(low)
        message = f"Channel {channel.name} has a frequency below 1 in {in_words}."
        hint = "Who was reached saw it at least once: check reach and frequency."
        yield Finding("warning", where, message, hint)
