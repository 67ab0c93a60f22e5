"""What uploaded files leave open: readings of dates and numbers, and currency rates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import state
from pages.ui.findings import plain

if TYPE_CHECKING:
    from core.data.doubts import Question
    from core.data.layout.exports import File
    from core.data.layout.guess import Guess


def answered(key: str) -> dict[str, str]:
    """How dates and numbers are to be read, as far as it was asked and answered."""
    answers = {}
    for kind in ("dates", "decimal"):
        name = f"reading.{key}.{kind}"
        answer = state.widget(f"{key}.{kind}", None) or state.draft(name)
        if answer:
            state.keep(name, answer)
            answers[kind] = answer
    return answers


def ask(question: "Question", kind: str, key: str) -> None:
    """Ask how a column is to be read; the answer is there in the next run."""
    meanings = dict(question.choices)
    st.selectbox(
        f'{plain(question.column)}: "{plain(question.example)}" is',
        list(meanings),
        index=None,
        format_func=lambda answer: f"{meanings[answer]} ({answer})",
        key=f"{key}.{kind}",
        placeholder="Choose a reading",
        help="Nothing is guessed where a column can be read in several ways.",
    )


def ask_epoch(files: "Sequence[File]", key: str) -> None:
    """Ask from which day date numbers count, where a file has such dates."""
    from core.data.layout.dating import epoch_question

    for file in files:
        if file.date is None:
            continue
        question = epoch_question(file.frame, file.date)
        if question is not None:
            ask(question, "dates", key)
            return


def rated(found: "Guess", key: str) -> "Guess | None":
    """The layout with a rate for every currency; None while one is missing."""
    from core.data.layout import currencies

    layout = found.layout
    codes = currencies.unrated(layout, found.files)
    rates = []
    for code in codes:
        rate = st.number_input(
            f"What is one {code} worth in {layout.currency}?",
            min_value=0.0,
            value=None,
            format="%.4f",
            key=f"{key}.rate.{code}",
            help="Amounts of two currencies are never summed. One rate is used for "
            "all dates.",
        )
        if rate:
            rates.append((code, float(rate)))
    if len(rates) < len(codes):
        several = " and ".join([*codes, str(layout.currency)])
        st.info(
            f"The files hold amounts in {several}.",
            icon=":material/currency_exchange:",
        )
        return None
    return replace(found, layout=replace(layout, rates=(*layout.rates, *rates)))
