"""Words about a plan: its gain, its odds, how near the best it is."""

import math
from collections.abc import Mapping

from core import text as fmt
from core.plan.advice.rule import is_frail
from core.plan.record.parts import RELAXED, Estimate
from core.plan.record.plan_record import PlanRecord
from core.plan.response.price import best_frequencies
from core.plan.scenario.reserved import tests_of
from core.view.advice import compared_with as over
from core.view.advice import over_what_ran

#: A budget this close to what limits allow is at the limit.
_AT_LIMIT = 1e-3
_PLAIN = ("mean", "profit")
_MEANINGS = {
    "p": "the {kpi} that {above} in 100 draws exceed",
    "cvar": "mean {kpi} of the worst {share} in 100 draws",
}


def objective(plan: PlanRecord, units: fmt.Units) -> str:
    """What a cautious plan maximises, planned and compared; empty for others.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    name = plan.objective.name
    if name in _PLAIN:
        return ""
    values = [plan.objective.planned, plan.objective.current]
    if name.startswith("reach:"):
        shown = _odds(values)
    else:
        shown = ["" if value is None else units.show(float(value)) for value in values]
    planned, before = shown
    return f"{maximised(name, units)}: {planned}" + (
        f", {over(plan)} {before}" if before else ""
    )


#: What that number counts, so that nobody takes it for what a forecast counts.
BROUGHT = (
    "What the spend of these periods brings, whenever it comes: carryover after them "
    "is counted, carryover from media before them is not."
)


def brought(units: fmt.Units) -> str:
    """The name of a plan's outcome: `Revenue from the planned spend`."""
    return f"{units.outcome_name} from the planned spend"


def maximised(name: str, units: fmt.Units) -> str:
    """What an objective maximises: `expected revenue`.

    Args:
        name: Of the objective, such as `mean`, `p10` or `reach:4e7`.
        units: Words for the units.
    """
    kpi = units.outcome_name.lower() if units.is_money else units.outcome_name
    if name == "mean":
        return f"expected {kpi}"
    if name == "profit":
        return "expected profit"
    if name.startswith("reach:"):
        goal = units.show(float(name.removeprefix("reach:")))
        return f"the odds of at least {goal}"
    kind = name.rstrip("0123456789")
    share = int(name.removeprefix(kind))
    return _MEANINGS[kind].format(above=100 - share, share=share, kpi=kpi)


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
    return f"At most {near} below the best plan within these limits"


def break_even(plan: PlanRecord, units: fmt.Units) -> str:
    """Above which budget further spend returns less than it costs; empty if unknown.

    Args:
        plan: A plan over channels.
        units: Words for the units.
    """
    known = plan.break_even
    if known is None:
        return ""
    returns = "returns" if known.margin == 1.0 else "makes"
    less = f"each further unit of spend {returns} less than it costs"
    if known.budget >= known.most * (1 - _AT_LIMIT):
        most = fmt.money(known.most, units.currency)
        return (
            f"Up to {most}, the most that these limits allow, each further unit of "
            f"spend {returns} more than it costs."
        )
    if known.budget <= known.least * (1 + _AT_LIMIT):
        least = fmt.money(known.least, units.currency)
        return f"Even at {least}, the least that these limits allow, {less}."
    at = fmt.estimate(
        {"mean": known.budget, "lo": known.lo, "hi": known.hi}, "money", units.currency
    )
    return f"Above {at}, {less}."


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


def firmness(plan: PlanRecord, units: fmt.Units) -> list[str]:
    """Sentences on its periods, hidden demand, what to test, and what ran.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    lines = [f"For {horizon(plan)}."]
    lines += [
        break_even(plan, units),
        robustness(plan),
        lift_test(plan, units),
        other_split(plan, units),
        against_what_ran(plan, units),
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
    """What the bound of a quantile, of odds or of pauses leaves open; else empty."""
    if plan.bound.method == RELAXED and gap(plan):
        return (
            "The bound is that of the same limits without the least of weeks that run "
            "and without steps, so this number also holds what these cost."
        )
    name = plan.objective.name
    is_bounded_well = name in _PLAIN or name.startswith("cvar")
    if is_bounded_well or gap(plan) is None:
        return ""
    return (
        "The bound is loose for this objective: the plan may be closer to the best "
        "than this number says."
    )


#: Channels whose turning share is told; the others need more to turn the advice.
_TOLD = 3


def robustness(plan: PlanRecord) -> str:
    """How much hidden demand the advice withstands; empty where nothing moves.

    Args:
        plan: The plan.
    """
    turns = plan.robustness
    is_reason = plan.on_split.advice == "keep" and any(map(is_frail, turns))
    if not turns or is_reason:  # then it is said why the split is kept
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
    moved, span = fmt.share(test.moved), plan.horizon.span
    return (
        f"Test {test.channel} first: knowing its return exactly would be worth "
        f"{units.show(test.worth)} to this plan{f' of {span}' if span else ''} (it "
        f"would move {moved} of the budget)."
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


def against_what_ran(plan: PlanRecord, units: fmt.Units) -> str:
    """What the plan as a whole changes against the spend that ran, in a sentence.

    Args:
        plan: See `robustness`.
        units: Words for the units.
    """
    change, before = plan.against_today, plan.today
    outcome = units.estimate(change.outcome, bare=True, signed=True)
    ran = fmt.money(before.spend, units.currency)
    spend = fmt.money(change.spend, units.currency, signed=True)
    roi = [fmt.roi(each["mean"]) for each in (change.roi.today, change.roi.planned)]
    parts = [
        f"spend {spend} (then {ran})"
        if plan.current_scaled
        else f"the same spend, {ran}",
        f"{units.outcome_name.lower()} {outcome}",
    ]
    if change.profit is not None:
        gain, margin = change.profit.gain, change.profit.margin
        shown = fmt.estimate(gain, "money", units.currency, signed=True)
        odds = fmt.probability(gain["probability_positive"])
        parts.append(
            f"profit at a margin of {100 * margin:g}\u00a0% {shown}, more with a "
            f"probability of {odds}"
        )
    parts.append(f"ROI {roi[0]} to {roi[1]}")
    if before.at_plan_prices is not None:
        often = " and at its frequency" * bool(best_frequencies(plan.scenario))
        both = f"both at the plan's prices of media{often}"
        then, ran_at = (
            units.show(each["mean"]) for each in (before.at_plan_prices, before.outcome)
        )
        at = f", at which that spend brings {then}, not {ran_at} as it ran"
        parts.append(both if then == ran_at else both + at)
    return f"Against {over_what_ran(plan)}: {', '.join(parts)}."


def horizon(plan: PlanRecord) -> str:
    """The periods of a plan: `52 periods, 5 Jan 2026 to 28 Dec 2026`."""
    days = plan.horizon
    n = days.periods
    if not days.start:
        return "the data's own periods"
    first, last = map(fmt.date, (days.start, days.end))
    said = f"{fmt.count(n, 'period')}, {first} to {last}"
    return f"the data's own {said}" if days.as_fitted else said


def from_channels(weeks: PlanRecord, channels: PlanRecord) -> list[tuple[str, float]]:
    """A bridge from a plan over channels to that of its weeks: names and mean outcome.

    The first part is the plan over channels; the parts add up to the plan of weeks.
    Empty where the two spend another budget or are for other periods.

    Args:
        weeks: The plan of weeks.
        channels: The plan over channels.
    """
    is_same = abs(weeks.budget - channels.budget) <= 1e-6 * channels.budget
    days = [(each.horizon.start, each.horizon.periods) for each in (weeks, channels)]
    fixed = weeks.outcome.get("fixed")
    if not is_same or days[0] != days[1] or fixed is None:
        return []
    total, whole = weeks.outcome["planned"]["mean"], channels.outcome["planned"]["mean"]
    return [
        ("By channels, in last year's timing", whole),
        ("counted week by week (carryover, prices, limits)", fixed["mean"] - whole),
        ("better timing", total - fixed["mean"]),
    ]


def idle(plan: PlanRecord) -> str:
    """Which channels a plan leaves out because they had no spend to go by."""
    names = plan.idle
    them = "it" if len(names) == 1 else "them"
    return (
        f"Not part of the plan: {', '.join(names)}, which spent nothing in "
        f"{over_what_ran(plan)}. Plan weeks to bring {them} back."
    )
