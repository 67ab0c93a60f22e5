"""What uploaded files leave open: readings of dates and numbers, and currency rates."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, get_args

import streamlit as st

from core import text as fmt
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.ui import navigation, state
from pages.ui.fields import day
from pages.ui.findings import plain

if TYPE_CHECKING:
    from core.service.data.layout import Guess
    from core.service.records.data import Doubtful, File, Question

#: What a file can leave open, as `core.service.data.layout` takes the answers.
KINDS = ("dates", "decimal", "overlap", "cancelled", "week_dates", "geo_columns")
#: Of dates that can be chosen.
EARLIEST = date(1980, 1, 1)


def answered(key: str) -> dict[str, str]:
    """What files left open, as far as it was asked and answered."""
    answers = {}
    for kind in KINDS:
        name = f"reading.{key}.{kind}"
        answer = state.widget(f"{key}.{kind}", None) or state.draft(name)
        if answer:
            state.keep(name, answer)
            answers[kind] = answer
    return answers


def ask_doubt(doubt: "Doubtful", key: str) -> None:
    """Say what files leave open, and ask; the answer is there in the next run."""
    st.info(plain(reworded(doubt.message)), icon=":material/help:")
    _choice(say("Choose a reading"), doubt.question, f"{key}.{doubt.kind}")


def ask(question: "Question", kind: str, key: str) -> None:
    """Ask how a column is to be read; the answer is there in the next run."""
    label = say(
        '{column}: "{example}" is',
        column=plain(question.column),
        example=plain(question.example),
    )
    _choice(label, question, f"{key}.{kind}")


def _choice(label: str, question: "Question", key: str) -> None:
    """A list of the readings."""
    meanings = dict(question.choices)
    st.selectbox(
        label,
        list(meanings),
        index=None,
        format_func=lambda answer: f"{reworded(meanings[answer])} ({answer})",
        key=key,
        placeholder=say("Choose a reading"),
        help=navigation.tip(
            "Mixwright does not guess where a column can be read in several ways."
        ),
    )


def dated(file: "File", key: str) -> "File | None":
    """A table without dates, numbered from a first one; None until it is said.

    Raises:
        DataError: The rows cannot be numbered.
    """
    from core.service import tables

    st.info(
        say(
            "{called} has no column of dates. Its rows can be numbered from the first "
            "one.",
            called=plain(file.called),
        ),
        icon=":material/calendar_month:",
    )
    with st.container(horizontal=True):
        start = st.date_input(
            say("The first row begins on"),
            None,
            key=f"{key}.start",
            min_value=EARLIEST,
            format=day.typed(),
        )
        steps = get_args(tables.Step)
        step = st.selectbox(
            say("A row is a"), steps, 1, format_func=say, key=f"{key}.every"
        )
    return None if start is None else tables.numbered(file, start.isoformat(), step)


def ask_epoch(files: "Sequence[File]", key: str) -> None:
    """Ask from which day date numbers count, where a file has such dates."""
    from core.service.data.layout import epoch_question

    for file in files:
        if file.date is None:
            continue
        question = epoch_question(file.frame, file.date)
        if question is not None:
            ask(question, "dates", key)
            return


def rated(guessed: "Guess", key: str) -> "Guess | None":
    """The layout with a rate for every currency; None while one is missing."""
    from core.service.data.layout import currencies

    layout = guessed.layout
    codes = currencies.unrated(layout, guessed.files)
    rates = []
    for code in codes:
        rate = st.number_input(
            say(
                "What is one {code} worth in {currency}?",
                code=code,
                currency=layout.currency,
            ),
            min_value=0.0,
            value=None,
            format="%.4f",
            key=f"{key}.rate.{code}",
            help=navigation.tip(
                "Amounts of two currencies are never summed. One rate is used for "
                "all dates."
            ),
        )
        if rate:
            rates.append((code, float(rate)))
    if len(rates) < len(codes):
        several = fmt.listed([*codes, str(layout.currency)])
        st.info(
            say("The files hold amounts in {several}.", several=several),
            icon=":material/currency_exchange:",
        )
        return None
    return replace(guessed, layout=replace(layout, rates=(*layout.rates, *rates)))
