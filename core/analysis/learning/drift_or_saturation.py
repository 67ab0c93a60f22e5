r"""Drift or saturation: whether the data tell the two apart, channel by channel.

What a channel returned per unit of spend in the last year, over what it returned in the
first, is one factor for how its effectiveness changed and one for where on its curve it
was:

    roi_last / roi_first = e^d e^s,   d drift, s saturation (and carryover)

Data that know the product and not the factors have draws in which one rises as the
other falls. More weeks of the same kind do not settle that: a lift test does, or spend
at other levels.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.analysis.by_period import outcome_by_period, year_of
from core.analysis.draws import thinned
from core.data.mapping import PAID
from core.model.build import Model
from core.text.languages.language import say
from core.text.sentences import listed

#: Draws that the two factors are worked out of.
_DRAWS = 400
#: Correlation below which two factors are one, and sd of the logarithm from which a
#: factor is worth a word.
_ONE, _MUCH = -0.6, 0.1


class Factors(NamedTuple):
    """Logarithms of what a channel's return of the last year is over the first's.

    Attributes:
        drift: Of how its effectiveness changed.
        saturation: Of where on its curve, and with what carried over, it was.
    """

    drift: Float[np.ndarray, " draw"]
    saturation: Float[np.ndarray, " draw"]


def factors(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, Factors]:
    """The two factors of each paid channel that may drift, draw by draw.

    Channels that spent nothing in the first or last year are left out, as is a market
    of a single year.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    years = year_of(model.data.times)
    first, last = years == years.max(), years == 0
    if not years.max() or "xi_drift" not in draws:
        return {}
    few = dict(draws)
    still = few | {"xi_drift": np.zeros_like(few["xi_drift"])}
    ran, constant = outcome_by_period(model, few), outcome_by_period(model, still)
    results, place = {}, 0
    for group in model.structure.groups:
        names = model.channels(group.kind)
        spend = getattr(model.data, group.kind).spend
        for i, name in enumerate(names):
            here, place = place, place + 1
            if group.kind not in PAID or not (group.drifts and group.drifts[i]):
                continue
            spent = spend[:, :, i].sum(axis=0)
            if not (spent[first].sum() > 0 and spent[last].sum() > 0):
                continue
            both = _log_ratio(ran[:, here], first, last)
            curve = _log_ratio(constant[:, here], first, last)
            money = float(np.log(spent[last].sum()) - np.log(spent[first].sum()))
            results[name] = Factors(both - curve, curve - money)
    return results


def trade_off(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Correlation of drift and saturation over the years, by paid channel.

    Channels without `factors`, or of which a factor is known to a tenth, are left out.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    both = factors(model, thinned(draws, _DRAWS))
    results = {name: _correlation(*each) for name, each in both.items()}
    return {name: value for name, value in results.items() if value is not None}


def _log_ratio(outcome: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Logarithm of the last year's outcome over the first's; draw."""
    least = np.finfo(np.float64).tiny
    sums = [np.maximum(outcome[:, year].sum(axis=1), least) for year in (last, first)]
    return np.log(sums[0]) - np.log(sums[1])


def _correlation(drift: np.ndarray, curve: np.ndarray) -> float | None:
    if min(drift.std(), curve.std()) < _MUCH:
        return None
    return float(np.corrcoef(drift, curve)[0, 1])


def drift_or_saturation(model: Model, draws: Mapping[str, np.ndarray]) -> str:
    """A sentence on the channels of which nobody can say which it is; else empty.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    of = trade_off(model, draws)
    names = sorted((name for name in of if of[name] < _ONE), key=of.__getitem__)
    if not names:
        return ""
    return say(
        "Of {names} the data cannot tell whether the effect changed "
        "over the years or spend came closer to saturation: one "
        "explains what the other would. A lift test settles it, or "
        "spend at other levels; more weeks like these do not.",
        names=listed(names),
    )
