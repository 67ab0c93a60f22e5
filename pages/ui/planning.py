"""Planning: the plan of a fit under limits, worked out once for the same wish."""

import hashlib
from typing import Any

import streamlit as st

from core.plan.frontier import frontier
from core.plan.plan import Plan, plan
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.scenario.scenario import Scenario
from core.workspace.runs import Run
from pages.ui import reading


def curves_of(run: Run) -> ResponseCurves:
    """The response curves of a fit.

    Raises:
        WorkspaceError: They are damaged.
    """
    return _curves(str(run.folder), reading.result_sha(run.folder), run)


@st.cache_resource(max_entries=8, show_spinner=False)
def _curves(folder: str, sha: str, _run: Run) -> ResponseCurves:
    return response_curves(reading.result_dataset(_run.folder, "curves"))


def best(run: Run, wish: Scenario, verdict: str) -> Plan:
    """The best plan for a wish.

    Raises:
        PlanError: The wish cannot be met.
    """
    key = hashlib.sha256(repr((wish, verdict)).encode()).hexdigest()
    sha = reading.result_sha(run.folder)
    return _best(str(run.folder), sha, key, run, wish, verdict)


@st.cache_resource(max_entries=64, show_spinner="Looking for the best split")
def _best(
    folder: str, sha: str, key: str, _run: Run, _wish: Scenario, _verdict: str
) -> Plan:
    return plan(curves_of(_run), _wish, verdict=_verdict or None)


def along(run: Run, wish: Scenario) -> tuple[dict[str, Any], ...]:
    """The best outcome over budgets, within a scenario's limits."""
    key = hashlib.sha256(repr(wish).encode()).hexdigest()
    return _along(str(run.folder), reading.result_sha(run.folder), key, run, wish)


@st.cache_resource(max_entries=32, show_spinner="Trying other budgets")
def _along(
    folder: str, sha: str, key: str, _run: Run, _wish: Scenario
) -> tuple[dict[str, Any], ...]:
    return tuple(point.as_dict() for point in frontier(curves_of(_run), _wish))


def to_keep(
    made: Plan, run: Run, name: str, notes: str = "", by: str = ""
) -> dict[str, Any]:
    """A plan as the workspace keeps it."""
    bounds = {
        channel.name: [channel.low / channel.current, channel.high / channel.current]
        for channel in made.channels
    }
    about = {"name": name, "notes": notes, "by": by, "run_id": run.run_id}
    about["bounds"] = bounds
    return about | made.as_dict()
