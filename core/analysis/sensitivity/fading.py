r"""Fading: whether the carryover of a channel had faded when its window ended.

A carryover that wants to go on puts its weight at the end of the window: the posterior
of a retention rate then lies where the last weight is still a good part of the largest.
The regression of `timing` does not see that, because the fitted carryover has already
taken up what it could of the older media.
"""

from collections.abc import Mapping
from functools import partial

import jax
import numpy as np

from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import QUICK, persistent
from core.model.media.treatments import carryover
from core.model.spec import CARRYOVER

#: The last weight, as a share of the largest, from which a carryover is cut off.
KEPT = 0.15
#: Probability of that from which it is worth a word.
SURE = 0.95
#: Kinds that go on fading beyond the window; the others reach zero at its end.
_ENDLESS = ("geometric", "delayed", "weibull_cdf")


def cut_off(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Probability that a channel's carryover is cut off by its window.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        By channel; only of those with carryover of a kind that has no end.
    """
    results: dict[str, float] = {}
    for group in model.structure.groups:
        window = model.arrays.groups[group.suffix].window
        params = {
            name: np.asarray(draws[name])
            for name in (f"{stem}_{group.suffix}" for stem in CARRYOVER)
            if name in draws
        }
        weights = in_chunks(partial(_carryovers, group, window), params)
        lasts = np.asarray(window, int)
        for place, name in enumerate(model.channels(group.kind)):
            if group.adstock[place] in _ENDLESS and lasts[place] > 1:
                own = weights[:, place]
                share = own[:, lasts[place] - 1] / own.max(axis=1)
                results[name] = float((share >= KEPT).mean())
    return results


@persistent(options=QUICK)
def _carryovers(group, window, params):
    return jax.vmap(partial(carryover, group, window))(params)
