"""Limits of weeks on the screen: pauses, steps, dates, and budgets of periods."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.planning.asked import FIELDS
from core.service.planning.scenario import StatedRow, stated
from core.text.languages.language import say
from pages.ui import layout, state, tables
from pages.ui.fields import folded

#: Columns of channels: money of a week, and days.
_MONEY = tuple(FIELDS[name] for name in ("week_low", "week_high", "step"))
_DAYS = tuple(FIELDS[name] for name in ("start", "end"))
_PERIODS = ("period", "least", "most")


def limits(
    names: tuple[str, ...], table: Mapping[str, Any], symbol: str
) -> dict[str, Any]:
    """The tables of limits; the request with what they hold.

    Args:
        names: Channels.
        table: The request so far.
        symbol: Of money.
    """
    edition = state.edition("week limits")
    typed, spans = _begin(names, edition)
    box, has_content = folded.box(
        say("Limits of weeks"), "flight.limited", icon=":material/tune:"
    )
    if has_content:
        with box:
            typed, spans = _editors(typed, spans, edition, symbol)
    state.keep("flight.limits.typed", (edition, typed, spans))
    return _asked(table, typed, spans)


def _editors(
    channels: pd.DataFrame, periods: pd.DataFrame, edition: int, symbol: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The two tables; what is typed into them."""
    layout.remark("Empty cells set no limit.")
    typed = tables.edit(
        channels,
        say("Limits of the weeks of each channel"),
        _columns(symbol),
        key=f"flight.limits.{edition}",
        disabled=["channel"],
    )
    spans = tables.edit(
        periods,
        say("Budgets of months, quarters or stretches of the plan"),
        _period_columns(symbol),
        grows=True,
        key=f"flight.periods.{edition}",
    )
    return typed, spans


def _begin(names: tuple[str, ...], edition: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the editors begin with: after another view, what was typed into them."""
    last, typed, spans = state.draft("flight.limits.typed", (None, None, None))
    if edition == last and not state.has(f"flight.limits.{edition}"):
        state.keep("flight.limits", typed)
        state.keep("flight.periods", spans.reset_index(drop=True))
    channels, periods = state.draft("flight.limits"), state.draft("flight.periods")
    if channels is None or list(channels["channel"]) != list(names):
        channels = _of_channels(names, {})
    return channels, _of_periods({}) if periods is None else periods


def _asked(
    table: Mapping[str, Any], typed: pd.DataFrame, spans: pd.DataFrame
) -> dict[str, Any]:
    """The request with the limits typed."""
    rows = {name: dict(row) for name, row in (table.get("channel") or {}).items()}
    for line in typed.to_dict("records"):
        own = {f.key: float(line[f.key]) for f in _MONEY if pd.notna(line[f.key])}
        own |= {
            field.key: str(pd.Timestamp(line[field.key]).date())
            for field in _DAYS
            if pd.notna(line[field.key])
        }
        if own:
            rows[line["channel"]] = rows.get(line["channel"], {}) | own
    budgets = {
        str(line["period"]).strip(): _ends(line["least"], line["most"])
        for line in spans.to_dict("records")
        if pd.notna(line["period"]) and str(line["period"]).strip()
    }
    request = dict(table) | {"channel": rows}
    if budgets:
        request["weeks"] = dict(table.get("weeks") or {}) | {"budget": budgets}
    return request


def _ends(least: Any, most: Any) -> Any:
    """An amount, or both ends; what is empty is as free as the budget."""
    low = 0.0 if pd.isna(least) else float(least)
    if pd.isna(most):
        return [low, "100 %"]
    return float(most) if low == float(most) else [low, float(most)]


def put(names: tuple[str, ...], scenario: Mapping[str, Any]) -> None:
    """Set the tables to what a scenario asks for."""
    request = stated(scenario)
    state.keep("flight.limits", _of_channels(names, request.channel))
    state.keep("flight.periods", _of_periods(request.weeks.budget or {}))
    state.start_afresh("week limits")


def _of_channels(names: tuple[str, ...], rows: Mapping[str, StatedRow]) -> pd.DataFrame:
    frame = pd.DataFrame({"channel": list(names)})
    asked = [rows.get(name, StatedRow()) for name in names]
    for field in _MONEY:
        frame[field.key] = pd.Series(
            [getattr(row, field.name) for row in asked], dtype=float
        )
    for field in _DAYS:
        days = pd.Series([getattr(row, field.name) for row in asked])
        frame[field.key] = pd.to_datetime(days)
    return frame


def _of_periods(periods: Mapping[str, Any]) -> pd.DataFrame:
    """Budgets as rows; shares stay in the file that has them."""
    rows = []
    for period, limit in periods.items():
        ends = limit if isinstance(limit, list | tuple) else (limit, limit)
        money = [end if isinstance(end, int | float) else None for end in ends]
        rows.append((period, *money))
    frame = pd.DataFrame(rows, columns=list(_PERIODS))
    return frame.astype({"period": object, "least": float, "most": float})


def _columns(symbol: str) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "channel": st.column_config.TextColumn(say("Channel"), pinned=True)
    }
    for field in _MONEY:
        columns[field.key] = st.column_config.NumberColumn(
            fmt.titled(say(field.label), symbol),
            min_value=0.0,
            format="localized",
            help=say(field.help),
        )
    for field in _DAYS:
        columns[field.key] = st.column_config.DateColumn(
            say(field.label), help=say(field.help)
        )
    return columns


def _period_columns(symbol: str) -> dict[str, Any]:
    return {
        "period": st.column_config.TextColumn(
            say("Budget of"),
            help=say(
                "A month (2025-03), a quarter (2025-Q1), a year, or two days: "
                "2025-03-03..2025-05-26. A week belongs to the period it begins in."
            ),
        ),
        "least": st.column_config.NumberColumn(
            fmt.titled(say("Least"), symbol), min_value=0.0, format="localized"
        ),
        "most": st.column_config.NumberColumn(
            fmt.titled(say("Most"), symbol), min_value=0.0, format="localized"
        ),
    }
