"""A plan's headline numbers, whatever it is over."""

from dataclasses import replace

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.plan.scenario.measure import goal_of
from core.text.languages.language import say
from core.view.advice import BETWEEN_GEOS, compared_with, over_what_ran
from core.view.plan_words import brought
from core.view.sections.headline import Headline, estimated, exact


def cards(plan: PlanRecord) -> list[Headline]:
    """Budget, outcome, gain and odds.

    Args:
        plan: The plan.
    """
    units, more = plan.units, [*_more(plan), *_goal(plan)]
    kind, unit = units.measure
    headlines = [exact(say("Budget"), plan.budget, "money", units.currency)]
    if plan.goal is not None and plan.goal.kind == "profit":
        return _profit_cards(plan, units, headlines)
    if plan.on_budget is not None:
        more = [_profit(plan, units), *more]
    name = brought(units)
    odds = plan.gain.probability_positive
    return [
        *headlines,
        estimated(name, plan.outcome.planned, kind, unit),
        estimated(
            say("Gain over {over}", over=compared_with(plan)),
            plan.gain,
            kind,
            unit,
            signed=True,
        ),
        exact(say("Odds of a gain"), odds, "probability"),
        *more,
    ]


def _more(plan: PlanRecord) -> list[Headline]:
    """What is told of plans of weeks, or of geos, only."""
    units = plan.units
    kind, unit = units.measure
    moved = plan.gain_over_channels
    if moved is not None:
        name = say(BETWEEN_GEOS[plan.geo_advice])
        return [estimated(name, moved, kind, unit, signed=True)]
    if plan.terminal is not None:
        return [estimated(say("Carryover after the plan"), plan.terminal, kind, unit)]
    return []


def _goal(plan: PlanRecord) -> list[Headline]:
    """Odds of the goal as a card, or the ROI that the budget was found for."""
    goal, name, units = plan.goal, plan.objective.name, plan.units
    if (target := goal_of(name)) is not None:
        label = say("Odds of at least {target}", target=units.show(target))
        before = plan.objective.current
        then = ""
        if before is not None:
            then = f"({fmt.named(compared_with(plan), fmt.probability(before))})"
        card = exact(label, plan.objective.planned, "probability")
        return [replace(card, ci=then)]
    if goal is None:
        return []
    if goal.probability is not None and goal.target is not None:
        label = say("Odds of at least {target}", target=units.show(goal.target))
        return [exact(label, goal.probability, "probability")]
    if goal.roi is not None:
        return [estimated(say("ROI of the plan"), goal.roi, "ratio")]
    return []


def _profit_cards(
    plan: PlanRecord, units: fmt.Units, headlines: list[Headline]
) -> list[Headline]:
    """Of a plan for the largest profit, which is compared with what ran."""
    kind, unit = units.measure
    name = brought(units)
    odds = float(plan.against_today.profit.gain.probability_positive)
    return [
        *headlines,
        estimated(name, plan.outcome.planned, kind, unit),
        _profit(plan, units),
        exact(say("Chance of more profit"), odds, "probability"),
    ]


def _profit(plan: PlanRecord, units: fmt.Units) -> Headline:
    """What the plan as a whole does to profit."""
    gain, label = (
        plan.against_today.profit.gain,
        say("Profit over {over}", over=over_what_ran(plan)),
    )
    return estimated(label, gain, "money", units.currency, signed=True)
