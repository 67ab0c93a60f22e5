"""Plans side by side: their numbers, their spend, what they may bring, scored again."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from msgspec import structs

from core import text as fmt
from core.charts.planning import side_by_side as figures
from core.service.plans import Standing, standing
from core.service.projects.plans import list_plans, plan_of_record
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, in_same_periods
from core.text.languages.language import say
from core.view import plan_words
from core.view.beside_words import best_plan
from core.view.origin import origin_lines
from pages.compare import rescored
from pages.compare.side_by_side import comparable, more_rows, named, rows, table
from pages.ui import drawn, layout, navigation, planning, reading
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
    standings = [standing(here.folder, plan) for plan in plans]
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
        st.caption(_why_none_is_best(plans))
    _charts(plans, heads, units)
    with st.expander(say("Every measure"), key="compare.every"):
        table(
            more_rows(plans, units, standings),
            heads,
            say("Every measure"),
            comparable=comparable(plans),
        )
    older = [
        each for each in zip(plans, heads, standings, strict=True) if each[2].is_older
    ]
    _by_newer_fit(here, older, run, units)


def _why_none_is_best(plans: Sequence[PlanRecord]) -> str:
    """What tells the plans apart, so that none is marked as the best."""
    ran = plan_words.ran_before(plans)
    if in_same_periods(plans):
        return say(
            "The budgets differ, so no plan is marked as the best: compare what each "
            "changes against {ran}.",
            ran=ran,
        )
    return say(
        "The periods differ, so no plan is marked as the best: compare what each "
        "changes against {ran}, per period.",
        ran=ran,
    )


def _by_newer_fit(
    here: Opened,
    older: Sequence[tuple[PlanRecord, str, Standing]],
    run: Run,
    units: fmt.Units,
) -> None:
    """What the newest fit says of each plan of an older one, a click away."""
    fits = {
        plan.plan_id: fit
        for plan, fit in planning.with_fits(here.folder, [each[0] for each in older])
    }
    for plan, head, stood in older:
        label = say("{title}, by the newer fit", title=plain(head))
        with st.expander(label, key=f"compare.newer.{plan.plan_id}"):
            text = " ".join(origin_lines(plan, stood, units, is_compared=True))
            st.caption(plain(text))
            if plan.over == "channels" and plan.plan_id in fits:
                rescored.show(here, plan, fits[plan.plan_id], run, units)


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
        layout.remark("Choose plans to compare.")
    return plans


def _charts(
    plans: Sequence[PlanRecord], names: Sequence[str], units: fmt.Units
) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        called = [
            structs.replace(plan, name=name)
            for name, plan in zip(names, plans, strict=True)
        ]
        make = partial(figures.spends, called, currency=units.currency)
        drawn.anew("compare.spend", make)
    with right:
        make = partial(figures.outcomes, called, units=units)
        drawn.anew("compare.outcomes", make)
