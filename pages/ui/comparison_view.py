"""Two fits side by side: the verdict, the numbers of both, what they were given."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import comparison as figures
from core.charts import format as fmt
from core.workspace.comparison import compare_runs
from core.workspace.runs import Run
from pages.ui import drawn, layout, reading
from pages.ui.findings import plain

_LOOKS = {
    "same": (st.success, ":material/check_circle:"),
    "different": (st.warning, ":material/difference:"),
    "other data": (st.info, ":material/database:"),
    "unknown": (st.info, ":material/help:"),
}
_MEASURES = {"ROI": "roi", "Marginal ROI": "mroi", "Contribution": "contribution"}
_SPLIT = "Best split"


def compared(first: Run, second: Run) -> dict[str, Any]:
    """The comparison of two fits, worked out once. Never change it.

    Raises:
        WorkspaceError: A result is damaged.
    """
    shas = [reading.result_sha(run.folder) for run in (first, second)]
    return _compared(str(first.folder), str(second.folder), *shas, first, second)


@st.cache_resource(max_entries=32, show_spinner="Comparing the fits")
def _compared(
    a: str, b: str, sha_a: str, sha_b: str, _first: Run, _second: Run
) -> dict[str, Any]:
    return compare_runs(_first, _second)


def show(told: Mapping[str, Any], first: Run, second: Run) -> None:
    """The whole comparison."""
    verdict = told["verdict"]
    box, icon = _LOOKS[verdict["status"]]
    remarks = "\n".join(f"- {plain(remark)}" for remark in verdict["remarks"])
    box(remarks or "\u00a0", title=plain(verdict["text"]), icon=icon)
    left, right = st.columns([7, 4], gap="medium")
    with left:
        _numbers(told, first, second)
    with right:
        _settings(told["settings"])


def _numbers(told: Mapping[str, Any], first: Run, second: Run) -> None:
    """One measure at a time: the table and its picture."""
    views = [*_MEASURES, *([_SPLIT] if told["plan"] else [])]
    view = st.segmented_control(
        "Measure",
        views,
        default=views[0],
        required=True,
        key="compare.measure",
        label_visibility="collapsed",
    )
    units = fmt.units(told)
    if view == _SPLIT:
        _split(told["plan"], units)
        return
    measure = _MEASURES.get(view, "roi")
    rows = [row for row in told["channels"] if row[measure]]
    if not rows:
        st.caption("No channel that both fits share has this measure.")
        return
    shown = [_row(row["name"], row[measure], measure, units) for row in rows]
    unit = units.outcome if measure == "contribution" else units.roi
    _table(shown, f"{view}, {unit}")
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.pairs(rows, measure, units, theme=theme),
        first,
        "comparison",
        measure,
        second.run_id,
        reading.result_sha(second.folder),
    )
    layout.chart(figure, "compare.pairs", most=420)


def _row(
    name: str, given: Mapping[str, Any], measure: str, units: fmt.Units
) -> dict[str, object]:
    kind, unit = "ratio", ""
    if measure == "contribution":
        kind = "money" if units.is_money else "number"
        unit = units.currency if units.is_money else ""
    difference = fmt.value(given["difference"], kind, unit, signed=True)
    sides = {side: fmt.estimate(given[side], kind, unit) for side in ("a", "b")}
    return {"name": name, **sides, "difference": difference, "units": given["units"]}


def _split(plan: Mapping[str, Any], units: fmt.Units) -> None:
    """The best split of the current budget by each fit."""

    def money(value: float, *, signed: bool = False) -> str:
        return fmt.money(value, units.currency, signed=signed)

    shown = [
        {
            "name": row["name"],
            "a": money(row["a"]),
            "b": money(row["b"]),
            "difference": money(row["difference"], signed=True),
            "units": row["units"],
        }
        for row in plan["channels"]
    ]
    _table(shown, f"Best split, {units.symbol}", ends="")
    st.caption(
        f"Of the current budget, {money(plan['budget'])}, each channel within "
        "±30\u00a0% of what it spends now."
    )


def _table(rows: list[dict[str, object]], what: str, ends: str = ", 90 %") -> None:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    limits = [abs(row["units"]) for row in rows if _is_number(row["units"])]
    st.caption(what)
    st.dataframe(
        pd.DataFrame(rows),
        column_config={
            "name": text("Channel", pinned=True),
            "a": text(f"Fit A{ends}", alignment="right"),
            "b": text(f"Fit B{ends}", alignment="right"),
            "difference": text("B − A", alignment="right", width=90),
            "units": number(
                "In Monte-Carlo errors",
                format="%.1f",
                help="The difference over its Monte-Carlo standard error: up to about "
                "3 is what more draws would iron out. Largest here: "
                f"{max(limits, default=0):.1f}.",
            ),
        },
        hide_index=True,
        height="content" if len(rows) <= 12 else 440,
        placeholder="–",
        key="compare.table",
        alt=f"{what} of both fits",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _settings(settings: list[dict[str, str]]) -> None:
    """What the fits were given that differs."""
    st.caption("What they were given")
    if not settings:
        st.markdown("Data, options, priors, sampler and versions are the same.")
        return
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(settings),
        column_config={
            "name": text("Differs", pinned=True),
            "a": text("Fit A"),
            "b": text("Fit B"),
        },
        hide_index=True,
        height="content" if len(settings) <= 14 else 520,
        key="compare.settings",
        alt="Settings that differ",
    )
