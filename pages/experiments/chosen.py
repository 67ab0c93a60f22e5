"""What can be done with a test that is chosen on the board: brief, reading, delete."""

import json
from datetime import date

import pandas as pd
import streamlit as st

from core.errors import MMMError
from core.service.records.lift_test import KeptTest
from core.service.records.model import Market
from core.text.languages.language import say
from pages.experiments import draft
from pages.ui import layout, state
from pages.ui.fields import gated
from pages.ui.findings import show_error
from pages.ui.reading import Opened
from pages.ui.tables import csv


def actions(here: Opened, about: Market, tests: list[KeptTest]) -> None:
    """Buttons for the chosen tests.

    Args:
        here: The open project.
        about: Its market.
        tests: Chosen; nothing is drawn without any.
    """
    from core.service.experiments.board import delete_lift_test

    if not tests:
        return
    with st.container(horizontal=True):
        if len(tests) == 1:
            _papers(here, about, tests[0])
            _reading(about, tests[0])
        words = (
            say("Delete")
            if len(tests) == 1
            else say("Delete {number} tests", number=len(tests))
        )
        if gated.button(
            words, key="experiments.board.delete", icon=":material/delete:"
        ):
            for test in tests:
                delete_lift_test(here.folder, test.test_id)
            state.start_afresh("experiments.board")
            st.rerun()


def _papers(here: Opened, about: Market, test: KeptTest) -> None:
    """Downloads that carry a planned test out."""
    from core.service.experiments.board import Papers
    from core.service.experiments.lift_tests import panel_of

    is_planned = test.is_dated and bool(test.kind)
    data = draft.data(here)
    if not is_planned or test.readout or data is None:
        return
    try:
        papers = Papers(test, panel_of(data), here.project, about.units)
    except MMMError as error:
        show_error(error)
        return
    files = {
        "html": (say("Brief"), papers.brief()),
        "csv": (say("Spend by geo and week"), csv(pd.DataFrame(papers.spend))),
        "json": (say("GeoX design"), json.dumps(papers.geox(), indent=1)),
    }
    for ending, (label, content) in files.items():
        file, key = f"{test.name}.{ending}", f"experiments.board.{ending}"
        layout.download(label, content, file, key)


def _reading(about: Market, test: KeptTest) -> None:
    """The way to the read-out of a test whose time is over."""
    is_told = test.is_dated and bool(test.geos)
    is_over = is_told and test.start <= about.dates[-1]
    if is_over and about.geos and not test.readout:
        st.button(
            say("Read it"),
            key="experiments.board.read",
            icon=":material/query_stats:",
            on_click=_fill,
            args=(about, test),
        )


def _fill(about: Market, test: KeptTest) -> None:
    """Fill the form of the read-out with a test, and go there."""
    last = date.fromisoformat(about.last_day)
    state.put("experiments.treated", [g for g in test.geos if g in about.geos])
    state.put("experiments.tested", list(test.channels))
    for key, ends in (("start", test.start), ("end", test.end)):
        day = min(date.fromisoformat(ends), last)
        state.put(f"experiments.read.{key}", day)
    state.put("experiments.view", "Read a test")
