r"""Actuals: what came of a plan, split into spend, response and baseline.

In draw $d$ of the forecast, over the periods that are known, channel $c$ brings
$f_{dc}(m)$ at a multiple $m$ of its media from a year earlier, and everything else
$b_d$. The plan says $m_c$, the actuals $a_c$ and the outcome $Y$:

    planned_d  = b_d + sum_c f_dc(m_c)            expected_d = b_d + sum_c f_dc(a_c)
    spend_dc   = f_dc(a_c) - f_dc(m_c)
    response_dc = k_c (Y - y_d)                   y_d = expected_d + noise_d
    baseline_d = Y - expected_d - sum_c response_dc

with $k_c = cov(f_c(a_c), y) / var(y)$ over draws: what is left after spend is shared
between channels and the rest as the forecast's own draws share it, so response is how
far the actuals move the channel's outcome (Matheron's rule). In every draw

    Y - planned_d = sum_c spend_dc + sum_c response_dc + baseline_d
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.data.ahead.actual_table import Actuals
from core.dims import TIME
from core.errors import PlanError
from core.plan.against.planned_forecast import channel_outcomes
from core.plan.record.uncertainty import estimate

#: Parts of the difference, in the order in which they happen.
PARTS = ("spend", "response", "baseline")


@dataclass(frozen=True)
class Variance:
    """Why the outcome was not the planned one.

    Attributes:
        actuals: What happened.
        names: Paid channels.
        planned_spend: What the plan would have spent in these periods, currency.
        is_valued: Whether the channel ran a year earlier, so that its spend has a
            response here.
        is_beyond: Whether a spend is beyond the largest multiple that is stored.
        planned: Outcome by the plan.
        expected: Outcome that the model expects at the spend that there was.
        chance: Share of draws, noise included, that stay below the actual outcome.
        spend: What other spend than planned explains.
        response: What a response other than expected explains.
        baseline: The rest: baseline, unpaid channels, controls, chance.
    """

    actuals: Actuals
    names: tuple[str, ...]
    planned_spend: Float[np.ndarray, " channel"]
    is_valued: Bool[np.ndarray, " channel"]
    is_beyond: Bool[np.ndarray, " channel"]
    planned: Float[np.ndarray, " draw"] = field(repr=False)
    expected: Float[np.ndarray, " draw"] = field(repr=False)
    chance: float
    spend: Float[np.ndarray, "draw channel"] = field(repr=False)
    response: Float[np.ndarray, "draw channel"] = field(repr=False)
    baseline: Float[np.ndarray, " draw"] = field(repr=False)

    @property
    def difference(self) -> Float[np.ndarray, " draw"]:
        """Actual less planned outcome; the parts add up to it in every draw."""
        return self.actuals.outcome - self.planned

    def part(self, name: str) -> Float[np.ndarray, " draw"]:
        """One of `PARTS`, over all channels."""
        draws = getattr(self, name)
        return draws if draws.ndim == 1 else draws.sum(axis=1)

    def as_dict(self) -> dict[str, Any]:
        """As --json prints it."""
        times = self.actuals.times
        return {
            "start": str(times[0]),
            "end": str(times[-1]),
            "periods": self.actuals.n_times,
            "actual": self.actuals.outcome,
            "planned": estimate(self.planned),
            "expected": estimate(self.expected),
            "probability_below": self.chance,
            "difference": estimate(self.difference),
            "parts": [{"name": name} | estimate(self.part(name)) for name in PARTS],
            "channels": [
                {
                    "name": name,
                    "planned_spend": float(self.planned_spend[i]),
                    "actual_spend": float(self.actuals.spend[name]),
                    "spend": estimate(self.spend[:, i]),
                    "response": estimate(self.response[:, i]),
                    "is_valued": bool(self.is_valued[i]),
                    "beyond_grid": bool(self.is_beyond[i]),
                }
                for i, name in enumerate(self.names)
            ],
        }


def against_actuals(
    view: xr.Dataset, planned: Mapping[str, float], actuals: Actuals
) -> Variance:
    """Split actual less planned outcome.

    Args:
        view: forecast.nc.
        planned: The plan's spend of each channel in the periods of the actuals, see
            `core.plan.against.planned_spend`; that from a year earlier where it says
            nothing.
        actuals: What happened in the first periods of the forecast.

    Raises:
        PlanError: The forecast is shorter than the actuals.
    """
    n = actuals.n_times
    if view.sizes[TIME] < n:
        raise PlanError(
            f"The forecast covers {view.sizes[TIME]} periods, the actuals {n}.",
            hint="Take the later periods out of the table.",
            where="actuals",
        )
    some = view.isel({TIME: slice(n)})
    names = tuple(str(name) for name in some["paid"].to_numpy())
    before = some["spend"].sum(TIME).to_numpy().astype(float)
    planned_spend = np.array(
        [planned.get(name, usual) for name, usual in zip(names, before, strict=True)]
    )
    spent = np.array([actuals.spend[name] for name in names])
    is_valued = before > 0
    base = np.where(is_valued, before, 1.0)
    at = np.stack([np.ones(len(names)), planned_spend / base, spent / base])
    at[:, ~is_valued] = 1.0
    now, planned, actual = np.moveaxis(
        channel_outcomes(some["response"].sum(TIME), at), 1, 0
    )
    expected = some["expected"].sum(TIME).to_numpy().astype(float)
    noise = some["outcome"].sum(TIME).to_numpy().astype(float) - expected
    level = expected - now.sum(axis=1)
    seen = level + actual.sum(axis=1)
    response = _learned(actual, seen + noise, actuals.outcome)
    return Variance(
        actuals=actuals,
        names=names,
        planned_spend=planned_spend,
        is_valued=is_valued,
        is_beyond=(at[1:] > float(some["multiplier"][-1]) * (1 + 1e-9)).any(axis=0),
        planned=level + planned.sum(axis=1),
        expected=seen,
        chance=float((seen + noise <= actuals.outcome).mean()),
        spend=actual - planned,
        response=response,
        baseline=actuals.outcome - seen - response.sum(axis=1),
    )


def _learned(
    part: Float[np.ndarray, "draw channel"],
    simulated: Float[np.ndarray, " draw"],
    actual: float,
) -> Float[np.ndarray, "draw channel"]:
    """How far the actual outcome moves each draw's parts of a simulated one."""
    apart = simulated - simulated.mean()
    variance = float(apart @ apart)
    if variance == 0:
        return np.zeros_like(part)
    weight = apart @ (part - part.mean(axis=0)) / variance
    return (actual - simulated)[:, None] * weight
