"""Monotone cubics through points (PCHIP, Fritsch and Butland 1984).

SciPy has the same, but brings along its optimisers, matrices and trees: 23 MB that
the web process would hold for one line of a chart.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class _Pieces(NamedTuple):
    """Cubics between two points, one for each place.

    Attributes:
        t: How far into the interval, share.
        width: Of the interval.
        start: Value where it begins.
        end: Value where it ends.
        first: Slope where it begins.
        last: Slope where it ends.
    """

    t: np.ndarray
    width: np.ndarray
    start: np.ndarray
    end: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @property
    def value(self) -> np.ndarray:
        t = self.t
        bend = t * (1 - t) * self.width
        rise = t * t * (3 - 2 * t)
        tangents = (1 - t) * self.first - t * self.last
        return self.start + rise * (self.end - self.start) + bend * tangents

    @property
    def slope(self) -> np.ndarray:
        t = self.t
        chord = (self.end - self.start) / self.width
        first = (1 - t) * (1 - 3 * t) * self.first
        last = t * (3 * t - 2) * self.last
        return 6 * t * (1 - t) * chord + first + last


class Monotone:
    """Cubics between points of a grid that never overshoot them.

    Attributes:
        grid: Rising, two points or more.
        value: What the curves are at the points, along the first axis.
        slope: Their derivatives there.
    """

    def __init__(
        self,
        grid: Float[np.ndarray, " point"],
        value: Float[np.ndarray, " point *rest"],
    ):
        self.grid, self.value = grid, value
        self.slope = _slopes(grid, value)

    def __call__(self, at: Float[np.ndarray, " x"]) -> Float[np.ndarray, " x *rest"]:
        """The curves at places inside the grid."""
        return self._pieces(at).value

    def along(self, at: Float[np.ndarray, " x"]) -> Float[np.ndarray, " x *rest"]:
        """The curves at places, beyond the ends of the grid along their tangents."""
        within = np.clip(at, self.grid[0], self.grid[-1])
        over = (at - within).reshape(-1, *[1] * (self.value.ndim - 1))
        return self(within) + over * self.derivative(within)

    def along_each(
        self, at: Float[np.ndarray, " curve"]
    ) -> Float[np.ndarray, " curve *rest"]:
        """As `along`, each curve of the values' second axis at a place of its own."""
        within = np.clip(at, self.grid[0], self.grid[-1])
        pieces = self._pieces(within, np.arange(len(at)))
        over = (at - within).reshape(pieces.t.shape)
        return pieces.value + over * pieces.slope

    def derivative(self, at: Float[np.ndarray, " x"]) -> Float[np.ndarray, " x *rest"]:
        """The curves' derivatives at places inside the grid."""
        return self._pieces(at).slope

    def _pieces(self, at: np.ndarray, *curve: np.ndarray) -> _Pieces:
        """What each place lies on, of all curves or of one of them."""
        k = np.searchsorted(self.grid, at, side="right") - 1
        k = np.clip(k, 0, len(self.grid) - 2)
        start, end = self.value[k, *curve], self.value[k + 1, *curve]
        width = self.grid[k + 1] - self.grid[k]
        t = (at - self.grid[k]) / width
        shape = (-1, *[1] * (start.ndim - 1))
        slopes = self.slope[k, *curve], self.slope[k + 1, *curve]
        return _Pieces(t.reshape(shape), width.reshape(shape), start, end, *slopes)


def _slopes(
    grid: Float[np.ndarray, " point"], value: Float[np.ndarray, " point *rest"]
) -> Float[np.ndarray, " point *rest"]:
    """Zero where a curve turns, else a harmonic mean of the chords beside it."""
    width = np.diff(grid).reshape(-1, *[1] * (value.ndim - 1))
    chord = np.diff(value, axis=0) / width
    if len(chord) == 1:
        return np.concatenate([chord, chord])
    slope = np.zeros_like(value)
    before, after = chord[:-1], chord[1:]
    rises_on = before * after > 0
    weight = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    weight = [
        np.broadcast_to(width_of_both, before.shape)[rises_on]
        for width_of_both in weight
    ]
    # Harmonic: where one chord is flat the slope is, too, and no cubic overshoots.
    ratios = weight[0] / before[rises_on] + weight[1] / after[rises_on]
    slope[1:-1][rises_on] = (weight[0] + weight[1]) / ratios
    slope[0] = _end(width[0], width[1], chord[0], chord[1])
    slope[-1] = _end(width[-1], width[-2], chord[-1], chord[-2])
    return slope


def _end(
    width: np.ndarray, next_width: np.ndarray, chord: np.ndarray, next_chord: np.ndarray
) -> np.ndarray:
    """Slope at an end: of the parabola through three points, as far as it keeps shape.

    Args:
        width: Of the interval at the end.
        next_width: Of the one beside it.
        chord: Slope of the chord over the interval at the end.
        next_chord: Of the one beside it.
    """
    slope = ((2 * width + next_width) * chord - width * next_chord) / (
        width + next_width
    )
    slope = np.where(slope * chord <= 0, 0.0, slope)
    # At most three times the chord: beyond, a cubic is not monotone (Fritsch and
    # Carlson).
    turns = (chord * next_chord <= 0) & (np.abs(slope) > 3 * np.abs(chord))
    return np.where(turns, 3 * chord, slope)
