"""A report of another tool or platform, taken as results of lift tests."""

from datetime import date
from pathlib import PurePath
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.service.records.model import Market
from core.text.languages.language import marked, say
from pages.experiments import draft
from pages.ui.fields import day, gated
from pages.ui.reading import Opened

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
    from core.service.projects.lift_results import states_ratio

    return states_ratio(frame)


def take_text(here: Opened, content: bytes, filename: str, asked: Asked) -> int:
    """Add the results of a report; returns how many are new.

    Raises:
        MMMError: It is not a report, leaves something out, or does not fit the model.
    """
    return take_table(here, content.decode("utf-8", "replace"), filename, asked)


def take_table(
    here: Opened, content: str | pd.DataFrame, filename: str, asked: Asked
) -> int:
    """Add the results of a table that another tool wrote; returns how many are new.

    Raises:
        MMMError: It has no results, leaves something out, or does not fit the model.
    """
    from core.service.projects.lift_results import Beside, entries_in

    data = draft.data(here)
    if data is None:
        return 0
    both = len(asked.days) == 2
    start, end = (str(day) for day in asked.days) if both else ("", "")
    beside = Beside(
        channels=asked.channels, start=start, end=end, tested_at=asked.tested_at
    )
    entries = entries_in(content, filename, beside, here.project, data)
    draft.base(here)
    return draft.add(entries)
