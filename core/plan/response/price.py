r"""The price of media: more of it at a time costs more a unit.

What a channel buys grows with its spend x as

    units(x) / units(today) = (x / today)^(1 - gamma),   0 <= gamma < 1

so that its price per unit grows with the power gamma of what is bought for, and today's
spend buys today's units. Below a hundredth of today's spend the price is constant: no
medium is free. Outcome in money is the outcome of these units; units rise and bend
down, so a concave outcome stays concave, and a piecewise cubic one is one again on
knots of its own.

A channel may also make us spend elsewhere: television that makes people search makes us
pay for clicks, a mediator that costs money. With x spent on its own media it costs

    z(x) = x + E g(x)

with g what it makes be spent elsewhere, draws differing. As z rises, a plan can be made
in what channels cost altogether: its curve there is f(x(z)), of one channel alone, so
solvers and bounds are those of any plan. Cash is met in expectation; each draw's own is
x + g_d(x). g bends down, so that x(z) bends up: f(x(z)) may be S-shaped, as a Hill
curve may, and is bounded as one.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Float

from core import text as fmt
from core.errors import PlanError
from core.plan.response.curves import Bill, ResponseCurves, response_curves

#: Share of today's spend below which the price is constant.
CHEAPEST = 0.01
#: The largest gamma that a plan takes: at 0.9 ten times the units cost 10^10 times.
LARGEST = 0.9
#: Knots from there to a multiple from which the grid itself is fine enough, and how
#: close two of them are to the kink.
_KNOTS, _TOP, _KINK = 64, 3.0, 1e-3

#: Points among which x(z) is looked for, and steps of Newton's method after that.
_POINTS, _STEPS = 4001, 3


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
    if curves.bill is not None:
        raise PlanError(
            "Channels that make us spend elsewhere cannot also get dearer with volume.",
            hint="Take gamma out, or cost out of [[funnel]].",
            where="gamma",
        )
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


def curves_all_in(stored: xr.Dataset) -> ResponseCurves:
    """Response curves of what channels cost altogether, for plans.

    Args:
        stored: What a worker stored (`curves.nc`, `horizon_curves.nc`).

    Raises:
        PlanError: No channel has spend in these periods.
        WorkspaceError: Something is missing or not a number.
    """
    curves = response_curves(stored)
    if "induced" not in stored:
        return curves
    own = stored.sel(channel=list(curves.names))
    order = ("draw", "channel", "spend_multiplier")
    value, slope = (
        own[name].transpose(*order).values.astype(float)
        for name in ("induced", "induced_slope")
    )
    return all_in(curves, value, slope)


def all_in(
    curves: ResponseCurves,
    induced: Float[np.ndarray, "draw channel knot"],
    slope: Float[np.ndarray, "draw channel knot"],
) -> ResponseCurves:
    """Curves over what channels cost altogether.

    Args:
        curves: Over the spend on their own media.
        induced: What that makes be spent elsewhere, on their grid; currency.
        slope: Its derivative with respect to the multiplier.
    """
    caused = replace(curves, value=induced, slope=slope)
    mean = caused.mean()
    today = curves.spend + mean.outcome(curves.spend)[0]
    wanted = curves.grid[:, None] * today
    media = _media(mean, wanted)
    value, marginal = curves.outcome_and_marginal(media)
    dearer = 1.0 + mean.marginal(media)[0]
    per_multiple = marginal / dearer * today
    moved = (np.ascontiguousarray(np.moveaxis(x, 1, 2)) for x in (value, per_multiple))
    value, slope = moved
    elsewhere = np.moveaxis(caused.outcome(media), 1, 2)
    return replace(curves, spend=today, value=value, slope=slope, bill=Bill(elsewhere))


def _media(
    mean: ResponseCurves, cost: Float[np.ndarray, "knot channel"]
) -> Float[np.ndarray, "knot channel"]:
    """The spend on own media at which channels cost so much altogether."""
    # No more than all of it is own media.
    some = np.linspace(0.0, 1.0, _POINTS)[:, None] * np.maximum(cost.max(axis=0), 1e-9)
    costs = some + mean.outcome(some)[0]
    media = np.stack(
        [np.interp(*each) for each in zip(cost.T, costs.T, some.T, strict=True)], axis=1
    )
    for _ in range(_STEPS):
        found, rise = (each[0] for each in mean.outcome_and_marginal(media))
        media = np.maximum(media - (media + found - cost) / (1.0 + rise), 0.0)
    return media


def elsewhere_of(
    curves: ResponseCurves, planned: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, "draw channel"] | None:
    """What spends make be spent elsewhere; None where nothing does.

    Args:
        curves: Over what channels cost altogether.
        planned: Currency, altogether.
    """
    if curves.bill is None:
        return None
    at = planned / curves.spend
    return np.stack(
        [
            [
                np.interp(at[c], curves.grid, knots)
                for knots in curves.bill.induced[:, c]
            ]
            for c in range(len(curves.names))
        ],
        axis=1,
    )


def note(curves: ResponseCurves, planned: Float[np.ndarray, " channel"]) -> str:
    """What of a plan's cost is spent elsewhere, in a sentence; or nothing."""
    induced = elsewhere_of(curves, planned)
    if induced is None or not induced.any():
        return ""
    total = induced.sum(axis=1)
    low, high = np.quantile(total, [0.05, 0.95])
    names = [
        name for name, own in zip(curves.names, induced.T, strict=True) if own.any()
    ]
    amount, low, high = (
        fmt.money(float(each), curves.currency) for each in (total.mean(), low, high)
    )
    return (
        f"Amounts of {', '.join(names)} include what they make us spend elsewhere: "
        f"{amount} ({low} to {high}) of the budget, which is met in expectation"
    )
