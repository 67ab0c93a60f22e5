"""Shortage: what the data of a channel lack, so that its return stays uncertain."""

from collections.abc import Mapping

import numpy as np

from core.analysis.incremental import outcome_at
from core.data.mapping import KINDS
from core.data.periods import periods
from core.model.build import Model
from core.model.mediation.mediators import carrying
from core.text.languages.language import say
from core.text.numbers import ratio
from core.text.numbers import share as percent
from core.text.sentences import count

#: Running periods below which a channel hardly ran.
_FEW = 12
#: Mean change from period to period, over the mean, below which it hardly moved.
_STILL = 0.2
#: Correlation from which two channels move together.
_TOGETHER = 0.8


def shortage(
    model: Model, draws: Mapping[str, np.ndarray], name: str
) -> tuple[str, str]:
    """Why the data say little about a channel, and what would help.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        name: A channel that carries over.

    Returns:
        A reason to follow a colon, and a remedy of one sentence.
    """
    word = periods(model.data.times).period
    media = _media(model)
    own = media[name]
    running = int((own > 0).any(axis=0).sum())
    if running < min(_FEW, 0.25 * own.shape[1]):
        return (
            say(
                "{name} ran in only {running} of {periods}",
                name=name,
                running=running,
                periods=count(own.shape[1], word),
            ),
            say("Run it in more periods, in some geos only or as a lift test."),
        )
    moved = movement(own)
    if moved < _STILL:
        return (
            say(
                "{name} moved only {share} from one period to the next",
                name=name,
                share=percent(max(moved, 0.01)),
            ),
            say("Vary its spend from period to period, or run a lift test."),
        )
    other, correlation = _closest(media, name)
    if correlation > _TOGETHER:
        return (
            say(
                "{name} moves with {other} (correlation {correlation})",
                name=name,
                other=other,
                correlation=ratio(correlation),
            ),
            say(
                "Move {name} and {other} at different times, or run a lift test.",
                name=name,
                other=other,
            ),
        )
    return _beside_noise(name, word, _against_noise(model, draws, name))


def _beside_noise(name: str, period: str, share: float) -> tuple[str, str]:
    """Reason and remedy where nothing but its size beside noise is to be seen."""
    percentage = percent(share)
    if percentage.startswith("<"):
        reason = say(
            "{name}'s effect per {period} is less than 1\u00a0% of ordinary noise from "
            "{period} to {period}, so the data say little about it",
            name=name,
            period=say(period),
        )
    elif share >= 1:  # noise alone would not hide it
        reason = say(
            "{name}'s effect moves as the baseline, demand or other channels could, so "
            "the data tell them apart only in part",
            name=name,
        )
    else:
        reason = say(
            "{name}'s effect per {period} is about {share} of ordinary noise from "
            "{period} to {period}, so the data say little about it",
            name=name,
            period=say(period),
            share=percentage,
        )
    return (
        reason,
        say("Run a lift test with a large change of its spend."),
    )


def movement(media: np.ndarray) -> float:
    """Mean absolute change from period to period over the mean.

    Args:
        media: geo time, any unit.
    """
    mean = media.mean(axis=1)
    change = np.abs(np.diff(media, axis=1)).mean(axis=1)
    # Sums before the ratio: a geo with next to no media would otherwise rule the mean.
    return float(change[mean > 0].sum() / max(mean.sum(), 1e-300))


def _media(model: Model) -> dict[str, np.ndarray]:
    """Media per head of every channel that carries over; geo time."""
    result = {}
    data = model.data
    for kind in KINDS[:-1]:
        if channels := getattr(data, kind):
            units = channels.exposures[:, -data.n_times :]
            units = units / data.population[:, None, None]
            result |= dict(zip(channels.names, np.moveaxis(units, 2, 0), strict=True))
    return result


def _closest(media: Mapping[str, np.ndarray], name: str) -> tuple[str, float]:
    """The channel that moves most like this one, and their correlation."""
    own = media[name].ravel()
    best = ("", 0.0)
    for other, values in media.items():
        if other == name or np.ptp(values) == 0 or np.ptp(own) == 0:
            continue
        correlation = float(np.corrcoef(own, values.ravel())[0, 1])
        best = max(best, (other, correlation), key=lambda pair: pair[1])
    return best


def _against_noise(model: Model, draws: Mapping[str, np.ndarray], name: str) -> float:
    """Spread of a channel's effect over time against the residual's, a share.

    The effect of a period goes roughly with its media; its size is the posterior
    mean of the channel's effect times saturated media.
    """
    middle = {key: value.mean(axis=0) for key, value in draws.items()}
    outcome = outcome_at(model, middle)[carrying(model).index(name)]
    scaled = outcome / np.asarray(model.arrays.outcome_scale)
    return float(scaled.std(axis=1).mean() / np.mean(middle["sigma"]))
