"""Data: is this data good enough? Verdict, findings, mapping and charts.

What the table leaves open, asked on the Data screen: one choice per question.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core import text as fmt
from core.errors import MMMError, SchemaError, WorkspaceError
from core.service import runs
from core.service.projects.shelf import project_folder, refuse_taken
from core.service.records.columns import ColumnMapping, Finding, blocks
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.data import draft, files, problems, units, view
from pages.data.draft import Source
from pages.data.units import Answers
from pages.ui import layout, navigation, reading, state
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.reader.once import once
from pages.upload import mapping_table, uploads

if TYPE_CHECKING:
    import pandas as pd

    from core.service.records.data import Question

_DATES = {
    "day first": marked("the day comes first"),
    "month first": marked("the month comes first"),
    "year first": marked("the year comes first"),
    "months": marked("months"),
    "weeks": marked("ISO weeks"),
    "1900": marked("days counted from 1900"),
    "1904": marked("days counted from 1904, as Excel for Mac did"),
}
_DECIMAL = {".": marked("decimal point"), ",": marked("decimal comma")}


def ask(source: Source, mapping: ColumnMapping) -> ColumnMapping:
    """Draw the questions; returns the mapping with the answers chosen so far."""
    from core.service.records.data import WHOLE, answered

    before = source.mapping
    questions = _asked(source.digest, source.frame, mapping)
    saved = {} if before is None else dict(before.decimal) | {before.time: before.dates}
    whole = () if before is None else before.whole_units
    saved |= dict.fromkeys(whole, WHOLE)
    answers = {}
    if questions:
        open_ones = [question for question in questions if question.usual is None]
        if open_ones:
            number = fmt.count(len(open_ones), "column")
            st.markdown(
                say(
                    ":red[:material/help:] **{number} can be read in more than one "
                    "way.** :gray[Choose what is meant; Mixwright does not guess.]",
                    number=number,
                )
            )
        with st.container(horizontal=True):
            for question in questions:
                answers[question.column] = _choose(question, saved.get(question.column))
    return answered(mapping, questions, answers)


@once(lambda digest, frame, mapping: (digest, mapping), most=16)
def _asked(
    digest: str, frame: "pd.DataFrame", mapping: ColumnMapping
) -> "list[Question]":
    from core.service.records.data import questions

    return questions(frame, replace(mapping, dates=None, decimal=()))


def _choose(question: "Question", saved: str | None) -> str | None:
    """One question with its readings."""
    from core.service.records.data import THOUSANDS

    meanings = dict(question.choices)
    options = list(meanings)
    if THOUSANDS in options:
        return _thousands(question, saved)
    words = _DECIMAL | _DATES
    chosen = saved if saved in options else question.usual
    return gated.selectbox(
        say(
            '{column}: "{example}" is', column=question.column, example=question.example
        ),
        options,
        index=None if chosen is None else options.index(chosen),
        format_func=lambda answer: (
            f"{reworded(meanings[answer])} ({say(words.get(answer, answer))})"
        ),
        key=f"data.ask.{question.column}.{state.edition('mapping')}",
        placeholder=say("Choose a reading"),
        width=300,
    )


def _thousands(question: "Question", saved: str | None) -> str:
    """Whether a column is in thousands, answered by a button."""
    from core.service.records.data import THOUSANDS, WHOLE

    meanings = dict(question.choices)
    labels = {THOUSANDS: marked("in thousands"), WHOLE: marked("in whole units")}
    words = {each: fmt.named(say(labels[each]), meanings[each]) for each in meanings}
    chosen = saved if saved in words else question.usual
    return gated.segmented_control(
        say("Is {column} in thousands?", column=question.column),
        list(words),
        default=chosen,
        required=True,
        format_func=words.get,
        key=f"data.ask.{question.column}.{state.edition('mapping')}",
        help=say(
            "Its name says thousands by a letter only. The answer also holds for other "
            "columns named so."
        ),
    )


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.DATA)
    here = layout.begin()
    try:
        source = draft.source_of(here)
    except MMMError as error:
        show_error(error)
        source = None
    if source is None:
        _empty(here)
        return
    below_name, verdict, questions = st.container(), st.container(), st.container()
    files.layout_box(source)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        roles = view.mapping_editor(source)
    name = _name(actions, below_name, source)
    answers = units.show(actions, source)
    mapping, faults = _mapping(source, roles, answers)
    if mapping is not None:
        with questions:
            mapping = ask(source, mapping)
        with left:
            view.kind(source, mapping)
    findings = _findings(source, mapping, faults)
    problems.note(findings)
    is_ready = mapping is not None and name is not None and not blocks(findings)
    _act(actions, source, mapping, name, answers, is_ready=is_ready)
    with verdict:
        view.verdict(source, mapping, findings)
    with right:
        view.findings_box(source, mapping, findings)
        if mapping is not None:
            view.charts(source, mapping, answers.currency)


def _empty(here: reading.Opened | None) -> None:
    """A place to drop a file."""
    title = say("No data yet") if here else say("No project is open")
    with st.container(border=True, key="empty"):
        st.header(title, anchor=False)
        uploads.uploader("data.upload", here.name if here else None)
        if here is None:
            navigation.go_button(
                navigation.START, say("See all projects"), primary=False
            )


def _name(actions, below, source: Source) -> str | None:
    """The project's name, typed at the top right where the project is new.

    None where what was typed cannot be one, which is said below it.
    """
    if source.here is not None:
        return source.here.name
    typed = actions.text_input(
        say("Name of the project"),
        draft.free_name(source.upload.filename),
        key=f"data.name.{state.edition('mapping')}",
        max_chars=64,
        label_visibility="collapsed",
        width=220,
    )
    try:
        refuse_taken(project_folder(typed.strip()))
    except WorkspaceError as error:
        with below:
            show_error(error)
        return None
    return typed.strip()


def _mapping(
    source: Source, roles, answers: Answers
) -> tuple[ColumnMapping | None, tuple[Finding, ...]]:
    """The mapping as edited, or what is wrong with it."""
    try:
        mapping = mapping_table.mapping_of(roles, answers.value)
        if source.here is not None:  # the table has no column for it
            mapping = mapping.with_price_indexes(source.here.project.mapping)
        return replace(mapping, spend_unit=answers.spend_unit), ()
    except SchemaError as error:
        return None, error.findings


def _findings(
    source: Source, mapping: ColumnMapping | None, faults: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    if mapping is None:
        return faults
    try:
        return draft.findings(source, mapping)
    except MMMError as error:
        return error.findings or (
            Finding("error", error.where, error.message, error.hint),
        )


def _act(  # noqa: PLR0913
    actions, source: Source, mapping, name: str | None, answers: Answers, *, is_ready
) -> None:
    """The buttons at the top right."""
    is_changed = source.upload is not None or (
        mapping != source.mapping
        or answers.currency != source.here.project.currency
        or answers.locale != source.here.project.locale
        or bool(answers.events)
    )
    if is_changed:
        layout.hold_on()
    with actions:
        if source.upload is None:
            with st.popover(say("Replace file"), icon=":material/upload_file:"):
                uploads.uploader("data.replace", source.here.name)
        elif source.upload.guess is not None or source.upload.table is not None:
            with st.popover(say("Add a file"), icon=":material/add:"):
                uploads.uploader("data.add", source.upload.project, to=source.upload)
        if is_changed and st.button(say("Discard"), key="data.discard"):
            _discard(source)
        wants = gated.button(
            say("Accept mapping") if is_changed else say("Mapping accepted"),
            key="data.accept",
            icon=":material/check:",
            shortcut="Ctrl+S",
            disabled=mapping is None or name is None or not is_changed,
        )
        fits = is_changed and gated.button(
            say("Accept and fit"),
            key="data.accept_fit",
            type="primary",
            icon=navigation.FIT.icon,
            disabled=not is_ready,
        )
        if is_ready and not is_changed:
            navigation.go_button(navigation.FIT, say("Go to Fit"))
    if wants or fits:
        _accept(source, mapping, name, answers, fits=fits)


def _discard(source: Source) -> None:
    was_new = source.upload is not None and source.here is None
    state.keep_upload(None)
    draft.forget_roles()
    if was_new:
        navigation.go(navigation.START)
    st.rerun()


def _accept(
    source: Source, mapping: ColumnMapping, name: str, answers: Answers, *, fits: bool
) -> None:
    """Save the table and its mapping, and fit the model if that is wanted."""
    findings = draft.findings(source, mapping)
    try:
        with st.spinner(say("Saving the table and its mapping")):
            saved = draft.accept(
                source,
                mapping,
                name=name,
                currency=answers.currency,
                events=answers.events,
                locale=answers.locale,
            )
    except MMMError as error:
        show_error(error)
        return
    state.keep_upload(None)
    draft.forget_roles()
    if source.here is None:
        state.open_project(saved)
    text = (
        say("saved; errors in the data still block a fit")
        if blocks(findings)
        else "saved"
    )
    state.note(say("{saved}: mapping {text}", saved=plain(saved), text=text))
    if fits:
        created = reading.open_folder(saved)
        runs.start(created.folder, "fit", created.project)
        navigation.go(navigation.FIT)
    st.rerun()
