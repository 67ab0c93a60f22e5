"""Timing: media that works when the model says that it cannot.

Checks of each channel, mostly by least squares (`least_squares`), that take no second
fit.

- **Carryover beyond the window.** Media older than the longest carryover is in no part
  of the model. If the KPI still goes with it, or if the fitted carryover is cut off
  before it has faded (`fading`), the effect lasts longer than the window.
- **The next period's media.** What has not run yet has no effect. If the KPI goes with
  it, spend follows what is sold, or is expected to be: a negative control.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from core.analysis.sensitivity.fading import SURE, cut_off
from core.analysis.sensitivity.least_squares import Regression, regression
from core.data.demand.following import deviation
from core.data.periods import periods
from core.model.build import Model
from core.text.languages.language import say
from core.text.sentences import count, listed

#: How often a check of all channels together speaks where nothing is wrong, if the
#: regression is right.
FALSE_ALARM = 0.02
#: What of older media counts one period further back: what is forgotten fades.
_FADES = 0.7
#: Name of all channels together, by what they bring.
ALL = ""


def late_carryover(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """T of media older than the window, by channel, in units of the limit.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        Above one where the KPI goes with media that the model says is forgotten; of
        all channels together under `ALL`.
    """
    windows = {
        name: window for window, own in _by_window(model).items() for name in own
    }
    before = model.data.n_media_times - model.data.n_times
    longest = max(windows.values(), default=0)
    places = np.arange(max(0, 2 * longest - before), model.data.n_times)
    if not windows or len(places) < 2 * longest + 10:
        return {}
    fitted = regression(model, draws, places)
    if fitted is None:
        return {}
    older = {}
    for name, window in windows.items():
        lags = np.arange(window)
        ago = before + fitted.periods[:, None] - window - lags
        older[name] = _media(model, name)[ago] @ _FADES**lags
    # By what the channels bring: one column for what all of them do for too long.
    level = fitted.levels
    weight = {
        name: level[name] / max(own.mean(), 1e-300) for name, own in older.items()
    }
    total = sum(weight[name] * own for name, own in older.items())
    share = 1 / (len(older) + 1)
    return {
        name: _beyond(fitted, own, share) for name, own in {**older, ALL: total}.items()
    }


def next_media(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """T of the next period's media, by channel, in units of the limit.

    Of the logarithm of media what season and trend leave, beside the same of this
    period and the one before: a budget that follows sales answers to what was sold, in
    per cent, and what it would have been anyway is largely known from its own past.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        Above one, or below minus one, where the KPI goes with what has not run yet.
    """
    n_times = model.data.n_times
    if n_times < 30:
        return {}
    fitted = regression(model, draws, np.arange(1, n_times - 1))
    if fitted is None:
        return {}
    names = [name for own in _by_window(model).values() for name in own]
    results = {}
    for name in names:
        media = _media(model, name)[-n_times:]
        beside = deviation(media[None], model.data.times).values[0]
        so_far = np.stack([beside[fitted.periods - back] for back in (0, 1)], axis=1)
        own = replace(
            fitted, groups=fitted.groups | {"~own media": fitted.whiten @ so_far}
        )
        results[name] = _beyond(own, beside[fitted.periods + 1], 0.5 / len(names))
    return results


def _beyond(fitted: Regression, column: np.ndarray, share: float) -> float:
    """T over its limit, at `share` of the rate of false alarms."""
    limit = -stdtrit(fitted.freedom() - 1, FALSE_ALARM * share)
    return float(fitted.t_value(column) / limit)


def _by_window(model: Model) -> dict[int, list[str]]:
    """Channels that carry over, by how many periods an exposure works."""
    results: dict[int, list[str]] = {}
    for group in model.structure.groups:
        windows = np.asarray(model.arrays.groups[group.suffix].window)
        for name, window in zip(model.channels(group.kind), windows, strict=True):
            results.setdefault(int(window), []).append(name)
    return results


def _by_lag(model: Model, names: Sequence[str]) -> dict[int, list[str]]:
    """Channels by the longest carryover that their options allow."""
    results: dict[int, list[str]] = {}
    for name in names:
        own = model.spec.channel(name).max_lag
        results.setdefault(model.spec.max_lag if own is None else own, []).append(name)
    return results


def _media(model: Model, name: str) -> np.ndarray:
    """Exposure of the whole market per head, media_time."""
    for group in model.structure.groups:
        names = model.channels(group.kind)
        if name in names:
            treatments = getattr(model.data, group.kind)
            units = treatments.exposures[:, :, names.index(name)]
            return units.sum(axis=0) / model.data.population.sum()
    raise KeyError(name)


def timing(model: Model, draws: Mapping[str, np.ndarray]) -> list[str]:
    """A sentence of each check that speaks.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    late, ahead = late_carryover(model, draws), next_media(model, draws)
    word = periods(model.data.times).period
    notes = []
    cut = [name for name, chance in cut_off(model, draws).items() if chance >= SURE]
    for lag, names in _by_lag(model, cut).items():
        notes.append(
            say(
                "The carryover of {names} has not faded after {periods}, the longest "
                "that the model allows, so later effects are missing or in the "
                "baseline: raise max_lag, or choose another carryover on the Model "
                "screen.",
                names=listed(names),
                periods=count(lag, word),
            )
        )
    lasting = sorted(
        (x for x in late if late[x] > 1 and x not in cut), key=lambda x: -late[x]
    )
    by_lag = _by_lag(model, [name for name in lasting if name != ALL])
    if lasting == [ALL]:
        longest = max(_by_lag(model, [name for name in late if name != ALL]))
        by_lag = {longest: [say("several channels")]}
    for lag, names in by_lag.items():
        notes.append(
            say(
                "The KPI still goes with media of {names} that ran before the "
                "longest carryover, {periods}: raise max_lag, or "
                "choose another carryover on the Model screen.",
                names=listed(names),
                periods=count(lag, word),
            )
        )
    early = sorted(
        (x for x in ahead if abs(ahead[x]) > 1), key=lambda x: -abs(ahead[x])
    )
    if early:
        notes.append(
            say(
                "The KPI goes with media of {names} that runs only {periods} later: "
                "its spend follows what is sold or expected. "
                "Set follows_demand, or run a lift test.",
                names=listed(early),
                periods=count(1, word),
            )
        )
    return notes
