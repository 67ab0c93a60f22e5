"""Plan against actuals: a table of what happened, and why it was not as planned."""

import hashlib
from pathlib import PurePath

import streamlit as st

from core.errors import MMMError
from core.service.projects.plans import (
    actuals_of,
    actuals_template,
    list_plans,
    plan_of_record,
    so_far,
)
from core.service.projects.settings import data_file, load_project
from core.service.records.fit import Run
from core.service.records.plan import PlanBesideActuals, PlanRecord
from core.service.runs import data_sha256
from core.text.languages.language import marked, say
from core.view import what_happened
from pages.ui import layout, navigation, planning, reading, sections
from pages.ui.findings import show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened

_MAX_MB = 10
_KEY = "history.actuals"
_EXPECTED = marked(
    "One row per period after the plan's data: the date, the KPI and the spend of "
    "every paid channel, in the columns of the data, or the exports that the data were "
    "made of. CSV, XLSX or Parquet."
)


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
        _empty()
        return
    left, right = st.columns([5, 6], gap="medium", vertical_alignment="bottom")
    with left:
        chosen = st.selectbox(
            say("Plan"),
            range(len(plans)),
            format_func=lambda i: _named(plans[i][0], record),
            key=f"{_KEY}.plan",
        )
        plan, run = plans[chosen]
    with right, st.popover(say("Other actuals"), icon=":material/upload_file:"):
        layout.remark(_EXPECTED)
        layout.download(
            say("Template"),
            lambda: actuals_template(run.folder).encode("utf-8-sig"),
            "actuals.csv",
            f"{_KEY}.template",
        )
        files = st.file_uploader(
            say("Other actuals than the data have"),
            accept_multiple_files=True,
            max_upload_size=_MAX_MB,
            key=f"{_KEY}.file",
        )
    try:
        sent = tuple((f.getvalue(), PurePath(f.name).name) for f in files)
        comparison = _sent(plan, run, sent) if sent else _so_far(plan, run)
    except MMMError as error:
        show_error(error)
        return
    if comparison is None:
        layout.remark(
            "The data have no period of this plan yet: add new rows under Refresh."
        )
        return
    if not files:
        layout.remark("From the rows that the data have by now.")
    section = what_happened.section(comparison)
    sections.blocks(section, section.blocks)


def _empty() -> None:
    layout.empty(
        say("No plan is saved"),
        say("Save a plan to see what came of it here, period by period."),
        navigation.PLAN,
        say("Go to Plan"),
    )


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
    return _by_now(plan, run, sha)


def _about(plan: PlanRecord, run: Run, *told: object) -> tuple[object, ...]:
    """What tells comparisons apart."""
    return (plan.plan_id, reading.result_sha(run.folder), *told)


@once(_about, most=16, wait=tongue.Later("Comparing"))
def _by_now(plan: PlanRecord, run: Run, data_sha: str) -> PlanBesideActuals | None:
    return so_far(run.folder, plan)


def _digests(
    plan: PlanRecord, run: Run, files: tuple[tuple[bytes, str], ...]
) -> tuple[object, ...]:
    names = [(hashlib.sha256(content).hexdigest(), name) for content, name in files]
    return _about(plan, run, *names)


@once(_digests, most=16, wait=tongue.Later("Comparing"))
def _sent(
    plan: PlanRecord, run: Run, files: tuple[tuple[bytes, str], ...]
) -> PlanBesideActuals:
    return actuals_of(run, plan, files)
