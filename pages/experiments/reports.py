"""A report of another tool or platform, taken as results of lift tests."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import streamlit as st

from core.service.records.model import Market
from core.text.languages.language import marked, say
from pages.experiments import draft
from pages.ui.fields import day, gated
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.experiments.results.reports import Context
    from core.experiments.results.stated import Stated
    from core.service.records.data import InputData

_TEXTS = (".json", ".txt")
_NOT_SAID = marked("as the file says")
#: Spend of the test over usual spend, where the data hold the test.
_TESTED_AT = {
    _NOT_SAID: None,
    marked("off"): 0.0,
    marked("half"): 0.5,
    marked("half as much again"): 1.5,
}


class Asked(NamedTuple):
    """What a report may leave out, as the form has it.

    Attributes:
        channels: Those tested; none as the file says.
        days: First and last day, or nothing.
        tested_at: Spend of the test over usual spend; None as the file says.
    """

    channels: tuple[str, ...]
    days: tuple[date, ...]
    tested_at: float | None


def is_text(filename: str) -> bool:
    """Whether a file can only be a report."""
    return PurePath(filename).suffix.lower() in _TEXTS


def ask(here: Opened, about: Market) -> Asked:
    """Ask for what a report may leave out, folded away."""
    with st.expander(
        say("A report without channel or dates"), key="experiments.report"
    ):
        channels = gated.multiselect(
            say("Channels tested"),
            [channel.name for channel in here.project.mapping.channels],
            key="experiments.report.channels",
            placeholder=say("As the file says"),
        )
        days = gated.date_input(
            say("First and last day"),
            [],
            min_value=date.fromisoformat(about.dates[0]),
            key="experiments.report.days",
            format=day.of_project(),
        )
        at = gated.selectbox(
            say("Spend of the test"),
            list(_TESTED_AT),
            format_func=say,
            key="experiments.report.tested_at",
        )
    return Asked(tuple(channels), tuple(days), _TESTED_AT[at])


def is_report(frame: pd.DataFrame) -> bool:
    """Whether a table is of another tool: it states returns, costs or shares."""
    from core.experiments.results.table import states_ratio

    return states_ratio(frame)


def take_text(here: Opened, content: bytes, filename: str, asked: Asked) -> int:
    """Add the results of a report; returns how many are new.

    Raises:
        MMMError: It is not a report, leaves something out, or does not fit the model.
    """
    from core.experiments.results.reports import read_report

    text = content.decode("utf-8", "replace")
    return _add(here, asked, read_report(text, filename, _context(here, asked)))


def take_table(here: Opened, frame: pd.DataFrame, filename: str, asked: Asked) -> int:
    """Add the results of a table that another tool wrote; returns how many are new.

    Raises:
        MMMError: It has no results, leaves something out, or does not fit the model.
    """
    from core.experiments.results.table import read_table

    data = draft.data(here)
    if data is None:
        return 0
    context = _context(here, asked)
    periods = _periods(data, context.start, context.end)
    return _add(here, asked, read_table(frame, filename, context, periods))


def _context(here: Opened, asked: Asked) -> "Context":
    """What the project and the form know beside the file."""
    from core.experiments.results.reports import Context, columns_of

    both = len(asked.days) == 2
    start, end = (str(day) for day in asked.days) if both else ("", "")
    known = columns_of(here.project.mapping)
    money = here.project.currency
    return Context(asked.channels, (), start, end, known=known, currency=money)


def _add(here: Opened, asked: Asked, results: Sequence["Stated"]) -> int:
    """Add results to the tests that there are; returns how many are new."""
    from core.experiments.results.stated import as_entry

    data = draft.data(here)
    if data is None:
        return 0
    if asked.tested_at is not None:
        results = [replace(each, tested_at=asked.tested_at) for each in results]
    draft.base(here)
    kpi = here.project.mapping.kpi
    return draft.add([as_entry(each, data, kpi) for each in results])


def _periods(data: "InputData", start: str, end: str) -> int:
    from core.service.lift_tests import panel_of

    if not start:
        return 1
    return max(int(panel_of(data).within(start, end).sum()), 1)
