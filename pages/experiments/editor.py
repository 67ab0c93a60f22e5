"""The table of lift tests, and the ways into it and out of it.

A report of another tool or platform, taken as results of lift tests.
"""

from datetime import date
from pathlib import PurePath
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.experiments.results import results_of
from core.service.records.columns import Finding
from core.service.records.lift_test import OPTIONAL, Entry
from core.service.records.model import Market
from core.text.languages.language import marked, say
from pages.experiments import draft, form
from pages.ui import layout, state, tables
from pages.ui.fields import day, gated
from pages.ui.fields import day as day_format
from pages.ui.findings import plain, show_error, show_findings
from pages.ui.reading import Opened
from pages.upload.file_reading import loaded

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


def take_text(here: Opened, content: bytes, filename: str, answers: Asked) -> int:
    """Add the results of a report; returns how many are new.

    Raises:
        MMMError: It is not a report, leaves something out, or does not fit the model.
    """
    return take_table(here, content.decode("utf-8", "replace"), filename, answers)


def take_table(
    here: Opened, content: str | pd.DataFrame, filename: str, answers: Asked
) -> int:
    """Add the results of a table that another tool wrote; returns how many are new.

    Raises:
        MMMError: It has no results, leaves something out, or does not fit the model.
    """
    from core.service.projects.lift_results import Context, entries_in

    data = draft.data(here)
    if data is None:
        return 0
    both = len(answers.days) == 2
    start, end = (str(day) for day in answers.days) if both else ("", "")
    beside = Context(
        channels=answers.channels, start=start, end=end, tested_at=answers.tested_at
    )
    entries = entries_in(content, filename, beside, here.project, data)
    draft.base(here)
    return draft.add(entries)


_MAX_MB = 50
#: Days as they are typed: a month first, as in 03/04/2024, would be the year 304.
_DAY = {
    "width": 110,
    "min_value": date(1980, 1, 1),
    "max_value": date(2060, 12, 31),
}
ABOUT = marked(
    "A lift test switches a channel off or on somewhere and measures the difference; "
    "the model then has to agree with it, which settles what sales alone leave open."
)
EXPECTED = marked(
    "A table with a row per test (channel, geos, start, end, incremental outcome, "
    "standard error or interval), or a report of GeoX, GeoLift, Robyn or "
    "PyMC-Marketing."
)


def actions(here: Opened, about: Market, tests: list[Entry]) -> None:
    """The buttons at the top right."""
    if tests:
        layout.download(
            "CSV",
            lambda: draft.as_csv(tests, has_geos=bool(about.geos)),
            f"{here.name} experiments.csv",
            "experiments.csv",
        )
    with st.popover(
        say("Upload"),
        icon=":material/upload_file:",
        key=f"experiments.popover.{state.edition('experiments.upload')}",
    ):
        _upload(here, about)
        if tests:
            _template(here, about)
    if tests:
        names = [f"{place}: {_named(row)}" for place, row in enumerate(tests, 1)]
        chosen = st.menu_button(say("Edit"), names, key="experiments.edit")
        if chosen:
            form.open_with(tests, names.index(chosen))
            st.rerun()
    if gated.button(
        say("Add test"),
        key="experiments.add",
        type="primary",
        icon=":material/add:",
        shortcut="Ctrl+Enter",
    ):
        form.open_with(tests, form.NEW)
        st.rerun()


def _named(row: Entry) -> str:
    """A test in a menu: its channel and when it began."""
    began = f", {fmt.date(row.start)}" if row.start else ""
    return f"{row.channel or say('no channel')}{began}"


def empty(here: Opened, about: Market, *, has_tests: bool) -> None:
    """What a lift test is, why one would add it, and a file to begin from.

    Args:
        here: The open project.
        about: Its market.
        has_tests: Whether tests are on their way, so that only results are missing.
    """
    if has_tests:
        layout.remark("No result is in the model yet: read a test, or add one.")
        return
    with layout.empty(say("No lift tests yet"), say(ABOUT)):
        _template(here, about)


def _template(here: Opened, about: Market) -> None:
    layout.download(
        say("Template"),
        lambda: draft.template(here, has_geos=bool(about.geos)),
        "experiments template.csv",
        "experiments.template",
    )


def _upload(here: Opened, about: Market) -> None:
    """One place for a table of tests and for the report of another tool."""
    file = gated.file_uploader(
        say("Results of lift tests"),
        max_upload_size=_MAX_MB,
        key=f"experiments.upload.{state.edition('experiments.upload')}",
        label_visibility="collapsed",
    )
    layout.remark(EXPECTED)
    answers = ask(here, about)
    if file is None:
        return
    name = PurePath(file.name).name
    try:
        n_new = _take(here, file.getvalue(), name, about, answers)
    except MMMError as error:
        show_error(error)
        return
    state.start_afresh("experiments.upload")
    state.note(
        say(
            "{tests} read from {name}",
            tests=fmt.count(n_new, "test", "tests"),
            name=name,
        )
    )
    st.rerun()


def _take(
    here: Opened, content: bytes, name: str, about: Market, answers: Asked
) -> int:
    """Add the tests of a file to those that there are; returns how many are new.

    Raises:
        MMMError: It has none, or leaves something out; those that there are stay.
    """
    if is_text(name):
        return take_text(here, content, name, answers)
    frame = loaded(content, name, "experiments.upload", "experiments.upload")
    if is_report(frame):
        return take_table(here, frame, name, answers)
    return _take_table(frame, name, about)


def _take_table(frame: pd.DataFrame, filename: str, about: Market) -> int:
    """Add the tests of a table to those that there are; returns how many are new.

    Raises:
        SchemaError: It has no columns that tests need.
    """
    results = results_of(frame, filename, about)
    n_new = draft.add(results.rows)
    findings = list(results.findings)
    if n_new < len(results.rows):
        repeats = fmt.count(len(results.rows) - n_new, "test")
        message = say(
            "{known} of {filename} were in the table already.",
            known=repeats,
            filename=filename,
        )
        findings.append(Finding("info", filename, message))
    state.keep("experiments.file", (filename, findings))
    return n_new


def table(here: Opened, about: Market, tests: list[Entry]) -> list[Entry]:
    """Draw the table; returns its rows as edited."""
    named = [row.channel for row in tests if row.channel]
    channels = here.project.mapping.channels
    testable = [channel.name for channel in channels if channel.kind != "non_media"]
    geos = [*about.geos, *(geo for row in tests for geo in row.geos)]
    edited = gated.data_editor(
        draft.frame_of(tests),
        key=draft.editor_key(),
        num_rows="dynamic",
        column_config=_columns(
            list(dict.fromkeys([*testable, *named])), list(dict.fromkeys(geos)), about
        ),
        column_order=_order(tests, has_geos=bool(geos)),
        hide_index=True,
        height=tables.height(len(tests)),
        placeholder="",
        alt=say("Lift tests"),
    )
    return draft.rows_of(edited)


def _order(tests: list[Entry], *, has_geos: bool) -> list[str]:
    """What every test needs; optional columns where a test has them."""
    geos = ["geos"] if has_geos else []
    result = ["start", "end", "incremental_outcome", "standard_error"]
    used = [name for name in OPTIONAL if any(getattr(row, name) for row in tests)]
    return ["channel", *geos, *result, *used]


def _columns(channels: list[str], geos: list[str], about: Market) -> dict:
    number, day = st.column_config.NumberColumn, st.column_config.DateColumn
    unit, days = about.units.outcome, _DAY | {"format": day_format.of_column()}
    return {
        "channel": st.column_config.SelectboxColumn(
            say("Channel"), options=channels, width=130, help=say("The channel tested.")
        ),
        "geos": st.column_config.MultiselectColumn(
            say("Geos"),
            options=geos,
            width=260,
            help=say("Where it ran; none for all geos."),
        ),
        "start": day(say("Start"), help=say("First day of its first period."), **days),
        "end": day(say("End"), help=say("Last day of its last period."), **days),
        "incremental_outcome": number(
            say(
                "Incremental {outcome}, {unit}",
                outcome=about.units.outcome_in_text,
                unit=unit,
            ),
            format="localized",
            width=190,
            help=say(
                "{outcome_name} in those geos and periods with the channel's media "
                "less what there would have been without it. It may be negative.",
                outcome_name=about.units.outcome_name,
            ),
        ),
        "standard_error": number(
            say("Standard error, {unit}", unit=unit),
            format="localized",
            width=160,
            help=say("A 90 % interval is 3.29 standard errors wide, a 95 % one 3.92."),
        ),
        **_optional_columns(channels, about),
    }


def _optional_columns(channels: list[str], about: Market) -> dict:
    """Columns of what a test may have besides."""
    number = st.column_config.NumberColumn
    return {
        "together_with": st.column_config.MultiselectColumn(
            say("Together with"),
            options=channels,
            width=150,
            help=say("Channels whose spend was changed in the same test."),
        ),
        "multiple": number(
            say("Other arm, × spend"),
            format="%.2f",
            width=120,
            help=say(draft.MULTIPLE),
        ),
        "amount": number(
            say("Other arm, {symbol}", symbol=about.units.symbol),
            format="localized",
            width=120,
            help=say(draft.AMOUNT),
        ),
        "half_life": number(
            say("Half-life, weeks"),
            format="%.0f",
            width=110,
            help=say(draft.HALF_LIFE),
        ),
        "skewness": number(
            say("Skewness"),
            format="%.2f",
            width=90,
            help=say(
                "How much further the truth may lie above the result than below, from "
                "-0.9 to 0.9: with 0.3 the standard error is 1.3 times as large above "
                "it and 0.7 times below. Empty: the same on both sides."
            ),
        ),
    }


def show_file_findings() -> None:
    """What the last file had to say, until it is put away."""
    filename, findings = state.draft("experiments.file", ("", []))
    if not findings:
        return
    with st.container(border=True, key="experiments.file"):
        row = st.container(horizontal=True, vertical_alignment="center")
        row.markdown(f"**{plain(filename)}**")
        row.space("stretch")
        if row.button(say("Put away"), key="experiments.dismiss", type="tertiary"):
            state.keep("experiments.file", ("", []))
            st.rerun()
        show_findings(findings)
