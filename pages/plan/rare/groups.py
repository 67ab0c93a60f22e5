"""Groups of channels with joint limits, as a table to edit."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.planning.asked import FIELDS
from core.service.records.plan import Group
from core.text.languages.language import say
from pages.ui import tables

_GROUP = ("name", "channels", "low", "high", "low_share", "high_share", "of")


def choose(
    base: Sequence[Group], names: Sequence[str], units: fmt.Units, key: str
) -> tuple[Group, ...]:
    """Joint limits of channels, a row each; rows that say too little are left out."""
    groups = [
        {
            "name": group.name,
            "channels": list(group.channels),
            # Zero and infinity are no limits: their cells are empty.
            "low": group.low or None,
            "high": group.high if math.isfinite(group.high) else None,
            "low_share": 100 * group.low_share or None,
            "high_share": 100 * group.high_share if group.high_share < 1 else None,
            "of": group.of,
        }
        for group in base
    ]
    frame = pd.DataFrame(groups, columns=list(_GROUP))
    frame = frame.astype({name: "float64" for name in _GROUP[2:6]} | {"name": "object"})
    money = {"min_value": 0.0, "format": "localized"}
    share = {"min_value": 0.0, "max_value": 100.0, "format": "%.0f"}
    number, of_budget = st.column_config.NumberColumn, say("Of the budget.")
    least, most = (say(FIELDS[name].label) for name in ("low", "high"))
    edited = tables.edit(
        frame,
        say("Groups of channels with joint limits"),
        {
            "name": st.column_config.TextColumn(say("Group"), max_chars=40),
            "channels": st.column_config.MultiselectColumn(
                say("Channels"), options=list(names)
            ),
            "low": number(fmt.titled(least, units.symbol), **money),
            "high": number(fmt.titled(most, units.symbol), **money),
            "low_share": number(fmt.titled(least, "%"), help=of_budget, **share),
            "high_share": number(fmt.titled(most, "%"), help=of_budget, **share),
            "of": None,  # kept as it is, so that a portfolio's limit keeps its name
        },
        grows=True,
        key=key,
    )
    return tuple(
        _group(row, place)
        for place, row in enumerate(edited.itertuples(index=False), start=1)
        if isinstance(row.channels, list | tuple) and len(row.channels)
    )


def _group(row: Any, place: int) -> Group:
    def number(value: Any, default: float, by: float = 1.0) -> float:
        return default if value is None or pd.isna(value) else float(value) * by

    name = row.name.strip() if isinstance(row.name, str) else ""
    return Group(
        name or say("Group {place}", place=place),
        tuple(row.channels),
        number(row.low, 0.0),
        number(row.high, math.inf),
        number(row.low_share, 0.0, 0.01),
        number(row.high_share, 1.0, 0.01),
        row.of if isinstance(row.of, str) else Group.of,
    )
