"""Date ranges as a small table to edit: calibration windows, held-out dates."""

import datetime

import pandas as pd
import streamlit as st

from core.errors import SpecError
from core.text.languages.language import say
from pages.ui.fields import gated

Ranges = tuple[tuple[str, str], ...]


def edit(ranges: Ranges, dates: tuple[str, ...], key: str, *, alt: str) -> Ranges:
    """Draw the table; returns the ranges whose two dates are filled in.

    Args:
        ranges: Inclusive ranges of ISO dates.
        dates: Period starts of the data, in order.
        key: Of the editor; another one starts afresh.
        alt: What it holds, for readers of screens.
    """
    first, last = (_date(dates[0]), _date(dates[-1])) if dates else (None, None)
    frame = pd.DataFrame(
        [(_date(start), _date(end)) for start, end in ranges], columns=["from", "to"]
    ).astype("object")
    limits = {"min_value": first, "max_value": last, "format": "YYYY-MM-DD"}
    edited = gated.data_editor(
        frame,
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height="content",
        placeholder="",
        column_config={
            "from": st.column_config.DateColumn(say("From"), **limits),
            "to": st.column_config.DateColumn(say("To, inclusive"), **limits),
        },
        alt=alt,
    )
    whole = edited.dropna()
    return tuple(
        (_date_text(start), _date_text(end))
        for start, end in whole[["from", "to"]].itertuples(index=False)
    )


def check_order(ranges: Ranges, where: str) -> None:
    """Refuse a range that ends before it begins.

    Raises:
        SpecError: One does.
    """
    for start, end in ranges:
        if end < start:
            raise SpecError(
                say(
                    "{where}: the dates {start} to {end} end before they begin.",
                    where=where,
                    start=start,
                    end=end,
                ),
                hint=say("Give the earlier date first."),
                where=where,
            )


def _date(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def _date_text(value: object) -> str:
    return str(value)[:10]
