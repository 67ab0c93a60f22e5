"""A plan's headline numbers in the report, whatever it is over."""

from collections.abc import Mapping, Sequence
from typing import Any

from core import text as fmt
from core.charts import plan_words
from core.workspace.plans import GEOS, WEEKS, kind_of

#: What a plan is compared with.
COMPARED = {WEEKS: "last year's weeks", GEOS: "the current split"}


def compared_with(plan: Mapping[str, Any]) -> str:
    """What a plan is compared with, in words."""
    return COMPARED.get(kind_of(plan), "the current split")


def advice(plan: Mapping[str, Any]) -> str:
    """What to do, in a sentence; empty where nothing is advised."""
    kept, supported = compared_with(plan), plan.get("supported") or {}
    if plan.get("advice") == "keep":
        said = f"Keep {kept}: the gain is not sure enough to move money."
    elif plan.get("advice") == "test":
        said = f"Test first: do not leave {kept} before a lift test."
    elif plan.get("advice") == "change":
        said = "Change the split as shown."
        if supported.get("is_plan"):
            said += " It is the part of the best plan that the draws support."
    else:
        return ""
    if plan.get("geo_advice") == "keep":
        said += " Between geos, keep each channel's split."
    elif plan.get("geo_advice") == "change":
        said += " Between geos, move money as shown."
    return said


def firmness(plan: Mapping[str, Any], units: fmt.Units) -> list[str]:
    """Sentences on its periods, why, hidden demand, what to test, and today.

    Args:
        plan: A plan as it was saved.
        units: Words for the units.
    """
    reasons = plan.get("reasons") or []
    lines = [f"For {plan_words.horizon(plan)}."] if plan.get("horizon") else []
    lines += [str(reason) for reason in reasons if plan.get("advice") != "keep"]
    today = plan_words.against_today(plan, units)
    lines += [
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        plan_words.other_split(plan, units),
        f"Against today as it is: {today}." if today else "",
    ]
    return [line for line in lines if line]


def bound(plan: Mapping[str, Any]) -> str:
    """How near the best possible plan this one is; empty where it is not known."""
    gap = (plan.get("bound") or {}).get("gap")
    if gap is None:
        return ""
    percent = max(0.1, round(100 * float(gap), 1))
    return f"Within {percent:g}\u00a0% of the best possible plan under these limits."


def cards(
    plan: Mapping[str, Any],
    units: fmt.Units,
    *,
    over: str = "current",
    more: Sequence[tuple[str, str]] = (),
) -> list[dict[str, str]]:
    """Budget, outcome, gain and odds: label, value, interval.

    Args:
        plan: A plan as it was saved.
        units: Words for the units.
        over: What the gain is over.
        more: Further numbers as texts, estimate and interval.
    """
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    shown = [("Budget", fmt.money(float(plan["budget"]), units.currency))]
    gain = plan.get("gain") or {}
    if (plan.get("goal") or {}).get("kind") == "profit" and plan.get("against_today"):
        return _profit_cards(plan, units, shown)
    if plan.get("current_scaled"):
        over = f"{over} split at this budget"
    planned = (plan.get("outcome") or {}).get("planned")
    if planned:
        name = f"{units.outcome_name} from paid media"
        shown.append((name, fmt.estimate(planned, kind, unit)))
    if gain:
        text = fmt.estimate(gain, kind, unit, signed=True)
        shown.append((f"Gain over {over}", text))
        if gain.get("probability_positive") is not None:
            sure = fmt.probability(float(gain["probability_positive"]))
            shown.append((f"Beats {over}", sure))
    return _cards((*shown, *more))


def _profit_cards(
    plan: Mapping[str, Any], units: fmt.Units, shown: list[tuple[str, str]]
) -> list[dict[str, str]]:
    """Of a plan for the largest profit, which is compared with today as it is."""
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    gain = plan["against_today"]["profit"]["gain"]
    money = fmt.estimate(gain, "money", units.currency, signed=True)
    name = f"{units.outcome_name} from paid media"
    return _cards(
        (
            *shown,
            (name, fmt.estimate(plan["outcome"]["planned"], kind, unit)),
            ("Profit over today", money),
            ("Beats today", fmt.probability(float(gain["probability_positive"]))),
        )
    )


def _cards(shown: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    parts = [(label, *text.partition(" (")) for label, text in shown]
    return [
        {"label": label, "value": value, "ci": f"({bracket}" if bracket else ""}
        for label, value, _, bracket in parts
    ]
