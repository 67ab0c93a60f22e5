r"""Power scaling: how far draws move where a part of their density counts for more.

The draws get the weights $p^{\alpha - 1}$ of the part $p$, prior or likelihood, with
their tail smoothed; the distance moved is that between the distributions with and
without weights (cumulative Jensen-Shannon), per doubling of the part (Kallioinen et al.
2024). As `psense` of arviz-stats, which imports half of SciPy for it.
"""

import math

import numpy as np
from jaxtyping import Float

from core.fit.convergence import effective_sizes, split
from core.fit.importance import pareto_smoothed

#: Powers that a part of the density is raised to.
ALPHAS = (0.99, 1.01)
#: Tails of the log density by whose effective size that of the weights is chosen.
_TAILS = (0.05, 0.95)
#: Fewest draws of a tail.
_FEWEST = 5


def sensitivity(
    values: Float[np.ndarray, "chain draw"],
    log_density: Float[np.ndarray, "chain draw"],
) -> float:
    """Power-scaling sensitivity of a quantity to one part of the density.

    Args:
        values: The quantity.
        log_density: Log prior or log likelihood of the same draws.

    Returns:
        Distance moved per doubling of the part; above 0.05 is worth a word. NaN
        where draws are too few or do not vary.
    """
    if values.shape[1] < 4 or min(np.ptp(values), np.ptp(log_density)) < 1e-9:
        return float("nan")
    part, n_tail = log_density.reshape(-1), _tail(log_density)
    order = np.argsort(values, axis=None)
    widths = np.diff(values.reshape(-1)[order])
    moved = 0.0
    with np.errstate(all="ignore"):  # draws far from the density have no weights
        for alpha in ALPHAS:
            log_weight = pareto_smoothed((alpha - 1) * part[None], n_tail)[0][0]
            weight = np.exp(log_weight - log_weight.max())[order]
            both_ways = (weight, widths), (weight[::-1], widths[::-1])
            distance = np.max([_distance(*way) for way in both_ways])
            moved += distance / abs(math.log2(alpha))
    return float(moved / len(ALPHAS))


def _tail(log_density: np.ndarray) -> int:
    """Draws of the tail that is smoothed: more where draws depend on each other."""
    chain, n = log_density.reshape(1, 1, -1), log_density.size
    limits = np.quantile(log_density, _TAILS)
    sizes = [effective_sizes(split((chain <= end).astype(float)))[0] for end in limits]
    share = min(sizes) / n
    wanted = 3 * math.sqrt(n / share) if n * share > 225 else n / 5
    return max(min(math.floor(wanted), n // 2), _FEWEST)


def _distance(weight: np.ndarray, width: np.ndarray) -> float:
    """Between the distributions of values with and without weights.

    Args:
        weight: Of the values in order.
        width: From each value to the next.
    """
    n = len(weight)
    plain = np.linspace(1 / n, 1 - 1 / n, n - 1)
    weighed = np.cumsum(weight / weight.sum())[:-1]
    middle = np.log2((plain + weighed) / 2)
    area, other = plain @ width, weighed @ width
    logs = np.log2(weighed, out=np.zeros(n - 1), where=weighed > 0)
    of_plain = (width * plain * (np.log2(plain) - middle)).sum()
    of_weighed = (width * weighed * (logs - middle)).sum()
    excess = 0.5 / math.log(2) * (other - area)
    total = max(0.0, of_plain + excess) + max(0.0, of_weighed - excess)
    return float(np.sqrt(total / (area + other)))
