"""The claim of a plan: what it does and what that brings, in a title of two lines."""

import re
from collections.abc import Sequence

from core import text as fmt
from core.estimate import Estimate
from core.plan.advice.rule import PROBABLE, is_frail
from core.plan.record.plan_record import PlanRecord
from core.text.languages.language import SOURCE, language, marked, say, say_count
from core.view.advice import keeps_sums, kept, over_what_ran, tested_first

#: Money that is no change.
_CENT = 0.005
#: Letters that two lines of a title hold.
MOST_LETTERS = 120
#: What a plan does whose channels keep their sums.
_WITHIN = {
    "geos": marked("Move money between geos"),
    "weeks": marked("Move money between weeks"),
}
_WITHIN["channels"] = marked("Change the split")
#: Ways to name channels, the fullest first: how many by name, letters of a name.
_NAMING = ((2, 40), (2, 24), (1, 24), (1, 16))


def plan_claim(plan: PlanRecord, units: fmt.Units, *, is_title: bool = True) -> str:
    """What the plan does and what that brings, or why nothing is to be changed.

    Args:
        plan: The plan.
        units: Words for the units.
        is_title: Whether it stands for itself, as a title of two lines: with how likely
            the gain is, and amounts without zeros. Beside tiles that say so it has
            neither, and amounts as they have them.
    """
    text = _claim(plan, units, with_odds=is_title)
    if is_title and len(_without_zeros(text)) > MOST_LETTERS:
        text = _claim(plan, units, with_odds=False)  # rather than half a number
    return tidied(text) if is_title else text


def _claim(plan: PlanRecord, units: fmt.Units, *, with_odds: bool) -> str:
    split = plan.on_split.advice
    budget = None if plan.on_budget is None else plan.on_budget.advice
    if plan.advice == "test":
        return _test(plan, units)
    if budget == "keep":
        return _kept_budget(plan, units, with_odds=with_odds)
    is_profit = plan.goal is not None and plan.goal.kind == "profit"
    if budget == "change" or (is_profit and split == "change" and plan.current_scaled):
        return _another_budget(plan, units, with_odds=with_odds)
    if split == "keep":
        return say("Keep {what}: {why}", what=kept(plan), why=_why_kept(plan))
    return _moved(plan, units, with_odds=with_odds)


#: Why nothing is to be changed, by the verdict on the fit.
_WHY_KEPT = {
    "doubtful": marked("the fit is doubtful"),
    "failed": marked("the fit failed"),
}


def _why_kept(plan: PlanRecord) -> str:
    """The first reason to keep what is, as the advice has it."""
    if plan.verdict in _WHY_KEPT:
        return say(_WHY_KEPT[plan.verdict])
    gain = plan.gain
    if gain.mean <= 0 or gain.probability_positive < PROBABLE:
        return say("no change is sure enough")
    if any(map(is_frail, plan.robustness)):
        return say("the gain may be hidden demand")
    return say("a change would gain too little")


def _another_budget(plan: PlanRecord, units: fmt.Units, *, with_odds: bool) -> str:
    """What another budget brings over what ran."""
    change, is_kept = plan.against_today, plan.on_split.advice == "keep"
    # In the split that stays the budget brings less than in the plan's own.
    split_gain = plan.gain.mean if is_kept and plan.comparison_scaled else 0.0
    outcome, sure = change.outcome.mean - split_gain, change.outcome
    amounts = [_named(outcome, units)]
    if change.profit is not None:
        sure = change.profit.gain
        gained = sure.mean - change.profit.margin * split_gain
        profit = fmt.money(gained, units.currency, signed=True)
        amounts.append(say("{profit} profit", profit=profit))
    # The draws of the record are of the plan's own split, and so are its odds.
    is_sure = with_odds and not is_kept and "probability_positive" in sure
    odds = f", {_odds(sure)}" if is_sure else ""
    places = {
        "by": fmt.money(abs(change.spend), units.currency),
        "brings": say(" and ").join(amounts),
        "ran": over_what_ran(plan),
        "odds": odds,
    }
    if is_kept:
        raised = marked("Raise spend by {by} in {kept}: {brings} over {ran}{odds}")
        cut = marked("Cut spend by {by} in {kept}: {brings} over {ran}{odds}")
        places["kept"] = kept(plan)
    else:
        raised = marked("Raise spend by {by}: {brings} over {ran}{odds}")
        cut = marked("Cut spend by {by}: {brings} over {ran}{odds}")
    return say(raised if change.spend > 0 else cut, **places)


def _kept_budget(plan: PlanRecord, units: fmt.Units, *, with_odds: bool) -> str:
    """Why the budget stays, and what to do about the split."""
    budget = plan.horizon.budget_that_ran
    if plan.on_split.advice == "keep":
        return say(
            "Keep {budget} and {split}: {why}",
            budget=budget,
            split=kept(plan),
            why=_why_kept(plan),
        )
    if plan.on_split.advice == "test":
        stays = say("Keep {what}", what=budget)
        return f"{stays}; {_lower(_test(plan, units))}"
    return say(
        "Keep {budget}; at {at}, this split would gain {brings}",
        budget=budget,
        at=fmt.money(plan.budget, units.currency),
        brings=_named(plan.gain.mean, units)
        + (f", {_odds(plan.gain)}" if with_odds else ""),
    )


def _moved(plan: PlanRecord, units: fmt.Units, *, with_odds: bool) -> str:
    """What moves, and what that gains."""
    brings = _named(plan.gain.mean, units)
    brings += f", {_odds(plan.gain)}" if with_odds else ""
    return next(
        (
            text
            for way in _NAMING
            if len(_without_zeros(text := fmt.named(_moves(plan, units, *way), brings)))
            <= MOST_LETTERS
        ),
        say("Change the split: {brings}", brings=brings),
    )


def spend_claim(plan: PlanRecord, units: fmt.Units, now: str | None = None) -> str:
    """How many channels get more and less, where most money moves, and if it should.

    Args:
        plan: The plan.
        units: Words for the units.
        now: The advice of the newest fit, where that is another than the plan's.
    """
    text = _spend_claim(plan, units)
    is_kept = all(abs(line.planned - line.current) <= _CENT for line in plan.channels)
    return text if is_kept else as_advised(text, plan, now)


def as_advised(text: str, plan: PlanRecord, now: str | None = None) -> str:
    """What a plan does, and whether it should.

    Args:
        text: What it does.
        plan: The plan.
        now: The advice of the newest fit, where that is another than the plan's.
    """
    split = plan.on_split.advice
    if (now or split) == "change":
        return text
    if now is not None:
        return tidied(say("Not recommended by the newest fit: {claim}", claim=text))
    if split == "test" or plan.verdict in _WHY_KEPT:
        return tidied(say("Not recommended yet: {claim}", claim=text))
    return tidied(say("Not recommended: {claim}", claim=text))


def _spend_claim(plan: PlanRecord, units: fmt.Units) -> str:
    changes = {line.name: line.planned - line.current for line in plan.channels}
    up, down = (
        [name for name in changes if sign * changes[name] > _CENT] for sign in (1, -1)
    )
    if not up and not down:
        return say("Every channel keeps its spend")
    most = max(changes, key=lambda name: abs(changes[name]))
    moved = fmt.money(changes[most], units.currency, signed=True)
    places = {"channel": fmt.brief_name(most, 30), "moved": moved, "less": len(down)}
    if not up:
        return tidied(
            say_count(
                len(down),
                "{less} channel gets less; {channel} changes most, {moved}",
                "{less} channels get less; {channel} changes most, {moved}",
                **places,
            )
        )
    places["more"] = len(up)
    if not down:
        return tidied(
            say_count(
                len(up),
                "{more} channel gets more; {channel} changes most, {moved}",
                "{more} channels get more; {channel} changes most, {moved}",
                **places,
            )
        )
    return tidied(
        say_count(
            len(up),
            "{more} channel gets more, {less} less; {channel} changes most, {moved}",
            "{more} channels get more, {less} less; {channel} changes most, {moved}",
            **places,
        )
    )


def _test(plan: PlanRecord, units: fmt.Units) -> str:
    if plan.test is None:
        if channel := tested_first(plan):
            return say(
                "Test {channel} before moving money",
                channel=fmt.brief_name(channel, 30),
            )
        return say("Test first: the gain is not sure enough to move money")
    places = {
        "channel": fmt.brief_name(plan.test.channel, 30),
        "worth": units.show(plan.test.worth),
    }
    if not plan.horizon.span:
        return say(
            "Test {channel} before moving money: the answer is worth {worth}", **places
        )
    return say(
        "Test {channel} before moving money: the answer is worth {worth} in {span}",
        span=plan.horizon.span,
        **places,
    )


def _moves(plan: PlanRecord, units: fmt.Units, most: int, letters: int) -> str:
    """How much money moves, from where to where."""
    changes = {line.name: line.planned - line.comparison for line in plan.channels}
    moved = sum(change for change in changes.values() if change > 0)
    if keeps_sums(plan):
        return say(_WITHIN[plan.over])
    sides = []
    for sign in (-1, 1):
        names = sorted(
            (name for name in changes if sign * changes[name] > 0.01 * moved),
            key=lambda name: -abs(changes[name]),
        )
        sides.append(_listed(names, most, letters))
    if not all(sides):
        return say(_WITHIN[plan.over])
    return say(
        "Move {moved} from {some} to {others}",
        moved=fmt.money(moved, units.currency),
        some=sides[0],
        others=sides[1],
    )


def _listed(names: Sequence[str], most: int, letters: int) -> str:
    short = [fmt.brief_name(name, letters) for name in names]
    if len(short) <= most:
        return fmt.listed(short)
    others = fmt.count(len(short) - 1, "other")
    return say("{first} and {others}", first=short[0], others=others)


def _named(outcome: float, units: fmt.Units) -> str:
    """A mean outcome with its sign and name: `+13.3 M € revenue`."""
    amount = units.show(outcome, signed=True)
    return f"{amount} {units.outcome_in_text}" if units.is_money else amount


def _odds(outcome: Estimate) -> str:
    odds = fmt.probability(float(outcome.probability_positive))
    return say("{odds}\u00a0likely", odds=odds)


def tidied(text: str) -> str:
    """Amounts without zeros that say nothing, `8 M €`; cut where too long."""
    return fmt.brief(_without_zeros(text), MOST_LETTERS)


def _without_zeros(text: str) -> str:
    how = fmt.locale()
    words = "|".join(map(re.escape, (how.thousand, how.million, how.billion)))
    zeros = rf"(?<=\d){re.escape(how.decimal)}0+(?=\u00a0?(?:{words})(?!\w))"
    return re.sub(zeros, "", text)


def _lower(text: str) -> str:
    if language() != SOURCE:
        return text
    return text[:1].lower() + text[1:]
