"""A form for one lift test; what is typed is in the address, so a reload keeps it.

What is typed goes through the same door as a file of tests (`results_of`): an
interval becomes a standard error there, and what is wrong is said in the form.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.experiments.results import results_of
from core.service.records.columns import blocks
from core.service.records.lift_test import Entry
from core.service.records.model import Market
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.experiments import draft
from pages.ui import layout, navigation, state
from pages.ui.document import document_in, keep_document
from pages.ui.fields import day, gated
from pages.ui.findings import plain, show_error, show_findings
from pages.ui.reading import Opened

#: The parameter of the address, and the edition of the form's fields.
PARAMETER, _FORM = "test", "experiments.form"
#: A new test, in the place of the number of one that there is.
NEW = -1
_INTERVAL, _ERROR = marked("90 % interval"), marked("Standard error")
_MORE = ("together_with", "multiple", "amount", "half_life")
_LATEST = date(2060, 12, 31)


def open_with(tests: list[Entry], place: int) -> None:
    """Open the form.

    Args:
        tests: The tests that there are.
        place: Of the test to edit; `NEW` for another one.
    """
    state.start_afresh(_FORM)
    test = Entry() if place == NEW else tests[place]
    content = test.as_table()
    keep_document(PARAMETER, {"row": place, **content})


def show(here: Opened, about: Market) -> None:
    """The form, where the address has one.

    Args:
        here: The open project.
        about: Its market.
    """
    typed = document_in(PARAMETER)
    place = typed.get("row")
    if not isinstance(place, int) or place >= len(draft.now()):
        return
    with st.container(border=True, key=_FORM):
        title = (
            say("New test") if place == NEW else say("Test {place}", place=place + 1)
        )
        st.header(title, anchor=False)
        row = {"row": place, **_fields(here, about, typed)}
        keep_document(PARAMETER, {k: v for k, v in row.items() if v not in (None, [])})
        entry, findings = _read(row, about)
        show_findings([each for each in findings if each.severity != "info"])
        with st.container(horizontal=True):
            is_ready = entry is not None and draft.is_complete(entry)
            if gated.button(
                say("Save test"),
                key="experiments.form.save",
                type="primary",
                disabled=not is_ready or blocks(findings),
            ):
                _save(here, entry, place)
            if st.button(say("Cancel"), key="experiments.form.cancel"):
                close()
                st.rerun()


def is_open() -> bool:
    """Whether the address has a form."""
    return bool(document_in(PARAMETER))


def close() -> None:
    """Forget what was typed."""
    navigation.remember(PARAMETER, None)
    state.start_afresh(_FORM)


def _save(here: Opened, row: Entry, place: int) -> None:
    """Put the test among the others, and save them."""
    tests = draft.now()
    if place == NEW:
        tests = [*tests, row]
    else:
        tests = [*tests[:place], row, *tests[place + 1 :]]
    draft.rebase(tests)
    try:
        draft.save(here, tests)
    except MMMError as error:
        show_error(error)
        return
    close()
    state.note(say("The test is saved; the next fit uses it."), ":material/science:")
    st.rerun()


def _fields(here: Opened, about: Market, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the fields; what they hold."""
    channels = [
        channel.name
        for channel in here.project.mapping.channels
        if channel.kind != "non_media"
    ]
    unit, row = about.units.outcome, {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row["channel"] = _channel(channels, typed)
        if about.geos:
            row["geos"] = _several(
                say("Geos"), "geos", about.geos, typed, say("All geos")
            )
        for key, label in (("start", say("First day")), ("end", say("Last day"))):
            row[key] = _day(label, key, typed)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = say(
            "Incremental {outcome_name}", outcome_name=about.units.outcome_in_text
        )
        row["incremental_outcome"] = _number(
            fmt.titled(name, unit),
            "incremental_outcome",
            typed,
            help=say(
                "What came with the channel's media less what there would have been "
                "without it, in those geos and days. It may be negative."
            ),
        )
        kind = st.segmented_control(
            say("How sure"),
            (_INTERVAL, _ERROR),
            format_func=say,
            default=_ERROR if typed.get("standard_error") else _INTERVAL,
            required=True,
            key=_key("kind"),
        )
        if kind == _INTERVAL:
            row["low"] = _number(fmt.titled(say("Low"), unit), "low", typed)
            row["high"] = _number(fmt.titled(say("High"), unit), "high", typed)
        else:
            label = fmt.titled(say(_ERROR), unit)
            row["standard_error"] = _number(label, "standard_error", typed)
    row |= _more(about, channels, typed)
    if row["start"] and row["end"]:
        start, end = fmt.date(row["start"]), fmt.date(row["end"])
        layout.remark("{start} to {end}.", start=start, end=end)
    return row


def _more(about: Market, channels: list[str], typed: Mapping[str, Any]) -> dict:
    """What a test may have besides, folded away."""
    n = sum(bool(typed.get(key)) for key in _MORE)
    row: dict[str, Any] = {}
    with st.expander(
        say("More ({n})", n=n) if n else say("More"), key="experiments.form.more"
    ):
        row["together_with"] = _several(
            say("Tested together with"),
            "together_with",
            channels,
            typed,
            say("No other channel"),
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            row["multiple"] = _number(
                say("Other arm, × spend"),
                "multiple",
                typed,
                help=say(draft.MULTIPLE),
            )
            row["amount"] = _number(
                fmt.titled(say("Other arm"), about.units.symbol),
                "amount",
                typed,
                help=say(draft.AMOUNT),
            )
            row["half_life"] = _number(
                say("Half-life, weeks"),
                "half_life",
                typed,
                help=say(draft.HALF_LIFE),
            )
    if typed.get("skewness") is not None:
        row["skewness"] = typed["skewness"]
    return row


def _key(name: str) -> str:
    return f"{_FORM}.{name}.{state.edition(_FORM)}"


def _channel(options: list[str], typed: Mapping[str, Any]):
    first = typed.get("channel")
    return gated.selectbox(
        say("Channel"),
        options,
        index=options.index(first) if first in options else None,
        key=_key("channel"),
        placeholder=say("Choose"),
        width=190,
    )


def _several(label: str, name: str, options, typed: Mapping[str, Any], none: str):
    first = typed.get(name)
    present = [each for each in first if each in options] if _is_texts(first) else []
    return gated.multiselect(
        label, list(options), present, key=_key(name), placeholder=none, width=320
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _day(label: str, name: str, typed: Mapping[str, Any]) -> str | None:
    """A day as the project writes dates; ISO, or None where it is empty."""
    try:
        first = date.fromisoformat(str(typed.get(name))[:10])
    except ValueError:
        first = None
    chosen = gated.date_input(
        label,
        first,
        min_value=date(1980, 1, 1),
        max_value=_LATEST,
        key=_key(name),
        format=day.of_project(),
        width=150,
    )
    return chosen.isoformat() if isinstance(chosen, date) else None


def _number(
    label: str, name: str, typed: Mapping[str, Any], help: str | None = None
) -> float | None:
    first = typed.get(name)
    is_number = isinstance(first, int | float) and not isinstance(first, bool)
    return gated.number_input(
        label,
        value=float(first) if is_number else None,
        key=_key(name),
        format="%.12g",
        placeholder="",
        help=help,
        width=190,
    )


def _read(row: Mapping[str, Any], about: Market) -> tuple[Entry | None, list]:
    """The test that the fields make, and what is wrong with it; None for no test."""
    cells = {key: value for key, value in row.items() if key != "row"}
    for key in ("geos", "together_with"):
        cells[key] = "; ".join(cells.get(key) or ())
    columns = {key: [value] for key, value in cells.items() if value not in (None, "")}
    needed = ("channel", "start", "end", "incremental_outcome")
    is_sure = "standard_error" in columns or {"low", "high"} <= columns.keys()
    if not is_sure or any(key not in columns for key in needed):
        return None, []
    try:
        results = results_of(pd.DataFrame(columns), say("The test"), about)
    except MMMError as error:
        st.caption(f":red[{plain(reworded(str(error)))}]")
        return None, []
    return results.rows[0], list(results.findings)
