"""The weeks to come after the data of a fit, read once."""

import streamlit as st

from core.service.planning.weeks_ahead import Weeks, weeks_ahead
from core.service.records.fit import Run
from pages.ui import reading
from pages.ui.reader import tongue

__all__ = ["Weeks", "weeks_of"]


def weeks_of(run: Run) -> Weeks:
    """The periods to come after the data of a fit.

    Raises:
        MMMError: The run's data cannot be read.
    """
    return _weeks(str(run.folder), reading.result_sha(run.folder), run)


@st.cache_resource(
    max_entries=8, show_spinner=tongue.Later("Reading the weeks to come")
)
@tongue.in_english
def _weeks(folder: str, sha: str, _run: Run) -> Weeks:
    return weeks_ahead(_run)
