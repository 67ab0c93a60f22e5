"""Parts of the Plan screen: advice, tiles, the answer, the line of trust, charts."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.planning import plan as figures
from core.estimate import Estimate
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, ResponseCurves
from core.text.languages.language import say
from core.view import beside_words, plan_words
from core.view.advice import advices, compared_with, over_what_ran, unjudged
from core.view.break_even import break_even
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan
from core.view.sections.section import Table
from pages.ui import drawn, layout, navigation, tables
from pages.ui.findings import plain
from pages.ui.planning import ChannelPlan


def tiles(columns, plan: PlanRecord | None, units: fmt.Units) -> None:
    """Outcome and gain; the odds of the gain where the advice does not say them.

    Args:
        columns: Two places.
        plan: The plan; None where there is none.
        units: Words for the units.
    """
    word = plan_words.brought(units)
    with layout.card(columns[0]):
        outcome = None if plan is None else plan.outcome.planned
        text = None if outcome is None else units.estimate(outcome)
        about = say(plan_words.BROUGHT)
        layout.estimate(word, text, about, navigation.PLAN)
    label, about, text, odds = say("Gain"), "", None, ""
    if plan is not None:
        label, about, gain, text = _gain(plan, units)
        odds = _odds_unsaid(plan, gain)
    with layout.card(columns[1]):
        layout.estimate(label, text, about, navigation.PLAN, odds)


def _odds_unsaid(plan: PlanRecord, gain: Estimate) -> str:
    """The odds of a gain, after its interval, where the advice does not say them."""
    if (gain.lo, gain.hi) == (0.0, 0.0):
        return ""
    odds = fmt.probability(gain.probability_positive)
    is_said = any(odds in advice.why for advice in advices(plan))
    return "" if is_said else say(" · {odds} likely", odds=odds)


def _gain(plan: PlanRecord, units: fmt.Units) -> tuple[str, str, Estimate, str]:
    """Label, meaning, estimate and text of the gain that is advised."""
    if plan.goal is not None and plan.goal.kind == "profit":
        over, gain = over_what_ran(plan), plan.against_today.profit.gain
        return (
            say("Gain in profit"),
            say("Profit of the plan less that of {over}.", over=over),
            gain,
            fmt.estimate(gain, "money", units.currency, signed=True),
        )
    over, name = compared_with(plan), plan.units.outcome_name
    return (
        say("Gain over {over}", over=over),
        say("{name} of the plan less that of {over}.", name=name, over=over),
        plan.gain,
        units.estimate(plan.gain, signed=True),
    )


def found_budget(
    tile, channel_plan: ChannelPlan | None, curves: ResponseCurves, units: fmt.Units
) -> None:
    """The budget that was found, in the place of the one that is typed.

    Args:
        tile: Where to draw it.
        channel_plan: The plan; None where there is none.
        curves: Of the periods planned.
        units: Words for the units.
    """
    budget, exact = fmt.NONE, None
    if channel_plan is not None:
        budget = fmt.money(channel_plan.record.budget, units.currency)
        exact = fmt.cents(channel_plan.record.budget, units.currency)
    with tile:
        st.metric(say("Budget found"), budget, help=exact)
        ran = fmt.money(float(curves.spend.sum()), units.currency)
        st.caption(fmt.named(curves.horizon.as_it_ran, ran))


_BADGES = {
    "change": ":green-badge[:material/check: {said}]",
    "test": ":orange-badge[:material/science: {said}]",
    "keep": ":gray-badge[{said}]",
}


def claim(
    place: DeltaGenerator,
    plan: PlanRecord | None,
    units: fmt.Units,
    *,
    is_current: bool = True,
) -> None:
    """The advice with its reasons; what it brings, where it is to change something.

    Args:
        place: Where it stands.
        plan: The plan; None where there is none.
        units: Words for the units.
        is_current: Whether it is for what the form asks now: only then in colour.
    """
    if plan is None:
        return
    what = plain(plan_claim(plan, units, is_title=False))
    brings = f"**{what}.** " * (plan.advice == "change")
    for each in advices(plan):
        colour = each.advice if is_current else "keep"
        badge = _BADGES[colour].format(said=plain(each.text))
        place.markdown(f"{badge} {brings}{plain(each.why)}")
        brings = ""
    for line in unjudged(plan):
        place.caption(plain(line))


def trust(plan: PlanRecord) -> None:
    """How good a plan is: its bound, its profit, spend that was never seen, its sum."""
    currency = plan.units.currency
    parts = [plan_words.bound(plan)]
    if plan.profit is not None:
        profit = fmt.estimate(plan.profit.planned, "money", currency)
        parts.append(plain(say("profit {profit}", profit=profit)))
    parts.append(_beyond(plan))
    total = fmt.cents(plan.budget, currency)
    parts.append(plain(say("spends {total} exactly", total=total)))
    more = [plan_words.reservation(plan)]
    if plan.over == "channels":  # the others have it among what is to be known
        more.append(plain(plan_words.idle(plan)))
    text = " · ".join(filter(None, parts))
    st.caption(" ".join([f"{text}.", *filter(None, more)]))


def _beyond(plan: PlanRecord) -> str:
    """Which channels, or how many cells, spend more than was ever seen; else empty."""
    if plan.over == "channels":
        names = [line.name for line in plan.channels if line.beyond_seen]
        if not names:
            return ""
        return say(
            ":orange[{what} beyond observed spend: {names}]",
            what=fmt.count(len(names), "channel"),
            names=plain(", ".join(names)),
        )
    of_weeks = sum(sum(line.weeks_beyond_seen) for line in plan.channels)
    cells = of_weeks + sum(cell.beyond_seen for cell in plan.cells)
    if not cells:
        return ""
    cells = fmt.count(cells, "cell")
    return say(":orange[{cells} beyond observed spend]", cells=cells)


def firmness(plan: PlanRecord) -> None:
    """What is to be known of the plan, but for what `trust` and `claim` say."""
    notes = {plan_words.idle(plan), plan_words.beyond(plan)}
    if not plan.current_scaled:
        notes.add(beside_words.against_what_ran(plan, plan.units))
    for line in of_plan.notes(plan):
        if line not in notes:
            st.caption(plain(line))


def add_up(plan: PlanRecord, channels: PlanRecord) -> None:
    """How a plan comes from that over channels, and what is to be known of it.

    Args:
        plan: Of weeks or of geos.
        channels: The plan over channels of the same money.
    """
    notes = [beside_words.bridged(plan, channels, plan.units), *of_plan.notes(plan)]
    lines = [f"- {plain(each)}" for each in notes if each]
    if lines:
        with st.expander(say("How these numbers add up"), icon=":material/functions:"):
            st.markdown("\n".join(lines))


def of_budget(channel_plan: PlanRecord, plan: PlanRecord | None) -> None:
    """What the budget was found for, and above which one more spend does not pay.

    Args:
        channel_plan: The plan over channels, which found it.
        plan: The plan that is shown; None where there is none.
    """
    lines = [plan_words.found_for(channel_plan)]
    lines += [] if plan is None else [break_even(plan, plan.units)]
    for line in filter(None, lines):
        st.caption(plain(line))


#: Width of the longest name that the answer does not cut, px: 19 letters. With the
#: other columns it fits beside the chart on a laptop.
NAME = 160
#: The same in tables of so many columns.
_BRIEF_NAME, _SEVERAL = 110, 5


def answer(table: Table, title: str = "") -> None:
    """What each channel, geo or project spent and is to spend, as wide as its texts.

    Args:
        table: `plan_tables.at_a_glance`.
        title: What it shows, where it has no title of its own.
    """
    frame = pd.DataFrame(list(table.rows), columns=list(table.heads))
    columns = {}
    for place, head in enumerate(frame):
        is_text = place < table.texts
        texts = [head, *frame[head]]
        most = NAME if len(table.heads) < _SEVERAL else _BRIEF_NAME
        columns[head] = st.column_config.TextColumn(
            pinned=place == 0,
            width=tables.width(texts, 82, most) if is_text else tables.width(texts),
            help=table.helps.get(head),
            alignment="left" if is_text else "right",
        )
    tables.grid(frame, table.title or title, columns)


def spend(
    run: Run, channel_plan: ChannelPlan, units: fmt.Units, order: Sequence[str]
) -> None:
    """Spend that ran beside planned spend."""
    plan, key = (
        channel_plan.record,
        (channel_plan.record.horizon, channel_plan.scenario),
    )
    make = partial(figures.spend, plan, currency=units.currency, order=order)
    drawn.show("plan.spend", make, *key, tuple(order), run=run)


def distribution(run: Run, channel_plan: ChannelPlan, units: fmt.Units) -> None:
    """The distributions of the outcome, of the plan and of what it is compared with."""
    key = channel_plan.record.horizon, channel_plan.scenario
    make = partial(figures.outcome, channel_plan.record, units=units)
    drawn.show("plan.outcome", make, *key, run=run)
