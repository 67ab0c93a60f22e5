"""Modes: the places of highest density, climbed to from dispersed starts."""

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from core.errors import SamplingError

#: Log density and gradient at many points: (point dim) to (point) and (point dim).
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: Climbs from dispersed starts; more than one, so that a second mode is found.
STARTS = 8

_MEMORY = 20
_MOST_STEPS = 500

#: A gain of log density that is worth a step.
_ENOUGH = 1e-3


class Mode(NamedTuple):
    """A place of highest density among its neighbours."""

    position: np.ndarray
    log_density: float


def find_modes(evaluate: Evaluate, dim: int, rng: np.random.Generator) -> list[Mode]:
    """Distinct modes, the highest first.

    Args:
        evaluate: Log density and gradient.
        dim: Length of a position.
        rng: Of the starts.

    Raises:
        SamplingError: The log density is finite nowhere near the start.
    """
    starts = finite_starts(evaluate, dim, rng, STARTS)
    tops = climb_all(evaluate, starts)
    tops.sort(key=lambda top: -top.log_density)
    modes: list[Mode] = []
    for top in tops:
        # Not by distance: coordinates that the data hardly know differ widely between
        # climbs to one top.
        if all(has_valley(evaluate, mode, top) for mode in modes):
            modes.append(top)
    return modes


def finite_starts(
    evaluate: Evaluate, dim: int, rng: np.random.Generator, n_starts: int
) -> np.ndarray:
    """Dispersed positions of finite log density: uniform within two of zero.

    Where the log density is not finite there, within ever less of zero.

    Raises:
        SamplingError: None was found.
    """
    starts: list[np.ndarray] = []
    for width in 2.0 * 0.6 ** np.arange(12):
        points = rng.uniform(-width, width, (n_starts, dim))
        starts += list(points[np.isfinite(evaluate(points)[0])])
        if len(starts) >= n_starts:
            break
    if not starts:
        raise SamplingError(
            "The model's log density is not a finite number at any start.",
            hint="Look for extreme values in the data and for priors that exclude "
            "each other; with float32, try float64.",
        )
    return np.array(starts[:n_starts])


def climb_all(
    evaluate: Evaluate, starts: np.ndarray, most_steps: int = _MOST_STEPS
) -> list[Mode]:
    """Climb from every start, evaluating one point of each at a time."""
    # Generators, so that all climbs ask at once: one compiled call evaluates a point of
    # each.
    climbs = [_climb(start, most_steps) for start in starts]
    points = {index: next(climb) for index, climb in enumerate(climbs)}
    tops: dict[int, Mode] = {}
    while points:
        places = list(points)
        values, gradients = evaluate(np.array([points[place] for place in places]))
        for place, value, gradient in zip(places, values, gradients, strict=True):
            try:
                points[place] = climbs[place].send((float(value), gradient))
            except StopIteration as stop:
                tops[place] = stop.value
                del points[place]
    return [tops[place] for place in sorted(tops)]


class _Pair(NamedTuple):
    """A step, how the gradient fell along it, and their product."""

    step: np.ndarray
    bend: np.ndarray
    product: float


_Climb = Generator[np.ndarray, tuple[float, np.ndarray], Mode]


def _climb(start: np.ndarray, most_steps: int) -> _Climb:
    """L-BFGS ascent: yields a point, is sent its log density and gradient.

    It ends where the next step promises less than a thousandth, or where the last
    three brought no more: the log density is a sum of thousands of terms, and float32
    tells no finer.
    """
    position = start
    value, gradient = yield position
    pairs: list[_Pair] = []
    gains = [np.inf]
    for _ in range(most_steps):
        direction = _newton_like(gradient, pairs)
        if gradient @ direction < 2 * _ENOUGH or max(gains[-3:]) < _ENOUGH:
            break
        top = yield from _search(position, value, gradient, direction)
        if top is None:
            if not pairs or gains[-1] == 0:
                break
            # A failed search from a stale curvature: once more from the gradient alone.
            pairs, gains = [], [*gains, 0.0]
            continue
        new, new_value, new_gradient = top
        step, bend = new - position, gradient - new_gradient
        # Only curvature downwards keeps the approximation positive definite.
        product = step @ bend
        if product > 1e-10 * (bend @ bend):
            pairs = [*pairs, _Pair(step, bend, product)][-_MEMORY:]
        gains.append(new_value - value)
        position, value, gradient = new, new_value, new_gradient
    return Mode(position, value)


def _newton_like(gradient: np.ndarray, pairs: list[_Pair]) -> np.ndarray:
    """Two-loop recursion: the inverse curvature of recent steps x the gradient."""
    direction = gradient.copy()
    weights = []
    for step, bend, product in reversed(pairs):
        weight = (step @ direction) / product
        direction -= weight * bend
        weights.append(weight)
    if pairs:
        _, bend, product = pairs[-1]
        # The usual first guess of the inverse Hessian (Nocedal and Wright, 7.20).
        direction *= product / (bend @ bend)
    else:
        direction /= max(float(np.linalg.norm(gradient)), 1.0)
    for (step, bend, product), weight in zip(pairs, reversed(weights), strict=True):
        direction += step * (weight - (bend @ direction) / product)
    return direction


def _search(position, value, gradient, direction):
    """Line search for the weak Wolfe conditions by bisection; None if it fails."""
    slope = float(gradient @ direction)
    low, high, length = 0.0, np.inf, 1.0
    best = None
    for _ in range(25):
        new = position + length * direction
        new_value, new_gradient = yield new
        # Written so that NaN counts as a failure.
        if not new_value >= value + 1e-4 * length * slope:
            high = length
        else:
            best = (new, new_value, new_gradient)
            if float(new_gradient @ direction) <= 0.9 * slope:
                return best
            low = length
        length = 2 * low if np.isinf(high) else (low + high) / 2
    return best


def has_valley(evaluate: Evaluate, first: Mode, other: Mode) -> bool:
    """Whether the density dips on the straight line between two tops."""
    share = np.array([0.25, 0.5, 0.75])[:, None]
    between = evaluate(first.position + share * (other.position - first.position))[0]
    return float(between.min()) < min(first.log_density, other.log_density) - 2.0
