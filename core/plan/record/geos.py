"""Result of a plan of geos: its amounts and odds by channel, geo and cell.

Gains are over two other plans: last year's split (scaled to the budget), and the best
plan in which each channel keeps its pattern over geos, so that one sees what moving
money between geos adds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from msgspec import structs

from core.estimate import Estimate, estimates, gain_of
from core.plan.advice.parts import Correlated, Turn
from core.plan.advice.rule import Advice
from core.plan.limits.cents import is_another
from core.plan.money.elsewhere import own_and_elsewhere, returns_beside
from core.plan.record.channels import cash_of, notes_of
from core.plan.record.parts import (
    AgainstToday,
    BreakEven,
    Cell,
    Line,
    Objective,
    Pair,
    Today,
    Values,
    bound_of,
)
from core.plan.record.plan_record import PlanRecord, as_draws, record_of
from core.plan.record.today import against_today, at_plan_prices
from core.plan.response.geos import GeoResponse
from core.plan.scenario.geo_limits import GeoDomain
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.measure import measure_of
from core.plan.scenario.scenario import Scenario
from core.plan.scenario.table import as_table
from core.plan.solve.dispatch import METHODS

#: Most draws of a channel's lift that a record keeps.
_LIFTS = 200


class GeoPlans(NamedTuple):
    """Something of the plan of geos, and of those it is compared with.

    Attributes:
        current: Today's.
        comparison: The same scaled to the budget.
        best: The best plan.
        planned: That, or the best that keeps the pattern where no move is advised.
        in_pattern: The best plan in which channels keep their pattern over geos; None
            where none is within the limits.
    """

    current: Any
    comparison: Any
    best: Any
    planned: Any
    in_pattern: Any = None

    def each(self, of: Callable[[Any], Any]) -> "GeoPlans":
        """The same of every plan."""
        return GeoPlans(*(None if part is None else of(part) for part in self))


class Up(NamedTuple):
    """Share of draws whose own best plan gives more than now, by what it gives it to.

    Attributes:
        cell: A channel in a geo.
        geo: All channels of a geo.
        channel: A channel in all geos.
    """

    cell: Float[np.ndarray, " cell"]
    geo: Float[np.ndarray, " geo"]
    channel: Float[np.ndarray, " channel"]


@dataclass(frozen=True)
class GeoPlan:
    """A split of a budget over channels and geos, with the draws that say how good.

    Attributes:
        scenario: What was asked for of channels.
        request: What was asked for of geos.
        response: Response by geo.
        limits: What was allowed.
        budget: Currency, in whole cents; the cells add up to it.
        spend: Of every cell, by plan.
        up: Share of draws whose own best plan gives more than now; a draw that leaves
            it counts half.
        objective: Values of what was made large.
        best_possible: No plan within the limits has an objective above this.
        advice: Whether to change.
        geo_advice: Whether to move money between geos, beside moving it between
            channels; None where nothing keeps the pattern.
        turns: How much hidden demand in each channel turns the advice to change.
        hidden: How much hidden demand behind a mediator and the KPI turns it.
        draws: Outcome per draw and cell, by plan.
        ran: Outcome per draw of the media as it ran, where the plan's costs otherwise.
        break_even: The budget of highest profit; None where it is not known.
    """

    scenario: Scenario
    request: GeoRequest
    response: GeoResponse
    limits: GeoDomain
    budget: float
    spend: GeoPlans
    up: Up
    objective: Values
    best_possible: float
    advice: Advice
    geo_advice: Advice | None
    turns: tuple[Turn, ...]
    draws: GeoPlans = field(repr=False, compare=False)
    ran: Float[np.ndarray, " draw"] | None = field(
        default=None, repr=False, compare=False
    )
    break_even: BreakEven | None = None
    hidden: tuple[Correlated, ...] = ()

    def gain(self) -> Float[np.ndarray, " draw"]:
        """Outcome of the plan minus that of last year's split, scaled; per draw."""
        return (self.draws.planned - self.draws.comparison).sum(axis=1)

    def _between(self) -> Estimate:
        """What moving money between geos adds to the best plan that does not."""
        added = self.draws.best - self.draws.in_pattern
        return gain_of(added.sum(axis=1))

    def record(self, original: Scenario | None = None) -> PlanRecord:
        """The plan as everybody reads it.

        Args:
            original: The scenario as it was stated, where channels decided a part of
                it.
        """
        curves, method = self.response.curves, measure_of(self.scenario.objective).kind
        brought = self.draws
        draws = {"current": brought.comparison.sum(axis=1)}
        if brought.in_pattern is not None:
            draws["channels"] = brought.in_pattern.sum(axis=1)
        draws["planned"] = brought.planned.sum(axis=1)
        today, change = self._today()
        between = self.geo_advice
        return record_of(
            "geos",
            self.advice._replace(reasons=(*self.advice.reasons, *self._notes())),
            draws,
            budget=self.budget,
            cash=cash_of(curves, self.spend.planned),
            horizon=curves.horizon,
            today=today,
            against_today=change,
            objective=Objective(self.scenario.objective, **self.objective._asdict()),
            channels=self._lines("channel"),
            geos=self._lines("geo"),
            lifts=self._lifts(),
            cells=self._cells(),
            gain=gain_of(self.gain()),
            gain_over_channels=self._between() if between else None,
            bound=bound_of(
                self.best_possible,
                self.objective.planned,
                f"{METHODS[method]}, over channels and geos",
            ),
            robustness=self.turns,
            hidden=self.hidden,
            geo_advice=between.advice if between else None,
            geo_reasons=between.reasons if between else (),
            current_scaled=self.is_scaled,
            scenario=self._scenario(original or self.scenario),
            currency=curves.currency,
            outcome_unit=curves.outcome_unit,
            idle=curves.idle,
            break_even=self.break_even,
        )

    def _lifts(self) -> dict[str, tuple[float, ...]]:
        """What channels bring over what they would in last year's pattern over geos."""
        response, curves = self.response, self.response.curves
        in_pattern = curves.outcome(response.in_pattern(self.spend.planned))
        planned, usual = (
            each @ response.in_channel.T for each in (self.draws.planned, in_pattern)
        )
        lift = np.divide(planned, usual, out=np.ones_like(usual), where=usual > 0)
        some = np.linspace(0, len(lift) - 1, min(len(lift), _LIFTS)).round().astype(int)
        return {
            name: as_draws(lift[some, place])
            for place, name in enumerate(response.channels)
            if name not in curves.beliefs and not np.allclose(lift[:, place], 1.0)
        }

    def _today(self) -> tuple[Today, AgainstToday]:
        """What ran, and what the plan changes against it."""
        today, change = against_today(
            (float(self.spend.current.sum()), self.budget),
            (self.draws.current.sum(axis=1), self.draws.planned.sum(axis=1)),
            1.0 if self.response.curves.outcome_unit == "revenue" else None,
        )
        return today if self.ran is None else at_plan_prices(today, self.ran), change

    @cached_property
    def _paid(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Own spend of cells that ran; the plan's, and what that makes us spend."""
        curves = self.response.curves
        planned = own_and_elsewhere(curves, self.spend.planned)
        return curves.elsewhere.before.spend, *planned

    def _notes(self) -> list[str]:
        """Words on channels that began lately, never ran or cost more than is paid."""
        response, request = self.response, self._scenario(self.scenario)
        owners = [response.channels[place] for place in response.channel]
        cells = dict(zip(response.curves.names, owners, strict=True))
        bought = response.frequencies(self.spend.planned)
        return notes_of(response.curves, self.scenario, request, bought, cells)

    def _scenario(self, original: Scenario) -> dict[str, Any]:
        """What was asked for, in the words of a scenario file."""
        scaled = {"scaled": True} if self.request.scaled else {}
        horizon = {"horizon": self.response.curves.horizon.as_table()}
        return horizon | as_table(original) | scaled | {"geos": self.request.as_table()}

    @property
    def is_scaled(self) -> bool:
        """Whether last year's split was scaled to the budget."""
        return is_another(self.budget, float(self.spend.current.sum()))

    def _lines(self, over: str) -> tuple[Line, ...]:
        """Totals of channels or of geos."""
        response = self.response
        by_geo = over == "geo"
        names = response.geos if by_geo else response.channels
        inside = response.in_geo if by_geo else response.in_channel
        money = self.spend.each(lambda amounts: inside @ amounts)
        before, planned = (
            each @ inside.T for each in (self.draws.comparison, self.draws.planned)
        )
        outcome = tuple(map(Pair, estimates(before), estimates(planned)))
        gains, up = planned - before, self.up.geo if by_geo else self.up.channel
        beyond = response.curves.beyond_seen(self.spend.planned)
        new = () if by_geo else response.curves.beliefs
        lines = tuple(
            Line(
                name=name,
                current=0.0 if name in new else float(money.current[i]),
                comparison=0.0 if name in new else float(money.comparison[i]),
                planned=float(round(money.planned[i], 6)),
                multiplier=None
                if name in new
                else float(money.planned[i] / money.current[i]),
                is_belief=name in new,
                probability_up=float(up[i]),
                outcome=outcome[i],
                gain=gain_of(gains[:, i]),
                beyond_seen=bool((inside[i] > 0) @ beyond),
                **(self._limits_of(i) if by_geo else {"locked": False}),
            )
            for i, name in enumerate(names)
        )
        if response.curves.elsewhere is None:
            return lines
        ran, own, spent = self._paid
        return tuple(
            structs.replace(
                line,
                **returns_beside(
                    (float(here @ ran), float(here @ own)),
                    spent @ here,
                    planned[:, i],
                ),
            )
            for i, (line, here) in enumerate(zip(lines, inside, strict=True))
        )

    def _limits_of(self, geo: int) -> dict[str, Any]:
        """Least and most of a geo, by its own limits or its cells'."""
        here = self.response.in_geo[geo]
        low = max(float(self.limits.geo_low[geo]), float(here @ self.limits.domain.low))
        high = min(
            float(self.limits.geo_high[geo]), float(here @ self.limits.domain.high)
        )
        locked = self.response.geos[geo] in self.limits.locked
        return {"low": low, "high": high, "locked": locked}

    def _cells(self) -> tuple[Cell, ...]:
        response, domain = self.response, self.limits.domain
        current, planned = self.spend.current, self.spend.planned
        beyond = response.curves.beyond_seen(planned)
        of_channel = np.array(response.channels)[response.channel]
        is_new = np.isin(of_channel, response.curves.beliefs)
        before, after = current, planned
        if response.curves.elsewhere is not None:  # media is bought with own spend
            before, after, _ = self._paid
        return tuple(
            Cell(
                channel=response.channels[response.channel[i]],
                geo=response.geos[response.geo[i]],
                current=0.0 if is_new[i] else float(current[i]),
                planned=float(planned[i]),
                multiplier=None if is_new[i] else float(after[i] / before[i]),
                low=float(domain.low[i]),
                high=float(domain.high[i]),
                probability_up=float(self.up.cell[i]),
                beyond_seen=bool(beyond[i]),
            )
            for i in range(len(current))
        )
