"""Piecewise cubics: response curves in money, and what is best on them at a price.

A curve runs through its knots with given values and slopes (cubic Hermite), so on a
part of the axis it is a curve of the same kind with knots of its own. Pieces of no
width are allowed; they stand where a channel has fewer knots than another.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float


class Cubics(NamedTuple):
    """One curve per channel: knots, values there, slopes there."""

    x: Float[np.ndarray, "channel knot"]
    y: Float[np.ndarray, "channel knot"]
    d: Float[np.ndarray, "channel knot"]


class Best(NamedTuple):
    """Where `y(x) - price * x` is largest per channel, and how large it is there."""

    spend: Float[np.ndarray, " channel"]
    surplus: Float[np.ndarray, " channel"]


class Pieces(NamedTuple):
    """Pieces as polynomials in their own time t, 0 to 1."""

    x0: Float[np.ndarray, "channel piece"]
    y0: Float[np.ndarray, "*draw channel piece"]
    width: Float[np.ndarray, "channel piece"]
    linear: Float[np.ndarray, "*draw channel piece"]
    square: Float[np.ndarray, "*draw channel piece"]
    cube: Float[np.ndarray, "*draw channel piece"]


def hermite(
    t: np.ndarray, width: np.ndarray, ends: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Value and slope of a cubic on one piece.

    With rise = (y1 - y0) / width, in t from 0 to 1:
    y = y0 + width * t * (d0 + t * ((3 rise - 2 d0 - d1) + t * (d0 + d1 - 2 rise))).

    Args:
        t: Place on the piece, 0 to 1.
        width: Width of the piece, above zero.
        ends: y0, y1, d0, d1.
    """
    y0, y1, d0, d1 = ends
    rise = (y1 - y0) / width
    square = 3 * rise - 2 * d0 - d1
    cube = d0 + d1 - 2 * rise
    value = y0 + width * t * (d0 + t * (square + t * cube))
    slope = d0 + t * (2 * square + 3 * t * cube)
    return value, slope


def hermite_weights(
    t: np.ndarray, width: np.ndarray, over: np.ndarray
) -> tuple[np.ndarray, ...]:
    """What y1 - y0, d0 and d1 count in the value of a cubic, along its tangent outside.

    Args:
        t: Place on the piece, 0 to 1.
        width: Width of the piece, above zero.
        over: How far beyond that place the tangent is followed, in units of x.

    Returns:
        Weights of y1 - y0, d0 and d1; y0 counts once.
    """
    s = 1.0 - t
    rise = t * t * (3 - 2 * t) + over * 6 * t * s / width
    first = t * s * s * width + over * s * (1 - 3 * t)
    last = -t * t * s * width + over * t * (3 * t - 2)
    return rise, first, last


def pieces(
    x: Float[np.ndarray, "channel knot"],
    y: Float[np.ndarray, "*draw channel knot"],
    d: Float[np.ndarray, "*draw channel knot"],
) -> Pieces:
    """The curves' pieces, for one draw or many."""
    width = np.diff(x, axis=-1)
    start, end = d[..., :-1] * width, d[..., 1:] * width
    rise = np.where(width > 0, np.diff(y, axis=-1), 0.0)
    square, cube = 3 * rise - 2 * start - end, start + end - 2 * rise
    return Pieces(x[:, :-1], y[..., :-1], width, start, square, cube)


def peaks(
    parts: Pieces, price: float | Float[np.ndarray, "*price"]
) -> tuple[np.ndarray, np.ndarray]:
    """Where `y(x) - price * x` is largest inside each piece, and how large.

    The only candidate inside is the root of y'(x) = price at which y' falls; where
    there is none, an end of the piece is returned. Shapes as `parts.y0`.
    """
    a, b = 3 * parts.cube, 2 * parts.square
    c = parts.linear - price * parts.width
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    falling = b <= 0
    # Of the two forms of a root the one that takes no difference of near equals.
    top = np.where(falling, 2 * c, -b - root)
    bottom = np.where(falling, root - b, 2 * a)
    t = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
    t = np.clip(t, 0.0, 1.0)
    place = parts.x0 + t * parts.width
    value = parts.y0 + t * (parts.linear + t * (parts.square + t * parts.cube))
    return place, value - price * place


def best_at_price(parts: Pieces, curves: Cubics, price: float) -> Best:
    """The spend with the largest outcome net of a price per unit of money.

    Exact: on each piece the candidates are its ends and its peak.
    """
    place, inner = peaks(parts, price)
    gains = np.concatenate([curves.y - price * curves.x, inner], axis=1)
    places = np.concatenate([curves.x, place], axis=1)
    chosen = gains.argmax(axis=1)
    row = np.arange(len(chosen))
    return Best(places[row, chosen], gains[row, chosen])


def slope_range(curves: Cubics) -> tuple[float, float]:
    """A range that holds every slope of every curve."""
    wide = np.diff(curves.x, axis=1) > 0
    if not wide.any():
        return float(curves.d.min()), float(curves.d.max())
    slopes = np.stack([curves.d[:, :-1], _middle(curves), curves.d[:, 1:]])[:, wide]
    return float(slopes.min()), float(slopes.max())


def concave_pieces(curves: Cubics) -> Bool[np.ndarray, "channel piece"]:
    """Which pieces bend downwards all along (pieces of no width do)."""
    middle = _middle(curves)
    d0, d1 = curves.d[:, :-1], curves.d[:, 1:]
    slack = 1e-9 * (np.abs(d0) + np.abs(d1))
    bends_down = (d0 - middle >= -slack) & (middle - d1 >= -slack)
    return bends_down | (np.diff(curves.x, axis=1) <= 0)


def _middle(curves: Cubics) -> np.ndarray:
    """The slope's middle Bezier point, which with the ends bounds the slope."""
    width = np.diff(curves.x, axis=1)
    rise = np.diff(curves.y, axis=1) / np.where(width > 0, width, 1.0)
    return 3 * rise - curves.d[:, :-1] - curves.d[:, 1:]
