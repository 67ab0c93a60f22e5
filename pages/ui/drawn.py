"""Figures, drawn once for the same content: Plotly takes longer than all the rest."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

import streamlit as st

from core.workspace.runs import Run
from pages.ui import layout, reading

if TYPE_CHECKING:
    import plotly.graph_objects as go


def once(make: Callable[[], "go.Figure"], *key: Hashable) -> "go.Figure":
    """A figure for the reader's theme. Never change it.

    Args:
        make: What draws it.
        key: Everything that it depends on but the theme; small things only.
    """
    return _figure(repr(key), layout.theme(), make)


def of_run(make: Callable[[], "go.Figure"], run: Run, *key: Hashable) -> "go.Figure":
    """A figure of a run's result. Never change it."""
    return once(make, str(run.folder), reading.result_sha(run.folder), *key)


@st.cache_resource(max_entries=256, show_spinner=False)
def _figure(key: str, theme: str, _make: Callable[[], "go.Figure"]) -> "go.Figure":
    return _make()
