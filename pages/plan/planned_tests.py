"""Planned lift tests that a plan of weeks or geos carries out."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.experiments.board import lift_tests
from core.service.planning.scenario import as_rows
from core.service.records.fit import Run
from core.service.records.lift_test import KeptTest
from core.service.records.plan import Reserved
from core.text.languages.language import say
from pages.ui import navigation, reading, state
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once

_KEY = "plan.tests"


def reserved(run: Run, start: str, n: int, currency: str) -> tuple[Reserved, ...]:
    """What planned tests fix of a plan, said above it, with a switch.

    Args:
        run: The fit.
        start: First day of the plan, ISO.
        n: Periods of the plan.
        currency: Of money.
    """
    tests = lift_tests(run.folder.parents[1])
    if not tests:
        return ()
    try:
        fixed = _reserved(run, start, n, tests)
    except MMMError as error:
        show_error(error)
        return ()
    if not fixed:
        return ()
    state.setdefault(_KEY, True)
    is_on = st.toggle(
        say("Carry out planned tests"),
        key=_KEY,
        help=navigation.tip(
            "Spend of a tested channel is fixed in the weeks of its test: the "
            "test's in treated geos, usual spend in the others. Off: plan as if "
            "there were no tests."
        ),
    )
    if not is_on:
        return ()
    for each in fixed:
        st.caption(f":material/science: {plain(_kept_spend(each, tests, currency))}")
    return fixed


def _kept_spend(each: Reserved, tests: Sequence[KeptTest], currency: str) -> str:
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


@once(
    lambda run, *about: (run.folder, reading.result_sha(run.folder), *about),
    most=8,
    wait=tongue.Later("Reading usual spend"),
)
def _reserved(
    run: Run, start: str, n: int, tests: list[KeptTest]
) -> tuple[Reserved, ...]:
    from core.service.plans import reserved_by_tests

    return reserved_by_tests(run, start, n)
