"""What the table leaves open, asked on the Data screen: one choice per question."""

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core import text as fmt
from core.service.records.columns import ColumnMapping
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.data.draft import Source
from pages.ui import state
from pages.ui.fields import gated
from pages.ui.reader import tongue

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


def ask(shown: Source, mapping: ColumnMapping) -> ColumnMapping:
    """Draw the questions; returns the mapping with the answers chosen so far."""
    from core.service.records.data import WHOLE, answered

    known = shown.mapping
    asked = _asked(shown.digest, repr(mapping), shown.frame, mapping)
    saved = {} if known is None else dict(known.decimal) | {known.time: known.dates}
    whole = () if known is None else known.whole_units
    saved |= dict.fromkeys(whole, WHOLE)
    answers = {}
    if asked:
        open_ones = [question for question in asked if question.usual is None]
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
            for question in asked:
                answers[question.column] = _choose(question, saved.get(question.column))
    return answered(mapping, asked, answers)


@st.cache_resource(max_entries=16, show_spinner=False)
@tongue.in_english
def _asked(
    digest: str, key: str, _frame: "pd.DataFrame", _mapping: ColumnMapping
) -> "list[Question]":
    from core.service.records.data import questions

    return questions(_frame, replace(_mapping, dates=None, decimal=()))


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
    said = {THOUSANDS: marked("in thousands"), WHOLE: marked("in whole units")}
    words = {each: f"{say(said[each])}: {meanings[each]}" for each in meanings}
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
