"""Words about a plan: its gain, its odds, how near the best it is."""

import math
from collections.abc import Sequence

from core import text as fmt
from core.estimate import Estimate
from core.plan.advice.parts import Correlated
from core.plan.advice.rule import is_frail, resting
from core.plan.limits.stated import stated
from core.plan.record.parts import RELAXED, Project
from core.plan.record.plan_record import PlanRecord
from core.plan.response.periods import as_they_ran
from core.plan.scenario.measure import goal_of
from core.plan.scenario.reserved import tests_of
from core.text.languages.language import marked, say, say_count
from core.view.advice import compared_with as over
from core.view.advice import over_what_ran

_PLAIN = ("mean", "profit")
_MEANINGS = {
    "p": marked("the {kpi} that is reached with a probability of {above}\u00a0%"),
    "cvar": marked("mean {kpi} in the worst {share}\u00a0% of cases"),
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
    show = units.show if goal_of(name) is None else fmt.probability
    planned, before = ("" if each is None else show(float(each)) for each in values)
    if not before:
        return fmt.named(maximised(name, units), planned)
    return say(
        "{objective}: {planned}, {over} {before}",
        objective=maximised(name, units),
        planned=planned,
        over=over(plan),
        before=before,
    )


#: What that number counts, so that nobody takes it for what a forecast counts.
BROUGHT = marked(
    "What the spend of these periods brings, whenever it comes: "
    "carryover after them is counted, carryover from media before "
    "them is not."
)


def brought(units: fmt.Units) -> str:
    """The name of a plan's outcome: `Revenue from the planned spend`."""
    return say("{outcome} from the planned spend", outcome=units.outcome_name)


def maximised(name: str, units: fmt.Units) -> str:
    """What an objective maximises: `expected revenue`.

    Args:
        name: Of the objective, such as `mean`, `p10` or `reach:4e7`.
        units: Words for the units.
    """
    kpi = units.kpi_in_text
    if name == "mean":
        return say("expected {kpi}", kpi=kpi)
    if name == "profit":
        return say("expected profit")
    if (goal := goal_of(name)) is not None:
        return say("the odds of at least {goal}", goal=units.show(goal))
    kind = name.rstrip("0123456789")
    share = int(name.removeprefix(kind))
    return say(_MEANINGS[kind], above=100 - share, share=share, kpi=kpi)


def pursued(plan: PlanRecord, units: fmt.Units) -> str:
    """What a plan maximises: the profit, where that finds its budget.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    is_profit = stated(plan.scenario).find.kind == "profit"
    return maximised("profit" if is_profit else plan.objective.name, units)


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
        return say("Evaluated as typed, not optimised")
    share = gap(plan)
    if share is None:
        return ""
    near = fmt.percent(share)
    return say("At most {near} below the best plan within these limits", near=near)


def nearness(plan: PlanRecord) -> str:
    """`bound` and `reservation`, as sentences; empty where nothing is known."""
    near = bound(plan)
    return f"{near}. {reservation(plan)}".rstrip() if near else ""


def is_typed(plan: PlanRecord) -> bool:
    """Whether its spend over weeks or geos was typed, so that nothing was searched."""
    return "spend" in plan.scenario or stated(plan.scenario).geos.spend is not None


def gained(gain: Estimate, units: fmt.Units) -> str:
    """A gain with its interval and its odds.

    Args:
        gain: Of the plan over what it is compared with.
        units: Words for the units.
    """
    if (gain.lo, gain.hi) == (0.0, 0.0):
        return say("none, the splits are the same")
    odds = fmt.probability(gain.probability_positive)
    amount = units.estimate(gain, signed=True)
    return say(
        "{amount}, above zero with a probability of {odds}", amount=amount, odds=odds
    )


def aim(plan: PlanRecord) -> str:
    """What a cautious plan maximises, as a sentence; empty for others."""
    what = objective(plan, plan.units)
    return say("Maximises {what}.", what=what) if what else ""


def found_for(plan: PlanRecord) -> str:
    """What the budget was found for; empty where it was given."""
    goal, units = plan.goal, plan.units
    if goal is None:
        return ""
    budget = fmt.money(plan.budget, units.currency)
    if goal.kind == "profit":
        profit, margin = goal.profit, goal.margin
        if plan.profit is not None:  # of weeks
            profit, margin = plan.profit.planned, plan.profit.margin
        return say(
            "{budget} brings the largest profit at a margin of {margin}\u00a0%: "
            "{profit}.",
            budget=budget,
            margin=f"{100 * margin:g}",
            profit=fmt.estimate(profit, "money", units.currency),
        )
    if goal.kind == "outcome":
        return say(
            "{budget} is the smallest budget for {target}, which it reaches with a "
            "probability of {sure}.",
            budget=budget,
            target=units.show(goal.target),
            sure=fmt.probability(goal.probability),
        )
    if goal.kind == "roi":
        return say(
            "{budget} is the largest budget with an ROI of {target}: {roi}.",
            budget=budget,
            target=f"{goal.target:g}",
            roi=fmt.estimate(goal.roi, "ratio"),
        )
    return say(
        "{budget} is where the next {symbol} brings {target}.",
        budget=budget,
        symbol=units.symbol or say("unit"),
        target=f"{goal.target:g}",
    )


def beyond(plan: PlanRecord) -> str:
    """Channels that are to spend more in a period than the data have; else empty."""
    names = [fmt.brief(line.name, 30) for line in plan.channels if line.beyond_seen]
    if not names:
        return ""
    return say(
        "{names}: the plan spends more in a period than the data ever saw.",
        names=fmt.listed(names, limit=6),
    )


def tests(plan: PlanRecord) -> str:
    """Planned lift tests that the plan carries out; empty where there are none.

    Args:
        plan: The plan.
    """
    names = tests_of(plan.scenario)
    if not names:
        return ""
    return say_count(
        len(names),
        "The plan keeps to the planned test {names}: that spend is fixed.",
        "The plan keeps to the planned tests {names}: that spend is fixed.",
        names=fmt.listed(list(names)),
    )


#: Gap that needs no reservation: it is that of a plan of the mean, as it is told.
_NEAR = 0.001


def reservation(plan: PlanRecord) -> str:
    """What the bound of a quantile, of odds or of pauses leaves open; else empty."""
    if plan.bound.method == RELAXED and gap(plan):
        return say(
            "The bound is that of the same limits without the least of "
            "weeks that run and without steps, so this number also holds "
            "what these cost."
        )
    name, near = plan.objective.name, gap(plan)
    is_bounded_well = name in _PLAIN or name.startswith("cvar")
    if is_bounded_well or near is None or near <= _NEAR:
        return ""
    return say(
        "The bound is loose for this objective: the plan may be closer "
        "to the best than this number says."
    )


#: Verdicts that leave the advice to the draws; empty where nobody knows it.
_TRUSTED = ("", "trustworthy")
#: Channels whose turning share is told; the others need more to turn the advice.
_TOLD = 3


def robustness(plan: PlanRecord) -> str:
    """How much hidden demand the advice withstands.

    Empty where nothing moves, and where the fit is not trustworthy: then its warnings
    decide the advice, and no amount of hidden demand turns it.

    Args:
        plan: The plan.
    """
    text = _robustness(plan) if plan.verdict in _TRUSTED else ""
    if not text:
        return ""
    return " ".join([text, *(_correlated(each, plan) for each in plan.hidden)])


def _correlated(each: Correlated, plan: PlanRecord) -> str:
    """How much demand behind a mediator and the KPI alike the advice withstands."""
    kpi = each.kpi or plan.kpi_name or say("the KPI")
    names = {"mediator": each.mediator, "kpi": kpi}
    if each.correlation is None:
        return say(
            "It also holds however strongly hidden demand moves {mediator} and {kpi} "
            "alike.",
            **names,
        )
    return say(
        "It turns if hidden demand moves {mediator} and {kpi} alike and correlates the "
        "errors of the two fits by {correlation} or more.",
        correlation=fmt.ratio(each.correlation),
        **names,
    )


def _robustness(plan: PlanRecord) -> str:
    """How much hidden demand in single channels the advice withstands."""
    turns = plan.robustness
    is_reason = plan.on_split.advice == "keep" and any(map(is_frail, turns))
    is_reason |= plan.on_split.advice == "test" and bool(resting(turns))
    if not turns or is_reason:  # then it is said why the split is kept
        return ""
    open_to = [turn for turn in turns if turn.share is not None]
    if not open_to:
        return say(
            "The advice holds however much of what any one channel seems "
            "to bring would have come anyway."
        )
    frail = [turn for turn in open_to if turn.share < 0.01]
    supported = plan.supported
    if frail and supported and supported.is_plan and supported.step < 1:
        return say(
            "This is the largest step that the data support, so any part of what "
            "{channel} seems to bring that would have come anyway turns the advice.",
            channel=frail[0].channel,
        )
    if frail:
        return at_little(frail[0].channel)
    parts = [
        say(
            "{share}\u00a0% of what {channel}",
            share=math.floor(100 * turn.share),
            channel=turn.channel,
        )
        for turn in open_to[:_TOLD]
    ]
    return say(
        "The advice holds even if {parts} seems to bring would have come anyway.",
        parts=say(", or ").join(parts),
    )


def at_little(channel: str) -> str:
    """That hardly any hidden demand in a channel turns the advice."""
    return say(
        "The advice turns if as little as 1\u00a0% of what {channel} seems to "
        "bring would have come anyway.",
        channel=channel,
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
    places = {"channel": test.channel, "worth": units.show(test.worth), "moved": moved}
    if plan.verdict not in _TRUSTED:
        return _later_test(span, places)
    if not span:
        return say(
            "Test {channel} first: knowing its return exactly would be worth {worth} "
            "to this plan (it would move {moved} of the budget).",
            **places,
        )
    return say(
        "Test {channel} first: knowing its return exactly would be worth {worth} to "
        "this plan of {span} (it would move {moved} of the budget).",
        span=span,
        **places,
    )


def _later_test(span: str, places: dict[str, str]) -> str:
    """The same where the warnings of the fit come before any test."""
    if not span:
        return say(
            "Once the fit is trustworthy, test {channel}: knowing its return exactly "
            "would be worth {worth} to this plan (it would move {moved} of the "
            "budget).",
            **places,
        )
    return say(
        "Once the fit is trustworthy, test {channel}: knowing its return exactly would "
        "be worth {worth} to this plan of {span} (it would move {moved} of the "
        "budget).",
        span=span,
        **places,
    )


def renamed(plan: PlanRecord, name: str) -> str:
    """That a plan was saved under another name than asked for; empty where not."""
    if plan.name == name.strip():
        return ""
    return say(
        "Another plan is called {asked}: this one is saved as {name}.",
        asked=name.strip(),
        name=plan.name,
    )


def horizon(plan: PlanRecord) -> str:
    """The periods of a plan: `52 weeks, 5 Jan 2026 to 28 Dec 2026`."""
    days = plan.horizon
    if not days.start:
        return say("the data's own periods")
    first, last = map(fmt.date, (days.start, days.end))
    counted = days.span
    if days.as_fitted:
        return say(
            "the data's own {periods}, {first} to {last}",
            periods=counted,
            first=first,
            last=last,
        )
    return say("{periods}, {first} to {last}", periods=counted, first=first, last=last)


def horizon_in_brief(plan: PlanRecord) -> str:
    """The same for a narrow column: `52 weeks from 5 Jan 2026`."""
    days = plan.horizon
    if days.as_fitted:
        return say("the data's own periods")
    return say("{periods} from {day}", periods=days.span, day=fmt.date(days.start))


def ran_before(plans: Sequence[PlanRecord]) -> str:
    """What plans are compared with, in one name for all of them."""
    return as_they_ran(plan.horizon for plan in plans)


def mark_of_ran(plans: Sequence[PlanRecord]) -> str:
    """The same in two or three words."""
    marks = {plan.horizon.compared_mark(is_scaled=False) for plan in plans}
    return marks.pop() if len(marks) == 1 else say("what ran")


def idle(plan: PlanRecord) -> str:
    """Which channels a plan leaves out because they spent nothing; empty for none."""
    names = plan.idle
    if not names:
        return ""
    return say_count(
        len(names),
        "Not part of the plan: {names}, which spent nothing in {ran}. Plan weeks to "
        "bring it back.",
        "Not part of the plan: {names}, which spent nothing in {ran}. Plan weeks to "
        "bring them back.",
        names=fmt.listed(names, limit=8),
        ran=over_what_ran(plan),
    )


def project_change(project: Project) -> str:
    """By how much what a project spends changes; none where it spent nothing."""
    if not project.current:
        return fmt.NONE
    return fmt.share(project.planned / project.current - 1, signed=True)
