"""The model check of a fit: what it should have counted, against what was counted."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.text import scores
from pages.ui.findings import plain

_RESULTS = {"ok": "as expected", "borderline": "borderline", "missed": "missed"}


def show(summary: Mapping[str, Any]) -> None:
    """One line, and the table when it is opened; nothing for fits of old versions."""
    check, loo = summary.get("model_check"), summary.get("loo")
    if not check or not loo:
        return
    with st.expander(_headline(check), icon=_icon(check), key="fit.check"):
        st.dataframe(
            pd.DataFrame([_row(row) for row in check["checks"]]),
            column_config=_COLUMNS,
            hide_index=True,
            height="content",
            key="fit.check.table",
            alt="Model check: data against what the model expects",
        )
        st.caption(
            f"From {check['n_draws']:,} draws of the KPI anew. p: share of draws with "
            "at least the number of the data; near 0 or 1 the model does not know that "
            "side of the data. One check in twenty is borderline by chance."
        )
        st.caption(
            f"Leave-one-out (PSIS-LOO): elpd {scores.score(loo)}, "
            f"{loo['p_loo']:.0f} effective parameters, Pareto k above "
            f"{loo['k_limit']:.2f} in {scores.bad_k(loo)} cells. It scores gaps that "
            "are filled in, not forecasts; compare it between fits on Compare."
        )
        for warning in loo["warnings"]:
            st.caption(f":orange[:material/warning:] {plain(warning)}")


def _headline(check: Mapping[str, Any]) -> str:
    rows = check["checks"]
    missed = [row for row in rows if row["status"] == "missed"]
    if missed:
        worst = plain("; ".join(dict.fromkeys(row["text"] for row in missed[:2])))
        return f"Model check: {len(missed)} of {len(rows)} missed: {worst}"
    border = sum(row["status"] == "borderline" for row in rows)
    if border:
        return f"Model check: passed, {border} of {len(rows)} borderline"
    return f"Model check: the data look as the model expects ({len(rows)} checks)"


def _icon(check: Mapping[str, Any]) -> str:
    return (
        ":material/warning:"
        if check["status"] == "missed"
        else ":material/check_circle:"
    )


def _row(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "label": row["label"],
        "actual": scores.check_number(row, "actual"),
        "range": scores.check_range(row),
        "p": scores.p_value(row["p"]),
        "result": _RESULTS.get(row["status"], row["status"]),
        "advice": row["advice"],
    }


_COLUMNS = {
    "label": st.column_config.TextColumn("Check", pinned=True),
    "actual": st.column_config.TextColumn("Data", alignment="right", width=90),
    "range": st.column_config.TextColumn(
        "Model, 90 %", alignment="right", width=130, help="Of draws of the KPI anew."
    ),
    "p": st.column_config.TextColumn("p", alignment="right", width=64),
    "result": st.column_config.TextColumn("Result", width=100),
    "advice": st.column_config.TextColumn("What to do"),
}
