"""Words about a plan: its gain, its odds, how near the best it is, what to do."""

import math
from collections.abc import Mapping

from core import text as fmt
from core.plan.record.parts import Estimate
from core.plan.record.plan_record import PlanRecord
from core.plan.scenario.reserved import tests_of

_PLAIN = ("mean", "profit")
#: What a plan is compared with, where that is not the current split.
_COMPARED = {"weeks": "last year's weeks"}
_MEANINGS = {
    "p": "the outcome that {above} in 100 draws exceed",
    "cvar": "the mean of the worst {share} in 100 draws",
}


def objective(plan: PlanRecord, units: fmt.Units) -> str:
    """What a cautious plan makes large, planned and now; empty for others.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    name = plan.objective.name
    if name in _PLAIN:
        return ""
    values = [plan.objective.planned, plan.objective.current]
    if name.startswith("reach:"):
        goal = units.show(float(name.removeprefix("reach:")))
        meaning, shown = f"probability of at least {goal}", _odds(values)
    else:
        kind = name.rstrip("0123456789")
        share = int(name.removeprefix(kind))
        meaning = _MEANINGS[kind].format(above=100 - share, share=share)
        shown = ["" if value is None else units.show(float(value)) for value in values]
    planned, now = shown
    return f"{meaning}: {planned}" + (f", now {now}" if now else "")


def _odds(values: list[float | None]) -> list[str]:
    return ["" if value is None else fmt.probability(float(value)) for value in values]


def gap(plan: PlanRecord) -> float | None:
    """How far the plan can be from the best one, as a share of it.

    Rounded up to a tenth of a percent, so that it stays a bound. None where it is not
    known, or nothing was searched.

    Args:
        plan: The plan.
    """
    share = plan.bound.gap
    if share is None or is_typed(plan):
        return None
    return max(1, math.ceil(round(1000 * share, 6))) / 1000


def bound(plan: PlanRecord) -> str:
    """How near the best plan it is, without a stop; empty where that is not known.

    Args:
        plan: The plan.
    """
    if is_typed(plan):
        return "Evaluated as typed, not optimised"
    share = gap(plan)
    if share is None:
        return ""
    near = fmt.percent(share)
    return f"Within {near} of the best possible plan under these limits"


def is_typed(plan: PlanRecord) -> bool:
    """Whether its spend over weeks or geos was typed, so that nothing was searched."""
    return "spend" in plan.scenario or "spend" in (plan.scenario.get("geos") or {})


def gained(gain: Estimate, units: fmt.Units) -> str:
    """A gain with its interval and its odds.

    Args:
        gain: Of the plan over what it is compared with.
        units: Words for the units.
    """
    if (gain["lo"], gain["hi"]) == (0.0, 0.0):
        return "none, the splits are the same"
    odds = fmt.probability(gain["probability_positive"])
    amount = units.estimate(gain, signed=True)
    return f"{amount}, above zero with a probability of {odds}"


def compared_with(plan: PlanRecord) -> str:
    """What a plan is compared with, in words."""
    return _COMPARED.get(plan.over, "the current split")


def advice_sentence(plan: PlanRecord) -> str:
    """What to do, in a sentence."""
    kept, supported = compared_with(plan), plan.supported
    if plan.advice == "keep":
        said = f"Keep {kept}: {why_not(plan)}"
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


def why_not(plan: PlanRecord) -> str:
    """Why a plan is not advised, to follow a colon."""
    reason = plan.reasons[0] if plan.reasons else "The gain is not sure enough."
    if reason.startswith("It "):
        return f"the plan {reason.removeprefix('It ')}"
    return reason[:1].lower() + reason[1:]


def firmness(plan: PlanRecord, units: fmt.Units) -> list[str]:
    """Sentences on its periods, why, hidden demand, what to test, and today.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    lines = [f"For {horizon(plan)}."]
    lines += plan.reasons if plan.advice != "keep" else ()
    lines += [
        robustness(plan),
        lift_test(plan, units),
        other_split(plan, units),
        f"Against today as it is: {against_today(plan, units)}.",
        tests(plan),
    ]
    return [line for line in lines if line]


def tests(plan: PlanRecord) -> str:
    """Planned lift tests that the plan carries out; empty where there are none.

    Args:
        plan: The plan.
    """
    names = tests_of(plan.scenario)
    if not names:
        return ""
    verb = "keeps to the planned test" + ("s" if len(names) > 1 else "")
    return f"The plan {verb} {fmt.listed(list(names))}: that spend is fixed."


def reservation(plan: PlanRecord) -> str:
    """What the bound of a quantile or of odds leaves open; empty for others."""
    name = plan.objective.name
    is_bounded_well = name in _PLAIN or name.startswith("cvar")
    if is_bounded_well or gap(plan) is None:
        return ""
    return (
        "The bound is loose for this objective: the plan may be closer to the best "
        "than this number says."
    )


#: What a plan's advice means, in a few words.
_ADVICE = {
    "change": "Recommended: change the split",
    "test": "Test first",
    "keep": "Keep {over}",
}
#: Channels whose turning share is told; the others need more to turn the advice.
_TOLD = 3


def advice(plan: PlanRecord, over: str = "the current split") -> str:
    """What to do, in a few words.

    Args:
        plan: The plan.
        over: What it is compared with.
    """
    return _ADVICE[plan.advice].format(over=over)


def robustness(plan: PlanRecord) -> str:
    """How much hidden demand the advice withstands; empty where nothing moves.

    Args:
        plan: The plan.
    """
    turns = plan.robustness
    if not turns:
        return ""
    open_to = [turn for turn in turns if turn.share is not None]
    if not open_to:
        return (
            "The advice holds however much of what any one channel seems to bring "
            "would have come anyway."
        )
    frail = [turn for turn in open_to if turn.share < 0.01]
    supported = plan.supported
    if frail and supported and supported.is_plan and supported.step < 1:
        return (
            f"This is the largest step that the draws support, so any part of what "
            f"{frail[0].channel} seems to bring that would have come anyway turns "
            f"the advice."
        )
    if frail:
        return (
            f"The advice turns if as little as 1\u00a0% of what {frail[0].channel} "
            f"seems to bring would have come anyway."
        )
    parts = [
        f"{math.floor(100 * turn.share)}\u00a0% of what {turn.channel}"
        for turn in open_to[:_TOLD]
    ]
    return (
        f"The advice holds even if {', or '.join(parts)} seems to bring would have "
        f"come anyway."
    )


def lift_test(plan: PlanRecord, units: fmt.Units) -> str:
    """What to test, and what the answer is worth; empty where nothing is to be.

    Args:
        plan: See `robustness`.
        units: Words for the units.
    """
    test = plan.test
    if test is None:
        return ""
    moved = fmt.share(test.moved)
    return (
        f"Test {test.channel} first: knowing its return exactly would be worth "
        f"{units.show(test.worth)} to this plan (it would move {moved} of "
        f"the budget)."
    )


def other_split(plan: PlanRecord, units: fmt.Units) -> str:
    """The supported split beside the best, or the best beside it; empty without one.

    Args:
        plan: See `robustness`.
        units: Words for the units.
    """
    supported, best = plan.supported, plan.best
    if best is not None:
        gain, odds = _gain_and_odds(best.gain, units)
        held = ", ".join(supported.held)
        how = f", by raising {held}" if held else ""
        return (
            f"The best plan on average would gain {gain} with a probability of "
            f"{odds}{how}."
        )
    if supported is None:
        return ""
    gain, odds = _gain_and_odds(supported.gain, units)
    now = {line.name: line.comparison for line in plan.channels}
    changes = {
        amount.name: amount.planned - now[amount.name] for amount in supported.channels
    }
    moves = [
        f"{name} {fmt.money(change, units.currency, signed=True)}"
        for name, change in changes.items()
        if abs(change) > 0.005 * max(now[name], 1.0)
    ]
    return (
        f"The part that the draws support: {', '.join(moves)}. It gains {gain} with a "
        f"probability of {odds}."
    )


def _gain_and_odds(gain: Mapping[str, float], units: fmt.Units) -> tuple[str, str]:
    shown = units.estimate(gain, bare=True, signed=True)
    return shown, fmt.probability(float(gain["probability_positive"]))


def against_today(plan: PlanRecord, units: fmt.Units) -> str:
    """What the plan changes against today as it is.

    Args:
        plan: See `robustness`.
        units: Words for the units.
    """
    change, today = plan.against_today, plan.today
    outcome = units.estimate(change.outcome, bare=True, signed=True)
    now = fmt.money(today.spend, units.currency)
    spend = fmt.money(change.spend, units.currency, signed=True)
    is_same = abs(change.spend) < max(0.005, 1e-6 * abs(today.spend))
    roi = [fmt.roi(each["mean"]) for each in (change.roi.today, change.roi.planned)]
    parts = [
        f"spend as today, {now}" if is_same else f"spend {spend} (today {now})",
        f"{units.outcome_name.lower()} {outcome}",
    ]
    if change.profit is not None:
        gain, margin = change.profit.gain, change.profit.margin
        shown = fmt.estimate(gain, "money", units.currency, signed=True)
        parts.append(f"profit at a margin of {100 * margin:g}\u00a0% {shown}")
    parts.append(f"ROI {roi[0]} to {roi[1]}")
    if plan.over == "weeks":  # what makes today another number than in other plans
        parts.append("both with media at last year's average price")
    return ", ".join(parts)


def horizon(plan: PlanRecord) -> str:
    """The periods of a plan: `52 periods, 5 Jan 2026 to 28 Dec 2026`."""
    days = plan.horizon
    n = days.periods
    if not days.start:
        return "the data's own periods"
    first, last = map(fmt.date, (days.start, days.end))
    said = f"{fmt.count(n, 'period')}, {first} to {last}"
    return f"the data's own {said}" if days.as_fitted else said


def idle(plan: PlanRecord) -> str:
    """Which channels a plan leaves out because they had no spend to go by."""
    names = plan.idle
    them = "it" if len(names) == 1 else "them"
    return (
        f"Not part of the plan: {', '.join(names)}, which spent nothing in the same "
        f"periods a year earlier. Plan weeks to bring {them} back."
    )
