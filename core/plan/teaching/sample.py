r"""Value of the year: what planning again with its weeks brings, by simulation.

As for a lift test (Raiffa and Schlaifer 1961): a draw is taken as the truth, its weeks
are simulated, the other draws count by how likely they made what was read of them, and
the next horizon is planned for their weighted mean,

    value = E_d [ f_d(x(t_d)) - f_d(x*) ],   t_d = B (z_d + e_d)

with B the best linear readings of `core.plan.teaching.knowledge`, those few directions
that matter most to the plan. Readings are blurred a little, which loses some of what
they tell and keeps weights of few draws from passing chance for knowledge. The draw
that is the truth never counts for itself. So the value is one that can be had: from
about zero to that of perfect information.
"""

import numpy as np
from jaxtyping import Float

from core.plan.solve.per_draw import own_plans
from core.plan.teaching.knowledge import Reading
from core.plan.teaching.stakes import Stakes

#: Directions that are read, and draws that are taken as the truth.
_DIRECTIONS, _TRUTHS = 3, 300


def truths(n_draws: int) -> np.ndarray:
    """Places of the draws that are taken as the truth."""
    return np.unique(np.linspace(0, n_draws - 1, _TRUTHS).astype(int))


def gains_of_sample(
    stakes: Stakes, reading: Reading, seed: int
) -> Float[np.ndarray, " truth"]:
    """What planning again gains in each draw that is taken as the truth, outcome.

    Args:
        stakes: The next plan.
        reading: Of its `pull`.
        seed: Of the simulated weeks: the same for plans that are compared.
    """
    place = truths(stakes.curves.n_draws)
    if stakes.certainty <= 0:
        return np.zeros(len(place))
    expected, noise = _readings(reading)
    rng = np.random.default_rng([seed, 31])
    fresh = rng.standard_normal((len(place), _DIRECTIONS))[:, : expected.shape[1]]
    sample = expected[place] + fresh @ np.linalg.cholesky(noise).T
    weight = _weights(sample, expected, noise, place)
    after = stakes.curves.weighted(weight)
    plans = own_plans(after, stakes.low, stakes.high, stakes.budget, stakes.plan).spend
    gains = zip(place.tolist(), plans, strict=True)
    return np.array([stakes.gain(draw, spend) for draw, spend in gains])


def _readings(reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    """Readings that each draw expects, and the covariance of what is read.

    Draw direction; direction direction.
    """
    value, vector = np.linalg.eigh(reading.learned)
    most = np.argsort(-value)[:_DIRECTIONS]
    most = most[value[most] > 1e-9 * max(float(value.max()), 1e-300)]
    weight = vector[:, most].T @ reading.weight
    expected = reading.deviation @ weight.T
    n, k = expected.shape
    blur = n ** (-2 / (k + 4)) * np.atleast_2d(np.cov(expected.T))
    return expected, weight @ reading.noise @ weight.T + blur


def _weights(
    sample: np.ndarray, expected: np.ndarray, noise: np.ndarray, place: np.ndarray
) -> Float[np.ndarray, "truth draw"]:
    """How likely each draw is after what was read; rows sum to one."""
    root = np.linalg.cholesky(noise)
    far = np.linalg.solve(
        root, (sample[:, None] - expected[None]).reshape(-1, len(root)).T
    )
    log = -0.5 * (far**2).sum(axis=0).reshape(len(sample), len(expected))
    log[np.arange(len(place)), place] = -np.inf
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)
