"""Information: what it would be worth to the plan to know a channel's response.

The best plan for the mean curves has to serve every draw. If a lift test told channel
c's curve f_c exactly, the plan could follow it; before the test, that is worth

    E_d [ max_x F(x; f_c = f_dc) - F(x*; f_c = f_dc) ],    F = sum of the curves,

with the other channels at their means and x* the best plan for the mean (the expected
value of partial perfect information, Heath et al. 2017, with the channels taken as
independent). A channel whose curve is uncertain but would get the same money in every
case is worth nothing here, however wide its interval.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.estimate import Estimate, estimate
from core.plan.limits.channels import DEFAULT_BOUNDS
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.solve.per_draw import own_plans

#: Draws that are enough for a mean of this kind, in a fit and in a plan alike: what a
#: test is worth is one number.
_DRAWS = 400


class Worth(NamedTuple):
    """What knowing one channel's response would do to the plan.

    Attributes:
        outcome: Expected gain, in outcome over as many periods as were fitted.
        moved: Share of the budget that the plan would move, expected.
    """

    outcome: float
    moved: float


def worth_of_knowing(
    curves: ResponseCurves, bounds: tuple[float, float] = DEFAULT_BOUNDS
) -> dict[str, Worth]:
    """What each channel's response is worth knowing, at the budget that was spent.

    Args:
        curves: All draws.
        bounds: Of every channel's spend in the plan, multiples of current spend.
    """
    low, high = (bound * curves.spend for bound in bounds)
    return worth_within(curves, (low, high), float(curves.spend.sum()), curves.names)


def worth_within(
    curves: ResponseCurves,
    limits: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    budget: float,
    names: Sequence[str],
) -> dict[str, Worth]:
    """What some channels' responses are worth knowing to a plan.

    Args:
        curves: All draws.
        limits: Least and most spend of each channel, currency.
        budget: Of the plan, currency.
        names: Channels to ask about.
    """
    every = slice(None, None, -(-curves.n_draws // _DRAWS))
    some = replace(curves, value=curves.value[every], slope=curves.slope[every])
    mean = curves.mean()
    plan = own_plans(mean, *limits, budget, curves.spend).spend[0]
    worth = {}
    for name in names:
        with_answer = _known(some, mean, curves.names.index(name))
        own = own_plans(with_answer, *limits, budget, curves.spend).spend
        gain = _outcome_of_each(with_answer, own) - with_answer.outcome(plan).sum(
            axis=1
        )
        moved = np.abs(own - plan).sum(axis=1).mean() / 2 / budget
        worth[name] = Worth(max(float(gain.mean()), 0.0), float(moved))
    return worth


def roi_ahead(stored: xr.Dataset) -> dict[str, Estimate]:
    """ROI of each paid channel with spend in the periods that a plan is for, by name.

    Args:
        stored: Response curves of those periods (`horizon_curves.nc`).
    """
    if not bool((stored["spend"] > 0).any()):
        return {}
    curves = response_curves(stored)
    roi = curves.outcome(curves.spend) / curves.spend
    return dict(zip(curves.names, map(estimate, roi.T), strict=True))


def ranked(summary: dict[str, Any], stored: xr.Dataset) -> dict[str, Any]:
    """The summary, the evidence of each paid channel with what knowing it is worth.

    `rank` orders the channels, `matters` is the share of the sum, `worth` the expected
    gain in outcome and `moves` the share of the budget that would move, in a plan of
    today's budget for `plan_periods` periods from `plan_start`.

    Args:
        summary: What `core.analysis.learning.evidence.with_evidence` gives.
        stored: Response curves of the periods that a plan is for
            (`horizon_curves.nc`).
    """
    has_spend = bool((stored["spend"] > 0).any())
    by_name = worth_of_knowing(response_curves(stored)) if has_spend else {}
    names = [row["name"] for row in summary["channels"] if row.get("evidence")]
    worth = {name: by_name.get(name, Worth(0.0, 0.0)) for name in names}
    order = sorted(names, key=lambda name: (-worth[name].outcome, -worth[name].moved))
    total = sum(knowing.outcome for knowing in worth.values()) or 1.0
    more = {
        name: {
            "rank": 1 + order.index(name),
            "matters": worth[name].outcome / total,
            "worth": worth[name].outcome,
            "moves": worth[name].moved,
            "plan_start": str(stored.attrs["horizon_start"]),
            "plan_end": str(stored.attrs["horizon_end"]),
            "plan_periods": int(stored.attrs["horizon_periods"]),
        }
        for name in names
    }
    channels = [
        row | {"evidence": row["evidence"] | more[row["name"]]}
        if row["name"] in more
        else row
        for row in summary["channels"]
    ]
    return summary | {"channels": channels}


def _known(some: ResponseCurves, mean: ResponseCurves, place: int) -> ResponseCurves:
    """One channel as each draw has it, the others at their means."""
    value = np.repeat(mean.value, some.n_draws, axis=0)
    slope = np.repeat(mean.slope, some.n_draws, axis=0)
    value[:, place], slope[:, place] = some.value[:, place], some.slope[:, place]
    return replace(some, value=value, slope=slope)


def _outcome_of_each(curves: ResponseCurves, spend: np.ndarray) -> np.ndarray:
    """Outcome of a plan of its own in each draw."""
    n, n_points = curves.n_draws, len(curves.grid)
    # As one draw of so many times as many channels: hundreds of draws at a time.
    apart = replace(
        curves,
        names=curves.names * n,
        spend=np.tile(curves.spend, n),
        highest_seen=np.tile(curves.highest_seen, n),
        by_period=None,
        value=curves.value.reshape(1, -1, n_points),
        slope=curves.slope.reshape(1, -1, n_points),
    )
    return apart.outcome(spend.reshape(-1)).reshape(spend.shape).sum(axis=1)
