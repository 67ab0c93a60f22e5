"""A plan of weeks as a table whose amounts and totals can be typed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.planning.scenario import with_total
from core.text.languages.language import marked, say
from pages.ui import state, tables
from pages.ui.fields.choice import one_of

_TOTAL, _ALL = "total", marked("All channels")


def table(
    key: str,
    names: tuple[str, ...],
    days: list[str],
    planned: np.ndarray,
    booked: np.ndarray | bool,
    most: np.ndarray,
) -> np.ndarray | None:
    """The editor; amounts that are no longer the plan's, None while they are.

    Args:
        key: Of this plan.
        names: Channels.
        days: First days of the weeks.
        planned: The plan, channel week.
        booked: Cells that totals leave alone.
        most: Most of a week, channel; inf where there is no limit.
    """
    spend, locked = state.draft(key, (planned, np.broadcast_to(booked, planned.shape)))
    some_days = some_weeks(f"{key}.part", days)
    editor = f"{key}.{state.edition(key)}"
    frame = _frame(names, days, spend)
    money = {"min_value": 0.0, "format": "localized"}
    columns: dict[str, Any] = {
        "channel": st.column_config.TextColumn(say("Channel"), pinned=True),
        _TOTAL: st.column_config.NumberColumn(
            say("Total"), pinned=True, width=115, **money
        ),
    }
    columns |= {
        day: st.column_config.NumberColumn(fmt.day_and_month(day), width=84, **money)
        for day in some_days
    }
    tables.edit(
        frame,
        say("Planned spend per channel and week, with totals"),
        columns,
        key=editor,
        column_order=list(columns),
        disabled=["channel"],
        on_change=_edited,
        args=(key, editor, days, spend, locked, most),
    )
    return None if np.array_equal(spend, planned) else spend


def _frame(names: tuple[str, ...], days: list[str], spend: np.ndarray) -> pd.DataFrame:
    """Amounts with totals on both edges."""
    with_totals = np.vstack([spend, spend.sum(axis=0)])
    frame = pd.DataFrame(with_totals, columns=days)
    frame.insert(0, _TOTAL, with_totals.sum(axis=1))
    frame.insert(0, "channel", [*names, say(_ALL)])
    return frame


def _edited(
    key: str,
    editor: str,
    days: list[str],
    spend: np.ndarray,
    locked: np.ndarray,
    most: np.ndarray,
) -> None:
    """Take up what was typed: a cell stays as it is, a total is divided."""
    typed = state.widget(editor, {}).get("edited_rows", {})
    # What is broadcast cannot be written; the amounts may be the plan's own.
    spend, locked = spend.copy(), locked.copy()
    for row, changes in typed.items():
        for column, amount in changes.items():
            if amount is not None:
                take(spend, locked, int(row), column, float(amount), days, most)
    state.keep(key, (spend, locked))
    state.start_afresh(key)


def take(
    spend: np.ndarray,
    locked: np.ndarray,
    row: int,
    column: str,
    amount: float,
    days: list[str],
    most: np.ndarray,
) -> None:
    """One amount that was typed."""
    limits = np.repeat(most[:, None], spend.shape[1], axis=1)
    is_all, is_total = row >= len(spend), column == _TOTAL
    if is_all and is_total:
        flat = with_total(spend.ravel(), ~locked.ravel(), amount, limits.ravel())
        spend[:] = flat.reshape(spend.shape)
    elif is_all:
        at = days.index(column)
        spend[:, at] = with_total(spend[:, at], ~locked[:, at], amount, limits[:, at])
    elif is_total:
        spend[row] = with_total(spend[row], ~locked[row], amount, limits[row])
    else:
        at = days.index(column)
        spend[row, at], locked[row, at] = round(amount, 2), True


#: Weeks beside two columns more on a laptop.
_MOST = 9


def some_weeks(
    key: str, days: list[str], leave: Callable[..., None] | None = None, *args: Any
) -> list[str]:
    """The weeks to show; all of them where they are few.

    Args:
        key: Of the control.
        days: First days of all weeks.
        leave: Called before other weeks are shown: to keep what was typed.
        args: Its arguments.
    """
    n_parts = -(-len(days) // _MOST)
    if n_parts < 2:
        return days
    # Parts of one length, so that none has a single week.
    parts = {str(part[0]): part.tolist() for part in np.array_split(days, n_parts)}
    first = one_of(
        say("Weeks shown"),
        parts,
        key,
        format_func=lambda day: say(
            "{day} to {parts}", day=fmt.date(day), parts=fmt.date(parts[day][-1])
        ),
        on_change=leave,
        args=args,
        label_visibility="collapsed",
        width=250,
    )
    return parts[first]
