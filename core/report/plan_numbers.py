"""A plan's headline numbers in the report, whatever it is over."""

from collections.abc import Sequence

from core import text as fmt
from core.charts.planning import plan_words
from core.plan.record.plan_record import PlanRecord
from core.report.headline import Headline, estimated, exact

#: What a plan is compared with.
COMPARED = {"weeks": "last year's weeks"}


def compared_with(plan: PlanRecord) -> str:
    """What a plan is compared with, in words."""
    return COMPARED.get(plan.over, "the current split")


def advice(plan: PlanRecord) -> str:
    """What to do, in a sentence."""
    kept, supported = compared_with(plan), plan.supported
    if plan.advice == "keep":
        said = f"Keep {kept}: the gain is not sure enough to move money."
    elif plan.advice == "test":
        said = f"Test first: do not leave {kept} before a lift test."
    else:
        said = "Change the split as shown."
        if supported is not None and supported.is_plan:
            said += " It is the part of the best plan that the draws support."
    if plan.geo_advice == "keep":
        said += " Between geos, keep each channel's split."
    elif plan.geo_advice == "change":
        said += " Between geos, move money as shown."
    return said


def firmness(plan: PlanRecord, units: fmt.Units) -> list[str]:
    """Sentences on its periods, why, hidden demand, what to test, and today.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    lines = [f"For {plan_words.horizon(plan)}."]
    lines += plan.reasons if plan.advice != "keep" else ()
    lines += [
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        plan_words.other_split(plan, units),
        f"Against today as it is: {plan_words.against_today(plan, units)}.",
        plan_words.tests(plan),
    ]
    return [line for line in lines if line]


def bound(plan: PlanRecord) -> str:
    """How near the best possible plan this one is; empty where it is not known."""
    gap = plan.bound.gap
    if gap is None:
        return ""
    percent = max(0.1, round(100 * gap, 1))
    return f"Within {percent:g}\u00a0% of the best possible plan under these limits."


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
