"""Experiments: which test next, what did one do, and what do tests do to the model?"""

import streamlit as st

from core.errors import MMMError
from core.service.records.fit import Run
from core.service.records.model import Market
from core.service.runs import has_result
from core.text.languages.language import marked, say
from pages.experiments import board, draft, editor, form, next_test, read_out, results
from pages.ui import layout, navigation, reading
from pages.ui.findings import show_error, show_findings

_RESULTS, _READ, _NEXT = marked("Results"), marked("Read a test"), marked("Next test")


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.EXPERIMENTS)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    about = reading.market(here)
    run = _fit(here)
    view = _view(about, run)
    if view == _READ:
        read_out.show(here, about, run)
        return
    if view == _NEXT:
        next_test.show(here, about, run)
        return
    has_tests = board.show(here, about)
    base = draft.base(here)
    with actions:
        editor.actions(here, about, draft.now())
    form.show(here, about)
    if not base and not form.is_open():
        editor.empty(here, about, has_tests=has_tests)
        return
    if not base:
        editor.show_file_findings()
        return
    tests = editor.table(here, about, base)
    try:
        if draft.save(here, tests):
            st.rerun()
    except MMMError as error:
        show_error(error)
    editor.show_file_findings()
    show_findings(draft.findings(here, tests))
    if here.project.experiments:
        results.show(here)


def _view(about: Market, run: Run | None) -> str:
    """What is shown: a test can be read by geo, and designed by geo or with a fit."""
    by_geo = [_READ] if about.geos else []
    views = [_RESULTS, *by_geo, *([_NEXT] if run or about.geos else [])]
    if len(views) == 1:
        return _RESULTS
    return navigation.view(say("View"), views, key="experiments.view")


def _fit(here: reading.Opened) -> Run | None:
    """The finished fit that is shown; None without one."""
    try:
        run = reading.shown_fit(here)
    except MMMError:
        return None
    is_fit = run is not None and run.kind == "fit" and has_result(run.folder)
    return run if is_fit else None
