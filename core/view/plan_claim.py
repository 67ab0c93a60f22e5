"""The claim of a plan: what it does and what that brings, in a title of two lines."""

import re
from collections.abc import Mapping, Sequence

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.view.advice import kept, kept_budget, over_what_ran

#: Letters that two lines of a title hold.
MOST_LETTERS = 120
#: What a plan does whose channels keep their sums.
_WITHIN = {"geos": "Move money between geos", "weeks": "Move money between weeks"}
_WITHIN["channels"] = "Change the split"
#: Ways to name channels, the fullest first: how many by name, letters of a name.
_NAMING = ((2, 40), (2, 24), (1, 24), (1, 16))


def plan_claim(plan: PlanRecord, units: fmt.Units) -> str:
    """What the plan does and what that brings, or why nothing is to be changed.

    Args:
        plan: The plan.
        units: Words for the units.
    """
    split = plan.on_split.advice
    budget = None if plan.on_budget is None else plan.on_budget.advice
    if plan.advice == "test":
        return _test(plan, units)
    if budget == "keep":
        return _kept_budget(plan, units)
    is_profit = plan.goal is not None and plan.goal.kind == "profit"
    if budget == "change" or (is_profit and split == "change" and plan.current_scaled):
        return _another_budget(plan, units)
    if split == "keep":
        return tidied(f"Keep {kept(plan)}: no change is sure enough")
    return _moved(plan, units)


def _another_budget(plan: PlanRecord, units: fmt.Units) -> str:
    """What another budget brings over what ran."""
    change = plan.against_today
    verb = "Raise" if change.spend > 0 else "Cut"
    by = fmt.money(abs(change.spend), units.currency)
    keeps = f" in {kept(plan)}" if plan.on_split.advice == "keep" else ""
    shown, sure = [_named(change.outcome, units)], change.outcome
    if change.profit is not None:
        sure = change.profit.gain
        profit = fmt.money(sure["mean"], units.currency, signed=True)
        shown.append(f"{profit} profit")
    odds = f", {_odds(sure)}" if "probability_positive" in sure else ""
    return tidied(
        f"{verb} spend by {by}{keeps}: {' and '.join(shown)} over "
        f"{over_what_ran(plan)}{odds}"
    )


def _kept_budget(plan: PlanRecord, units: fmt.Units) -> str:
    """Why the budget stays, and what to do about the split."""
    stays = f"Keep {kept_budget(plan)}"
    if plan.on_split.advice == "keep":
        return tidied(f"{stays} and {kept(plan)}: no change is sure enough")
    if plan.on_split.advice == "test":
        return tidied(f"{stays}; {_lower(_test(plan, units))}")
    brings = f"{_named(plan.gain, units)}, {_odds(plan.gain)}"
    at = fmt.money(plan.budget, units.currency)
    return tidied(f"{stays}; at {at}, this split would gain {brings}")


def _moved(plan: PlanRecord, units: fmt.Units) -> str:
    """What moves, and what that gains."""
    brings = f"{_named(plan.gain, units)}, {_odds(plan.gain)}"
    return next(
        (
            text
            for way in _NAMING
            if len(text := tidied(f"{_moves(plan, units, *way)}: {brings}"))
            <= MOST_LETTERS
        ),
        tidied(f"Change the split: {brings}"),
    )


def spend_claim(plan: PlanRecord, units: fmt.Units) -> str:
    """How many channels get more and less, and where most money moves."""
    changes = {line.name: line.planned - line.current for line in plan.channels}
    up, down = (
        [name for name in changes if sign * changes[name] > 0.005] for sign in (1, -1)
    )
    if not up and not down:
        return "Every channel keeps its spend"
    counted = ""
    for names, what in ((up, "more"), (down, "less")):
        if names and counted:
            counted += f", {len(names)} {what}"
        elif names:
            verb = "gets" if len(names) == 1 else "get"
            counted = f"{fmt.count(len(names), 'channel')} {verb} {what}"
    most = max(changes, key=lambda name: abs(changes[name]))
    moved = fmt.money(changes[most], units.currency, signed=True)
    text = f"{counted}; the largest change: {fmt.brief(most, 30)} {moved}"
    return tidied(text)


def _test(plan: PlanRecord, units: fmt.Units) -> str:
    if plan.test is None:
        return "Test first: the gain is not sure enough to move money"
    name, worth = fmt.brief(plan.test.channel, 30), units.show(plan.test.worth)
    span = f" in {plan.horizon.span}" if plan.horizon.span else ""
    return tidied(f"Test {name} before moving money: the answer is worth {worth}{span}")


def _moves(plan: PlanRecord, units: fmt.Units, most: int, letters: int) -> str:
    """How much money moves, from where to where."""
    changes = {line.name: line.planned - line.comparison for line in plan.channels}
    moved = sum(change for change in changes.values() if change > 0)
    if moved < 1e-4 * plan.budget:
        return _WITHIN[plan.over]
    sides = []
    for sign in (-1, 1):
        names = sorted(
            (name for name in changes if sign * changes[name] > 0.01 * moved),
            key=lambda name: -abs(changes[name]),
        )
        sides.append(_listed(names, most, letters))
    if not all(sides):
        return _WITHIN[plan.over]
    return f"Move {fmt.money(moved, units.currency)} from {sides[0]} to {sides[1]}"


def _listed(names: Sequence[str], most: int, letters: int) -> str:
    shown = [fmt.brief(name, letters) for name in names]
    if len(shown) <= most:
        return fmt.listed(shown)
    others = fmt.count(len(shown) - 1, "other")
    return f"{shown[0]} and {others}"


def _named(outcome: Mapping[str, float], units: fmt.Units) -> str:
    """An outcome with its sign and name: `+13.3 M € revenue`."""
    shown = units.show(outcome["mean"], signed=True)
    return f"{shown} {units.outcome_name.lower()}" if units.is_money else shown


def _odds(outcome: Mapping[str, float]) -> str:
    return f"{fmt.probability(float(outcome['probability_positive']))}\u00a0likely"


def tidied(text: str) -> str:
    """Amounts without zeros that say nothing, `8 M €`; cut where too long."""
    how = fmt.locale()
    words = "|".join(map(re.escape, (how.thousand, how.million, how.billion)))
    zeros = rf"(?<=\d){re.escape(how.decimal)}0+(?=\u00a0?(?:{words})(?!\w))"
    text = re.sub(zeros, "", text)
    return fmt.brief(text, MOST_LETTERS)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
