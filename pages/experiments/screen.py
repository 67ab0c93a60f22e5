"""Experiments: which test next, what did one do, and what do tests do to the model?"""

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.records.fit import Run
from core.service.records.lift_test import KeptTest
from core.service.records.model import Market
from core.service.runs import has_result
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.experiments import chosen, draft, editor, form, next_test, read_out, results
from pages.ui import layout, navigation, reading, state, tables
from pages.ui.findings import plain, show_error, show_findings
from pages.ui.reading import Opened

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
    has_tests = show(here, about)
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


def show(here: Opened, about: Market) -> bool:
    """The tests that are planned, running or read; whether there are any.

    Args:
        here: The open project.
        about: Its market.
    """
    from core.service.experiments.board import standing

    known = standing(here.folder, about.last_day)
    if not known:
        return False
    tests = [each.test for each in known]
    text = st.column_config.TextColumn
    st.header(say("Tests"), anchor=False)
    table = tables.grid(
        [
            {
                "name": test.name,
                "state": reworded(each.state),
                "next": reworded(each.next),
                "channels": fmt.listed(test.channels),
                "geos": fmt.listed(test.geos, limit=2) or say("all"),
                "dates": say(
                    "{start} to {end}",
                    start=fmt.date(test.start),
                    end=fmt.date(test.end),
                )
                if test.start and test.end
                else fmt.NONE,
            }
            for each, test in zip(known, tests, strict=True)
        ],
        say("Lift tests by state"),
        {
            "name": text(say("Test"), pinned=True, width=150),
            "state": text(say("State"), width=84),
            "next": text(say("What is next"), width=330),
            "channels": text(say("Channel"), width=110),
            "geos": text(say("Geos"), width=170),
            "dates": text(say("Dates"), width=190),
        },
        on_select="rerun",
        selection_mode="multi-row",
        key=f"experiments.board.{state.edition('experiments.board')}",
        placeholder="",
    )
    _warn(here, tests)
    picked = [tests[row] for row in table.selection.rows if row < len(tests)]
    chosen.actions(here, about, picked)
    return True


def _warn(here: Opened, tests: list[KeptTest]) -> None:
    """What the data show that breaks a test that runs."""
    from core.service.experiments.board import breaches

    data = draft.data(here)
    if data is None:
        return
    for test, said in breaches(tests, data):
        st.warning(f"{plain(test.name)}: {plain(said)}", icon=":material/warning:")
