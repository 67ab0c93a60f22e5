"""Titles of slides: what each one claims, made from its numbers; two lines at most."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core import text as fmt
from core.plan.record.plan_record import PlanRecord
from core.report import content as told
from core.report.content import Content
from core.text.currency import with_unit

#: Letters that two lines of a title hold.
MOST_LETTERS = 120
_KEPT = {"weeks": "last year's weeks"}
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
    if plan.advice == "keep":
        kept = _KEPT.get(plan.over, "the split")
        return f"Keep {kept}: no change is sure enough"
    if plan.advice == "test":
        return _test(plan, units)
    budget = plan.against_today.spend
    if abs(budget) >= max(0.005, 1e-6 * abs(plan.today.spend)):
        verb = "Raise" if budget > 0 else "Cut"
        by = fmt.money(abs(budget), units.currency)
        return _tidy(f"{verb} spend by {by}: {_over_today(plan, units)}")
    gain = plan.gain
    brings = f"{_named(gain, units)}, {_odds(gain)}"
    return next(
        (
            text
            for way in _NAMING
            if len(text := _tidy(f"{_moves(plan, units, *way)}: {brings}"))
            <= MOST_LETTERS
        ),
        _tidy(f"Change the split: {brings}"),
    )


def media_claim(content: Content) -> str:
    """What paid media brought, and at what return."""
    if told.verdict(content)["word"] == "failed":
        return "Do not decide on these numbers yet: the fit failed its checks"
    units, cards = content.units, told.headline(content)
    brought = cards[1].value
    if units.is_money:
        brought += f" of {units.outcome_name.lower()}"
    if len(cards) < 4:
        return _tidy(f"Media brought {brought}")
    returned = f"{cards[2].value} {cards[2].ci}".strip()
    how = f"an ROI of {returned}" if units.is_money else f"{returned} per unit"
    return _tidy(f"Paid media brought {brought}, at {how}")


def returns_claim(content: Content) -> str:
    """Which channel returned most, and how sure that is."""
    best, sure = told.best_channel(content)
    if best is None:
        return "What each channel returned"
    units, name = content.units, fmt.brief(str(best["name"]), 30)
    cost = best.get("cpik")
    if not units.is_money and cost and cost.get("median") is not None:
        shown = fmt.estimate(cost, "money", units.currency, centre="median")
        text = (
            f"{name} costs least: {shown} per unit of {fmt.brief(units.kpi_name, 24)}"
        )
    else:
        text = f"{name} returned most: ROI {fmt.estimate(best['roi'], 'ratio')}"
    return _tidy(f"{text}, {sure} likely the best channel" if sure else text)


def sources_claim(content: Content) -> str:
    """Shares of the baseline and of the largest channel."""
    name = content.units.outcome_name
    name = name.lower() if content.units.is_money else name
    base = fmt.share(content.summary["baseline_share"]["mean"])
    shares = {
        str(row["name"]): row["contribution_share"]["mean"]
        for row in content.summary["channels"]
        if (row.get("contribution_share") or {}).get("mean") is not None
    }
    text = f"The baseline made {base} of {fmt.brief(name, 24)}"
    if shares:
        most = max(shares, key=lambda channel: shares[channel])
        text += f"; {fmt.brief(most, 30)} made {fmt.share(shares[most])}"
        text += ", the most of any channel" if len(shares) > 1 else ""
    return text


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
    return _tidy(text)


def grid_claim(
    names: Sequence[str], amounts: Sequence[float], over: str, currency: str
) -> str:
    """Where most of the money goes: a week, a quarter, a geo.

    Args:
        names: First days of weeks, or names of quarters or geos.
        amounts: What each gets.
        over: `week`, `quarter` or `geo`.
        currency: Of the amounts.
    """
    place = max(range(len(names)), key=lambda at: amounts[at])
    most, all_ = (fmt.money(size, currency) for size in (amounts[place], sum(amounts)))
    if over == "week":
        return _tidy(f"Spend peaks in the week of {fmt.date(names[place])}: {most}")
    return _tidy(f"{fmt.brief(names[place], 30)} gets most: {most} of {all_}")


def channels_claim(content: Content) -> str:
    """Which channels made most of what media brought, each with its share."""
    rows = [
        row
        for row in content.summary["channels"]
        if (row.get("contribution_share") or {}).get("mean") is not None
    ]
    rows.sort(key=lambda row: -row["contribution_share"]["mean"])
    if len(rows) < 3:
        return sources_claim(content)
    first = [
        f"{fmt.brief(str(row['name']), 24)} "
        f"({fmt.share(row['contribution_share']['mean'])})"
        for row in rows[:3]
    ]
    name = content.units.outcome_name
    name = name.lower() if content.units.is_money else name
    return f"{fmt.listed(first)} made most {fmt.brief(name, 24)} of all channels"


def budgets_claim(points: Sequence[Mapping[str, Any]], units: fmt.Units) -> str:
    """What the next unit of money brings at the plan's budget."""
    at_plan = next((point for point in points if point["is_plan"]), None)
    if at_plan is None:
        return "What other budgets would bring"
    middle, _, ends = fmt.estimate(at_plan["mroi"], "ratio").partition(" ")
    unit = units.outcome if units.is_money else fmt.brief(units.kpi_name, 30)
    brings = f"{with_unit(middle, unit)} {ends}"
    return f"At the plan's budget, the next {units.symbol or 'unit'} brings {brings}"


def risks_claim(content: Content, plan: PlanRecord | None) -> str:
    """What the advice hangs on; of a fit alone, whether to trust it."""
    verdict = told.verdict(content)["word"]
    if plan is None or verdict != "trustworthy" or not plan.robustness:
        return {
            "trustworthy": "The fit passed its checks; its assumptions remain",
            "doubtful": "The fit is doubtful: settle its reasons first",
        }.get(verdict, "The fit failed its checks: do not decide on it yet")
    turns = [turn for turn in plan.robustness if turn.share is not None]
    if not turns:
        return "No channel's hidden demand, whatever its size, turns the advice"
    first = min(turns, key=lambda turn: turn.share)
    share, name = fmt.share(first.share), fmt.brief(first.channel, 30)
    return (
        f"The advice turns if {share} of what {name} seems to bring would have come "
        f"anyway"
    )


def _test(plan: PlanRecord, units: fmt.Units) -> str:
    if plan.test is None:
        return "Test first: the gain is not sure enough to move money"
    name, worth = fmt.brief(plan.test.channel, 30), units.show(plan.test.worth)
    return _tidy(f"Test {name} before moving money: the answer is worth {worth}")


def _over_today(plan: PlanRecord, units: fmt.Units) -> str:
    """Outcome, and profit where it is known, over today as it is."""
    change = plan.against_today
    shown, sure = [_named(change.outcome, units)], change.outcome
    if change.profit is not None:
        sure = change.profit.gain
        profit = fmt.money(sure["mean"], units.currency, signed=True)
        shown.append(f"{profit} profit")
    odds = f", {_odds(sure)}" if "probability_positive" in sure else ""
    return f"{' and '.join(shown)} over today{odds}"


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


def _tidy(text: str) -> str:
    """Amounts without zeros that say nothing, `8 M €`; cut where too long."""
    how = fmt.locale()
    words = "|".join(map(re.escape, (how.thousand, how.million, how.billion)))
    zeros = rf"(?<=\d){re.escape(how.decimal)}0+(?=\u00a0?(?:{words})(?!\w))"
    text = re.sub(zeros, "", text)
    return fmt.brief(text, MOST_LETTERS)
