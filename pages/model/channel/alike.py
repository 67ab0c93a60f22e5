"""Channels that begin with the same assumptions: one sentence in the place of rows."""

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.records.model import Market
from core.text.languages.language import say
from pages.ui.findings import plain

#: Fewer channels than this are rows, alike or not.
_SEVERAL = 3
#: What the sentence says of a channel; the rest is for analysts.
_SAID = ("about", "low", "likely", "high", "effectiveness")
_KEY = "model.each"


def said_once(rows: pd.DataFrame, about: Market) -> pd.DataFrame:
    """Say what most channels share; returns the rows that remain to be shown.

    Args:
        rows: The table of assumptions, a row per channel.
        about: The market.
    """
    if rows.empty:
        return rows
    groups = rows.groupby(list(_SAID), dropna=False, sort=False).groups
    largest = max(groups.values(), key=len)
    if len(largest) < _SEVERAL:
        return rows
    row = rows.loc[largest[0]]
    with st.container(horizontal=True, vertical_alignment="center"):
        names = rows.loc[largest, "channel"]
        every = len(largest) == len(rows)
        who = (
            say("All {number} channels", number=len(rows))
            if every
            else fmt.listed(list(names))
        )
        st.markdown(plain(f"{who}: {_sentence(row, about)}"), width="content")
        st.space("stretch")
        if st.toggle(say("Channel by channel"), key=_KEY, persist_state="session"):
            return rows
    return rows.drop(index=largest)


def with_rows(rows: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """The table with the rows that were shown as they are now.

    Args:
        rows: Every channel.
        shown: Some of the rows, as edited.
    """
    if len(shown) == len(rows):
        return shown
    return pd.concat([shown, rows.drop(index=shown.index)]).sort_index()


def _sentence(row: pd.Series, about: Market) -> str:
    """The prior that they share, and whether effects may change."""
    unit = {"ROI": f" {about.units.roi}", "Marginal ROI": f" {about.units.roi}"}
    write = fmt.roi if row.about in unit else fmt.number
    low, likely, high = (write(row[key]) for key in ("low", "likely", "high"))
    what = str(row.about).partition(",")[0]
    percent = "\u00a0%" if "%" in str(row["about"]) else unit.get(row["about"], "")
    drifts = {
        "drifting": say("Effects may drift over the years."),
        "constant": say("Effects stay the same over the years."),
    }
    said = say(
        "before the data speak, {what} is most likely {likely}{unit} "
        "(90\u00a0% interval: {low} – {high}).",
        what=say(what if what.isupper() else what.lower()),
        likely=likely,
        unit=percent,
        low=low,
        high=high,
    )
    return f"{said} {drifts.get(row['effectiveness'], '')}".rstrip()
