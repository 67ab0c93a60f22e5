"""Weeks: when the plan's money runs, from week to week."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
import xarray as xr
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.errors import MMMError, PlanError
from core.service import plans, runs
from core.service.planning.asked import SWITCHES
from core.service.planning.scenario import (
    MOST_WEEKS,
    cells_of,
    evaluated,
    own_budget,
    stated,
    week_request,
)
from core.service.planning.weeks_ahead import Weeks, weeks_ahead
from core.service.plans import derived, request_of
from core.service.records.data import PlanHorizon
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, as_record
from core.service.runs import has_result, result_files
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.weeks import teaching_words
from pages.plan import life as plan_life
from pages.plan import planned_tests
from pages.plan.view import claim
from pages.plan.weeks import booked, edit, form, limits, saved, view
from pages.ui import fit_needed, layout, reading, state
from pages.ui.fields import folded, gated
from pages.ui.findings import plain, show_error
from pages.ui.planning import ChannelPlan
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened

_OLD = marked(
    ":orange-badge[out of date: budget, limits or objective have changed] "
    "Optimise weeks again."
)


def show(
    here: Opened, run: Run, channel_plan: ChannelPlan, ahead: PlanHorizon, actions
) -> PlanRecord | None:
    """The weeks of a plan.

    Args:
        here: The project.
        run: The fit.
        channel_plan: The plan of channels, whose money is spent.
        ahead: Its weeks.
        actions: Where the buttons of the screen are.

    Returns:
        The plan that is shown; None before there is one.
    """
    if ahead.n > MOST_WEEKS:
        return _too_long()
    fit = reading.fit(run.folder)
    units = fit.units
    weeks = weeks_of(run).with_new(channel_plan.scenario.beliefs)
    listed = _of_horizon(derived(here.folder, "flight", run.run_id), ahead, weeks)
    flight = next((each for each in listed if has_result(each.folder)), None)
    plan = None if flight is None else _record(flight)
    head = st.container()  # on top, though what is typed below decides what it says
    fit_needed.doubts(here, run, fit, is_said=plan is not None)
    if plan is not None:
        view.tiles(plan, units)
    _state_of(listed)
    stored = reading.result_dataset(flight.folder, "flight") if flight else None
    left, right = _sides(has_plan=stored is not None)
    below = st.container()
    with left:
        row = st.container(horizontal=True, vertical_alignment="bottom")
        table = _asked(row, run, channel_plan, ahead, units, is_first=stored is None)
        chart = st.container()
    with below:
        view.teaching(plan)
        amounts = _amounts(stored, weeks)
        table = _limited(run, channel_plan, weeks, table, amounts)
        if amounts is not None:
            _edit(run, flight, stored, weeks, table)
    error = _refused(weeks, table, units.currency)
    is_old = plan is not None and _is_old(flight, plan, channel_plan, table)
    with chart:
        if error is not None:
            show_error(error)
        _chart(weeks, table, units, (flight, stored, plan))
        if plan is not None:
            view.below_the_map(plan, channel_plan.record)
    _claim(head, plan, units, is_old=is_old)
    if plan is not None:
        with right:
            view.outcome(flight, stored)
            view.reasons(plan, weeks, _shapes(run))
    with row:
        saved.buttons()
    with actions:
        if flight is not None:
            plan_life.act(here, run, plan, is_next=not is_old)
        is_next = flight is None or is_old
        _start(run, table, listed, is_refused=error is not None, is_next=is_next)
    return plan


def _claim(
    head: DeltaGenerator, plan: PlanRecord | None, units: fmt.Units, *, is_old: bool
) -> None:
    """What the plan advises, and whether the form has asked for another since."""
    if is_old:
        head.markdown(say(_OLD))
    claim(head, plan, units, is_current=not is_old)


def _sides(*, has_plan: bool) -> Sequence[DeltaGenerator]:
    """The form and the map, and what stands beside them once there is a plan."""
    if has_plan:
        return st.columns([7, 5], gap="medium")
    whole = st.container()
    return whole, whole


def _asked(
    row: DeltaGenerator,
    run: Run,
    channel_plan: ChannelPlan,
    ahead: PlanHorizon,
    units: fmt.Units,
    *,
    is_first: bool,
) -> dict[str, Any]:
    """What the form asks for, with what planned tests fix; at first, what it is for."""
    may_teach = _may_teach(run, channel_plan)
    has_geos = "geo_curves.nc" in result_files(run.folder)
    table = form.requests(
        row, channel_plan, ahead, may_teach=may_teach, has_geos=has_geos
    )
    if is_first:
        _first(units)
    reserved = planned_tests.reserved(run, ahead.start, ahead.n, units.currency)
    return planned_tests.in_weeks(table, reserved)


def _limited(
    run: Run,
    channel_plan: ChannelPlan,
    weeks: Weeks,
    table: dict[str, Any],
    planned: np.ndarray | None,
) -> dict[str, Any]:
    """What is asked, with what is booked and limited: all that can be undone."""
    days = [str(day) for day in weeks.starts[_planned_part(weeks, table)]]
    table = booked.booked(run, weeks.names, days, table, planned)
    table = limits.limits(weeks.names, table, reading.fit(run.folder).units.symbol)
    saved.take_step(run, channel_plan, weeks.names, days, table)
    return table


def _may_teach(run: Run, channel_plan: ChannelPlan) -> bool:
    """Whether weeks can be planned to teach."""
    is_mean = channel_plan.scenario.objective == "mean"
    # What the own model of a mediator that is bought would learn is not counted.
    is_counted = not channel_plan.scenario.bought
    return is_mean and is_counted and "forecast.nc" in result_files(run.folder)


def _amounts(stored: xr.Dataset | None, weeks: Weeks) -> np.ndarray | None:
    """Amounts of the plan shown; None where it is of other channels."""
    if stored is None or tuple(stored.channel.values) != weeks.names:
        return None
    return stored.spend.to_numpy()


def _too_long() -> None:
    """Say that there are too many weeks."""
    st.info(
        say(
            "Timing is planned for at most {most_weeks} periods. Choose a shorter "
            "horizon under Plan for.",
            most_weeks=MOST_WEEKS,
        ),
        icon=":material/info:",
    )


def _shapes(run: Run) -> xr.Dataset | None:
    """Shapes of the fit's channels; None for a fit without them."""
    if "shapes.nc" not in result_files(run.folder):
        return None
    return reading.result_dataset(run.folder, "shapes")


def _is_old(
    flight: Run, plan: PlanRecord, channel_plan: ChannelPlan, table: dict[str, Any]
) -> bool:
    """Whether a plan was optimised for other limits than the form has now.

    Args:
        flight: The run that found it.
        plan: What came of it.
        channel_plan: The plan of channels, whose money is spent.
        table: What the form asks.
    """
    request = request_of(flight.folder)
    if "spend" in request:  # typed
        return False
    if "budget" not in request:  # asked in fewer words, by a command
        totals = {line.name: line.planned for line in channel_plan.record.channels}
        return any(
            # A unit of money: totals of weeks are sums of rounded amounts.
            abs(line.planned - totals.get(line.name, 0.0)) > 1
            for line in plan.channels
        )
    keys = ("budget", "objective", "channel", "teach", "belief")
    periods = [stated(each).weeks.budget for each in (request, table)]
    moved = any(request.get(key) != table.get(key) for key in keys)
    moved |= any(
        request.get(switch.name, switch.default)
        != table.get(switch.name, switch.default)
        for switch in SWITCHES
    )
    return moved or periods[0] != periods[1]


def _record(flight: Run) -> PlanRecord:
    """The plan of weeks that a run found."""
    return as_record(reading.result_json(flight.folder, "flight"))


def _of_horizon(listed: list[Run], ahead: PlanHorizon, weeks: Weeks) -> list[Run]:
    """Plans of exactly these weeks; without a first one, they follow the data."""
    periods, first = form.periods(ahead), {"start": str(weeks.starts[0])}
    return [
        run
        for run in listed
        if first | request_of(run.folder).get("horizon", {}) == periods
    ]


def _chart(weeks: Weeks, table, units, plan: tuple) -> None:
    """The heat map of a plan (its run, spend and record); else last year's weeks."""
    flight, planned, record = plan
    if planned is not None:
        view.planned(flight, planned, teaching_words.why_by_week(record))
        return
    part = _planned_part(weeks, table)
    view.usual(weeks.names, weeks.starts[part], weeks.usual[:, part], units.currency)


def _planned_part(weeks: Weeks, table: dict[str, Any]) -> slice:
    """Which of the weeks to come are planned."""
    horizon = stated(table).horizon
    first = [str(day) for day in weeks.starts].index(horizon.start)
    return slice(first, first + horizon.periods)


def _edit(
    run: Run, flight: Run, planned: xr.Dataset, weeks: Weeks, table: dict[str, Any]
) -> None:
    """The plan's amounts and totals to type in, and what that would bring."""
    box, has_content = folded.box(say("Edit amounts and totals"), "flight.amounts")
    if not has_content:
        return
    with box:
        within_seen = stated(table).within_seen
        most = weeks.dearest if within_seen else np.full(len(weeks.names), np.inf)
        days = [str(day)[:10] for day in planned["week"].values]
        st.caption(
            say(
                "A typed amount is kept. A typed total is spread over its cells in "
                "proportion, booked ones excepted"
            )
            + (
                say(", none above the channel's highest week so far.")
                if within_seen
                else "."
            )
        )
        spend = edit.table(
            f"flight.edit.{flight.run_id}",
            weeks.names,
            days,
            planned["spend"].to_numpy(),
            planned["booked"].to_numpy().astype(bool) if "booked" in planned else False,
            most,
        )
        if gated.button(say("Evaluate"), key="flight.evaluate", disabled=spend is None):
            _evaluate(run, table, weeks.names, spend)


def _evaluate(run: Run, table: dict[str, Any], names, spend: np.ndarray) -> None:
    """Start a run that says what exactly this spend would bring."""
    amounts = {name: row.tolist() for name, row in zip(names, spend, strict=True)}
    request = evaluated(table, "weeks", amounts)
    _ask(run, request, say("The edited plan is being evaluated"))


def _ask(run: Run, table: dict[str, Any], text: str) -> None:
    """Start a run for a request, and say so; or why not."""
    try:
        plans.start_weeks(run, table)
    except MMMError as error:
        show_error(error)
        return
    state.note(text, ":material/hourglass_top:")
    st.rerun()


def _first(units: fmt.Units) -> None:
    layout.remark(
        "Optimise weeks finds how much each channel spends in each week, so that "
        "{outcome_name} is as large as it can be, including carryover after the "
        "last week. It takes a few seconds and says how far the plan may be from "
        "the best one.",
        outcome_name=units.outcome_in_text,
    )


def _refused(weeks: Weeks, table: dict[str, Any], currency: str) -> PlanError | None:
    """Why the request cannot be met, before a worker is asked."""
    try:
        request = week_request(table)
        part = _planned_part(weeks, table)
        usual = weeks.usual[:, part]
        if request.bought:  # the budget pays for more than what the limits are of
            own = own_budget(request, weeks.names, usual, float(request.budget or 0.0))
            request = replace(request, budget=own)
        cells_of(
            request, weeks.names, weeks.starts[part], usual, weeks.dearest, currency
        )
    except PlanError as error:
        return error
    return None


def _state_of(listed: list[Run]) -> None:
    """The newest plan at work, or why it ended without a result."""
    if not listed:
        return
    newest = listed[0]
    if newest.status.is_live:
        st.fragment(view.progress, run_every="1s")(newest)
    elif newest.status.state != "done":
        text = plain(
            fmt.sentence(
                reworded(newest.status.message) or say("The plan did not finish")
            )
        )
        st.warning(f"{text} {plain(newest.status.hint)}", icon=":material/warning:")


def _start(
    run: Run,
    table: dict[str, Any],
    listed: list[Run],
    *,
    is_refused: bool,
    is_next: bool,
) -> None:
    """Optimise, or cancel what is at work; the main button where it is what to do."""
    live = next(
        (run_of_weeks for run_of_weeks in listed if run_of_weeks.status.is_live), None
    )
    if live is not None:
        if gated.button(say("Cancel"), key="flight.cancel", icon=":material/stop:"):
            runs.cancel(live)
            st.rerun()
        return
    if gated.button(
        say("Optimise weeks"),
        key="flight.go",
        type="primary" if is_next else "secondary",
        icon=":material/play_arrow:",
        shortcut="Ctrl+Enter",
        disabled=is_refused,
    ):
        _ask(run, table, say("The weeks are being planned"))


@once(
    lambda run: (run.folder, reading.result_sha(run.folder)),
    most=8,
    wait=tongue.Later("Reading the weeks to come"),
)
def weeks_of(run: Run) -> Weeks:
    """The periods to come after the data of a fit.

    Raises:
        MMMError: The run's data cannot be read.
    """
    return weeks_ahead(run)
