"""The project's tests by state, and what is next with each."""

import streamlit as st

from core import text as fmt
from core.service.records.lift_test import KeptTest
from core.service.records.model import Market
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.experiments import chosen, draft
from pages.ui import state, tables
from pages.ui.findings import plain
from pages.ui.reading import Opened


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
