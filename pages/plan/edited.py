"""An edited workbook of a plan, uploaded again: evaluated, or its limits taken up."""

from dataclasses import replace
from pathlib import PurePath
from typing import Any

import streamlit as st

from core.service import plans, scenarios
from core.service.horizons import horizon_curves, own_curves
from core.service.planning.scenario import (
    as_table,
    geo_request,
    of_table,
    stated,
    with_totals,
)
from core.service.records.data import plan_horizon
from core.service.records.fit import Run
from core.service.records.plan import (
    HorizonRequest,
    ResponseCurves,
    horizon_request,
)
from core.text.languages.language import marked, say
from pages.plan import limits as plan_limits
from pages.plan import more, saved, steps
from pages.plan.geos import limits as geo_limits
from pages.ui import layout, planning, reading, state
from pages.ui.fields import gated

_MAX_MB = 5
_HELP = marked(
    "The XLSX of a plan. Edited amounts are evaluated as typed; if only limits or the "
    "budget were edited, a new plan is made with them."
)


def upload(run: Run, *, starts_run: bool) -> None:
    """The place to drop the edited workbook of a plan.

    Args:
        run: The fit.
        starts_run: Whether what is dropped here is mostly for a worker (weeks), which
            planners may ask only.
    """
    name = "flight.upload" if starts_run else "plan.upload"
    uploader = gated.file_uploader if starts_run else st.file_uploader
    key = f"{name}.{state.edition(name)}"
    with st.expander(
        say("Evaluate an edited plan (XLSX)"), icon=":material/upload_file:"
    ):
        uploader(
            say("Edited plan"),
            max_upload_size=_MAX_MB,
            key=key,
            help=say(_HELP),
            on_change=state.attempt,
            args=(_take, key, run),
        )
        layout.remark(_HELP)


def _dropped(key: str) -> tuple[str, Any] | None:
    """Name and cells of the file at a place, which is empty again; None without one.

    Raises:
        MMMError: The file is not a workbook, or damaged.
    """
    from core.service.scenarios import cells_of

    file = state.widget(key, None)
    if file is None:
        return None
    # Else every run of the script would take the same file again.
    state.start_afresh(key.rpartition(".")[0])
    name = PurePath(file.name).name
    return name, cells_of(file.getvalue(), name)


def _take(key: str, run: Run) -> None:
    """Bring what the file says to the form.

    Raises:
        MMMError: The file is at fault; the form is as it was.
    """
    if (file := _dropped(key)) is None:
        return
    name, cells = file
    ask = scenarios.of_workbook(run, cells, name)
    if ask.over == "weeks":
        plans.start_weeks(run, ask.table)
        saved.put_periods(horizon_request(ask.table))
        state.put("plan.over", "Weeks")
        state.note(
            say("{name} is being evaluated", name=name), ":material/hourglass_top:"
        )
        return
    own, is_by_geo = planning.curves_of(own_curves(run.folder)), ask.over == "geos"
    request, later = _periods(ask.table, run)
    curves, table = _curves(run, request, own), dict(ask.table)
    by_geo = geo_request(table.pop("geos", {}))
    by_geo = replace(by_geo, scaled=bool(stated(table).scaled))
    scenario = of_table(with_totals(table, by_geo, curves.names), curves)
    if request is not None:
        saved.put_periods(request)
    if is_by_geo:
        geo_limits.state_limits(run, geo_limits.Stated(name, by_geo))
    state.put("plan.over", "Geos" if is_by_geo else "Channels")
    steps.put_objective(scenario.objective)
    table = as_table(scenario)
    more.put(more.of_scenario(table, curves.horizon, curves.names))
    limits = plan_limits.of_table(table, {})
    plan_limits.await_curves(run.run_id, limits, scenario.budget)
    note = (
        say("{name} is evaluated as it is.", name=name)
        if ask.is_evaluated
        else say("{name} gives the limits.", name=name)
    )
    state.note(f"{note} {later}".rstrip(), ":material/upload_file:")


def _periods(table: dict[str, Any], run: Run) -> tuple[HorizonRequest | None, str]:
    """The periods of the file; None, and a word on it, where the form's are kept."""
    request = horizon_request(table)
    if request.as_fitted:
        return request, ""
    if request.periods is None or request.start is None:
        return None, ""
    last = reading.fit(run.folder).end[:10]
    if request.start <= last:
        return None, say("It is for the periods chosen here: its own are over.")
    times = reading.result_dataset(run.folder, "weeks")["time"].to_numpy()
    ahead = plan_horizon(times.astype("datetime64[D]"), request.periods, request.start)
    return HorizonRequest(ahead.n, ahead.start), ""


def _curves(
    run: Run, request: HorizonRequest | None, own: ResponseCurves
) -> ResponseCurves:
    """The curves of the file's periods where they are worked out, else the data's."""
    if request is None or request.as_fitted:
        return own
    files = horizon_curves(run.folder, request.start, request.periods)
    return own if files is None else planning.curves_of(files)
