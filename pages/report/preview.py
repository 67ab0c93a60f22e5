"""The report as its HTML file shows it, before anybody downloads it."""

import base64

import streamlit as st

from core.service import reports
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.text.languages.language import say

#: px
_HEIGHT = 860


def show(run: Run, plan: PlanRecord | None, language: str) -> None:
    """Draw the report with the plan and the language that were chosen.

    Args:
        run: The fit.
        plan: A plan to include.
        language: What it speaks.
    """
    # Written each time, as a download is: it has notes, promises and newer fits.
    with st.spinner(say("Writing the report")):
        page = reports.report_file(run, ".html", plan, language)
    # An address of its own, so that the page cannot reach into the app.
    content = base64.b64encode(page).decode()
    st.iframe(f"data:text/html;charset=utf-8;base64,{content}", height=_HEIGHT)
