"""The table of returns: every measure of every channel with its 90 % interval."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.charts import format as fmt
from pages.ui.tables import csv, estimate_of, number

_MEASURES = ("roi", "roi_last_year", "mroi", "contribution", "cpik", "effectiveness")
_KINDS = {
    "media": "paid media",
    "reach_frequency": "paid reach",
    "organic_media": "organic",
    "organic_reach_frequency": "organic reach",
    "non_media": "treatment",
}


def show(
    summary: dict[str, Any], truth: dict[str, Any] | None, units: fmt.Units
) -> None:
    """The table; it sorts by any column."""
    by, prefix = _scale(summary)
    rows = [_row(row, truth, by) for row in summary["channels"]]
    frame = pd.DataFrame(rows).dropna(axis=1, how="all")
    st.dataframe(
        frame,
        column_config=_columns(units, frame, prefix),
        hide_index=True,
        height="content" if len(rows) <= 12 else 440,
        key="channels.table",
        placeholder="",
        alt="Returns of every channel with 90 % intervals",
    )


def advice(summary: dict[str, Any], units: fmt.Units) -> str:
    """What would make the most important of the unsure returns surer; or nothing."""
    unsure = [
        row
        for row in summary["channels"]
        if (row.get("evidence") or {}).get("label")
        in ("mostly prior", "data and prior")
    ]
    if not unsure:
        return ""
    row = min(unsure, key=lambda one: one["evidence"]["rank"])
    told = row["evidence"]
    reason = told["reason"]
    about = reason if row["name"] in reason else f"{row['name']}: {reason}"
    said = f"What would help the plan most: {about} ({told['label']}). {told['remedy']}"
    if told.get("worth"):
        said = f"{said.rstrip()} {knowing(told, units)}"
    return said.rstrip()


def knowing(evidence: Mapping[str, Any], units: fmt.Units) -> str:
    """What an exact answer about a channel would bring."""
    return (
        "Knowing its response exactly would be worth about "
        f"{units.show(evidence['worth'])} of {units.outcome_name.lower()} to a plan of "
        f"the same budget and move {fmt.share(evidence['moves'])} of it."
    )


def _row(
    row: dict[str, Any], truth: dict[str, Any] | None, by: float
) -> dict[str, object]:
    shown: dict[str, object] = {
        "name": row["name"],
        "kind": _kind(row),
        "spend": _scaled(row.get("spend"), by),
    }
    for key in _MEASURES:
        if key == "cpik":
            shown |= _share(estimate_of(row, "contribution_share"))
        given = estimate_of(row, key)
        shown[key] = number(given, "median" if key == "cpik" else "mean")
        if key == "contribution":
            shown[key] = _scaled(shown[key], by)
        shown[f"{key}_ci"] = _interval(given, key, by)
        if key == "roi":
            shown["evidence"] = (row.get("evidence") or {}).get("label")
            known = ((truth or {}).get("channels") or {}).get(row["name"]) or {}
            shown["truth"] = known.get("roi")
    return shown


def _kind(row: Mapping[str, Any]) -> str:
    kind = _KINDS.get(row["kind"], row["kind"])
    follows = (row.get("demand") or {}).get("follows")
    return f"{kind}, follows demand" if follows else kind


def _share(given: Mapping[str, Any] | None) -> dict[str, object]:
    """Contribution as a share of the expected outcome, in percent."""
    if not given:
        return {"share": None, "share_ci": None}
    ends = fmt.interval(given["lo"], given["hi"], "share")
    return {"share": 100 * given["mean"], "share_ci": ends}


def _scale(summary: dict[str, Any]) -> tuple[float, str]:
    """Divisor and prefix of money in the table."""
    rows = summary["channels"]
    largest = [abs(row.get("spend") or 0.0) for row in rows]
    largest += [abs(number(estimate_of(row, "contribution")) or 0.0) for row in rows]
    return fmt.scale(max(largest, default=0.0))


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value / by


def _interval(given: Mapping[str, Any] | None, key: str, by: float) -> str | None:
    """Both ends in brackets; the unit stands in the column's name."""
    if not given:
        return None
    low, high = given["lo"], given["hi"]
    if key in ("roi", "roi_last_year", "mroi"):
        return fmt.interval(low, high, "ratio")
    if key == "contribution":
        return fmt.interval(low / by, high / by, "ratio")
    return fmt.interval(low, high, "number")


def _columns(units: fmt.Units, frame: pd.DataFrame, prefix: str) -> dict[str, Any]:
    numbers, text = st.column_config.NumberColumn, st.column_config.TextColumn
    money = f"{prefix} {units.symbol}".strip()
    columns: dict[str, Any] = {
        "name": text("Channel", pinned=True, width=110),
        "kind": text("Kind", width=84),
        "spend": numbers(fmt.titled("Spend", money), format="%.2f", width=88),
        "evidence": text(
            "Evidence",
            width=104,
            help="Whether the data or the prior says this ROI; the view One channel "
            "says why.",
        ),
        "truth": numbers("True ROI", format="%.2f", width=78),
        "share": numbers(
            "Share, %",
            format="%.0f",
            width=72,
            help=f"Contribution as a share of expected {units.outcome_name.lower()}.",
        ),
    }
    widths = {"effectiveness": 96, "contribution": 130, "roi_last_year": 96}
    for key, (label, form, told) in _measures(units, prefix).items():
        width = widths.get(key, 66)
        columns[key] = numbers(label, format=form, help=told, width=width)
    for key in (*_MEASURES, "share"):
        columns[f"{key}_ci"] = text("90 %", width=120 if key in widths else 100)
    return {name: column for name, column in columns.items() if name in frame}


def _measures(units: fmt.Units, prefix: str) -> dict[str, tuple[str, str, str]]:
    """Label, number format and tooltip of each measure."""
    return {
        "roi": ("ROI", "%.2f", f"Outcome per spend, {units.roi}."),
        "roi_last_year": (
            "ROI last year",
            "%.2f",
            f"Outcome per spend of the data's last year, {units.roi}.",
        ),
        "mroi": ("mROI", "%.2f", f"What one more unit would return, {units.roi}."),
        "cpik": (
            fmt.titled("CPIK", units.symbol),
            "%.3g",
            fmt.titled("Cost per incremental KPI unit", units.symbol) + ".",
        ),
        "effectiveness": (
            "Effectiveness",
            "%.3g",
            f"{units.outcome or units.outcome_name} per media unit.",
        ),
        "contribution": (
            fmt.titled("Contribution", f"{prefix} {units.outcome}".strip()),
            "%.2f",
            "Incremental outcome over the whole window.",
        ),
    }


def as_csv(summary: dict[str, Any]) -> bytes:
    """Every measure with mean, median and interval, one row per channel."""
    rows = []
    for row in summary["channels"]:
        flat = {key: row.get(key) for key in ("name", "kind", "spend")}
        for key in (*_MEASURES, "contribution_share"):
            for part in ("mean", "median", "lo", "hi"):
                flat[f"{key}_{part}"] = number(estimate_of(row, key), part)
        rows.append(flat)
    return csv(pd.DataFrame(rows))
