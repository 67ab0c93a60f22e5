"""Planned lift tests that a plan of weeks or geos carries out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.project.lift_tests.lift_tests import lift_tests
from core.service.planning.scenario import as_rows
from core.service.records.fit import Run
from core.service.records.lift_test import KeptTest
from core.service.records.plan import Reserved
from core.text.languages.language import say
from pages.ui import reading, state
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue

if TYPE_CHECKING:
    from core.experiments.reservation import UsualSpend

_KEY = "plan.tests"


def reserved(run: Run, start: str, n: int, currency: str) -> tuple[Reserved, ...]:
    """What planned tests fix of a plan, said above it, with a switch.

    Args:
        run: The fit.
        start: First day of the plan, ISO.
        n: Periods of the plan.
        currency: Of money.
    """
    from core.experiments.reservation import reservations

    tests = lift_tests(run.folder.parents[1])
    if not tests:
        return ()
    try:
        fixed = reservations(_usual(run, start, n), tests)
    except MMMError as error:
        show_error(error)
        return ()
    if not fixed:
        return ()
    state.setdefault(_KEY, True)
    is_on = st.toggle(
        say("Carry out planned tests"),
        key=_KEY,
        help=say(
            "Spend of a tested channel is fixed in the weeks of its test: the test's "
            "in treated geos, usual spend in the others. Off: plan as if there were no "
            "tests."
        ),
    )
    if not is_on:
        return ()
    for each in fixed:
        st.caption(f":material/science: {plain(_said(each, tests, currency))}")
    return fixed


def _said(each: Reserved, tests: Sequence[KeptTest], currency: str) -> str:
    test = next(test for test in tests if test.name == each.test)
    geos = fmt.listed(test.geos, limit=4) if test.geos else say("all geos")
    money = fmt.money(sum(each.weeks.values()), currency)
    level = "off"
    if test.multiple:
        level = say(
            "at {multiple} % of usual spend", multiple=f"{100 * test.multiple:.0f}"
        )
    days = say("{start} to {end}", start=fmt.date(test.start), end=fmt.date(test.end))
    return say(
        "{test}: {channel} {level} in {geos}, {days}. In those weeks {channel} spends "
        "{money} in all geos together.",
        test=each.test,
        channel=each.channel,
        level=level,
        geos=geos,
        days=days,
        money=money,
    )


def in_weeks(table: Mapping[str, Any], fixed: Sequence[Reserved]) -> dict[str, Any]:
    """What is asked of a plan of weeks, with what tests fix.

    Args:
        table: What is asked, as a scenario file has it.
        fixed: See `reserved`.
    """
    if not fixed:
        return dict(table)
    weeks = dict(table.get("weeks", {})) | {"reserved": as_rows(fixed, "weeks")}
    return dict(table) | {"weeks": weeks}


def _usual(run: Run, start: str, n: int) -> "UsualSpend":
    return _usual_of(str(run.folder), reading.result_sha(run.folder), start, n)


@st.cache_resource(max_entries=8, show_spinner=tongue.Later("Reading usual spend"))
@tongue.in_english
def _usual_of(folder: str, sha: str, start: str, n: int) -> "UsualSpend":
    from core.data.assemble import assemble
    from core.data.files.parquet import read_table
    from core.experiments.reservation import usual_spend
    from core.service.projects.settings import data_file, load_project

    project = load_project(Path(folder))
    frame = read_table(data_file(Path(folder), project))
    return usual_spend(assemble(frame, project.mapping), start, n)
