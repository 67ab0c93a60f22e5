"""Results of flighting: a plan of weeks with its outcome, odds and bound, labelled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from core.analysis.estimate import interval
from core.dims import CHANNEL, DRAW
from core.plan.advice.rule import advise
from core.plan.limits.cells import Cells
from core.plan.record.uncertainty import estimate, probability_positive
from core.plan.response.horizon import Horizon
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure

#: Plans whose outcome is given: the best one, those it is compared with, and none.
PLANS = ("planned", "current", "even", "fixed", "none")


@dataclass(frozen=True)
class Parts:
    """What a result is made of.

    Attributes:
        given: The horizon.
        cells: The limits.
        spends: By plan, channel week.
        made: Outcome by plan, draw channel time.
        measure: What was made large.
        bound: No plan within the limits has more of it.
        verdict: The fit's.
        worth: What outcome and money of each week count for.
    """

    given: Horizon
    cells: Cells
    spends: dict[str, np.ndarray]
    made: dict[str, np.ndarray]
    measure: Measure
    bound: float
    verdict: str | None
    worth: Worth


def result(parts: Parts, about: dict[str, Any]) -> xr.Dataset:
    """A plan of weeks as it is stored and shown.

    Args:
        parts: Spend and outcome.
        about: Attributes to add.

    Returns:
        `spend` (channel, week) of the plan, `spend_current`, `spend_even` and
        `spend_fixed`; `booked` and `beyond_seen` per cell; `outcome` (plan, draw), in
        the weeks and added after them; `inherited` and `terminal` (draw), what media
        before the plan brings in its weeks and what the plan adds after them;
        `outcome_time` (time) with `outcome_time_ci`, and `inherited_time` by period,
        those after the plan included; `outcome_channel` (channel, draw) without what
        is inherited. Value of the objective, bound, gap and advice are attributes.
    """
    given, made = parts.given, parts.made
    n = len(given.weeks)
    totals = {name: rows.sum(axis=(1, 2)) for name, rows in made.items()}
    by_time = made["planned"].sum(axis=1)
    own = made["planned"] - made["none"]
    cell, time = (CHANNEL, "week"), "time"
    seen = given.dearest[:, None] * (1 + 1e-9) + 0.01
    variables = {
        "spend": (cell, parts.spends["planned"]),
        **{
            f"spend_{name}": (cell, parts.spends[name])
            for name in ("current", "even", "fixed")
        },
        "booked": (cell, parts.cells.low == parts.cells.high),
        "beyond_seen": (cell, parts.spends["planned"] > seen),
        "outcome": (("plan", DRAW), np.stack([totals[name] for name in PLANS])),
        "inherited": (DRAW, totals["none"]),
        "terminal": (DRAW, own[:, :, n:].sum(axis=(1, 2))),
        "outcome_time": (time, by_time.mean(axis=0)),
        "outcome_time_ci": ((time, "ci"), interval(by_time)),
        "inherited_time": (time, made["none"].sum(axis=1).mean(axis=0)),
        "outcome_channel": ((CHANNEL, DRAW), own.sum(axis=2).T),
        "price": (CHANNEL, given.price),
    }
    coords = {
        CHANNEL: list(given.names),
        "week": given.weeks.astype("datetime64[ns]"),
        "plan": list(PLANS),
        "ci": ["lo", "hi"],
    }
    judged = _judged(parts)
    if parts.worth.is_profit:
        profits = [
            parts.worth.of(made[name] - made["none"], parts.spends[name])
            for name in PLANS
        ]
        variables["profit"] = (("plan", DRAW), np.stack(profits))
    return xr.Dataset(variables, coords=coords, attrs=about | judged)


def _judged(parts: Parts) -> dict[str, Any]:
    """Value, bound, gap and advice; NaN where nothing was searched."""
    worth = {
        name: parts.worth.of(rows, parts.spends[name])
        for name, rows in parts.made.items()
    }
    value = {name: float(parts.measure.of(rows)) for name, rows in worth.items()}
    bound = float(np.maximum(parts.bound, value["planned"]))
    own = bound - value["none"]
    advice = advise(
        worth["planned"] - worth["current"],
        value["planned"] - value["current"],
        float(worth["current"].mean()),
        verdict=parts.verdict,
    )
    return {
        "budget": round(float(parts.spends["planned"].sum()), 6),
        "value": value["planned"],
        "bound": bound,
        "gap": (bound - value["planned"]) / own if own > 0 else bound - bound,
        "advice": advice.advice,
        "reasons": "\n".join(advice.reasons),
        "margin": parts.worth.margin if parts.worth.is_profit else np.nan,
    }


def as_dict(made: xr.Dataset) -> dict[str, Any]:
    """A plan of weeks as the command line prints it."""
    outcome = {str(name): made["outcome"].sel(plan=name).values for name in PLANS}
    weeks = [str(week)[:10] for week in made["week"].values]
    gains = {
        f"gain_over_{name}": _gain(outcome["planned"] - outcome[name])
        for name in ("current", "even", "fixed")
    }
    rows = [
        {
            "name": str(name),
            "planned": float(made["spend"].sel(channel=name).sum()),
            "current": float(made["spend_current"].sel(channel=name).sum()),
            "outcome": estimate(made["outcome_channel"].sel(channel=name).values),
            "weeks": made["spend"].sel(channel=name).values.tolist(),
            "beyond_seen": made["beyond_seen"].sel(channel=name).values.tolist(),
            "booked": made["booked"].sel(channel=name).values.tolist(),
        }
        for name in made[CHANNEL].values
    ]
    return {
        "budget": float(made.attrs["budget"]),
        "weeks": weeks,
        "channels": rows,
        "outcome": {
            name: estimate(draws) for name, draws in outcome.items() if name != "none"
        },
        "inherited": estimate(made["inherited"].values),
        "terminal": estimate(made["terminal"].values),
        **gains,
        "objective": {
            "name": made.attrs["objective"],
            "planned": float(made.attrs["value"]),
        },
        "bound": _bound(made),
        **_profit(made),
        "advice": made.attrs["advice"],
        "reasons": str(made.attrs["reasons"]).split("\n"),
        "discount": float(made.attrs.get("discount", 0.0)),
        "outcome_unit": made.attrs["outcome_unit"],
        "currency": made.attrs["currency"],
    }


def outcome_draws(made: xr.Dataset) -> dict[str, list[float]]:
    """Outcome per draw of the plan and of last year's weeks, to compare plans by."""
    rows = {name: made["outcome"].sel(plan=name).values for name in PLANS[:2]}
    return {name: draws.tolist() for name, draws in rows.items()}


def _gain(draws: np.ndarray) -> dict[str, float]:
    return estimate(draws) | {"probability_positive": probability_positive(draws)}


def _bound(made: xr.Dataset) -> dict[str, Any]:
    """How good the plan could be; nothing where its spend was given."""
    if np.isnan(made.attrs["bound"]):
        return {"best_possible": None, "gap": None, "method": "spend was given"}
    return {
        "best_possible": float(made.attrs["bound"]),
        "gap": float(made.attrs["gap"]),
        "method": "concave ceiling",
    }


def _profit(made: xr.Dataset) -> dict[str, Any]:
    """Margin times what the plan brings, minus its spend, where that was asked for."""
    if "profit" not in made:
        return {}
    draws = {str(name): made["profit"].sel(plan=name).values for name in PLANS}
    return {
        "profit": {
            "margin": float(made.attrs["margin"]),
            "planned": estimate(draws["planned"]),
            "current": estimate(draws["current"]),
            "gain_over_current": _gain(draws["planned"] - draws["current"]),
        }
    }
