"""Parts of the Plan screen: tiles, the line of trust, charts, saved plans."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.charts import format as fmt
from core.charts import plan as figures
from core.plan.plan import Plan
from core.workspace.runs import Run
from pages.ui import drawn, layout
from pages.ui.findings import counted, plain


def tiles(columns, made: Plan | None, units: fmt.Units) -> None:
    """Outcome, gain, and the chance that the plan beats the current split."""
    told = None if made is None else made.as_dict()
    kind = "money" if units.is_money else "number"
    unit = units.currency if units.is_money else units.outcome
    word = f"{units.outcome_name} from paid media"
    with columns[0].container(border=True, height="stretch", gap="xsmall"):
        given = told and told["outcome"]["planned"]
        _number(word, given, (kind, unit), "What the planned split brings.")
    with columns[1].container(border=True, height="stretch", gap="xsmall"):
        about = "Planned minus current split"
        if made is not None and made.current_scaled:
            about += ", scaled to the same budget"
        label = "Gain over the current split"
        _number(label, told and told["gain"], (kind, unit), f"{about}.", signed=True)
    with columns[2].container(border=True, height="stretch", gap="xsmall"):
        odds = fmt.NONE
        if told is not None:
            odds = fmt.probability(told["gain"]["probability_positive"])
        st.metric("Beats it", odds, help="Probability of a gain above zero.")
        st.caption(_advice(told))


def _number(
    label: str, given, measure: tuple[str, str], about: str, *, signed: bool = False
) -> None:
    kind, unit = measure
    if given is None:
        st.metric(label, fmt.NONE, help=about)
        st.caption(fmt.NONE)
        return
    text = fmt.estimate(given, kind, unit, signed=signed)
    estimate, _, interval = text.partition(" (")
    st.metric(label, estimate, help=about)
    st.caption(f"90 % ({interval}")


def _advice(told: dict[str, Any] | None) -> str:
    if told is None:
        return fmt.NONE
    if told["advice"] == "change":
        return ":green-badge[:material/check: change] the plan is worth it"
    return ":gray-badge[keep] the current split"


def trust(made: Plan, total: str) -> None:
    """How good the plan is: its bound, its sum, spend that was never seen."""
    gap = max(made.gap, 0.001)
    parts = [f"Within {100 * gap:.1f}\u00a0% of the best possible plan"]
    beyond = [channel.name for channel in made.channels if channel.beyond_seen]
    if beyond:
        names = plain(", ".join(beyond))
        what = counted(len(beyond), "channel", "channels")
        parts.append(f":orange[{what} beyond spend seen: {names}]")
    parts.append(f"spends {total} exactly")
    st.caption(" · ".join(parts))
    reasons = [plain(reason) for reason in made.advice.reasons]
    if reasons and made.advice.advice == "keep":
        st.caption(f"Why keep the current split: {' '.join(reasons)}")


def goal(made: Plan, units: fmt.Units) -> None:
    """What the budget was found for, and the odds of a goal."""
    told = made.as_dict()
    asked, objective = told["goal"], told["objective"]
    if objective["name"].startswith("reach:"):
        now, then = (fmt.probability(objective[key]) for key in ("current", "planned"))
        aim = units.show(float(objective["name"].removeprefix("reach:")))
        st.caption(f"Reaches {aim} with a probability of {then}, current split {now}.")
    if asked is None:
        return
    budget = fmt.money(made.budget, units.currency)
    if asked["kind"] == "profit":
        profit = fmt.estimate(asked["profit"], "money", units.currency)
        text = f"brings the largest profit: {profit}"
    elif asked["kind"] == "outcome":
        sure = fmt.probability(asked["probability"])
        text = f"is the smallest for the goal, reached with a probability of {sure}"
    elif asked["kind"] == "roi":
        text = f"is the largest at that ROI: {fmt.estimate(asked['roi'], 'ratio')}"
    else:
        text = f"is where the next {units.symbol or 'unit'} brings {asked['target']:g}"
    st.caption(f"**{budget}** {text}.")


def charts(run: Run, made: Plan, units: fmt.Units, order: Sequence[str]) -> None:
    """Current and planned spend, and the two distributions of the outcome."""
    theme, told = layout.theme(), made.as_dict()
    currency = units.currency
    spend = drawn.of_run(
        lambda: figures.spend(told, currency=currency, order=order, theme=theme),
        run,
        "spend",
        made.scenario,
        tuple(order),
    )
    layout.chart(spend, "plan.spend", most=380)
    draws = made.current_draws, made.planned_draws
    outcome = drawn.of_run(
        lambda: figures.outcome(*draws, units=units, theme=theme),
        run,
        "outcome",
        made.scenario,
    )
    layout.chart(outcome, "plan.outcome")
