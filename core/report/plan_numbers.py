"""A plan's headline numbers in the report, whatever it is over."""

from collections.abc import Sequence

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report.headline import Headline, estimated, exact


def cards(
    plan: PlanRecord,
    units: fmt.Units,
    *,
    over: str = "the current split",
    more: Sequence[Headline] = (),
) -> list[Headline]:
    """Budget, outcome, gain and odds.

    Args:
        plan: The plan.
        units: Words for the units.
        over: What the gain is over.
        more: Further numbers.
    """
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    shown = [exact("Budget", plan.budget, "money", units.currency)]
    if plan.goal is not None and plan.goal.kind == "profit":
        return _profit_cards(plan, units, shown)
    if plan.current_scaled:
        over = f"{over} at this budget"
    name = f"{units.outcome_name} from paid media"
    odds = plan.gain["probability_positive"]
    return [
        *shown,
        estimated(name, plan.outcome["planned"], kind, unit),
        estimated(f"Gain over {over}", plan.gain, kind, unit, signed=True),
        exact(f"Chance of beating {over}", odds, "probability"),
        *more,
    ]


def _profit_cards(
    plan: PlanRecord, units: fmt.Units, shown: list[Headline]
) -> list[Headline]:
    """Of a plan for the largest profit, which is compared with today as it is."""
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    gain = plan.against_today.profit.gain
    name = f"{units.outcome_name} from paid media"
    odds = float(gain["probability_positive"])
    return [
        *shown,
        estimated(name, plan.outcome["planned"], kind, unit),
        estimated("Profit over today", gain, "money", units.currency, signed=True),
        exact("Chance of more profit", odds, "probability"),
    ]
