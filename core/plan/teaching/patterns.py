"""Patterns: ways to vary the weeks of a plan so that they tell more.

What a plan of weeks tells is not concave in it, so an ascent begins from designed
patterns: dark weeks in a row with their money in the weeks after (carryover apart from
level), levels well above and below in blocks of weeks (saturation), and blocks whose
signs no two channels share (channels apart from each other). Signs and places come
from a seed, so that spend does not follow demand. Each channel keeps its money.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells

Spend = Float[np.ndarray, "channel week"]

#: Weeks of a block, as many patterns as fit; patterns of each kind.
_BLOCKS, _EACH = (3, 4, 6, 8, 13), 2
#: How far blocks go up and down, as a share.
_SWING = 0.9


def patterns(plan: Spend, cells: Cells, seed: int) -> Iterator[Spend]:
    """Spends, not all within the limits, that vary as a designed experiment does.

    Args:
        plan: That only earns.
        cells: Limits; what is booked stays.
        seed: Of signs and places.
    """
    rng = np.random.default_rng([seed, 32])
    free = cells.high > cells.low
    n_weeks = plan.shape[1]
    for size in _BLOCKS:
        if 2 * size > n_weeks:
            break
        for _ in range(_EACH):
            yield _moved(plan, free, _dark(plan.shape, size, rng))
            yield _moved(plan, free, 1 + _SWING * signs(plan.shape, size, rng))


def _dark(shape: tuple[int, int], size: int, rng: np.random.Generator) -> Spend:
    """Multiples: a block of nothing, then one of twice as much, now and then.

    Channels take turns, so that few are dark together.
    """
    n_channels, n_weeks = shape
    multiple = np.ones(shape)
    pairs = n_weeks // (2 * size)
    order = rng.permutation(n_channels)
    for turn, channel in enumerate(order):
        first = turn % max(pairs, 1)
        every = 2 if pairs >= 4 else max(pairs, 1)
        for pair in range(first % every, pairs, every):
            start = 2 * size * pair + int(rng.integers(0, n_weeks % (2 * size) + 1))
            multiple[channel, start : start + size] = 0.0
            multiple[channel, start + size : start + 2 * size] = 2.0
    return multiple


def signs(shape: tuple[int, int], size: int, rng: np.random.Generator) -> Spend:
    """Signs by block; as many of each as can be, channels as unlike as they come.

    Args:
        shape: Channels, and weeks or geos.
        size: Of a block.
        rng: Of the signs.
    """
    n_channels, n_weeks = shape
    n_blocks = -(-n_weeks // size)
    half = np.resize([1.0, -1.0], n_blocks)
    best, least = None, np.inf
    for _ in range(8):
        tried = np.stack([rng.permutation(half) for _ in range(n_channels)])
        alike = np.abs(tried @ tried.T - n_blocks * np.eye(n_channels)).max()
        if alike < least:
            best, least = tried, alike
    return np.repeat(best, size, axis=1)[:, :n_weeks]


def _moved(plan: Spend, free: np.ndarray, multiple: Spend) -> Spend:
    """The plan times multiples in its free weeks, each channel's money kept."""
    ask = np.where(free, plan * multiple, 0.0)
    money = np.where(free, plan, 0.0).sum(axis=1, keepdims=True)
    total = np.maximum(ask.sum(axis=1, keepdims=True), 1e-300)
    return np.where(free, ask * money / total, plan)
