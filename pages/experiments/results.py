"""What each lift test did to the posterior: a chart, and the numbers behind it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core import text as fmt
from core.charts.data import channel_order
from core.charts.fits import experiment as figures
from core.errors import MMMError, WorkspaceError
from core.service.experiments.board import lift_tests
from core.service.records.fit import LiftTestResult, Run
from core.service.records.lift_test import LiftTestEffect
from core.service.runs import has_result, list_runs
from core.text.languages.language import say
from core.text.lift_tests import what_they_did
from core.view.sections import lift_tests as lift_test_tables
from pages.ui import drawn, fit_needed, navigation, reading, sections
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened


def show(here: Opened) -> None:
    """The last fit's tests, or what is missing to see them."""
    try:
        run = reading.shown_fit(here)
        if run is None or run.kind != "fit" or not has_result(run.folder):
            _missing(say("Fit the model to see what each test does to the posterior."))
            return
        fit = reading.fit(run.folder)
    except WorkspaceError as error:
        show_error(error)
        return
    tests = fit.experiments
    if not tests:
        _missing(say("The last fit had no tests. Fit again to see what they do."))
        return
    st.header(say("What each test did"), anchor=False)
    fit_needed.standing(here, run, fit)
    _did(here, run, fit.units)
    _chart(here, run, tests, fit.units)
    _tests_table(tests, fit.units)


def _did(here: Opened, run: Run, units: fmt.Units) -> None:
    """What each test said, what the model said and says, and how the plan moved."""
    try:
        did = _what_tests_did(here, run)
    except MMMError as error:
        show_error(error)
        return
    for each, (name, text) in zip(did, what_they_did(did, units), strict=True):
        icon = ":material/check:" if each.agrees else ":material/warning:"
        st.markdown(f"{icon} **{plain(name)}.** {plain(text)}")


def _about(here: Opened, run: Run) -> tuple[object, ...]:
    """What tells apart what tests did."""
    fits = [fit.run_id for fit in list_runs(here.folder, "fit")]
    return run.folder, fits, lift_tests(here.folder)


@once(_about, most=4, wait=tongue.Later("Comparing the fits"))
def _what_tests_did(here: Opened, run: Run) -> "list[LiftTestEffect]":
    from core.service.experiments.lift_tests import what_tests_did

    return what_tests_did(run)


def _missing(text: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text, width="content")
        navigation.go_button(navigation.FIT, say("Go to Fit"), primary=False)


def _chart(
    here: Opened, run: Run, tests: Sequence[LiftTestResult], units: fmt.Units
) -> None:
    order = channel_order(here.project.mapping)
    make = partial(figures.results, tests, units=units, order=order)
    drawn.show("experiments.results", make, order, run=run)


def _tests_table(tests: Sequence[LiftTestResult], units: fmt.Units) -> None:
    """A row per test; its switch stands below it."""
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle(
            say("Every measure"), key="experiments.every", persist_state="session"
        )
        st.space("stretch")
        navigation.columns_explained(navigation.EXPERIMENTS)
    table = lift_test_tables.results_of(tests, units, is_brief=not every)
    about = say("What each lift test did, with 90 % intervals")
    with place:
        sections.grid(table, about, key="experiments.results")
