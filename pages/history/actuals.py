"""Plan against actuals: a table of what happened, and why it was not as planned."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePath

import pandas as pd
import streamlit as st

from core import text as fmt
from core.charts.planning.variance import variance as figure
from core.errors import MMMError
from core.service.projects.plans import (
    actuals_of,
    actuals_template,
    list_plans,
    plan_of_record,
    so_far,
)
from core.service.projects.settings import data_file, load_project
from core.service.records.columns import TABLES
from core.service.records.fit import Run
from core.service.records.plan import ChannelChanges, PlanBesideActuals, PlanRecord
from core.service.runs import data_sha256
from core.text.languages.language import marked, say
from core.view import what_happened
from pages.ui import layout, planning, reading
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reading import Opened

_MAX_MB = 10
_EXPECTED = marked(
    "One row per period after the plan's data: the date, the KPI and the spend of "
    "every paid channel, in the columns of the data. CSV, XLSX or Parquet."
)


_KEY = "history.actuals"


def show(here: Opened) -> None:
    """Choose a plan, at first that of record; then the parts of the difference.

    The data have what happened; a file is for what they do not have.

    Args:
        here: The open project.
    """
    record = plan_of_record(here.folder)
    saved = sorted(list_plans(here.folder), key=lambda plan: plan.plan_id != record)
    plans = planning.with_fits(here.folder, saved)
    if not plans:
        return
    units, key = reading.fit(plans[0][1].folder).units, _KEY
    st.header(say("Plan against actuals"), anchor=False)
    left, right = st.columns([5, 6], gap="medium", vertical_alignment="bottom")
    with left:
        chosen = st.selectbox(
            say("Plan"),
            range(len(plans)),
            format_func=lambda i: _named(plans[i][0], record),
            key=f"{key}.plan",
        )
        plan, run = plans[chosen]
    with right, st.popover(say("Other actuals"), icon=":material/upload_file:"):
        st.caption(say(_EXPECTED))
        st.download_button(
            say("Template"),
            data=lambda: actuals_template(run.folder),
            file_name="actuals.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=f"{key}.template",
        )
        file = st.file_uploader(
            say("Other actuals than the data have"),
            type=list(TABLES),
            max_upload_size=_MAX_MB,
            key=f"{key}.file",
        )
    try:
        if file is None:
            comparison = _so_far(plan, run)
        else:
            comparison = _told(plan, run, file.getvalue(), PurePath(file.name).name)
    except MMMError as error:
        show_error(error)
        return
    if comparison is None:
        st.caption(say("The data have no period of this plan yet: add new rows above."))
        return
    if file is None:
        st.caption(say("From the rows that the data have by now."))
    _result(comparison, units, key)


def _named(plan: PlanRecord, record: str | None) -> str:
    """A plan in the list."""
    return plan.title + (say(" (of record)") if plan.plan_id == record else "")


def _so_far(plan: PlanRecord, run: Run) -> PlanBesideActuals | None:
    """Against the rows that the project's data have by now."""
    if plan.horizon.as_fitted:
        return None
    folder = run.folder.parents[1]
    project = load_project(folder)
    sha = data_sha256(data_file(folder, project))
    return _by_now(plan.plan_id, reading.result_sha(run.folder), sha, plan, run)


@st.cache_resource(max_entries=16, show_spinner=tongue.Later("Comparing"))
@tongue.in_english
def _by_now(
    plan_id: str, fit: str, data: str, _plan, _run: Run
) -> PlanBesideActuals | None:
    return so_far(_run.folder, _plan)


def _told(
    plan: PlanRecord, run: Run, content: bytes, filename: str
) -> PlanBesideActuals:
    digest = hashlib.sha256(content).hexdigest()
    sha = reading.result_sha(run.folder)
    return _worked_out(plan.plan_id, sha, digest, filename, plan, run, content)


@st.cache_resource(max_entries=16, show_spinner=tongue.Later("Comparing"))
@tongue.in_english
def _worked_out(
    plan_id: str, sha: str, digest: str, filename: str, _plan, _run: Run, _content
) -> PlanBesideActuals:
    return actuals_of(_run, _plan, _content, filename)


def _result(comparison: PlanBesideActuals, units: fmt.Units, key: str) -> None:
    """One sentence, the steps, and the channels."""
    below = fmt.probability(comparison.probability_below)
    gone = units.show(comparison.difference.mean, signed=True)
    st.caption(
        say(
            "{outcome_name} of {periods} periods, {start} to {end}: {actual}, {gone} "
            "against the plan. At what was spent, the model gave an outcome this low a "
            "probability of {below}.",
            outcome_name=plain(units.outcome_name),
            periods=comparison.periods,
            start=fmt.date(comparison.start),
            end=fmt.date(comparison.end),
            actual=units.show(comparison.actual),
            gone=gone,
            below=below,
        )
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        drawn = figure(comparison, units=units, theme=layout.theme())
        layout.chart(drawn, key)
    with right:
        st.dataframe(
            _frame(comparison.channels, units),
            hide_index=True,
            height="content",
            key=f"{key}.table",
            alt=say("Plan against actuals by channel"),
        )
        for note in what_happened.notes(comparison):
            st.caption(plain(note))


def _frame(channels: Sequence[ChannelChanges], units: fmt.Units) -> pd.DataFrame:
    return pd.DataFrame(
        {
            say("Channel"): row.name,
            say("Planned"): fmt.money(row.planned_spend, units.currency),
            say("Spent"): fmt.money(row.actual_spend, units.currency),
            say("By spend"): units.estimate(row.spend, bare=True, signed=True),
            say("By response"): units.estimate(row.response, bare=True, signed=True),
        }
        for row in channels
    )
