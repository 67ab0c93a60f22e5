r"""Joint: draws of one fit as those of several fits together, by weights.

Of several fits that share mu and tau, the posterior of one is its likelihood times what
the others leave its returns: the product over kinds of

    q(theta) = ∫ prod_c p(theta_c | mu, tau) p(mu, tau | y_others)

in place of its own priors. So its draws get the weights
q(theta) / prod_c prior(theta_c).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from core.model.priors.distribution import log_density
from core.model.priors.pooling.learnt import Learnt
from core.model.priors.pooling.pooled import APART, FAR, grid
from core.model.priors.prior import Prior

#: Nodes with less than this share of the largest weight are left out.
_LEAST = 1e-5
_CHUNK = 250


def log_weights(
    roi: Float[np.ndarray, "draw channel"],
    own: Sequence[tuple[Prior, float]],
    kinds: Sequence[str],
    others: Mapping[str, Sequence[Learnt]],
    default: tuple[float, float],
) -> Float[np.ndarray, " draw"]:
    """Logarithms of the weights of a fit's draws, up to a constant.

    Args:
        roi: Draws of the ROI of the channels whose priors can be taken out.
        own: Prior of each, and the return for one unit of what it is of (`learnt`).
        kinds: Kind of each.
        others: What the other fits have learnt, by kind; kinds that are not in it, or
            of which nothing was learnt, keep their own priors.
        default: Mean and standard deviation of the logarithm by the default prior.
    """
    total = np.zeros(len(roi))
    for kind in sorted(set(kinds)):
        learnt = [each for each in others.get(kind, ()) if each.is_something]
        if not learnt:
            continue
        places = [place for place, other in enumerate(kinds) if other == kind]
        theta = np.log(roi[:, places])
        total += _log_left(theta, learnt, default)
        for place in places:
            prior, factor = own[place]
            values = roi[:, place]
            total -= log_density(prior, values / factor) + np.log(values)
    return total


def _log_left(
    theta: Float[np.ndarray, "draw channel"],
    learnt: Sequence[Learnt],
    default: tuple[float, float],
) -> Float[np.ndarray, " draw"]:
    """Log density of the returns of one kind by what other fits have learnt."""
    nodes = grid(learnt, default)
    mask = nodes.weight > _LEAST * nodes.weight.max()
    mu, tau, weight = (part[mask] for part in nodes)
    result = []
    for some in np.array_split(theta, max(1, len(theta) // _CHUNK)):
        logs = np.tile(np.log(weight), (len(some), 1))
        for column in some.T:
            apart = (column[:, None] - mu) ** 2
            near, far = (
                np.log(share) - 0.5 * (apart / v + np.log(2 * np.pi * v))
                for share, v in ((1 - APART, tau**2), (APART, tau**2 + FAR))
            )
            logs += np.logaddexp(near, far)
        top = logs.max(axis=1)
        result.append(top + np.log(np.exp(logs - top[:, None]).sum(axis=1)))
    return np.concatenate(result)
