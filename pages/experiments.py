"""Experiments: what do lift tests say, and what did each do to the model?"""

import runpy
from pathlib import Path

import streamlit as st

from core.errors import MMMError
from pages.ui import (
    experiment_draft,
    experiment_editor,
    experiment_results,
    layout,
    market,
    navigation,
)
from pages.ui.findings import show_error, show_findings


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.EXPERIMENTS)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    about = market.market(here)
    base = experiment_draft.base(here)
    with actions:
        experiment_editor.actions(here, about, experiment_draft.now())
    if not base:
        experiment_editor.empty(here, about)
        return
    rows = experiment_editor.table(here, about, base)
    try:
        if experiment_draft.save(here, rows):
            st.rerun()
    except MMMError as error:
        show_error(error)
    experiment_editor.show_file_findings()
    show_findings(experiment_draft.findings(here, rows))
    if here.project.experiments:
        experiment_results.show(here)


if __name__ == "__main__":  # Streamlit's page scan ran this file alone
    runpy.run_path(str(Path(__file__).parents[1] / "app.py"))
