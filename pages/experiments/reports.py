"""A report of another tool or platform, taken as results of lift tests."""

from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.model.market import Market
from pages.experiments import draft
from pages.ui import state
from pages.ui.fields import day, gated
from pages.ui.findings import show_error
from pages.ui.reading import Opened
from pages.upload.file_reading import loaded

if TYPE_CHECKING:
    from core.data.input_data import InputData

_TYPES = ("json", "txt", "csv", "tsv", "xlsx", "parquet")
_MAX_MB = 50
_TEXTS = (".json", ".txt")
_NOT_SAID = "as the file says"
#: Spend of the test over usual spend, where the data hold the test.
_TESTED_AT = {_NOT_SAID: None, "off": 0.0, "half": 0.5, "half as much again": 1.5}
_EXPECTED = (
    "A result of GeoX (JSON), what GeoLift prints (TXT), a model of Robyn (JSON), lift "
    "tests of PyMC-Marketing, or a table with incremental conversions, iROAS, cost per "
    "incremental conversion or relative lift, and its interval."
)


def upload(here: Opened, about: Market) -> None:
    """Ask for a report and for what it may leave out."""
    channels = gated.multiselect(
        "Channels tested",
        [channel.name for channel in here.project.mapping.channels],
        key="experiments.report.channels",
        placeholder="As the file says",
    )
    days = gated.date_input(
        "First and last day",
        [],
        min_value=date.fromisoformat(about.dates[0]),
        key="experiments.report.days",
        format=day.typed(),
    )
    at = gated.selectbox(
        "Spend of the test", list(_TESTED_AT), key="experiments.report.tested_at"
    )
    file = gated.file_uploader(
        "A report",
        type=list(_TYPES),
        max_upload_size=_MAX_MB,
        key=f"experiments.report.{state.edition('experiments.report')}",
        label_visibility="collapsed",
    )
    st.caption(_EXPECTED)
    if file is None:
        return
    try:
        name = PurePath(file.name).name
        n_new = _take(here, file, name, tuple(channels), days, _TESTED_AT[at])
    except MMMError as error:
        show_error(error)
        return
    state.start_afresh("experiments.report")
    state.note(f"{fmt.count(n_new, 'test')} read from {name}")
    st.rerun()


def _take(
    here: Opened,
    file: Any,
    filename: str,
    channels: tuple[str, ...],
    days: Any,
    tested_at: float | None,
) -> int:
    """Add the results of a report to the table; returns how many.

    Raises:
        MMMError: It is not a report, leaves something out, or does not fit the model.
    """
    from dataclasses import replace

    from core.experiments.results.reports import Context, columns_of, read_report
    from core.experiments.results.stated import as_entry
    from core.experiments.results.table import read_table

    data = draft.data(here)
    if data is None:
        return 0
    start, end = (str(day) for day in days) if len(days) == 2 else ("", "")
    known = columns_of(here.project.mapping)
    money = here.project.currency
    context = Context(channels, (), start, end, known=known, currency=money)
    content = file.getvalue()
    if PurePath(filename).suffix.lower() in _TEXTS:
        text = content.decode("utf-8", "replace")
        stated = read_report(text, filename, context)
    else:
        frame = loaded(content, filename, "experiments.report", "experiments.report")
        stated = read_table(frame, filename, context, _periods(data, start, end))
    if tested_at is not None:
        stated = tuple(replace(each, tested_at=tested_at) for each in stated)
    kpi = here.project.mapping.kpi
    draft.base(here)
    return draft.add([as_entry(each, data, kpi) for each in stated])


def _periods(data: "InputData", start: str, end: str) -> int:
    from core.experiments.panel import panel_of

    if not start:
        return 1
    return max(int(panel_of(data).within(start, end).sum()), 1)
