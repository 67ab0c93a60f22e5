"""Fields and buttons of what is saved in the open project: data, model, fits, plans.

Streamlit's own, with the same arguments; for whoever is not a planner of the project
they are disabled, and their help says why. What only changes what is looked at, such as
a chart's view or a plan that is not saved, is drawn with Streamlit's own.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from core.service.projects.access import Role, why_not
from core.service.projects.shelf import project_folder
from pages.access import rights
from pages.ui import navigation, state
from pages.ui.findings import plain

_P, _R = ParamSpec("_P"), TypeVar("_R")
#: The argument of a widget that is its tooltip.
_TOOLTIP = "help"


def is_refused(project: Path | None) -> bool:
    """Whether only a planner may do what stands here; if so, says why in its place.

    Args:
        project: The project's folder; None for the workspace, where projects are new.
    """
    why = why_not(project, Role.PLANNER)
    if why:
        st.caption(plain(why))
    return bool(why)


def _of_open() -> dict[str, Any]:
    """What disables a field of the open project; empty for whoever may change it."""
    name = state.project_name()
    folder = None if name is None else project_folder(name)
    disabled = rights.of(folder, Role.PLANNER)
    return disabled if disabled["disabled"] else {}


def _gated(
    widget: Callable[_P, _R], *, has_help: bool = True, leads: bool = True
) -> Callable[_P, _R]:
    """The widget for whoever may use it.

    Args:
        widget: Streamlit's own.
        has_help: Whether it takes a tooltip.
        leads: Whether a question mark opens the tooltip, which then leads to Help.
    """

    @functools.wraps(widget)
    def drawn(*args: _P.args, **keywords: _P.kwargs) -> _R:
        disabled = _of_open()
        if not has_help:
            disabled.pop("help", None)
        elif leads and keywords.get(_TOOLTIP):
            keywords[_TOOLTIP] = navigation.explained(str(keywords[_TOOLTIP]))
        return widget(*args, **(keywords | disabled))  # type: ignore[arg-type]

    return drawn


button = _gated(st.button, leads=False)
data_editor = _gated(st.data_editor, has_help=False)
date_input = _gated(st.date_input)
file_uploader = _gated(st.file_uploader)
multiselect = _gated(st.multiselect)
number_input = _gated(st.number_input)
segmented_control = _gated(st.segmented_control)
selectbox = _gated(st.selectbox)
text_area = _gated(st.text_area)
text_input = _gated(st.text_input)
toggle = _gated(st.toggle)
