r"""Elsewhere: what a channel makes be spent on a mediator that costs money.

Television that makes people search makes us pay for clicks. A channel that spends x on
its own media costs

    z(x) = x + E g(x)

with g what it makes be spent elsewhere, draws differing. As z rises, a plan can be made
in what channels cost altogether: its curve there is f(x(z)), of one channel alone, so
solvers and bounds are those of any plan. Cash is met in expectation; each draw's own is
x + g_d(x). g bends down, so that x(z) bends up: f(x(z)) may be S-shaped, as a Hill
curve may, and is bounded as one.
"""

from dataclasses import replace

import numpy as np
import xarray as xr
from jaxtyping import Float

from core import text as fmt
from core.plan.response.curves import Bill, ResponseCurves, response_curves

#: Points among which x(z) is looked for, and steps of Newton's method after that.
_POINTS, _STEPS = 4001, 3


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
    curves: ResponseCurves,
    mean: ResponseCurves,
    cost: Float[np.ndarray, "knot channel"],
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
