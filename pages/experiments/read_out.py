"""Read a test of geos that ran: the form, the result, and its way into the model."""

from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core import text as fmt
from core.charts.fits import experiment as figures
from core.errors import MMMError
from core.estimate import Estimate
from core.service.experiments.lift_tests import entry_for_model, warnings_of
from core.service.records.fit import Run
from core.service.records.lift_test import ReadoutRecord
from core.service.records.model import Market
from core.text.languages.language import say
from pages.experiments import draft
from pages.experiments.assignment import tested
from pages.ui import drawn, navigation, state
from pages.ui.fields import day, gated
from pages.ui.findings import show_error
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.service.experiments.lift_tests import Readout

_DESPITE = "experiments.despite_warnings"
_ICONS = {"good": ":material/check:", "warning": ":material/warning:"}


def show(here: Opened, about: Market, run: Run | None) -> None:
    """The form, and the result of the test that was read last.

    Args:
        here: The open project.
        about: Its market.
        run: A finished fit, which says what it expects; None without one.
    """
    with st.form("experiments.read", border=True):
        first, second, third = st.columns([3, 2, 2])
        treated = first.multiselect(
            say("Treated geos"),
            about.geos,
            key="experiments.treated",
            placeholder=say("Choose"),
        )
        channels = first.multiselect(
            say("Channels tested"),
            _testable(here),
            key="experiments.tested",
            placeholder=say("Choose"),
        )
        ends = [date.fromisoformat(each) for each in (about.dates[0], about.last_day)]
        start, end = (
            box.date_input(
                label, ends[1], min_value=ends[0], key=key, format=day.typed()
            )
            for box, label, key in (
                (second, say("First day"), "experiments.read.start"),
                (third, say("Last day"), "experiments.read.end"),
            )
        )
        left_out = second.multiselect(
            say("Leave out"),
            about.geos,
            key="experiments.left_out",
            help=navigation.tip("Geos in neither group."),
            placeholder=say("Choose"),
        )
        is_submitted = third.form_submit_button(
            say("Read the test"), type="primary", key="experiments.read.go"
        )
    if is_submitted:
        asked_for = (tuple(treated), str(start), str(end))
        _read(here, *asked_for, tuple(channels), tuple(left_out))
        _expect(here, run)
    readout = state.draft("experiments.readout")
    if readout is not None:
        _result(here, about, readout)


def _testable(here: Opened) -> list[str]:
    channels = here.project.mapping.channels
    return [channel.name for channel in channels if channel.spend]


def _read(
    here: Opened,
    treated: tuple[str, ...],
    start: str,
    end: str,
    channels: tuple[str, ...],
    left_out: tuple[str, ...],
) -> None:
    from core.service.experiments.lift_tests import GeoTest, panel_of, read_out

    data = draft.data(here)
    state.keep("experiments.readout", None)
    state.put(_DESPITE, False)
    if data is None:
        return
    try:
        with st.spinner(say("Reading the test")):
            test = GeoTest(treated, start, end, channels, left_out)
            state.keep("experiments.readout", read_out(panel_of(data), test))
    except MMMError as error:
        show_error(error)


def _expect(here: Opened, run: Run | None) -> None:
    """What the model expects of the test that was read, kept beside it."""
    readout = state.draft("experiments.readout")
    expected = None
    if run is not None and readout is not None and readout.test.channels:
        try:
            expected = tested(here, run).expect(readout)
        except MMMError as error:
            show_error(error)
    state.keep("experiments.expected", expected)


def _result(here: Opened, about: Market, readout: "Readout") -> None:
    result, units = readout.record(), about.units
    lift = result.lift
    row = st.container(horizontal=True)
    tile = partial(row.metric, delta_color="off", delta_arrow="off", border=True)
    low, mean, high = (_percent(each) for each in (lift.lo, lift.mean, lift.hi))
    ends = say("90 %: {low} to {high} %", low=low, high=high)
    tile(say("Lift"), f"{mean} %", ends)
    outcome = result.incremental
    tile(
        say("Incremental {outcome_name}", outcome_name=units.outcome_in_text),
        units.show(outcome.mean),
        _ends(outcome, units),
    )
    if expected := state.draft("experiments.expected"):
        tile(
            say("The model expects"),
            units.show(expected.mean),
            _ends(expected, units),
        )
    if result.iroas is not None:
        text = fmt.estimate(result.iroas, "ratio")
        tile("iROAS", text)
    tile(
        "p",
        f"{result.p:.3f}",
        say("{placebos} placebos", placebos=result.placebos),
    )
    _picture(result, units)
    if warnings_of(readout):
        st.checkbox(
            say("Use it despite the warnings"),
            key=_DESPITE,
            help=navigation.tip(
                "A check above warns of this result. In the model it moves the "
                "channel's return as much as its standard error says."
            ),
        )
    gated.button(
        say("Add to the model"),
        key="experiments.to_model",
        type="primary",
        icon=":material/add:",
        on_click=state.attempt,
        args=(_to_model, here, readout),
    )


def _ends(of: Estimate, units: fmt.Units) -> str:
    low, high = units.show(of.lo), units.show(of.hi)
    return say("90 %: {low} to {high}", low=low, high=high)


def _picture(result: ReadoutRecord, units: fmt.Units) -> None:
    """The charts of a read-out, and what speaks for and against it."""
    make = partial(figures.treated_and_counterfactual, result, units.outcome)
    drawn.anew("experiments.readout", make)
    make = partial(figures.cumulative, result, units.outcome)
    drawn.anew("experiments.cumulative", make)
    for check in result.checks:
        icon = _ICONS.get(check.status, ":material/help:")
        st.markdown(f"{icon} **{check.name}.** {check.message}")


def _percent(share: float) -> str:
    return fmt.ratio(100 * share, decimals=1)


def _to_model(here: Opened, readout: "Readout") -> None:
    """Keep the read-out as a test, and its result as one that the model sees.

    Raises:
        MMMError: Nobody has said which channel was tested, its spend did not move, or
            its checks warn and nobody has said to use it.
    """
    from core.service.experiments.board import awaiting
    from core.service.experiments.lift_tests import Reading, keep, panel_of

    data = draft.data(here)
    if data is None:
        return
    entry = entry_for_model(readout, despite_warnings=state.widget(_DESPITE, False))
    test = readout.test
    name = f"{' and '.join(test.channels)}, {fmt.date(test.start)}"
    waiting = awaiting(here.folder, test)
    reading = Reading(readout, panel_of(data))
    keep(here.folder, reading, name, test_id=waiting, entry=entry)
    draft.base(here)
    draft.add([entry])
    state.keep("experiments.readout", None)
    state.put("experiments.view", "Results")
    state.note(say("The result is in the model. Fit again to see what it does."))
