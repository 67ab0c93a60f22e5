"""Plans side by side: their numbers, their spend, what they may bring, scored again."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core import text as fmt
from core.charts.planning import side_by_side as figures
from core.service.plans import standing_of
from core.service.projects.plans import list_plans, plan_of_record
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.text.languages.language import say
from core.view import plan_words
from core.view.beside_words import best_plan
from core.view.origin import origin_lines
from pages.compare import rescored
from pages.compare.side_by_side import (
    comparable,
    has_one_horizon,
    named,
    rows,
    table,
)
from pages.ui import layout, navigation, planning, reading
from pages.ui.findings import plain
from pages.ui.reading import Opened

_MOST = 6


def show(here: Opened, run: Run) -> None:
    """Any number of saved plans, up to six at a time."""
    saved = list_plans(here.folder)
    if not saved:
        layout.empty(
            say("No plan is saved"),
            say("Save two plans to see them side by side."),
            navigation.PLAN,
            say("Go to Plan"),
        )
        return
    record = plan_of_record(here.folder)
    names = named(saved, record)
    plans = chosen(saved, record, names)
    if not plans:
        return
    units = reading.fit(run.folder).units
    standings = [standing_of(here.folder, plan) for plan in plans]
    heads = [names[plan.plan_id] for plan in plans]
    if best := best_plan(plans, heads, standings, units):
        first, *more = map(plain, best)
        st.markdown(f"**{first}** {' '.join(more)}".rstrip())
    table(
        rows(plans, units, standings),
        heads,
        say("Plans"),
        comparable=comparable(plans),
    )
    if not comparable(plans):
        ran = plan_words.ran_before(plans)
        st.caption(
            say(
                "The budgets differ, so no plan is marked as the best: compare what "
                "each changes against {ran}.",
                ran=ran,
            )
            if has_one_horizon(plans)
            else say(
                "The periods differ, so no plan is marked as the best: compare what "
                "each changes against {ran}, per period.",
                ran=ran,
            )
        )
    for plan, stood in zip(plans, standings, strict=True):
        if stood.is_older:
            said = " ".join(origin_lines(plan, stood, units, is_compared=True))
            st.caption(f"{plain(plan.title)}: {plain(said)}")
    _charts(plans, heads, units)
    of_channels = [plan for plan in plans if plan.over == "channels"]
    rescored.show(here, planning.with_fits(here.folder, of_channels), run, units)


def chosen(
    saved: Sequence[PlanRecord], record: str | None, names: Mapping[str, str]
) -> list[PlanRecord]:
    """The plans to compare, at first that of record and the newest.

    Args:
        saved: Plans of one kind, newest first.
        record: The plan of record; None where there is none.
        names: What each is called, by its id.
    """
    by_id = {plan.plan_id: plan for plan in saved}
    newest = list(by_id)[:3]
    first = list(dict.fromkeys([*([record] if record in by_id else []), *newest]))[:3]
    picked = st.multiselect(
        say("Plans"),
        list(by_id),
        default=first,
        format_func=names.get,
        max_selections=_MOST,
        key="compare.plans",
        persist_state="session",
        placeholder=say("Choose"),
    )
    plans = [by_id[plan_id] for plan_id in picked if plan_id in by_id]
    if not plans:
        st.caption(say("Choose plans to compare."))
    return plans


def _charts(
    plans: Sequence[PlanRecord], names: Sequence[str], units: fmt.Units
) -> None:
    left, right = st.columns(2, gap="medium")
    theme = layout.theme()
    with left:
        figure = figures.spends(plans, currency=units.currency, theme=theme)
        layout.chart(figure, "compare.spend")
    draws = {
        name: plan.draws_of("planned") for name, plan in zip(names, plans, strict=True)
    }
    with right:
        figure = figures.outcomes(draws, units=units, theme=theme)
        layout.chart(figure, "compare.outcomes")
