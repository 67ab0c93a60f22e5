"""Result of a plan of geos: its amounts and odds by channel, geo and cell.

Gains are over two other plans: the current split (scaled to the budget), and the best
plan in which each channel keeps its pattern over geos, so that one sees what moving
money between geos adds.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from core.plan.advice.robustness import Turn
from core.plan.advice.rule import Advice
from core.plan.limits.cents import step
from core.plan.record.today import Today
from core.plan.record.uncertainty import estimate, estimates, probability_positive
from core.plan.response.geos import GeoResponse
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.geos import GeoWish
from core.plan.scenario.measure import measure_of
from core.plan.scenario.scenario import Scenario
from core.plan.scenario.table import as_table
from core.plan.solve.dispatch import METHODS


@dataclass(frozen=True)
class GeoPlan:
    """A split of a budget over channels and geos, with the draws that say how good.

    Attributes:
        scenario: What was asked for of channels.
        wish: What was asked for of geos.
        response: Response by geo.
        limits: What was allowed.
        budget: Currency, in whole cents; the cells add up to it.
        spend: Of every cell: `current`, `comparison` (scaled to the budget),
            `planned`, and `kept` for the best plan that keeps the pattern over geos,
            if there is one within the limits.
        up: Share of draws whose own best plan gives more than now, by `cell`, `geo`
            and `channel`; a draw that leaves it counts half.
        objective: `current` and `planned` value of what was made large.
        best_possible: No plan within the limits has an objective above this.
        advice: Whether to change.
        geo_advice: Whether to move money between geos, beside moving it between
            channels; None where nothing keeps the pattern.
        turns: How much hidden demand in each channel turns the advice to change.
        draws: Outcome per draw and cell, for each split of `spend`.
    """

    scenario: Scenario
    wish: GeoWish
    response: GeoResponse
    limits: GeoDomain
    budget: float
    spend: dict[str, Float[np.ndarray, " cell"]]
    up: dict[str, np.ndarray]
    objective: dict[str, float]
    best_possible: float
    advice: Advice
    geo_advice: Advice | None
    turns: tuple[Turn, ...]
    draws: dict[str, Float[np.ndarray, "draw cell"]] = field(repr=False, compare=False)

    @property
    def gap(self) -> float:
        """How far the objective can be from the best possible, as a share of it."""
        if self.best_possible == 0:
            return 0.0
        short = self.best_possible - self.objective["planned"]
        return max(short, 0.0) / abs(self.best_possible)

    @property
    def today(self) -> Today:
        """Today's spend as it is, beside the plan."""
        return Today(
            float(self.spend["current"].sum()),
            self.budget,
            1.0 if self.response.curves.outcome_unit == "revenue" else None,
            self.draws["current"].sum(axis=1),
            self.draws["planned"].sum(axis=1),
        )

    def gain(self, over: str = "comparison") -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of another split, per draw."""
        return (self.draws["planned"] - self.draws[over]).sum(axis=1)

    def as_dict(self, asked: Scenario | None = None) -> dict[str, Any]:
        """The plan as the command line prints it and the workspace keeps it.

        Args:
            asked: The scenario as it was stated, where channels decided a part of it.
        """
        curves, method = self.response.curves, measure_of(self.scenario.objective).kind
        names = {"comparison": "current", "kept": "channels", "planned": "planned"}
        kept = "kept" in self.draws
        return {
            "budget": self.budget,
            "horizon": asdict(curves.horizon),
            "today": self.today.as_dict(),
            "against_today": self.today.against(),
            "objective": {"name": self.scenario.objective, **self.objective},
            "channels": self._sums("channel"),
            "geos": self._sums("geo"),
            "cells": self._cells(),
            "outcome": {
                name: estimate(self.draws[key].sum(axis=1))
                for key, name in names.items()
                if key in self.draws
            },
            "gain": _with_odds(self.gain()),
            "gain_over_channels": _with_odds(self.gain("kept")) if kept else None,
            "bound": {
                "best_possible": self.best_possible,
                "gap": self.gap,
                "method": f"{METHODS[method]}, over channels and geos",
            },
            "advice": self.advice.advice,
            "reasons": list(self.advice.reasons),
            "robustness": [turn._asdict() for turn in self.turns],
            "geo_advice": self.geo_advice.advice if self.geo_advice else None,
            "geo_reasons": list(self.geo_advice.reasons) if self.geo_advice else [],
            "current_scaled": self.is_scaled,
            "scenario": self._scenario(asked or self.scenario),
            "draws": {
                name: self.draws[key].sum(axis=1).tolist()
                for key, name in names.items()
                if key in self.draws
            },
            "currency": curves.currency,
            "outcome_unit": curves.outcome_unit,
        }

    def _scenario(self, asked: Scenario) -> dict[str, Any]:
        """What was asked for, in the words of a scenario file."""
        scaled = {"scaled": True} if self.wish.scaled else {}
        horizon = {"horizon": self.response.curves.horizon.as_table()}
        return horizon | as_table(asked) | scaled | {"geos": self.wish.as_table()}

    @property
    def is_scaled(self) -> bool:
        """Whether the current split was scaled to the budget."""
        total = float(self.spend["current"].sum())
        return abs(self.budget - total) > float(step(self.budget))

    def _sums(self, over: str) -> list[dict[str, Any]]:
        """Totals of channels or of geos."""
        given = self.response
        by_geo = over == "geo"
        names = given.geos if by_geo else given.channels
        inside = given.in_geo if by_geo else given.in_channel
        money = {key: inside @ amounts for key, amounts in self.spend.items()}
        draws = {key: self.draws[key] @ inside.T for key in ("comparison", "planned")}
        told = {key: estimates(made) for key, made in draws.items()}
        gains = draws["planned"] - draws["comparison"]
        limits = [{}] * len(names)
        if by_geo:
            limits = [self._limits_of(place) for place in range(len(names))]
        return [
            {
                "name": name,
                "current": float(money["current"][i]),
                "comparison": float(money["comparison"][i]),
                "planned": float(round(money["planned"][i], 6)),
                "multiplier": float(money["planned"][i] / money["current"][i]),
                "probability_up": float(self.up[over][i]),
                "outcome": {
                    "current": told["comparison"][i],
                    "planned": told["planned"][i],
                },
                "gain": _with_odds(gains[:, i]),
            }
            | limits[i]
            for i, name in enumerate(names)
        ]

    def _limits_of(self, geo: int) -> dict[str, Any]:
        """Least and most of a geo, by its own limits or its cells'."""
        here = self.response.in_geo[geo]
        low = max(float(self.limits.geo_low[geo]), float(here @ self.limits.domain.low))
        high = min(
            float(self.limits.geo_high[geo]), float(here @ self.limits.domain.high)
        )
        locked = self.response.geos[geo] in self.limits.locked
        return {"low": low, "high": high, "locked": locked}

    def _cells(self) -> list[dict[str, Any]]:
        given, domain = self.response, self.limits.domain
        current, planned = self.spend["current"], self.spend["planned"]
        beyond = given.curves.beyond_seen(planned)
        return [
            {
                "channel": given.channels[given.channel[i]],
                "geo": given.geos[given.geo[i]],
                "current": float(current[i]),
                "planned": float(planned[i]),
                "multiplier": float(planned[i] / current[i]),
                "low": float(domain.low[i]),
                "high": float(domain.high[i]),
                "probability_up": float(self.up["cell"][i]),
                "beyond_seen": bool(beyond[i]),
            }
            for i in range(len(current))
        ]


def _with_odds(gain: Float[np.ndarray, " draw"]) -> dict[str, float]:
    return {**estimate(gain), "probability_positive": probability_positive(gain)}
