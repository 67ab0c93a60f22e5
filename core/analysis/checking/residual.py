"""Residual noise of a forecast: what geos have in common, and what goes on."""

from collections.abc import Mapping

import numpy as np

from core.analysis.checking.pointwise import scaled_means, sigmas
from core.analysis.learning.cells import cells
from core.data.ahead.horizon import next_times
from core.model.build import Model
from core.model.terms.linear_terms import noise_blocks

#: Periods after the data that are looked through for the first one of a horizon.
_FARTHEST = 1000


def later_noise(
    model: Model, draws: Mapping[str, np.ndarray], times: np.ndarray, seed: int
) -> np.ndarray:
    """Noise of later periods; scaled KPI, draw geo time.

    Noise with memory goes on from what each draw leaves of the last seen cell of a
    geo: k periods later it has the mean rho^k times that, and the rest of its variance.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        times: The later periods. At the data's own periods noise starts afresh.
        seed: Of the random numbers.
    """
    sigma = sigmas(model, draws)
    shape = (*sigma.shape, len(times))
    fresh = sigma[:, :, None] * noise(shape, common_noise(model, draws), seed)
    fresh += period_noise(model, draws, times, seed)[:, None, :]
    if not model.structure.has_memory:
        return fresh
    rho = np.asarray(draws["rho"], np.float64)
    start, steps = _last_noise(model, draws)
    ahead = np.flatnonzero(next_times(model.data.times, _FARTHEST) >= times[0])
    is_later = times[0] > model.data.times[-1]
    # Noise from the past fades with every period between, those that nobody asks for,
    # too.
    steps = steps + (ahead[0] + 1 if is_later and len(ahead) else np.inf)
    return with_memory(fresh, rho, start, steps)


def with_memory(
    fresh: np.ndarray,
    rho: np.ndarray,
    start: np.ndarray | float = 0.0,
    steps: np.ndarray | float = np.inf,
) -> np.ndarray:
    """AR(1) noise of the same variance at any time, from independent noise.

    Args:
        fresh: Independent over time; draw ... time.
        rho: What goes on, draw.
        start: Noise that it goes on from, draw ...; of no account where `steps` is
            infinite.
        steps: Periods from that to the first one here, one or more.
    """
    rho = rho.reshape(-1, *(1,) * (fresh.ndim - 2))
    carry = rho**steps
    noise = np.empty_like(fresh)
    # Variance one at any lag: what does not go on is drawn again.
    noise[..., 0] = carry * start + np.sqrt(1 - carry**2) * fresh[..., 0]
    share = np.sqrt(1 - rho**2)
    for t in range(1, fresh.shape[-1]):
        noise[..., t] = rho * noise[..., t - 1] + share * fresh[..., t]
    return noise


def _last_noise(
    model: Model, draws: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Noise of the last seen cell of each geo, draw geo; and how long ago that was.

    Infinitely long where a geo has no seen cell.
    """
    observed = np.asarray(model.arrays.is_seen) > 0
    ago = np.argmax(observed[:, ::-1], axis=1)
    last = np.arange(len(observed)), observed.shape[1] - 1 - ago
    kpi = np.asarray(model.arrays.kpi)[last]
    residual = model.filled.in_chunks(
        lambda *of: kpi - np.asarray(cells(*of).expected)[:, *last], draws
    )
    return residual.astype(np.float64), np.where(observed.any(axis=1), ago, np.inf)


def noise(shape: tuple[int, ...], common: float, seed: int) -> np.ndarray:
    """Standard Normal, draw geo time, with a part that geos have in common."""
    rng = np.random.default_rng([seed, 20])
    # Shared and own parts in shares of variance: each geo's stays one.
    own, shared = rng.normal(size=shape), rng.normal(size=(shape[0], 1, shape[2]))
    return np.sqrt(common) * shared + np.sqrt(1 - common) * own


def period_noise(
    model: Model, draws: Mapping[str, np.ndarray], times: np.ndarray, seed: int
) -> np.ndarray:
    """The model's own common noise in later periods; scaled KPI, draw time.

    Independent over time: of noise with memory, what its shocks have in common.

    Args:
        model: The model; zero where it has no such term.
        draws: Posterior variables, draws first.
        times: The later periods.
        seed: Of the random numbers.
    """
    total = np.zeros((len(draws["sigma"]), len(times)))
    for term in model.structure.terms:
        if term.is_noise:
            blocks = noise_blocks(times, model.data.times)
            # Days of one week share a shock, as in the fit.
            distinct, place = np.unique(blocks, return_inverse=True)
            rng = np.random.default_rng([seed, 21])
            by_draw = rng.normal(size=(len(total), len(distinct)))[:, place]
            total += np.asarray(draws[f"xi_{term.name}"])[:, None] * by_draw
    return total


def demand_noise(
    model: Model, draws: Mapping[str, np.ndarray], n_ahead: int, seed: int
) -> np.ndarray:
    """What hidden demand may be in later periods; scaled KPI, draw geo time.

    The demand term knows a period's demand from its spend, which is a plan later on.
    So each draw has a stretch of the past instead, from a random period on: with the
    memory it had, and what geos and channels had in common.

    Args:
        model: The model; zero where no channel follows demand.
        draws: Posterior variables, draws first.
        n_ahead: Number of later periods.
        seed: Of the random numbers.
    """
    total = np.zeros((len(draws["sigma"]), model.data.n_geos, n_ahead))
    for term in model.terms:
        if term.structure.by_cell:
            design = term.term.design
            rng = np.random.default_rng([seed, 22])
            start = rng.integers(0, design.shape[1], len(total))
            places = (start[:, None] + np.arange(n_ahead)) % design.shape[1]
            gamma = np.asarray(draws[f"gamma_{term.structure.name}"], np.float64)
            for draw, (place, by_channel) in enumerate(zip(places, gamma, strict=True)):
                total[draw] += design[:, place] @ by_channel
    return total


def common_noise(model: Model, draws: Mapping[str, np.ndarray]) -> float:
    """Mean correlation of the residuals of two geos, zero to one.

    Of what is left after the model's own common noise, if it has that term. The
    likelihood takes geos as independent then; a sum over geos whose residuals still go
    together varies more than that.
    """
    if model.data.n_geos == 1:
        return 0.0
    # A mean over draws: fifty say as much as thousands.
    few = {name: value[:: -(-len(value) // 50)] for name, value in draws.items()}
    expected = scaled_means(model, few)
    residual = np.asarray(model.arrays.kpi) - expected.mean(axis=0)
    observed = np.asarray(model.arrays.is_seen).all(axis=0)
    return mean_correlation(residual[:, observed])


def mean_correlation(residual: np.ndarray) -> float:
    """Mean correlation of two rows, from the variance of their standardised mean.

    Args:
        residual: geo time.
    """
    n = len(residual)
    spread = residual.std(axis=1, keepdims=True)
    standard = (residual - residual.mean(axis=1, keepdims=True)) / np.where(
        spread > 0, spread, 1.0
    )
    # Var of a mean of n is (1 + (n - 1) c) / n: the mean of all pairs without any pair.
    correlation = (n * standard.mean(axis=0).var() - 1) / (n - 1)
    # Below zero is noise of the estimate: n geos cannot all move apart.
    return float(np.clip(np.nan_to_num(correlation), 0.0, 1.0))
