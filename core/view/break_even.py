"""Break-even: above which budget a further unit of spend no longer pays."""

from core import text as fmt
from core.plan.record.parts import BreakEven
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import marked, say

#: A budget this close to what limits allow is at the limit.
_AT_LIMIT = 1e-3
#: How each channel's money is divided at any budget.
_PATTERN = {
    "weeks": marked("Each channel's weeks stay in the proportions of this plan."),
    "geos": marked("Each channel's split over geos stays in this plan's proportions."),
}


def break_even(plan: PlanRecord, units: fmt.Units) -> str:
    """Above which budget further spend returns less than it costs; empty if unknown.

    Args:
        plan: A plan.
        units: Words for the units.
    """
    point = plan.break_even
    # Where limits leave one budget, there is no other to compare it with.
    if point is None or point.most - point.least <= _AT_LIMIT * point.most:
        return ""
    sentence = _budget_sentence(point, units)
    if plan.over == "channels":
        return sentence
    return f"{sentence} {say(_PATTERN[plan.over])}"


def _budget_sentence(point: BreakEven, units: fmt.Units) -> str:
    """The budget, and whether limits end before it."""
    if point.budget >= point.most * (1 - _AT_LIMIT):
        return say(
            "Up to {amount}, the most that these limits allow, more spend makes more "
            "than it costs.",
            amount=fmt.money(point.most, units.currency),
        )
    if point.budget <= point.least * (1 + _AT_LIMIT):
        return say(
            "Even at {amount}, the least that these limits allow, more spend makes "
            "less than it costs.",
            amount=fmt.money(point.least, units.currency),
        )
    at = fmt.estimate(
        {"mean": point.budget, "lo": point.lo, "hi": point.hi}, "money", units.currency
    )
    return say(
        "Within these limits, spend above {amount} makes less than it costs.",
        amount=at,
    )
