"""Parts of the Plan screen: tiles, the line of trust, charts, saved plans."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.planning import plan as figures
from core.plan.record.channels import Plan
from core.plan.record.parts import Estimate
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.view import plan_words
from core.view.advice import advices, compared_with, over_what_ran, unjudged
from core.view.plan_claim import plan_claim
from pages.ui import drawn, layout
from pages.ui.findings import plain


def tiles(columns, plan: PlanRecord | None, units: fmt.Units) -> None:
    """Outcome, gain, and the chance that the plan beats what it is compared with."""
    word = plan_words.brought(units)
    with columns[0].container(border=True, height="stretch", gap="xsmall"):
        outcome = None if plan is None else plan.outcome["planned"]
        shown = None if outcome is None else units.estimate(outcome)
        layout.estimate(word, shown, plan_words.BROUGHT)
    label, about, gain, over = "Gain", "", None, ""
    if plan is not None:
        label, about, gain, over = _gain(plan)
    with columns[1].container(border=True, height="stretch", gap="xsmall"):
        shown = None
        if gain is not None and "profit" in label:
            shown = fmt.estimate(gain, "money", units.currency, signed=True)
        elif gain is not None:
            shown = units.estimate(gain, signed=True)
        layout.estimate(label, shown, about)
    with columns[2].container(border=True, height="stretch", gap="xsmall"):
        odds = fmt.NONE
        if gain is not None and (gain["lo"], gain["hi"]) != (0.0, 0.0):
            odds = fmt.probability(gain["probability_positive"])
        st.metric("Chance of a gain", odds, help="Probability that it is above zero.")
        st.caption(f"over {over}" if over else "")


def _gain(plan: PlanRecord) -> tuple[str, str, Estimate, str]:
    """Label, meaning and estimate of the gain that is advised, and over what."""
    if plan.goal is not None and plan.goal.kind == "profit":
        over, gain = over_what_ran(plan), plan.against_today.profit.gain
        return "Gain in profit", f"Profit of the plan less that of {over}.", gain, over
    over, name = compared_with(plan), plan.units.outcome_name
    return (
        f"Gain over {over}",
        f"{name} of the plan less that of {over}.",
        plan.gain,
        over,
    )


def found_budget(
    tile, channel_plan: Plan | None, total: float, units: fmt.Units
) -> None:
    """The budget that was found, in the place of the one that is typed.

    Args:
        tile: Where to draw it.
        channel_plan: The plan; None where there is none.
        total: Today's spend.
        units: Words for the units.
    """
    symbol = units.symbol
    budget = (
        fmt.NONE
        if channel_plan is None
        else fmt.money(channel_plan.budget, units.currency)
    )
    exact = (
        ""
        if channel_plan is None
        else fmt.exact(channel_plan.budget, symbol, decimals=2)
    )
    with tile:
        st.metric("Budget found", budget, help=exact or None)
        shown = fmt.money(total, units.currency)
        ran = (
            "last year" if channel_plan is None else over_what_ran(channel_plan.record)
        )
        st.caption(f"{ran}: {shown}")


_BADGES = {
    "change": ":green-badge[:material/check: {said}]",
    "test": ":orange-badge[:material/science: {said}]",
    "keep": ":gray-badge[{said}]",
}


def claim(place: DeltaGenerator, plan: PlanRecord | None, units: fmt.Units) -> None:
    """What to do and what it brings, and the advice with its reasons.

    Args:
        place: Where it stands.
        plan: The plan; None where there is none.
        units: Words for the units.
    """
    if plan is None:
        return
    place.markdown(f"**{plain(plan_claim(plan, units))}.**")
    for each in advices(plan):
        badge = _BADGES[each.advice].format(said=plain(each.text))
        place.markdown(f"{badge} {plain(each.why)}")
    for line in unjudged(plan):
        place.caption(plain(line))


def trust(channel_plan: Plan, total: str) -> None:
    """How good the plan is: its bound, its sum, spend that was never seen."""
    parts = [plan_words.bound(channel_plan.record)]
    beyond = [channel.name for channel in channel_plan.channels if channel.beyond_seen]
    if beyond:
        names = plain(", ".join(beyond))
        what = fmt.count(len(beyond), "channel")
        parts.append(f":orange[{what} beyond observed spend: {names}]")
    parts.append(f"spends {total} exactly")
    st.caption(" · ".join(parts))


def firmness(channel_plan: Plan, units: fmt.Units) -> None:
    """Hidden demand that turns the advice, what to test, other splits, today."""
    plan = channel_plan.record
    lines = [
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        plan_words.other_split(plan, units),
    ]
    if plan.current_scaled:
        lines.append(plan_words.against_what_ran(plan, units))
    for line in filter(None, lines):
        st.caption(plain(line))


def goal(channel_plan: Plan, units: fmt.Units) -> None:
    """What the budget was found for, and the odds of a goal."""
    goal, objective = channel_plan.goal, channel_plan.record.objective
    if objective.name.startswith("reach:"):
        now, then = map(fmt.probability, (objective.current, objective.planned))
        aim = units.show(float(objective.name.removeprefix("reach:")))
        over = compared_with(channel_plan.record)
        st.caption(f"Reaches {aim} with a probability of {then}; {over}: {now}.")
    if goal is None:
        return
    budget = fmt.money(channel_plan.budget, units.currency)
    if goal.kind == "profit":
        profit = fmt.estimate(goal.profit, "money", units.currency)
        text = f"brings the largest profit: {profit}"
    elif goal.kind == "outcome":
        sure = fmt.probability(goal.probability)
        text = f"is the smallest for the goal, reached with a probability of {sure}"
    elif goal.kind == "roi":
        text = f"is the largest at that ROI: {fmt.estimate(goal.roi, 'ratio')}"
    else:
        text = f"is where the next {units.symbol or 'unit'} brings {goal.target:g}"
    st.caption(f"**{budget}** {text}.")


def charts(
    run: Run, channel_plan: Plan, units: fmt.Units, order: Sequence[str]
) -> None:
    """Spend that ran and planned spend, and the two distributions of the outcome."""
    theme, plan = layout.theme(), channel_plan.record
    currency = units.currency
    spend = drawn.of_run(
        lambda: figures.spend(plan, currency=currency, order=order, theme=theme),
        run,
        "spend",
        channel_plan.horizon,
        channel_plan.scenario,
        tuple(order),
    )
    layout.chart(spend, "plan.spend")
    outcome = drawn.of_run(
        lambda: figures.outcome(plan, units=units, theme=theme),
        run,
        "outcome",
        channel_plan.horizon,
        channel_plan.scenario,
    )
    layout.chart(outcome, "plan.outcome")
