"""Groups of channels with joint limits, as a table to edit."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.records.plan import Group
from core.text.languages.language import say

_GROUP = ("name", "channels", "low", "high", "low_share", "high_share")


def choose(
    base: Sequence[Group], names: Sequence[str], units: fmt.Units, key: str
) -> tuple[Group, ...]:
    """Joint limits of channels, a row each; rows that say too little are left out."""
    groups = [
        {
            "name": group.name,
            "channels": list(group.channels),
            "low": group.low or None,
            "high": group.high if math.isfinite(group.high) else None,
            "low_share": 100 * group.low_share or None,
            "high_share": 100 * group.high_share if group.high_share < 1 else None,
        }
        for group in base
    ]
    frame = pd.DataFrame(groups, columns=list(_GROUP))
    frame = frame.astype({name: "float64" for name in _GROUP[2:]} | {"name": "object"})
    money = {"min_value": 0.0, "format": "localized"}
    share = {"min_value": 0.0, "max_value": 100.0, "format": "%.0f"}
    number = st.column_config.NumberColumn
    edited = st.data_editor(
        frame,
        key=key,
        num_rows="dynamic",
        column_config={
            "name": st.column_config.TextColumn(say("Group"), max_chars=40),
            "channels": st.column_config.MultiselectColumn(
                say("Channels"), options=list(names)
            ),
            "low": number(fmt.titled(say("Min"), units.symbol), **money),
            "high": number(fmt.titled(say("Max"), units.symbol), **money),
            "low_share": number(say("Min, %"), help=say("Of the budget."), **share),
            "high_share": number(say("Max, %"), help=say("Of the budget."), **share),
        },
        hide_index=True,
        placeholder="",
        alt=say("Groups of channels with joint limits"),
    )
    return tuple(
        _group(row, place)
        for place, row in enumerate(edited.to_dict("records"), start=1)
        if isinstance(row["channels"], list | tuple) and len(row["channels"])
    )


def _group(row: Mapping[str, Any], place: int) -> Group:
    def given(key: str, default: float, by: float = 1.0) -> float:
        number = row[key]
        return default if number is None or pd.isna(number) else float(number) * by

    name = row["name"] if isinstance(row["name"], str) and row["name"].strip() else ""
    return Group(
        name.strip() or say("Group {place}", place=place),
        tuple(row["channels"]),
        given("low", 0.0),
        given("high", math.inf),
        given("low_share", 0.0, 0.01),
        given("high_share", 1.0, 0.01),
    )
