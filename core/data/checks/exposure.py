"""Exposure: do the media units, reach, frequency and spend of channels make sense?"""

from collections.abc import Iterator

import numpy as np

from core.data.checks.spend_level import (
    check_spend_level,
    empty_periods,
    media_units,
    spend,
)
from core.data.checks.values import check_filled, is_constant
from core.data.mapping import PAID, ChannelColumns
from core.data.observations import Observations
from core.data.reading.findings import Finding
from core.text.sentences import count, listed

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
        stands = "Their spend stands" if len(spend_only) > 1 else "Its spend stands"
        message = (
            f"{listed(spend_only)} came with spend only. {stands} for media units."
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
    known = [observed.numbers[name] for name in channel.columns()]
    if any((numbers.is_empty | numbers.bad).all() for numbers in known):
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
