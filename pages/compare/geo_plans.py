"""Plans of geos side by side: totals, outcome and gain, cells, the plan of record."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.charts import format as fmt
from core.charts import plans as figures
from core.plan.record.spend_grid import spend_grid
from core.workspace.plans import GEOS, list_plans, plan_of_record
from core.workspace.runs import Run
from pages.compare import actuals
from pages.compare.plans import (
    best_of,
    chosen,
    gap_of,
    numbered,
    of_record,
    table,
    total_of,
    with_fits,
)
from pages.ui import layout, navigation, reading
from pages.ui.kept import saved_when
from pages.ui.reading import Opened

Plans = Sequence[Mapping[str, Any]]

#: Gains: over which other split, and what it is called.
_GAINS = {
    "Gain": ("current", "the current split"),
    "Gain between geos": ("channels", "the best plan that keeps the pattern"),
}


def show(here: Opened, run: Run) -> None:
    """Saved plans of geos, up to six at a time."""
    saved = list_plans(here.folder, GEOS)
    if not saved:
        layout.empty(
            "No plan of geos is saved",
            "Save two plans under Geos on Plan, then they stand here side by side.",
            navigation.PLAN,
            "Go to Plan",
        )
        return
    record = plan_of_record(here.folder)
    plans, labels = chosen(saved, record, "Plans of geos", key="compare.geos")
    if not plans:
        return
    units = fmt.units(reading.result_json(run.folder, "summary"))
    table(rows_of(plans, units), plans, record, "Plans of geos", key="compare.geos")
    _charts(plans, units)
    _spend(plans, units, record)
    of_record(here.folder, plans, labels, record)
    made_with = with_fits(here, plans)
    actuals.show(made_with, units, key="compare.actuals.geos")


def rows_of(plans: Plans, units: fmt.Units) -> dict[str, list[str]]:
    """What each row says of each plan."""
    kind = "money" if units.is_money else "number"
    unit = units.currency if units.is_money else units.outcome

    def estimates(given: list[Any], *, signed: bool) -> list[str]:
        texts = [
            fmt.NONE if one is None else fmt.estimate(one, kind, unit, signed=signed)
            for one in given
        ]
        return _marked(texts, [one and one["mean"] for one in given])

    def odds(given: list[Any]) -> list[str]:
        values = [one and float(one["probability_positive"]) for one in given]
        texts = [fmt.NONE if v is None else fmt.probability(v) for v in values]
        return _marked(texts, values)

    gains = [plan["gain"] for plan in plans]
    moved = [plan["gain_over_channels"] for plan in plans]
    names = dict.fromkeys(row["name"] for plan in plans for row in plan["channels"])
    outcomes = [plan["outcome"]["planned"] for plan in plans]
    beyond = [sum(cell["beyond_seen"] for cell in plan["cells"]) for plan in plans]
    worse = [float(np.quantile(plan["draws"]["planned"], 0.1)) for plan in plans]
    words = {"change": "move", "keep": "keep"}
    return {
        "Budget": [fmt.money(plan["budget"], units.currency) for plan in plans],
        "Objective": [str(plan["objective"]["name"]) for plan in plans],
        f"{units.outcome_name} from paid media": estimates(outcomes, signed=False),
        "Nine draws in ten exceed": _marked([units.show(one) for one in worse], worse),
        "Gain over the current split": estimates(gains, signed=True),
        "Beats the current split": odds(gains),
        "Gain by moving between geos": estimates(moved, signed=True),
        "Moving between geos pays": odds(moved),
        "From the best possible": [gap_of(plan) for plan in plans],
        **{
            fmt.titled(name, units.symbol): [total_of(plan, name) for plan in plans]
            for name in names
        },
        "Cells beyond spend seen": [str(n) if n else "none" for n in beyond],
        "Advice": [str(plan["advice"]) for plan in plans],
        "Between geos": [
            words.get(str(plan["geo_advice"]), fmt.NONE) for plan in plans
        ],
        "Saved": [saved_when(plan) for plan in plans],
        "Run": [str(plan["run_id"]) for plan in plans],
        "Notes": [str(plan.get("notes") or "") for plan in plans],
    }


def _marked(texts: list[str], values: list[float | None]) -> list[str]:
    """The best one marked, where every plan has a number."""
    return texts if None in values else best_of(texts, values)


def _charts(plans: Plans, units: fmt.Units) -> None:
    """Spend by channel or geo; outcome, or one of the gains."""
    left, right = st.columns(2, gap="medium")
    theme = layout.theme()
    with left:
        over = _switch("Spend by", ("channel", "geo"), "compare.geos.over")
        figure = figures.spends(
            plans, over=f"{over}s", currency=units.currency, theme=theme
        )
        layout.chart(figure, "compare.geos.spend", most=460)
    with right:
        what = _switch("Distribution of", ("Outcome", *_GAINS), "compare.geos.of")
        draws = _draws(plans, what)
        if draws:
            _, over = _GAINS.get(what, ("", ""))
            figure = figures.outcomes(draws, units=units, over=over, theme=theme)
            layout.chart(figure, "compare.geos.outcomes")


def _switch(label: str, choices: tuple[str, ...], key: str) -> str:
    return st.segmented_control(
        label,
        choices,
        default=choices[0],
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        format_func=lambda one: f"By {one}" if one in ("channel", "geo") else one,
    )


def _draws(plans: Plans, what: str) -> dict[str, np.ndarray]:
    """Draws of each plan's outcome, or of its gain over another split."""
    less, _ = _GAINS.get(what, ("", ""))
    found = {}
    for head, plan in zip(numbered(plans, None), plans, strict=True):
        draws = plan["draws"]
        if not less:
            found[head] = np.array(draws["planned"])
        elif less in draws:
            found[head] = np.array(draws["planned"]) - np.array(draws[less])
    return found


def _spend(plans: Plans, units: fmt.Units, record: str | None) -> None:
    """Spend of geos in every plan, or of every channel in each geo of one plan."""
    heads = dict(zip(numbered(plans, record), plans, strict=True))
    all_plans = "Totals of geos, all plans"
    chosen_head = st.selectbox(
        "Spend", [all_plans, *heads], key="compare.geos.table.of", width=320
    )
    columns, lines = _totals(heads)
    if chosen_head in heads:
        columns, lines = _cells(heads[chosen_head])
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(lines, columns=columns),
        column_config={
            columns[0]: st.column_config.TextColumn(pinned=True),
            **{name: number(format="localized") for name in columns[1:]},
        },
        hide_index=True,
        height="content" if len(lines) <= 12 else 440,
        key="compare.geos.cells",
        alt="Planned spend by geo",
    )
    st.caption(fmt.titled("Planned spend", units.symbol) + ".")


def _totals(heads: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list]]:
    """Spend of each geo, now and in every plan."""
    geos: dict[str, float] = {}
    for plan in heads.values():
        geos |= {row["name"]: row["current"] for row in plan["geos"]}
    lines = [
        [name, round(now), *(_planned(plan, name) for plan in heads.values())]
        for name, now in geos.items()
    ]
    return ["Geo", "Now", *heads], lines


def _cells(plan: Mapping[str, Any]) -> tuple[list[str], list[list]]:
    """Spend of every channel in each geo of a plan."""
    grid = spend_grid(plan)
    lines = [
        [name, *np.round(cells), round(total)]
        for name, cells, total in zip(
            grid.rows, grid.planned, grid.row_totals, strict=True
        )
    ]
    return ["Geo", *grid.channels, "All channels"], lines


def _planned(plan: Mapping[str, Any], geo: str) -> float | None:
    found = (row["planned"] for row in plan["geos"] if row["name"] == geo)
    amount = next(found, None)
    return None if amount is None else round(amount)
