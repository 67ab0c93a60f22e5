r"""The price of media: more of it at a time costs more a unit.

What a channel buys grows with its spend x as

    units(x) / units(today) = (x / today)^(1 - gamma),   0 <= gamma < 1

so that its price per unit grows with the power gamma of what is bought for, and today's
spend buys today's units. Below a hundredth of today's spend the price is constant: no
medium is free. Outcome in money is the outcome of these units; units rise and bend
down, so a concave outcome stays concave, and a piecewise cubic one is one again on
knots of its own.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from core.plan.response.curves import ResponseCurves

#: Share of today's spend below which the price is constant.
CHEAPEST = 0.01
#: The largest gamma that a plan takes: at 0.9 ten times the units cost 10^10 times.
LARGEST = 0.9
#: Knots from there to a multiple from which the grid itself is fine enough, and how
#: close two of them are to the kink.
_KNOTS, _TOP, _KINK = 64, 3.0, 1e-3


def units(multiple: np.ndarray | float, gamma: np.ndarray | float) -> np.ndarray:
    """Multiple of today's units that a multiple of today's spend buys; broadcast."""
    gamma = np.asarray(gamma, float)
    return np.asarray(multiple * np.maximum(multiple, CHEAPEST) ** -gamma)


def units_slope(multiple: np.ndarray | float, gamma: np.ndarray | float) -> np.ndarray:
    """Derivative of `units`; at the kink that of the dearer side."""
    gamma = np.asarray(gamma, float)
    rate = np.maximum(multiple, CHEAPEST) ** -gamma
    return np.where(multiple < CHEAPEST, rate, (1 - gamma) * rate)


def gammas_of(scenario: Mapping[str, Any]) -> dict[str, float]:
    """The gammas of a scenario's table, by channel; those above zero."""
    rows = scenario.get("channel")
    rows = rows if isinstance(rows, Mapping) else {}
    stated = {
        name: row.get("gamma") for name, row in rows.items() if isinstance(row, Mapping)
    }
    return {
        name: float(gamma)
        for name, gamma in stated.items()
        if isinstance(gamma, int | float) and gamma > 0
    }


def gamma_rows(scenario: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The same as rows of a scenario's channels: what is kept where amounts are set."""
    return {name: {"gamma": gamma} for name, gamma in gammas_of(scenario).items()}


def priced(
    curves: ResponseCurves, gammas: Mapping[str, float] | Float[np.ndarray, " channel"]
) -> ResponseCurves:
    """Curves in money whose price rises with volume.

    Args:
        curves: At one price, or priced like this already.
        gammas: By channel, those that are not named at one price; or of every one.

    Returns:
        The same curves, unchanged, where every gamma is zero.
    """
    if isinstance(gammas, Mapping):
        gammas = np.array([gammas.get(name, 0.0) for name in curves.names])
    gamma = np.asarray(gammas, float)
    wanted = tuple(gamma.tolist()) if gamma.any() else ()
    if wanted == curves.gammas or not wanted:
        return curves
    if curves.gammas:
        raise ValueError("Curves that are priced already have other gammas.")
    # A cubic has no kink: the one at the cheapest price lies between two knots.
    kink = CHEAPEST * np.array([1 - _KINK, 1 + _KINK])
    rising = np.geomspace(kink[1], min(curves.grid[-1], _TOP), _KNOTS)
    grid = np.unique(np.concatenate([curves.grid, kink, rising]))
    bought = units(grid[:, None], gamma)
    value, marginal = curves.outcome_and_marginal(bought * curves.spend)
    slope = marginal * curves.spend * units_slope(grid[:, None], gamma)
    value, slope = (
        np.ascontiguousarray(np.moveaxis(each, 1, 2)) for each in (value, slope)
    )
    return replace(curves, grid=grid, value=value, slope=slope, gammas=wanted)
