"""The report as its HTML file shows it, before anybody downloads it."""

import base64

import streamlit as st

from core.service import reports
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from pages.ui import reading
from pages.ui.reader import tongue

#: px
_HEIGHT = 860


def show(run: Run, plan: PlanRecord | None, language: str) -> None:
    """Draw the report with the plan and the language that were chosen.

    Args:
        run: The fit.
        plan: A plan to include.
        language: What it speaks.
    """
    about = "" if plan is None else f"{plan.plan_id} {plan.name} {plan.notes}"
    sha = reading.result_sha(run.folder)
    st.iframe(_address(sha, about, language, run, plan), height=_HEIGHT)


@st.cache_resource(max_entries=4, show_spinner=tongue.Later("Writing the report"))
def _address(
    sha: str, about: str, language: str, _run: Run, _plan: PlanRecord | None
) -> str:
    """The page as an address of its own, so that it cannot reach into the app."""
    page = reports.report_file(_run, ".html", _plan, language)
    return f"data:text/html;charset=utf-8;base64,{base64.b64encode(page).decode()}"
