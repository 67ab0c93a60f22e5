"""Channels without history: what somebody believes of them, as a table to edit."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.records.plan import Belief
from core.text.languages.language import say
from pages.ui import tables

_COLUMNS = ("name", "spend", "low", "high")


def choose(base: Sequence[Belief], units: fmt.Units, key: str) -> tuple[Belief, ...]:
    """Channels that the fit has never seen run; rows without a spend are left out.

    Args:
        base: What the table begins with.
        units: Words for the units.
        key: Of the editor.
    """
    rows = [(each.name, each.spend, *(each.roi or (None, None))) for each in base]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    number = st.column_config.NumberColumn
    edited = tables.edit(
        # With types: of an empty table the editor would make fields of text.
        frame.astype({"name": object} | dict.fromkeys(_COLUMNS[1:], float)),
        say("Channels without history, and the return that is believed of them"),
        {
            "name": st.column_config.TextColumn(
                say("Channel without history"), max_chars=40
            ),
            "spend": number(
                fmt.titled(say("Could spend"), units.symbol),
                min_value=0.0,
                format="localized",
                help=say("Over the periods of the plan; also its most."),
            ),
            "low": number(
                fmt.titled(say("Least"), units.roi),
                min_value=0.0,
                help=say(
                    "5 % of what you believe lies below. Empty: like the fit's "
                    "channels of its kind."
                ),
            ),
            "high": number(
                fmt.titled(say("Most"), units.roi),
                min_value=0.0,
                help=say("5 % of what you believe lies above."),
            ),
        },
        grows=True,
        key=key,
    )
    beliefs = [_belief(*row) for row in edited.itertuples(index=False, name=None)]
    return tuple(each for each in beliefs if each is not None)


def _belief(name: Any, spend: Any, low: Any, high: Any) -> Belief | None:
    """A row as a belief; None where it says too little."""
    name = name.strip() if isinstance(name, str) else ""
    if not name or pd.isna(spend) or spend <= 0:
        return None
    has_range = pd.notna(low) and pd.notna(high) and 0 < low < high
    return Belief(name, float(spend), (low, high) if has_range else None)
