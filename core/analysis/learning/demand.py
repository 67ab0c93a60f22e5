"""Demand: how likely each channel follows it in a fit, and what its return is then."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from core import text as fmt
from core.analysis.following import FOLLOWS, indicators
from core.estimate import estimate
from core.model.build import Model
from core.text.languages.language import say
from core.text.sentences import listed

#: A reading with less than this probability is not told beside the other.
LEAST = 0.05
#: Draws that an estimate of one reading needs.
_LEAST_DRAWS = 40
#: Two readings are told where their means are further apart than this share of the
#: ROI's standard deviation.
_APART = 0.5
#: Channels whose two readings are told where there is room for one sentence.
_MOST_TOLD = 2


def follows_demand(model: Model, told: Mapping[str, Any]) -> dict[str, Any]:
    """Which channels follow demand more likely than not, and what to make of it.

    Args:
        model: The model.
        told: Of each paid channel, what `of_channels` says.

    Returns:
        `channels`, their names; `untested`, those of them without a lift test;
        `sentence`, about the untested of which one reading lives and about those of
        which two do, the widest apart first; empty where there are none.
    """
    names = [name for name, one in told.items() if one["probability"] >= FOLLOWS]
    tested = {name for test in model.spec.experiments for name in test.channels}
    untested = [name for name in names if name not in tested]
    torn = [name for name in told if told[name]["readings"] and name not in tested]
    torn.sort(key=lambda name: -_apart(told[name]["readings"]))
    odds = {name: told[name]["probability"] for name in untested if name not in torn}
    certain = _certain([name for name, chance in odds.items() if chance == 1])
    likely = _likely({name: chance for name, chance in odds.items() if chance < 1})
    both = [f"{name}: {told[name]['sentence']}" for name in torn[:_MOST_TOLD]]
    sentence = " ".join(filter(None, (certain, likely, *both)))
    return {"channels": names, "untested": untested, "sentence": sentence}


def of_channels(
    model: Model, draws: Mapping[str, np.ndarray], channels: xr.Dataset
) -> dict[str, dict[str, Any]]:
    """What a fit says of each paid channel's spend and demand.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        channels: What `core.analysis.returns.returns` gives for the same draws.

    Returns:
        By name: `follows`, whether it does more likely than not; `probability`; `prior`
        (before the fit), `by`, who gave that one, and `reason`; `readings`, the ROI if
        it `follows` and if it does `not`, where both live and differ, else None; and
        `sentence`.
    """
    present = indicators(model, draws)
    texts = {}
    for one in model.demand:
        here = present[one.channel]
        chance = float(np.mean(here))
        readings = None
        if np.ndim(here):
            roi = channels["roi"].sel(channel=one.channel).to_numpy()
            readings = _readings(roi, np.asarray(here) > 0)
        texts[one.channel] = {
            "follows": chance >= FOLLOWS,
            "probability": chance,
            "prior": one.probability,
            "by": one.by,
            "reason": one.reason,
            "readings": readings,
            "sentence": _sentence(chance, one.reason, readings),
        }
    return texts


def _readings(roi: np.ndarray, present: np.ndarray) -> dict[str, Any] | None:
    """ROI where it follows and where it does not; None where one reading will do."""
    chance = present.mean()
    fewest = min(present.sum(), (~present).sum())
    if min(chance, 1 - chance) < LEAST or fewest < _LEAST_DRAWS:
        return None
    readings = {"follows": estimate(roi[present]), "not": estimate(roi[~present])}
    between = abs(roi[present].mean() - roi[~present].mean())
    return readings if between > _APART * roi.std() else None


def _apart(readings: Mapping[str, Any]) -> float:
    """How many times one mean is of the other."""
    means = [max(abs(readings[key]["mean"]), 1e-9) for key in ("follows", "not")]
    return max(means) / min(means)


def _sentence(chance: float, reason: str, readings: Mapping[str, Any] | None) -> str:
    """`Probability that its spend follows demand: 71 %. If it does, ROI is 1.4 …`."""
    if chance in (0.0, 1.0):
        return reason
    if readings is None:
        return say(
            "Probability that its spend follows demand: {odds}.",
            odds=fmt.probability(chance),
        )
    with_, without = (
        fmt.estimate(readings[key], "ratio") for key in ("follows", "not")
    )
    return say(
        "Probability that its spend follows demand: {odds}. If it does, its ROI is "
        "{following}; if not, {otherwise}. A lift test would settle it.",
        odds=fmt.probability(chance),
        following=with_,
        otherwise=without,
    )


def _certain(names: list[str]) -> str:
    """What returns rest on whose channels are said to follow demand."""
    if not names:
        return ""
    if len(names) == 1:
        return say(
            "{names} follows demand: its return rests on carryover and "
            "prior; a lift test would settle it.",
            names=names[0],
        )
    return say(
        "{names} follow demand: their returns rest on carryover and "
        "prior; lift tests would settle them.",
        names=listed(names),
    )


def _likely(chances: Mapping[str, float]) -> str:
    """What returns rest on whose channels more likely follow demand than not."""
    if not chances:
        return ""
    odds = ", ".join(fmt.probability(chance) for chance in chances.values())
    if len(chances) == 1:
        return say(
            "{names} probably follows demand ({odds}): its return then rests on "
            "carryover and prior; a lift test would settle it.",
            names=listed(list(chances)),
            odds=odds,
        )
    return say(
        "{names} probably follow demand ({odds}): their returns then rest on "
        "carryover and prior; lift tests would settle them.",
        names=listed(list(chances)),
        odds=odds,
    )
