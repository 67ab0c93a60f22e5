"""Advice: what to do about split, budget and geos, each in one sentence with why."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from core import text as fmt
from core.plan.advice.rule import PROBABLE, resting
from core.plan.limits.asked import Switch
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import SOURCE, language, marked, say
from core.text.languages.reworded import reworded

#: The advice in a word or two.
WORDS = {
    "change": marked("Recommended"),
    "test": marked("Test first"),
    "keep": marked("Keep"),
}
#: The same of one part of the advice, after what it is about.
_IN_BRIEF = {
    "change": marked("change"),
    "test": marked("test first"),
    "keep": marked("keep"),
}
_ABOUT = {
    "split": marked("split"),
    "budget": marked("budget"),
    "geos": marked("geos"),
}
#: What moving money between geos adds, in the plan or beside it.
BETWEEN_GEOS = {
    "change": marked("Of the gain, by moving money between geos"),
    "keep": marked("Moving money between geos would add"),
}


class Said(NamedTuple):
    """What to do about one thing.

    Attributes:
        about: What it is about.
        advice: `change`, `test` or `keep`.
        text: What to do, in a few words that begin with the advice.
        why: The reasons, in sentences.
    """

    about: Literal["split", "budget", "geos"]
    advice: str
    text: str
    why: str

    @property
    def sentence(self) -> str:
        """What to do, and why."""
        why = self.why
        has_colon = ":" in why.split(". ")[0]  # one of them is enough
        if self.advice == "keep" and why and language() == SOURCE and not has_colon:
            return f"{self.text}: {_lower(why)}"
        return f"{self.text}. {why}".strip()


def switch_label(switch: Switch) -> str:
    """What a yes or no of a plan is called on the screens."""
    return say(switch.label, odds=fmt.percent(PROBABLE, decimals=0))


def advices(plan: PlanRecord) -> list[Said]:
    """What to do about the split, and where they are questions, budget and geos.

    Args:
        plan: The plan.
    """
    on_split = plan.on_split
    lines = [Said("split", on_split.advice, _split(plan), _why(plan, on_split.reasons))]
    on_budget = plan.on_budget
    if on_budget is not None:
        why = _why(plan, on_budget.reasons)
        lines.append(Said("budget", on_budget.advice, _budget(plan), why))
    if plan.geo_advice is not None:
        what, why = say(_GEOS[plan.geo_advice]), _why(plan, plan.geo_reasons)
        lines.append(Said("geos", plan.geo_advice, what, why))
    return lines


def advice_lines(plan: PlanRecord) -> list[str]:
    """The advice in sentences: one for each of `advices`."""
    return [*(text.sentence for text in advices(plan)), *unjudged(plan)]


def unjudged(plan: PlanRecord) -> list[str]:
    """Why the advice leaves the budget open; empty where it does not."""
    is_open = plan.current_scaled and plan.on_budget is None and plan.goal is None
    if not is_open or plan.against_today.profit is not None:
        return []
    return [say(_NO_PROFIT, kpi=plan.units.kpi_name)]


def advice_in_words(plan: PlanRecord) -> str:
    """The advice in a cell of a table: `Keep`, or `Split: change, budget: keep`."""
    pieces = advices(plan)
    if len({each.advice for each in pieces}) == 1:
        return say(WORDS[plan.advice])
    parts = [
        fmt.named(say(_ABOUT[each.about]), say(_IN_BRIEF[each.advice]))
        for each in pieces
    ]
    text = ", ".join(parts)
    return text[:1].upper() + text[1:]


def compared_with(plan: PlanRecord) -> str:
    """What the gain of a plan is over, in words."""
    return plan.compared_with


def kept(plan: PlanRecord) -> str:
    """What stays where the split is not to be changed."""
    if not plan.horizon.has_last_year and plan.over != "weeks":
        return say("the split as it ran")
    if plan.horizon.is_repeated:
        return plan.horizon.as_it_ran
    return (
        say("last year's weeks") if plan.over == "weeks" else say("last year's split")
    )


def _split(plan: PlanRecord) -> str:
    advice = plan.on_split.advice
    if advice == "keep":
        return say("Keep {what}", what=kept(plan))
    if advice == "test":
        what, channel = kept(plan), tested_first(plan)
        if not channel:
            return say("Test first, before {what} changes", what=what)
        return say(
            "Test first: {channel}, before {what} changes", channel=channel, what=what
        )
    if plan.goal is not None and plan.goal.kind == "profit":
        return say("Recommended: change budget and split as shown")
    if plan.supported is not None and plan.supported.is_plan:
        return say(
            "Recommended: change the split as shown, the part of the best plan that "
            "the data support"
        )
    if plan.over == "weeks" and keeps_sums(plan):
        return say("Recommended: move money between weeks as shown")
    return say("Recommended: change the split as shown")


def tested_first(plan: PlanRecord) -> str:
    """The channel whose lift test comes first; empty where none is named."""
    if plan.test is not None:
        return plan.test.channel
    return next(iter(resting(plan.robustness)), "")


def keeps_sums(plan: PlanRecord) -> bool:
    """Whether every channel keeps its money, but for what nobody would notice."""
    changes = (line.planned - line.comparison for line in plan.channels)
    return sum(change for change in changes if change > 0) < 1e-4 * plan.budget


def _budget(plan: PlanRecord) -> str:
    if plan.on_budget.advice == "keep":
        what = plan.horizon.budget_that_ran
        today = fmt.money(plan.today.spend, plan.currency)
        return say("Keep {what} of {amount}", what=what, amount=today)
    change = plan.against_today.spend
    by = fmt.money(abs(change), plan.currency)
    if change > 0:
        return say("Recommended: raise the budget by {by}", by=by)
    return say("Recommended: cut the budget by {by}", by=by)


def _why(plan: PlanRecord, reasons: Sequence[str]) -> str:
    """Reasons that a plan keeps, in the language of the reader."""
    names = [line.name for line in plan.channels]
    return " ".join(reworded(reason, names) for reason in reasons)


_GEOS = {
    "change": marked("Recommended: move money between geos as shown"),
    "keep": marked("Keep each channel's split over geos"),
}
_NO_PROFIT = marked(
    "Whether the new budget pays is not judged, since a unit of "
    "{kpi} has no value in money: set one in Data."
)


def over_what_ran(plan: PlanRecord) -> str:
    """What the plan as a whole is compared with, in words."""
    return plan.horizon.as_it_ran


def _lower(why: str) -> str:
    """Reasons, to follow a colon."""
    if why.startswith("It "):
        return f"the plan {why.removeprefix('It ')}"
    return why[:1].lower() + why[1:]


def ran_heading(plan: PlanRecord) -> str:
    """Heading of a column of what ran: `Same weeks last year`."""
    return plan.horizon.heading
