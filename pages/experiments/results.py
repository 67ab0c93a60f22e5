"""What each lift test did to the posterior: a chart, and the numbers behind it."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core import text as fmt
from core.charts.data import channel_order
from core.charts.fits import experiment as figures
from core.errors import MMMError, WorkspaceError
from core.estimate import OptionalEstimate
from core.service.experiments.board import lift_tests
from core.service.records.fit import BeforeAndAfter, LiftTestResult, Run
from core.service.records.lift_test import LiftTestEffect
from core.service.runs import has_result, list_runs
from core.text.languages.language import say
from core.text.lift_tests import tested, what_they_did
from pages.ui import drawn, fit_needed, navigation, reading, tables
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened

#: Columns that are shown when asked, and how their numbers are written.
_FOR_ANALYSTS = {
    "apart": partial(fmt.ratio, decimals=1),
    "narrower": partial(fmt.exact, decimals=0),
}


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
    """The numbers behind the chart; those for analysts when asked."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    interval, unit = partial(text, alignment="right"), units.roi
    frame, place = pd.DataFrame([_test(test, units) for test in tests]), st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle(
            say("Every measure"), key="experiments.every", persist_state="session"
        )
        st.space("stretch")
        navigation.columns_explained(navigation.EXPERIMENTS)
    place.dataframe(
        tables.written(
            frame if every else frame.drop(columns=list(_FOR_ANALYSTS)), _FOR_ANALYSTS
        ),
        column_config={
            "test": text(
                say("Test"), pinned=True, width=tables.width(frame.test, 82, 220)
            ),
            "verdict": text(say("Verdict"), width=tables.width(frame.verdict, 76)),
            "apart": number(
                say("Apart, SE"),
                width=70,
                help=say(
                    "Test less model, in standard errors of the test. Beyond 2, or "
                    "beyond 2 for the model without the test, they are in tension."
                ),
            ),
            "result": interval(say("The test"), width=140, help=units.outcome),
            "posterior": interval(say("With the test"), width=140, help=units.outcome),
            "without": interval(
                say("Without the test"),
                width=140,
                help=say(
                    "From reweighted draws. A dash: the test weighs too much for "
                    "that; fit without it to see."
                ),
            ),
            "roi_without": interval(say("ROI without it"), width=112, help=unit),
            "roi": interval(say("ROI with it"), width=112, help=unit),
            "narrower": number(
                say("Narrower, %"),
                width=90,
                help=say("How much the test narrowed the ROI's 90 % interval."),
            ),
        },
        hide_index=True,
        key="experiments.results",
        placeholder="",
        alt=say("What each lift test did, with 90 % intervals"),
    )


def _test(test: LiftTestResult, units: fmt.Units) -> dict[str, object]:
    roi = test.roi
    return {
        "test": f"{tested(test.channels)}, {fmt.date(test.start)}",
        "verdict": say("agrees") if test.agrees else say("in tension"),
        "apart": test.standard_errors_apart,
        "result": _outcome(test.test, units),
        "posterior": _outcome(test.posterior, units),
        "without": _outcome(test.without, units),
        "roi_without": _ratio(roi and roi.without),
        "roi": _ratio(roi and roi.posterior),
        "narrower": _narrower(roi),
    }


def _outcome(number: OptionalEstimate | None, units: fmt.Units) -> str:
    return fmt.NONE if not _is_known(number) else units.estimate(number, bare=True)


def _ratio(number: OptionalEstimate | None) -> str:
    return fmt.NONE if not _is_known(number) else fmt.estimate(number, "ratio")


def _is_known(number: OptionalEstimate | None) -> bool:
    return number is not None and number.is_known


def _narrower(roi: BeforeAndAfter | None) -> float | None:
    """By how much the test narrowed the interval of ROI, in percent."""
    if roi is None or not (_is_known(roi.without) and _is_known(roi.posterior)):
        return None
    without, with_it = (each.hi - each.lo for each in (roi.without, roi.posterior))
    return 100 * (1 - with_it / without) if without > 0 else None
