"""The plan of a forecast: each channel's spend to come, and how much more of it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.workspace.runs import Run
from pages.ui import state


def _key(run: Run) -> str:
    return f"forecast.plan.{run.run_id}"


def multipliers(run: Run, view: xr.Dataset) -> dict[str, float]:
    """Multiples of the planned media that were typed; read before the table is drawn.

    Args:
        run: The fit.
        view: forecast.nc.
    """
    names = [str(name) for name in view["paid"].to_numpy()]
    typed = state.widget(_key(run), {})
    rows = typed.get("edited_rows", {}) if isinstance(typed, Mapping) else {}
    found = {}
    for row, changes in rows.items():
        value = changes.get("multiple")
        if value is not None and int(row) < len(names):
            found[names[int(row)]] = min(max(float(value), 0.0), 3.0)
    return found


def table(
    run: Run, some: xr.Dataset, changed: Mapping[str, float], units: fmt.Units
) -> None:
    """Draw the table.

    Args:
        run: The fit.
        some: The periods of forecast.nc that are shown.
        changed: What was typed.
        units: Words for the units.
    """
    names = [str(name) for name in some["paid"].to_numpy()]
    if not names:
        return
    spend = some["spend"].sum("time").to_numpy().astype(float)
    frame = _frame(names, spend, changed)
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.data_editor(
        frame,
        key=_key(run),
        column_config={
            "channel": text("Channel", pinned=True, disabled=True),
            "before": text(
                fmt.titled("A year before", units.symbol),
                disabled=True,
                alignment="right",
                help="Spend in the same periods one year before.",
            ),
            "multiple": number(
                "Times",
                min_value=0.0,
                max_value=3.0,
                step=0.05,
                format="%.2f",
                help="How much of it will run: 1.00 is as a year before.",
            ),
            "planned": text(
                fmt.titled("To come", units.symbol), disabled=True, alignment="right"
            ),
        },
        hide_index=True,
        placeholder="",
        height="content" if len(names) <= 10 else 380,
        alt="Spend to come of each channel",
    )
    total = sum(
        cost * changed.get(name, 1.0) for name, cost in zip(names, spend, strict=True)
    )
    shown = fmt.money(total, units.currency)
    before = fmt.money(float(spend.sum()), units.currency)
    st.caption(
        f"Spend to come {shown}, a year before {before}. Controls and treatments are "
        "as a year before; a plan by week goes through python -m core forecast."
    )


def _frame(names: list[str], spend, changed: Mapping[str, float]) -> pd.DataFrame:
    """One row per paid channel."""
    planned = [
        float(cost) * changed.get(name, 1.0)
        for name, cost in zip(names, spend, strict=True)
    ]
    return pd.DataFrame(
        {
            "channel": names,
            "before": [fmt.exact(float(cost), decimals=0) for cost in spend],
            "multiple": 1.0,
            "planned": [fmt.exact(cost, decimals=0) for cost in planned],
        }
    )
