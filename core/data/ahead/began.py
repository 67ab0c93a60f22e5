"""Began: channels that started in the last year, which no year earlier speaks for.

The periods ahead have the media of a year earlier. A channel that started since then
did not run in some of them; what it has run lately, per period, stands for these. It
has to be silent for a quarter of a year before the last year begins, so that a channel
of one season is not mistaken for a new one, and to run in the last quarter.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from core.data.input_data import InputData, Treatments
from core.data.mapping import KINDS


def began(past: Treatments, data: InputData, year: int) -> Int[np.ndarray, " channel"]:
    """The first period of each channel that started in the last year; 0 for others.

    Args:
        past: Channels of one kind, with media.
        data: Their market.
        year: Periods of a year.
    """
    n_lately, history = _quarter(year), data.n_media_times - data.n_times
    if data.n_times < year + n_lately:
        return np.zeros(len(past), int)
    runs = (past.units > 0).any(axis=0)
    if past.spend is not None:
        paid = np.zeros_like(runs)
        paid[history:] = (past.spend > 0).any(axis=0)
        runs = runs | paid
    first = runs.argmax(axis=0) - history
    is_new = runs[-n_lately:].any(axis=0) & (first >= data.n_times - year)
    return np.where(is_new, first, 0)


def new_channels(data: InputData, year: int) -> Mapping[str, np.datetime64]:
    """Channels that started in the last year, and their first periods.

    Args:
        data: The market.
        year: Periods of a year.
    """
    days = {}
    for kind in KINDS[:-1]:
        if past := getattr(data, kind):
            first = began(past, data, year)
            named = zip(past.names, first.tolist(), strict=True)
            days |= {name: data.times[place] for name, place in named if place}
    return days


def with_latest(
    future: Treatments,
    past: Treatments,
    data: InputData,
    place: Int[np.ndarray, " period"],
    year: int,
) -> Treatments:
    """Periods ahead in which new channels run as they did lately.

    Args:
        future: The periods ahead with the media of a year earlier, after all before.
        past: The same channels in the data.
        data: Their market.
        place: For each period ahead, the one of a year earlier.
        year: Periods of a year.
    """
    first = began(past, data, year)
    if not first.any():
        return future
    units, spend, frequency = (
        None if values is None else values.copy()
        for values in (future.units, future.spend, future.frequency)
    )
    for channel in np.flatnonzero(first):
        since = slice(max(first[channel], data.n_times - _quarter(year)), None)
        absent = np.flatnonzero(place < first[channel])
        at = data.n_media_times + absent
        ran = past.units[:, -data.n_times :, channel][:, since]
        units[:, at, channel] = _mean(ran)
        if spend is not None:
            spend[:, absent, channel] = _mean(past.spend[:, since, channel])
        if frequency is not None:
            often = past.frequency[:, -data.n_times :, channel][:, since]
            reached = np.maximum(_mean(ran), 1e-300)
            frequency[:, at, channel] = _mean(ran * often) / reached
    return replace(future, units=units, spend=spend, frequency=frequency)


def _quarter(year: int) -> int:
    return max(1, year // 4)


def _mean(
    values: Float[np.ndarray, "geo period"],
) -> Float[np.ndarray, "geo 1"]:
    return values.mean(axis=1, keepdims=True)
