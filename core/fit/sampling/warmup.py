"""Warm-up: where chains start, in which coordinates they move, and when they are ready.

Chains start around the modes that dispersed climbs found, from over-dispersed draws of
the Laplace approximation, which also gives the metric. After a few iterations, if the
chains have gone much farther than it foresaw, the curvature where they are replaces it,
and so again until it holds. A window of iterations then corrects the metric from what
the chains saw, another settles the step size. Of thousands of coordinates the modes say
nothing of where the mass is; there a Normal that is fitted to the density takes the
place of the Laplace approximation. Where the curvature makes no sense, windows grow as
in Stan.

The joint mode of a model with thousands of effects and a few scales of theirs is far
from where its draws are: there scales are too large and effects too small, and the
log density is higher by half of one for each effect. From there chains sink, in steps a
hundred times too short, for as long as they are allowed to. The centre of the Normal
that approximates the density best is where the log density, averaged over the Normal,
is highest, and the curvature, averaged likewise, is the inverse of its covariance
(Opper and Archambeau, 2009, The Variational Gaussian Approximation Revisited). So the
two are found in turns, each with the same few draws.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.fit.chains.chains import Chains, generator
from core.fit.chains.coordinates import has_groups, parts, to_position, to_z, whole
from core.fit.chains.kernel import ChainState, Metric, StepSize, Trace
from core.fit.draws import SamplingStopped
from core.fit.sampling.warm_start import WARM_WINDOWS, WarmStart
from core.fit.start.arrow import given_others, metric_around
from core.fit.start.laplace import Laplace, laplace
from core.fit.start.mode import Mode, climb_all, find_modes, finite_starts
from core.text.languages.language import say

#: Turns: enough of them when one moves the centre less than this, in mean squares of
#: standardised coordinates. They need not converge: chains go on from there.
_MOST_ROUNDS, _NEAR = 6, 0.5

#: Draws that averages are taken over, each with its mirror image.
_PAIRS = 2

#: Steps of a climb.
_STEPS = 100

#: Shared coordinates are drawn at most this wide: there are few, and a mode of theirs
#: with the groups averaged out is where the mass is.
_NARROW = 0.1


def typical(
    evaluate: Callable,
    plain: Metric,
    start: Float[np.ndarray, " dim"],
    n_chains: int,
    rng: np.random.Generator,
) -> tuple[Metric, Float[np.ndarray, "chain dim"]] | None:
    """A metric of groups where the mass is, and places there.

    Args:
        evaluate: Log density and gradient of points of a metric's coordinates, or of
            positions where no metric is told.
        plain: The metric of positions; it says which groups there are.
        start: Where to begin.
        n_chains: Places.
        rng: Random numbers.

    Returns:
        None where the density or its curvature make no sense.
    """
    metric = plain._replace(centre=start)
    for turn in range(_MOST_ROUNDS):
        noise = rng.standard_normal((max(_PAIRS, -(-n_chains // 2)), len(start)))
        noise = _finite(lambda z, of=metric: evaluate(z, of), _narrow(noise, metric))
        if noise is None:
            return None

        def mean(points, noise=noise, of=metric):
            evaluations = [evaluate(point + noise, of) for point in points]
            return (
                np.array([value.mean() for value, _ in evaluations]),
                np.array([gradient.mean(axis=0) for _, gradient in evaluations]),
            )

        (top,) = climb_all(mean, np.zeros((1, len(start))), _STEPS)
        places = to_position(top.position + noise, metric)
        around = metric_around(evaluate, places, metric, rng)
        if around is None:
            return None
        metric = around._replace(centre=to_position(top.position, metric))
        if turn and (top.position**2).mean() < _NEAR:
            break
    return metric, places[:n_chains]


def _narrow(noise: np.ndarray, metric: Metric) -> np.ndarray:
    """Draws of each group given the shared coordinates, and these nearly fixed."""
    of_shared, _ = parts(np.minimum(given_others(metric), _NARROW), metric)
    shared, own = parts(noise, metric)
    own = np.einsum("gij,ngj->ngi", metric.own, own)
    return to_z(metric.centre + whole(of_shared * shared, own, metric), metric)


def _finite(evaluate: Callable, noise: np.ndarray) -> np.ndarray | None:
    """The draws with their mirror images, drawn in until the density is a number."""
    # Mirror images: odd terms of the density cancel, and a few draws give a steady
    # mean.
    both = np.concatenate([noise, -noise])
    for _ in range(20):
        if np.isfinite(evaluate(both)[0]).all():
            return both
        both = 0.7 * both
    return None


#: Iterations of the arrival, of the metric and of the step size that a reliable
#: Laplace approximation needs; `warmup` bounds them. An arrival is short: in a bad
#: metric an iteration takes a thousand steps, and a few such steps lead far enough.
LAPLACE_WINDOWS = (5, 100, 100)

#: Arrivals at most.
MOST_ARRIVALS = 10

#: Chains start this much more dispersed than the Laplace approximation.
_DISPERSION = 1.5

#: Modes within this of the largest log mass get chains: e^-5 is under 1 %.
_COMPARABLE = 5.0


class Beginning(NamedTuple):
    """Where and how sampling begins.

    Attributes:
        metric: Standardised coordinates.
        z: Start of each chain in them.
        windows: Iterations of each warm-up window; the last adapts the step size only.
        n_modes: Modes that the chains are spread over.
        notes: What the user should know.
        arrives: Whether the first window is an arrival, after which the chains' own
            curvature may replace the metric.
        fits: Laplace approximations at the modes, where they were taken.
        corrects: Whether windows after the first correct the metric.
    """

    metric: Metric
    z: np.ndarray
    windows: tuple[int, ...]
    n_modes: int
    notes: tuple[str, ...]
    arrives: bool = False
    fits: tuple[Laplace, ...] = ()
    corrects: bool = True

    @property
    def apart(self) -> float:
        """How far the log densities of the modes are apart."""
        tops = [fit.mode.log_density for fit in self.fits]
        return float(np.ptp(tops)) if tops else 0.0


def begin(
    chains: Chains,
    must_stop: Callable[[], bool] = lambda: False,
    warm: WarmStart | None = None,
) -> Beginning:
    """Find the modes, the metric and the starts.

    Args:
        chains: The chains.
        must_stop: Asked before every evaluation.
        warm: What an earlier fit knows, instead; of use where coordinates are the same.

    Raises:
        SamplingError: The log density is finite nowhere.
        SamplingStopped: `must_stop` said so.
    """
    settings, dim = chains.settings, chains.dim

    def evaluate(points, of=chains.plain):
        if must_stop():
            raise SamplingStopped
        return chains.gradients(points, of)

    if warm is not None:
        begun = _begin_warm(chains, warm, evaluate)
        if begun is not None:
            return begun
    if has_groups(chains.plain):
        return _begin_among_many(chains, evaluate)
    modes = find_modes(evaluate, dim, generator(settings.seed, "starts"))
    fits = [laplace(evaluate, mode) for mode in modes]
    peaks = [fit for fit in fits if fit is not None]
    rng = generator(settings.seed, "chains")
    if not peaks:
        return _without_curvature(chains, modes, rng)
    peaks.sort(key=lambda fit: -fit.log_mass)
    peaks = [f for f in peaks if f.log_mass > peaks[0].log_mass - _COMPARABLE]
    peaks = peaks[: settings.chains]
    around = [
        chains.plain._replace(centre=fit.mode.position, scale=fit.scale)
        for fit in peaks
    ]
    metric = around[0]
    lowest = [fit.mode.log_density - 5.0 * dim - 50.0 for fit in peaks]
    positions = _around(evaluate, around, lowest, settings.chains, rng)
    notes = ()
    if len(peaks) > 1:
        notes = (
            say(
                "The data can be explained in {number} separate ways (modes); "
                "chains started from each of them.",
                number=len(peaks),
            ),
        )
    z = to_z(positions, metric)
    windows = bounded(LAPLACE_WINDOWS, settings.warmup)
    return Beginning(metric, z, windows, len(peaks), notes, True, tuple(peaks))


def _begin_warm(chains: Chains, warm: WarmStart, evaluate) -> Beginning | None:
    """The beginning of a run where an earlier fit ended; None where it does not fit."""
    if [*map(np.shape, warm.metric)] != [*map(np.shape, chains.plain)]:
        return None
    if not np.array_equal(warm.metric.places, chains.plain.places):
        return None
    settings = chains.settings
    rng = generator(settings.seed, "chains")
    # Between two modes there may be nothing: there chains start from draws themselves.
    for dispersion in (_DISPERSION, 1.0) if warm.n_modes == 1 else (1.0,):
        z = warm.starts(settings.chains, dispersion, rng)
        if np.isfinite(evaluate(z, warm.metric)[0]).all():
            windows = bounded(WARM_WINDOWS, settings.warmup)
            begun = Beginning(warm.metric, z, windows, warm.n_modes, ())
            return begun._replace(arrives=warm.n_modes == 1, corrects=False)
    return None


def _begin_among_many(chains: Chains, evaluate) -> Beginning:
    """The beginning of a run of thousands of coordinates."""
    settings, dim = chains.settings, chains.dim
    rng = generator(settings.seed, "chains")
    if np.isfinite(evaluate(np.zeros((1, dim)))[0]).all():
        start = np.zeros(dim)
    else:
        start = finite_starts(evaluate, dim, generator(settings.seed, "starts"), 1)[0]
    beginning = typical(evaluate, chains.plain, start, settings.chains, rng)
    if beginning is None:
        return _without_curvature(chains, [Mode(start, 0.0)], rng)
    metric, positions = beginning
    windows = bounded(LAPLACE_WINDOWS, settings.warmup)
    return Beginning(metric, to_z(positions, metric), windows, 1, (), True)


def _around(
    evaluate,
    metrics: list[Metric],
    lowest: list[float],
    n_chains: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Over-dispersed draws, chain by chain around the centres in turn.

    A draw whose log density is below the lowest is drawn in towards its centre.
    """
    steps = _DISPERSION * rng.standard_normal((n_chains, len(metrics[0].centre)))
    of_chain = np.arange(n_chains) % len(metrics)
    for _ in range(20):
        positions = np.array(
            [
                to_position(step, metrics[which])
                for which, step in zip(of_chain, steps, strict=True)
            ]
        )
        is_far = ~(evaluate(positions)[0] > np.array(lowest)[of_chain])
        if not is_far.any():
            break
        steps[is_far] *= 0.7
    return positions


def _without_curvature(chains: Chains, modes: list[Mode], rng) -> Beginning:
    """Start near the modes and learn the metric from the chains alone."""
    settings = chains.settings
    modes = modes[: settings.chains]
    starts = np.array([modes[c % len(modes)].position for c in range(settings.chains)])
    z = starts + 0.1 * rng.standard_normal(starts.shape)
    note = say(
        "The curvature at the mode gave no metric; the chains learned "
        "it, which takes a longer warm-up."
    )
    windows = stan_windows(settings.warmup)
    return Beginning(chains.plain, z, windows, len(modes), (note,))


def bounded(windows: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The windows, shortened in proportion where there is less room."""
    total = sum(windows)
    if total <= most:
        return windows
    shorter = [max(1, window * most // total) for window in windows[:-1]]
    return (*shorter, most - sum(shorter))


def stan_windows(warmup: int) -> tuple[int, ...]:
    """Windows that double, as Stan's: metric from each but the last."""
    first, last = round(0.15 * warmup), round(0.1 * warmup)
    windows, width = [first], max(1, round(0.05 * warmup))
    remaining = warmup - first - last
    while remaining > 0:
        if remaining - width < 2 * width:
            width = remaining
        windows.append(width)
        remaining -= width
        width *= 2
    return (*windows, last)


def first_state(chains: Chains, z: np.ndarray, metric: Metric) -> ChainState:
    """State of chains at `z`, with a step size for well-scaled coordinates."""
    guess = 1.5 * chains.dim**-0.25
    return placed(chains, z, metric, np.full(len(z), np.log(min(guess, 1.0))))


def placed(
    chains: Chains, z: np.ndarray, metric: Metric, log_step: np.ndarray
) -> ChainState:
    """State of chains at `z`, about to adapt their step size from one given."""
    dtype = chains.dtype
    z = z.astype(dtype)
    value, gradient = chains.gradients(z, metric)
    log_step = log_step.astype(dtype)
    zero = np.zeros(len(z), dtype)
    step = StepSize(log_step, log_step, zero, zero, log_step + dtype.type(np.log(3)))
    return ChainState(z, value.astype(dtype), gradient.astype(dtype), step)


def astray(trace: Trace, *, apart: float) -> np.ndarray:
    """Which chains ended where the density is as good as none beside the others'.

    Args:
        trace: Of the arrival.
        apart: How far the log densities of the modes are apart: a wide mode may have
            as much mass as a high one.
    """
    last, dim = trace.log_density[:, -1], trace.z.shape[2]
    # The log density of a Normal varies with a standard deviation of sqrt(dim / 2).
    return last < np.median(last) - apart - max(50.0, 5.0 * np.sqrt(dim / 2))


def stuck(trace: Trace, *, n_modes: int) -> np.ndarray:
    """Which chains are stuck, from the second half of the last window.

    A chain is stuck that accepts next to nothing or stays where it is, or whose log
    density never comes near the other chains' and is on average further below than
    volume could make up for. Chains that started in separate modes are compared by
    acceptance only.
    """
    half = trace.z.shape[1] // 2
    trace = Trace(*[leaf[:, half:] for leaf in trace])
    is_still = trace.acceptance_rate.mean(axis=1) < 0.05
    is_still |= trace.diverging.mean(axis=1) > 0.9
    is_still |= np.ptp(trace.z, axis=1).max(axis=1) < 0.05
    density = np.where(np.isfinite(trace.log_density), trace.log_density, -1e30)
    n_chains, dim = len(density), trace.z.shape[2]
    if n_modes > 1 or n_chains < 2:
        return is_still
    low = np.empty(n_chains, bool)
    for chain in range(n_chains):
        others = np.delete(density, chain, axis=0)[~np.delete(is_still, chain)]
        if not len(others):
            low[chain] = False
            continue
        gap = np.median(others) - np.median(density[chain])
        never_near = density[chain].max() < np.quantile(others, 0.01)
        low[chain] = never_near and gap > max(50.0, dim)
    return is_still | low
