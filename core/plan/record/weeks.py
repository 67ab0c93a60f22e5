"""Results of flighting: a plan of weeks with its outcome, odds and bound, labelled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from core.analysis.estimate import interval
from core.dims import CHANNEL, DRAW
from core.plan.advice.robustness import Turn, turns
from core.plan.advice.rule import advise
from core.plan.limits.cells import Cells
from core.plan.record.today import Today
from core.plan.record.uncertainty import estimate, probability_positive
from core.plan.response.horizon import Horizon
from core.plan.response.worth import Worth
from core.plan.scenario.measure import Measure, measure_of

#: Plans whose outcome is given: the best one, those it is compared with, and today's
#: spend as it is.
PLANS = ("planned", "current", "even", "fixed", "today")


@dataclass(frozen=True)
class Parts:
    """What a result is made of.

    Attributes:
        given: The horizon.
        cells: The limits.
        spends: By plan, channel week.
        made: Incremental outcome by plan, draw channel time.
        none: Outcome of the media around the plan alone, draw channel time.
        measure: What was made large.
        bound: No plan within the limits has more of it.
        verdict: The fit's.
        worth: What outcome and money of each week count for.
    """

    given: Horizon
    cells: Cells
    spends: dict[str, np.ndarray]
    made: dict[str, np.ndarray]
    none: np.ndarray
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
        `spend_fixed`; `booked` and `beyond_seen` per cell; `outcome` (plan, draw),
        incremental, in the weeks and after them; `inherited` and `terminal` (draw),
        what media before the plan brings in its weeks beside it, and what of the
        plan's own comes after them; `outcome_time` (time) with `outcome_time_ci`, and
        `inherited_time`, of it, by period, those after the plan included;
        `outcome_channel` (channel, draw). Value of the objective, bound, gap and
        advice are attributes.
    """
    given, made = parts.given, parts.made
    n = len(given.weeks)
    totals = {name: rows.sum(axis=(1, 2)) for name, rows in made.items()}
    own = made["planned"]
    inherited = parts.none[:, :, :n].sum(axis=1)
    by_time = own.sum(axis=1)
    by_time[:, :n] += inherited
    cell, time = (CHANNEL, "week"), "time"
    seen = given.dearest[:, None] * (1 + 1e-9) + 0.01
    variables = {
        "spend": (cell, parts.spends["planned"]),
        **{f"spend_{name}": (cell, parts.spends[name]) for name in PLANS[1:]},
        "booked": (cell, parts.cells.low == parts.cells.high),
        "beyond_seen": (cell, parts.spends["planned"] > seen),
        "outcome": (("plan", DRAW), np.stack([totals[name] for name in PLANS])),
        "inherited": (DRAW, inherited.sum(axis=1)),
        "terminal": (DRAW, own[:, :, n:].sum(axis=(1, 2))),
        "outcome_time": (time, by_time.mean(axis=0)),
        "outcome_time_ci": ((time, "ci"), interval(by_time)),
        "inherited_time": (time, _until(inherited.mean(axis=0), by_time.shape[1])),
        "outcome_channel": ((CHANNEL, DRAW), own.sum(axis=2).T),
        "outcome_channel_current": ((CHANNEL, DRAW), made["current"].sum(axis=2).T),
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
        profits = [parts.worth.of(made[name], parts.spends[name]) for name in PLANS]
        variables["profit"] = (("plan", DRAW), np.stack(profits))
    return xr.Dataset(variables, coords=coords, attrs=about | judged)


def _until(rows: np.ndarray, n: int) -> np.ndarray:
    """The same with zeros up to a number of periods."""
    return np.pad(rows, (0, n - len(rows)))


def _judged(parts: Parts) -> dict[str, Any]:
    """Value, bound, gap and advice; NaN where nothing was searched."""
    worth = {
        name: parts.worth.of(rows, parts.spends[name])
        for name, rows in parts.made.items()
    }
    value = {name: float(parts.measure.of(rows)) for name, rows in worth.items()}
    bound = float(np.maximum(parts.bound, value["planned"]))
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
        "gap": (bound - value["planned"]) / bound if bound > 0 else bound - bound,
        "advice": advice.advice,
        "reasons": "\n".join(advice.reasons),
        "margin": parts.worth.margin if parts.worth.is_profit else np.nan,
    }


def as_dict(made: xr.Dataset) -> dict[str, Any]:
    """A plan of weeks as the command line prints it."""
    outcome = {str(name): made["outcome"].sel(plan=name).values for name in PLANS}
    weeks = [str(week)[:10] for week in made["week"].values]
    days = {"start": weeks[0], "end": weeks[-1], "periods": len(weeks)}
    today = _today(made, outcome)
    gains = {
        f"gain_over_{name}": _gain(outcome["planned"] - outcome[name])
        for name in ("current", "even", "fixed")
    }
    return {
        "budget": float(made.attrs["budget"]),
        "horizon": days | {"as_fitted": False},
        "today": today.as_dict(),
        "against_today": today.against(),
        "weeks": weeks,
        "channels": _channels(made),
        "outcome": {name: estimate(draws) for name, draws in outcome.items()},
        "inherited": estimate(made["inherited"].values),
        "terminal": estimate(made["terminal"].values),
        "gain": gains["gain_over_current"],
        **gains,
        "objective": {
            "name": made.attrs["objective"],
            "planned": float(made.attrs["value"]),
        },
        "bound": _bound(made),
        **_profit(made),
        "advice": made.attrs["advice"],
        "reasons": str(made.attrs["reasons"]).split("\n"),
        "robustness": [turn._asdict() for turn in _turns(made)],
        "discount": float(made.attrs.get("discount", 0.0)),
        "outcome_unit": made.attrs["outcome_unit"],
        "currency": made.attrs["currency"],
    }


def _today(made: xr.Dataset, outcome: dict[str, np.ndarray]) -> Today:
    """Last year's spend in these weeks as it was, beside the plan."""
    return Today(
        float(made["spend_today"].sum()),
        float(made.attrs["budget"]),
        1.0 if made.attrs["outcome_unit"] == "revenue" else None,
        outcome["today"],
        outcome["planned"],
    )


def _channels(made: xr.Dataset) -> list[dict[str, Any]]:
    """Every channel: its totals, its outcome, and its weeks."""
    return [
        {
            "name": str(name),
            "planned": float(made["spend"].sel(channel=name).sum()),
            "current": float(made["spend_today"].sel(channel=name).sum()),
            "comparison": float(made["spend_current"].sel(channel=name).sum()),
            "multiplier": _ratio(made["spend"], made["spend_today"], name),
            "outcome": estimate(made["outcome_channel"].sel(channel=name).values),
            "weeks": made["spend"].sel(channel=name).values.tolist(),
            "beyond_seen": made["beyond_seen"].sel(channel=name).values.tolist(),
            "booked": made["booked"].sel(channel=name).values.tolist(),
        }
        for name in made[CHANNEL].values
    ]


def _ratio(planned: xr.DataArray, current: xr.DataArray, name: str) -> float | None:
    """What a channel is planned to spend over what it spends now; None from nothing."""
    now = float(current.sel(channel=name).sum())
    return float(planned.sel(channel=name).sum()) / now if now > 0 else None


def _turns(made: xr.Dataset) -> tuple[Turn, ...]:
    """How much hidden demand in a channel turns the advice to change."""
    names = tuple(str(name) for name in made[CHANNEL].values)
    outcome = tuple(made[f"outcome_channel{key}"].values.T for key in ("_current", ""))
    before = made["spend_current"].sum("week").values
    moved = np.abs(made["spend"] - made["spend_current"]).sum("week").values
    spend = before, before + moved  # money that moves between weeks moves too
    objective = str(made.attrs["objective"])
    measure = measure_of("mean" if objective == "profit" else objective)
    return turns(names, spend, outcome, measure)


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
