"""Rescore: an old plan by a new fit, and why the answer differs.

The plan's spend is the same money; what it brings by the new fit differs for two
reasons that add up exactly: the curves answer differently at the same multiple of each
channel's spend (response: because of data, model, or both), and the same money is
another multiple because the spend behind the curves has changed (spend).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import PlanError
from core.plan.curves import ResponseCurves
from core.plan.uncertainty import estimate, probability_positive


@dataclass(frozen=True)
class Rescored:
    """A plan by two fits.

    Attributes:
        before: Estimate of its outcome by the fit that it was made with.
        after: By the new fit.
        response: What the curves change, outcome.
        spend: What the spend behind them changes.
        cause: Why the curves differ: `data`, `model`, `data and model`, `simulation`.
        channels: The same per channel: name, before, after, response, spend.
        gain: Estimate of the gain over the current split by the new fit, with the
            probability that it is positive.
    """

    before: dict[str, float]
    after: dict[str, float]
    response: float
    spend: float
    cause: str
    channels: tuple[dict[str, Any], ...]
    gain: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """As --json would print it."""
        return vars(self) | {"channels": list(self.channels)}


def rescored(
    plan: dict[str, Any],
    old: ResponseCurves,
    new: ResponseCurves,
    *,
    same_data: bool,
    same_model: bool,
) -> Rescored:
    """Score a plan's spend by a new fit.

    Args:
        plan: The plan as it was kept.
        old: Curves of the fit that it was made with.
        new: Curves of another fit.
        same_data: Whether both fits saw the same data.
        same_model: Whether both have the same definition.

    Raises:
        PlanError: The fits have other channels than the plan.
    """
    money = {row["name"]: float(row["planned"]) for row in plan["channels"]}
    for curves in (old, new):
        if set(curves.names) != set(money):
            raise PlanError(
                "The plan has other channels than the fit.",
                hint="Plan again with the new fit.",
                where="plan",
            )
    order = [new.names.index(name) for name in old.names]
    spend = np.array([money[name] for name in old.names])
    back = np.argsort(order)
    fresh = new.outcome(spend[back])[:, order]
    moved = spend / old.spend
    base = new.spend[order]
    level = new.outcome((moved * base)[back])[:, order]
    before, same, after = (
        draws.mean(axis=0) for draws in (old.outcome(spend), level, fresh)
    )
    response, shift = same - before, after - same
    total = float(new.spend.sum())
    scaled = new.spend * (spend.sum() / total)
    gain = fresh.sum(axis=1) - new.outcome(scaled).sum(axis=1)
    return Rescored(
        before=estimate(old.outcome(spend).sum(axis=1)),
        after=estimate(fresh.sum(axis=1)),
        response=float(response.sum()),
        spend=float(shift.sum()),
        cause=_cause(same_data=same_data, same_model=same_model),
        channels=tuple(
            {
                "name": name,
                "before": float(before[i]),
                "after": float(after[i]),
                "response": float(response[i]),
                "spend": float(shift[i]),
            }
            for i, name in enumerate(old.names)
        ),
        gain=estimate(gain) | {"probability_positive": probability_positive(gain)},
    )


def _cause(*, same_data: bool, same_model: bool) -> str:
    if same_data and same_model:
        return "simulation"
    return " and ".join(
        word for word, same in (("data", same_data), ("model", same_model)) if not same
    )
