"""Dated: prices of media, and values of the KPI, that change at a date."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.service.records.data import PlanHorizon
from core.service.records.plan import Horizon, ResponseCurves
from core.service.suggestions.prices import price_factors, prices_by_period
from core.text.languages.language import say
from pages.ui import state, tables

#: A channel, the first day, and the price over last year's from then on.
Dated = tuple[str, str, float]

_VALUES = "plan.values"


def prices(
    base: Sequence[Dated], curves: ResponseCurves, key: str
) -> tuple[Dated, ...]:
    """Prices that change at a date, a row each; rows that say too little are left out.

    Args:
        base: What the table begins with.
        curves: Of the periods planned.
        key: Of the editor.
    """
    if curves.horizon.as_fitted:
        return ()
    edited = tables.edit(
        _frame(base),
        say("Prices of channels from a date on"),
        {
            "channel": st.column_config.SelectboxColumn(
                say("Price of"), options=list(curves.names)
            ),
            **_columns(
                say("Price, ×"),
                say(
                    "1.05: from this day on a unit of media costs 5 % more than it did."
                ),
            ),
        },
        grows=True,
        key=key,
    )
    return _typed_prices(edited)


def values(ahead: PlanHorizon) -> tuple[float, ...]:
    """What a unit of the KPI is worth in each period; empty where as a year earlier.

    Args:
        ahead: The periods planned.
    """
    rows = [("", day, number) for day, number in values_now()]
    return by_period(rows, "", ahead.times)


def edit_values() -> None:
    """The control of what a unit of the KPI is worth in the periods planned."""
    key = f"{_VALUES}.{state.edition(_VALUES)}"
    if not state.has(key):  # another view was shown meanwhile
        state.keep(_VALUES, values_now())
    base = state.draft(_VALUES, ())
    label = say("Value of the KPI") + (f" ({len(base)})" if base else "")
    with st.popover(label, icon=":material/payments:", width="content"):
        edited = tables.edit(
            _frame([("", *row) for row in base]).drop(columns="channel"),
            say("Values of the KPI from a date on"),
            _columns(
                say("Value, ×"),
                say(
                    "1.1: from this day on a unit of the KPI is worth 10 % more than "
                    "it was. The last one holds after the plan, too."
                ),
            ),
            grows=True,
            key=key,
        )
    rows = _typed_prices(edited.assign(channel=""))
    typed = tuple((day, number) for _, day, number in rows)
    if typed != values_now():
        # The curves above were chosen by the values before.
        state.keep(f"{_VALUES}.now", typed)
        st.rerun()


def put_values(rows: Sequence[tuple[str, float]]) -> None:
    """Set the values of the KPI: first days, and the values from then on."""
    state.keep(_VALUES, tuple(rows))
    state.keep(f"{_VALUES}.now", tuple(rows))
    state.start_afresh(_VALUES)


def values_now() -> tuple[tuple[str, float], ...]:
    """The values of the KPI that are typed."""
    return state.draft(f"{_VALUES}.now", ())


def _columns(heading: str, meaning: str) -> dict[str, Any]:
    return {
        "from": st.column_config.DateColumn(say("From")),
        "price": st.column_config.NumberColumn(
            heading, min_value=0.01, max_value=100.0, help=meaning
        ),
    }


def _frame(base: Sequence[Dated]) -> pd.DataFrame:
    """Rows as an editor begins with them."""
    names, days, numbers = zip(*base, strict=True) if base else ((), (), ())
    return pd.DataFrame(
        {
            "channel": pd.Series(names, dtype=object),
            "from": pd.to_datetime(pd.Series(days, dtype=object)),
            "price": pd.Series(numbers, dtype=float),
        }
    )


def _typed_prices(edited: pd.DataFrame) -> tuple[Dated, ...]:
    """Rows as they are typed; those that say too little are left out."""
    whole = edited.loc[:, ["channel", "from", "price"]].dropna()
    return tuple(
        (str(name), str(pd.Timestamp(day).date()), float(number))
        for name, day, number in whole.itertuples(index=False, name=None)
        if number > 0
    )


def by_period(
    rows: Sequence[Dated], name: str, days: np.ndarray, usual: float = 1.0
) -> tuple[float, ...]:
    """The number of each period; empty where none differs from the usual one.

    Args:
        rows: Numbers from a day on.
        name: Whose they are.
        days: First days of the periods, datetime64[D].
        usual: Before the first of them.
    """
    own = sorted((day, number) for of, day, number in rows if of == name)
    numbers = np.full(len(days), usual)
    for day, number in own:
        numbers[days >= np.datetime64(day)] = number
    return () if not own or (numbers == usual).all() else tuple(numbers.tolist())


def rows_of(
    numbers: Sequence[float], days: np.ndarray, name: str = ""
) -> tuple[Dated, ...]:
    """Numbers of periods as rows: one where they change."""
    listed = zip(days.astype(str).tolist(), numbers, strict=True)
    changes = pairwise([("", 1.0), *listed])
    return tuple(
        (name, day, float(now)) for (_, before), (day, now) in changes if now != before
    )


def value_rows(horizon: Horizon) -> list[tuple[str, float]]:
    """Values of the KPI in a plan's periods: a row where they change."""
    if not horizon.value:
        return []
    rows = rows_of(horizon.value, days_of(horizon))
    return [(day, value) for _, day, value in rows]


def days_of(horizon: Horizon) -> np.ndarray:
    """First days of a plan's periods, datetime64[D]."""
    first, last = (date.fromisoformat(day) for day in (horizon.start, horizon.end))
    n = horizon.periods
    if n > 1 and (last - first).days / (n - 1) > 27:  # months
        months = np.datetime64(first, "M") + np.arange(n)
        return months.astype("datetime64[D]") + (first.day - 1)
    step = (last - first).days // max(n - 1, 1)
    return np.datetime64(first) + step * np.arange(n)


def of_table(
    table: Mapping[str, Any], horizon: Horizon
) -> tuple[dict[str, float], tuple[Dated, ...]]:
    """Prices of a saved plan, for the form: of all periods, and from a date on."""
    listed = prices_by_period(table)
    if horizon.as_fitted or any(len(x) != horizon.periods for x in listed.values()):
        return price_factors(table), ()
    one = {name: x for name, x in price_factors(table).items() if name not in listed}
    days = days_of(horizon)
    rows = [row for name, x in listed.items() for row in rows_of(x, days, name)]
    return one, tuple(rows)
