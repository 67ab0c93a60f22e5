"""Experiments: which test next, what did one do, and what do tests do to the model?

What to test next: designs ranked by what they bring to the next plan.
"""

from typing import TYPE_CHECKING

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.records.fit import Run
from core.service.records.lift_test import KeptTest
from core.service.records.model import Market
from core.service.runs import has_result
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.sections import lift_tests as lift_test_tables
from core.view.suggestions.next_test import next_test
from pages.experiments import assignment, chosen, draft, editor, form, read_out, results
from pages.ui import layout, navigation, reading, sections, state
from pages.ui.findings import plain, show_error, show_findings
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.service.experiments.designs import Design

_MOST = 40

#: What is ranked, where there are geos and where there are none.
_IN_GEOS = marked(
    "Spend switched off, halved or raised in some geos for 2 to 12 weeks: how precise "
    "each test would be, what it costs, and what its result is expected to bring to "
    "the next plan."
)
_EVERYWHERE = marked(
    "Spend switched off, halved or raised everywhere for 2 to 12 weeks: how precise "
    "each test would be, what it costs, and what its result is expected to bring to "
    "the next plan."
)


def show_next_test(here: Opened, about: Market, run: Run | None) -> None:
    """Choose channels, rank the designs, and plan one.

    Args:
        here: The open project.
        about: Its market.
        run: A finished fit; without one, only the precision of tests is shown.
    """
    if run is None:
        _precision(here, about)
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    channels = row.multiselect(
        say("Channels"),
        [channel.name for channel in here.project.mapping.channels if channel.spend],
        key="experiments.next.channels",
        placeholder=say("All"),
        width=420,
    )
    if row.button(say("Rank the tests"), key="experiments.rank", type="primary"):
        _rank(here, run, tuple(channels))
    designs = state.draft("experiments.designs") or ()
    if not designs:
        layout.remark(_IN_GEOS if about.geos else _EVERYWHERE)
        return
    _designs_table(here, about, run, designs)


def _precision(here: Opened, about: Market) -> None:
    """How small a lift tests would find, before there is a fit."""
    from core.service.experiments import lift_tests

    if st.button(
        say("Work out the tests"), key="experiments.precision", type="primary"
    ):
        try:
            with st.spinner(say("Working out the tests")):
                precision = lift_tests.precision(here.folder)
            state.keep("experiments.precise", precision.designs)
        except MMMError as error:
            show_error(error)
    st.caption(lift_tests.WITHOUT_FIT)
    designs = state.draft("experiments.precise") or ()
    if not designs:
        return
    sections.grid(lift_test_tables.precisions_of(designs, about.units.outcome))


def _rank(here: Opened, run: Run, channels: tuple[str, ...]) -> None:
    bar = st.progress(0.0, say("Ranking the tests"))
    try:
        fit = assignment.tested(here, run)
        designs = fit.rank(channels, on_progress=lambda share: bar.progress(share))
        state.keep("experiments.designs", designs[:_MOST])
    except MMMError as error:
        show_error(error)
    finally:
        bar.empty()


def _designs_table(
    here: Opened, about: Market, run: Run, designs: tuple["Design", ...]
) -> None:
    from core.service.experiments.lift_tests import WEAK

    advice, reason = next_test(designs, about.units)
    st.markdown(f"**{advice}** {plain(reason)}")
    table = lift_test_tables.designs_of(designs, about.units)
    place = sections.chosen(table, "experiments.designs")
    navigation.columns_explained(navigation.EXPERIMENTS)
    if not designs[0].geos:
        st.caption(reworded(WEAK))
    if place is not None:
        assignment.show(here, about, run, designs[place])


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
        show_next_test(here, about, run)
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

    standings = standing(here.folder, about.last_day)
    if not standings:
        return False
    tests = [each.test for each in standings]
    st.header(say("Tests"), anchor=False)
    board = [(each.test, each.state, each.next) for each in standings]
    table = sections.grid(
        lift_test_tables.board_of(board),
        on_select="rerun",
        selection_mode="multi-row",
        key=f"experiments.board.{state.edition('experiments.board')}",
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
    for test, reason in breaches(tests, data):
        st.warning(
            fmt.named(plain(test.name), plain(reason)), icon=":material/warning:"
        )
