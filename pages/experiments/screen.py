"""Experiments: what do lift tests say, and what did each do to the model?"""

import streamlit as st

from core.errors import MMMError
from pages.experiments import draft, editor, results
from pages.ui import layout, navigation, reading
from pages.ui.findings import show_error, show_findings


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.EXPERIMENTS)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    about = reading.market(here)
    base = draft.base(here)
    with actions:
        editor.actions(here, about, draft.now())
    if not base:
        editor.empty(here, about)
        return
    rows = editor.table(here, about, base)
    try:
        if draft.save(here, rows):
            st.rerun()
    except MMMError as error:
        show_error(error)
    editor.show_file_findings()
    show_findings(draft.findings(here, rows))
    if here.project.experiments:
        results.show(here)
