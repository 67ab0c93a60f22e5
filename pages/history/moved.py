"""What moved: the newest refresh beside the fit before it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core import text as fmt
from core.charts import history as figures
from core.text import refresh as sentences
from core.workspace.history.returns import FitReturns, returns_over_fits
from core.workspace.refresh.next_fit import refreshed
from core.workspace.runs import Run
from core.workspace.seen import mark_seen
from pages.ui import drawn, layout, reading
from pages.ui.findings import plain
from pages.ui.reading import Opened


def show(here: Opened, last: Run | None) -> None:
    """The last refresh in words and numbers, and ROI from fit to fit."""
    if last is None:
        st.caption("What moved is shown here once there are two fits.")
        return
    record = refreshed(last.folder)
    mark_seen(last.folder)
    fits = returns_over_fits(here.folder)
    units = fmt.units(reading.result_json(last.folder, "summary"))
    if record is not None:
        st.markdown(f"**{plain(sentences.moved(record))}**")
        _table(record, units)
        for line in _lines(record, units):
            st.caption(plain(line))
        report = last.folder / "report.html"
        if report.is_file():
            st.download_button(
                "Report of this refresh",
                data=report.read_bytes,
                file_name=f"{here.name} {last.run_id}.html",
                mime="text/html",
                icon=":material/download:",
                on_click="ignore",
                key="history.report",
            )
    if len(fits) < 2:
        st.caption("ROI from fit to fit is drawn once there are two fits.")
        return
    theme = layout.theme()
    named = [(_label(fit), fit.roi) for fit in fits]
    figure = drawn.once(
        lambda: figures.returns(named, units, theme=theme),
        "history",
        tuple(fit.run_id for fit in fits),
        theme,
    )
    layout.chart(figure, "history.roi", most=420)


def _label(fit: FitReturns) -> str:
    return f"to {fmt.date(fit.end)}"


def _table(record: Mapping[str, Any], units: fmt.Units) -> None:
    causes = record["causes"]
    rows = []
    for row in record["channels"]:
        told = {
            "Channel": row["name"],
            f"ROI before, {units.roi}": fmt.estimate(row["before"], "ratio"),
            "ROI now": fmt.estimate(row["after"], "ratio"),
            "Move, sd": row["sds"],
        }
        if len(causes) > 1:
            told |= {f"by {sentences.WORDS[c]}": row["by"].get(c) for c in causes}
        rows.append(told)
    number = st.column_config.NumberColumn(format="%+.2f")
    names = [name for name in rows[0] if name == "Move, sd" or name.startswith("by ")]
    st.dataframe(
        pd.DataFrame(rows),
        column_config=dict.fromkeys(names, number),
        hide_index=True,
        height="content",
        key="history.moves",
        alt="Move of every channel's ROI since the fit before",
    )


def _lines(record: Mapping[str, Any], units: fmt.Units) -> list[str]:
    lines = [sentences.first_answer(record)]
    plan = record["plan"]
    if plan:
        kind, unit = ("money", units.currency) if units.is_money else ("number", "")
        was, now = (fmt.estimate(plan[key], kind, unit) for key in ("before", "after"))
        lines.append(
            f"Plan of record, {plan['name']}, {fmt.date(plan['start'])} to "
            f"{fmt.date(plan['end'])}: incremental {units.outcome_name} was {was}, is "
            f"{now}."
        )
    else:
        lines.append(f"Plan of record: {record['no_plan']}")
    actuals = record["actuals"]
    if actuals:
        lines.append(
            f"{actuals['periods']} periods of the plan so far: "
            f"{units.show(actuals['actual'])}, "
            f"{units.show(actuals['difference']['mean'], signed=True)} against the "
            "plan."
        )
    return [line for line in lines if line]
