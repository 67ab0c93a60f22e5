"""A plan's headline numbers in the report, whatever it is over."""

from collections.abc import Sequence

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.headline import Headline, estimated, exact
from core.text.languages.language import say
from core.view.advice import compared_with, over_what_ran
from core.view.plan_words import brought


def cards(
    plan: PlanRecord,
    units: fmt.Units,
    *,
    more: Sequence[Headline] = (),
) -> list[Headline]:
    """Budget, outcome, gain and odds.

    Args:
        plan: The plan.
        units: Words for the units.
        more: Further numbers.
    """
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    shown = [exact(say("Budget"), plan.budget, "money", units.currency)]
    if plan.goal is not None and plan.goal.kind == "profit":
        return _profit_cards(plan, units, shown)
    if plan.on_budget is not None:
        more = [_profit(plan, units), *more]
    name = brought(units)
    odds = plan.gain.probability_positive
    return [
        *shown,
        estimated(name, plan.outcome.planned, kind, unit),
        estimated(
            say("Gain over {over}", over=compared_with(plan)),
            plan.gain,
            kind,
            unit,
            signed=True,
        ),
        exact(say("Chance of that gain"), odds, "probability"),
        *more,
    ]


def _profit_cards(
    plan: PlanRecord, units: fmt.Units, shown: list[Headline]
) -> list[Headline]:
    """Of a plan for the largest profit, which is compared with what ran."""
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    name = brought(units)
    odds = float(plan.against_today.profit.gain.probability_positive)
    return [
        *shown,
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
