"""Plans side by side: their numbers, their spend, what they may bring, scored again."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st
from msgspec import structs

from core import text as fmt
from core.charts.planning import side_by_side as figures
from core.errors import MMMError
from core.service import runs
from core.service.planning.by_hand import Between, Rescored, rescored
from core.service.plans import Standing, standing
from core.service.projects.plans import list_plans, plan_of_record
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, in_same_periods
from core.service.runs import has_result
from core.text.languages.language import marked, say
from core.view import plan_words
from core.view.beside_words import best_plan
from core.view.origin import is_over, origin_lines
from pages.compare.side_by_side import comparable, more_rows, named, rows, table
from pages.ui import drawn, layout, navigation, planning, reading, tables
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

_CAUSES = {
    "data": marked("other data"),
    "model": marked("another model"),
    "data and model": marked("other data and another model"),
    "simulation": marked("simulation error"),
}
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
                _rescored(here, plan, fits[plan.plan_id], run, units)


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


def _rescored(
    here: Opened, plan: PlanRecord, before: Run, run: Run, units: fmt.Units
) -> None:
    """A plan of an older fit by the fit that is open; nothing once it is over.

    Args:
        here: The project.
        plan: The plan, over channels.
        before: The fit that it was made with.
        run: The fit that is open.
        units: Words for the units.
    """
    end = reading.fit(run.folder).end[:10]
    if before.run_id == run.run_id or is_over(plan, end):
        return
    old = planning.curves_of_plan(before, plan)
    new = planning.curves_of_plan(run, plan)
    if old is None or new is None:
        layout.remark(
            "The newer fit has no curves of {plan}. Plan these periods with it "
            "once, then the plan is scored here.",
            plan=plan_words.horizon(plan),
        )
        return
    try:
        change = rescored(
            plan.money,
            old,
            new,
            **_same(before, run),
            between=_between(here, plan, before, run),
        )
    except MMMError as error:
        show_error(error)
        return
    _explain(plan, change, units)


def _same(before: Run, after: Run) -> dict[str, bool]:
    first, second = _made_of(before), _made_of(after)
    return {"same_data": first[0] == second[0], "same_model": first[1] == second[1]}


def _between(here: Opened, plan: PlanRecord, before: Run, after: Run) -> Between | None:
    """A fit with the data of one and the model of the other, where there is one."""
    first, last = (_made_of(run) for run in (before, after))
    pairs = {(last[0], first[1]): "data", (first[0], last[1]): "model"}
    if first[0] == last[0] or first[1] == last[1]:
        return None
    for run in runs.list_runs(here.folder, "fit"):
        changed = pairs.get(_made_of(run))
        if changed and has_result(run.folder):
            curves = planning.curves_of_plan(run, plan)
            return None if curves is None else Between(curves, changed)
    return None


def _made_of(run: Run) -> tuple[str, str]:
    """Hashes of a fit's data and definition."""
    return run.data_sha256, run.spec_sha256


def _explain(plan: PlanRecord, change: Rescored, units: fmt.Units) -> None:
    before, after = map(units.estimate, (change.before, change.after))
    odds = fmt.probability(change.gain.probability_positive)
    difference, response, spend = (
        units.show(amount, signed=True)
        for amount in (change.response + change.spend, change.response, change.spend)
    )
    layout.remark(
        "{outcome_name} was {before}, is {after}; beats {over} with a "
        "probability of {odds}. The difference of {difference} is {response} from "
        "response ({change}) and {spend} from the spend behind the curves.",
        outcome_name=plain(units.outcome_name),
        before=before,
        after=after,
        over=plan.horizon.compared(is_scaled=plan.current_scaled),
        odds=odds,
        difference=difference,
        response=response,
        change=_causes(change, units),
        spend=spend,
    )
    rows = [
        {
            say("Channel"): row.name,
            say("Before"): units.show(row.before),
            say("Response"): units.show(row.response, signed=True),
            say("Spend"): units.show(row.spend, signed=True),
            say("After"): units.show(row.after),
        }
        for row in change.channels
    ]
    tables.grid(rows, say("Why the outcome of the plan differs"))


def _causes(change: Rescored, units: fmt.Units) -> str:
    """Why the response differs; with amounts where a fit tells causes apart."""
    if len(change.parts) == 1:
        more = say("; a fit of the new data with the old model would tell them apart")
        is_both = change.cause == "data and model"
        return say(_CAUSES[change.cause]) + (more if is_both else "")
    return ", ".join(
        f"{units.show(value, signed=True)} {say(_CAUSES[name])}"
        for name, value in change.parts.items()
    )
