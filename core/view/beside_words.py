"""A plan beside others: its supported part, what ran, channels, other saved plans."""

from collections.abc import Callable, Sequence
from functools import partial

from core import text as fmt
from core.estimate import Estimate
from core.plan.advice.rule import PROBABLE
from core.plan.against.lead import lead
from core.plan.record.plan_record import PlanRecord, in_same_periods
from core.plan.response.periods import as_they_ran
from core.plan.response.price import best_frequencies
from core.project.refresh.standing import Standing
from core.text.languages.language import say, say_count
from core.view.advice import over_what_ran
from core.view.origin import advice_now

#: Less of a change is none, as a share of what ran.
_LEAST_RISE = 0.005


def unseen(plan: PlanRecord) -> str:
    """Which channels get more though the data would not miss them; empty for none."""
    names = [
        line.name
        for line in plan.channels
        if line.name in plan.unseen
        and line.planned > (1.0 + _LEAST_RISE) * line.current
    ]
    if not names:
        return ""
    return say_count(
        len(names),
        "{names} gets more, although the data fit about as well if it did nothing: "
        "that it brings anything is assumed, not seen.",
        "{names} get more, although the data fit about as well if any one of them did "
        "nothing: that they bring anything is assumed, not seen.",
        names=fmt.listed(names, limit=4),
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
        if not supported.held:
            return say(
                "The best plan on average would gain {gain} with a probability of "
                "{odds}.",
                gain=gain,
                odds=odds,
            )
        return say(
            "The best plan on average would gain {gain} with a probability of {odds}, "
            "by raising {names}.",
            gain=gain,
            odds=odds,
            names=", ".join(supported.held),
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
    return say(
        "The part that the data support: {names}. It gains {gain} "
        "with a probability of {odds}.",
        names=", ".join(moves),
        gain=gain,
        odds=odds,
    )


def _gain_and_odds(gain: Estimate, units: fmt.Units) -> tuple[str, str]:
    amount = units.estimate(gain, bare=True, signed=True)
    return amount, fmt.probability(float(gain.probability_positive))


def _returned(plan: PlanRecord, units: fmt.Units) -> str:
    """Return on all spend as it ran and as planned."""
    roi = plan.against_today.roi
    return say(
        "{measure} {then} to {now}",
        measure=say("ROI") if units.is_money else units.roi,
        then=fmt.roi(roi.today.mean),
        now=fmt.roi(roi.planned.mean),
    )


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
    parts = [
        say("spend {spend} (then {ran})", spend=spend, ran=ran)
        if plan.current_scaled
        else say("the same spend, {ran}", ran=ran),
        f"{units.outcome_in_text} {outcome}",
    ]
    if change.profit is not None:
        gain, margin = change.profit.gain, change.profit.margin
        amount = fmt.estimate(gain, "money", units.currency, signed=True)
        odds = fmt.probability(gain.probability_positive)
        parts.append(
            say(
                "profit at a margin of {margin}\u00a0% {gain}, more with a "
                "probability of {odds}",
                margin=f"{100 * margin:g}",
                gain=amount,
                odds=odds,
            )
        )
    parts.append(_returned(plan, units))
    if before.at_plan_prices is not None:
        is_often = bool(best_frequencies(plan.scenario))
        both = (
            say("both at the plan's prices of media and at its frequency")
            if is_often
            else say("both at the plan's prices of media")
        )
        then, ran_at = (
            units.show(each.mean) for each in (before.at_plan_prices, before.outcome)
        )
        if then != ran_at:
            both = say(
                "both at the plan's prices of media, at which that spend brings "
                "{then}, not {ran_at} as it ran",
                then=then,
                ran_at=ran_at,
            )
        parts.append(both)
    return say(
        "Against {ran}: {parts}.",
        ran=over_what_ran(plan),
        parts=", ".join(parts),
    )


def from_channels(plan: PlanRecord, channels: PlanRecord) -> list[tuple[str, float]]:
    """A bridge from a plan over channels to that of its weeks or geos: names and means.

    The first part is the plan over channels; the parts add up to the other plan. Empty
    where the two spend another budget or are for other periods.

    Args:
        plan: The plan of weeks or of geos.
        channels: The plan over channels.
    """
    is_same = abs(plan.budget - channels.budget) <= 1e-6 * channels.budget
    fixed = plan.outcome.fixed
    if not is_same or not in_same_periods((plan, channels)):
        return []
    total, whole = plan.outcome.planned.mean, channels.outcome.planned.mean
    if plan.over == "geos":
        moves = plan.gain_over_channels is not None and plan.geo_advice == "change"
        moved = plan.gain_over_channels.mean if moves else 0.0
        return [
            (say("By channels, each split over geos as it ran"), whole),
            (say("moving money between geos"), moved),
            (say("counted geo by geo"), total - whole - moved),
        ]
    if fixed is None:
        return []
    return [
        (say("By channels, in the timing that ran"), whole),
        (
            say("counted week by week (carryover, prices, limits)"),
            fixed.mean - whole,
        ),
        (say("better timing"), total - fixed.mean),
    ]


def bridged(plan: PlanRecord, channels: PlanRecord, units: fmt.Units) -> str:
    """That bridge in a sentence; empty where both plans show the same sum.

    Args:
        plan: The plan of weeks or of geos.
        channels: The plan over channels.
        units: Words for the units.
    """
    parts = from_channels(plan, channels)
    total = units.show(plan.outcome.planned.mean)
    if not parts or units.show(parts[0][1]) == total:
        return ""
    least = 5e-4 * abs(plan.outcome.planned.mean)
    changes = [
        f"{name} {units.show(value, signed=True)}"
        for name, value in parts[1:]
        if abs(value) >= least
    ]
    first = f"{parts[0][0]} {units.show(parts[0][1])}"
    return say(
        "{part}: together {total}.", part=", ".join([first, *changes]), total=total
    )


def in_its_weeks(plan: PlanRecord, units: fmt.Units) -> str:
    """From what planned spend brings to what media bring in these weeks (Forecast).

    Empty for plans that do not count their weeks one by one.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    after, before = plan.terminal, plan.inherited
    if after is None or before is None:
        return ""
    brought = plan.outcome.planned.mean
    return say(
        "In these weeks media bring {within}, which is what Forecast counts: {brought} "
        "from the planned spend, less {after} that comes after them, and {before} from "
        "media before them.",
        within=units.show(brought - after.mean + before.mean),
        brought=units.show(brought),
        after=units.show(after.mean),
        before=units.show(before.mean),
    )


def timings(plan: PlanRecord) -> list[tuple[str, Estimate]]:
    """What a plan of weeks gains over the same money in other weeks."""
    named = (
        (say("Gain over the split that ran, in even weeks"), plan.gain_over_even),
        (say("Gain over the best split in the timing that ran"), plan.gain_over_fixed),
    )
    return [(name, gain) for name, gain in named if gain is not None]


def best_plan(
    plans: Sequence[PlanRecord],
    names: Sequence[str],
    standings: Sequence[Standing],
    units: fmt.Units,
) -> list[str]:
    """Which plan adds most to what ran, the advice on it, and how sure that is.

    Profit tells plans of different budgets apart, else the outcome of one budget.
    Empty where neither can: for one plan, for different periods, or where all add the
    same. The first sentence is the answer; those on single plans follow.

    Args:
        plans: The plans.
        names: What each is called.
        standings: Of each beside the newest fit.
        units: Words for the units.
    """
    if len(plans) < 2 or not in_same_periods(plans):
        return []
    what, is_profit, gains = _gains(plans, units)
    means = [gain.mean for gain in gains]
    if not gains or max(means) - min(means) <= 1e-9 * max(map(abs, means)):
        return []
    top = means.index(max(means))
    in_unit = partial(_gain_in_unit, is_profit=is_profit, units=units)
    best = in_unit(gains[top], signed=True)
    alike = [
        name
        for name, gain in zip(names, gains, strict=True)
        if _centre(in_unit(gain, signed=True)) == _centre(best)
    ]
    places = {
        "name": names[top],
        "what": what,
        "ran": as_they_ran(plan.horizon for plan in plans),
        "gain": best,
        "advice": advice_now(plans[top], standings[top]),
    }
    sentence = say(
        "{name} gains most {what} over {ran}: {gain}. Advice on it: {advice}.", **places
    )
    if len(alike) > 1:  # more digits than are shown would tell them apart
        sentence = say(
            "{names} gain about as much {what} over {ran}: {gain}. Advice on {name}: "
            "{advice}.",
            names=fmt.listed(alike),
            **places,
        )
    return [sentence, *_beside(plans, names, top, in_unit)]


def _centre(estimate: str) -> str:
    """An estimate as it is written, without its interval."""
    return estimate.partition(" (")[0]


def _gain_in_unit(
    gain: Estimate, *, is_profit: bool, units: fmt.Units, signed: bool = False
) -> str:
    """A gain in its unit: profit is money, whatever the KPI is."""
    if is_profit or units.is_money:
        return fmt.estimate(gain, "money", units.currency, signed=signed)
    return units.estimate(gain, signed=signed)


def _beside(
    plans: Sequence[PlanRecord],
    names: Sequence[str],
    top: int,
    in_unit: Callable[[Estimate], str],
) -> list[str]:
    """How sure it is that the best plan beats each of the others, nearest first."""
    leads = [
        (name, lead(plans[top], plan))
        for i, (name, plan) in enumerate(zip(names, plans, strict=True))
        if i != top
    ]
    comparable = [(name, ahead) for name, ahead in leads if ahead is not None]
    lines = [
        _ahead(name, ahead, in_unit(ahead))
        for name, ahead in sorted(comparable, key=lambda each: each[1].mean)
        if ahead.mean > 0
    ]
    unknown = [name for name, ahead in leads if ahead is None]
    if unknown:
        lines.append(
            say(
                "Its odds against {others} are not known: only plans of the same fit, "
                "view and margin that buy no mediator can be compared draw by draw.",
                others=fmt.listed(unknown),
            )
        )
    return lines


def _ahead(name: str, ahead: Estimate, by: str) -> str:
    """The lead over one plan, and its odds."""
    odds = fmt.probability(ahead.probability_positive)
    if ahead.probability_positive >= PROBABLE:
        return say(
            "It beats {other} with a probability of {odds}, by {by}.",
            other=name,
            odds=odds,
            by=by,
        )
    return say(
        "Too close to call against {other}: ahead by {by}, with a probability of "
        "{odds}.",
        other=name,
        odds=odds,
        by=by,
    )


def _gains(
    plans: Sequence[PlanRecord], units: fmt.Units
) -> tuple[str, bool, list[Estimate]]:
    """What tells the plans apart, whether it is profit, and how much each adds."""
    changes = [plan.against_today for plan in plans]
    profits = [change.profit.gain for change in changes if change.profit is not None]
    if len(profits) == len(plans):
        return say("profit"), True, profits
    if len({round(plan.budget, 2) for plan in plans}) > 1:
        return "", False, []
    return units.outcome_in_text, False, [change.outcome for change in changes]
