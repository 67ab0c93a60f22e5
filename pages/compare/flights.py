"""Plans of weeks side by side: totals, outcome and odds, and the plan of record."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.charts import format as fmt
from core.charts import plans as figures
from core.workspace.plans import WEEKS, list_plans, plan_of_record
from core.workspace.runs import Run
from pages.compare import actuals
from pages.compare.plans import (
    best_of,
    chosen,
    gap_of,
    of_record,
    table,
    total_of,
    with_fits,
)
from pages.ui import layout, navigation, reading
from pages.ui.kept import saved_when
from pages.ui.reading import Opened


def show(here: Opened, run: Run) -> None:
    """Saved plans of weeks, up to six at a time."""
    saved = list_plans(here.folder, WEEKS)
    if not saved:
        layout.empty(
            "No plan of weeks is saved",
            "Save two plans of weeks, then they stand here side by side.",
            navigation.FLIGHTING,
            "Go to Flighting",
        )
        return
    record = plan_of_record(here.folder)
    plans, labels = chosen(saved, record, "Plans of weeks", key="compare.flights")
    if not plans:
        return
    units = fmt.units(reading.result_json(run.folder, "summary"))
    table(
        rows_of(plans, units),
        plans,
        record,
        "Plans of weeks",
        key="compare.flights",
        comparable=_comparable(plans),
    )
    _charts(plans, units)
    of_record(here.folder, plans, labels, record)
    made_with = with_fits(here, plans)
    actuals.show(made_with, units, key="compare.actuals.flights")


def _comparable(plans: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the plans are of the same weeks, so that one can be best."""
    return len({tuple(plan["weeks"]) for plan in plans}) == 1


def rows_of(
    plans: Sequence[Mapping[str, Any]], units: fmt.Units
) -> dict[str, list[str]]:
    """What each row says of each plan."""
    kind = "money" if units.is_money else "number"
    unit = units.currency if units.is_money else units.outcome

    def estimates(key: str, *, signed: bool) -> list[str]:
        given = [_at(plan, key) for plan in plans]
        texts = [fmt.estimate(one, kind, unit, signed=signed) for one in given]
        return marked(texts, [one["mean"] for one in given])

    def odds(key: str) -> list[str]:
        given = [float(plan[key]["probability_positive"]) for plan in plans]
        return marked([fmt.probability(one) for one in given], given)

    def marked(texts: list[str], values: list[float]) -> list[str]:
        return best_of(texts, values) if _comparable(plans) else texts

    names = dict.fromkeys(row["name"] for plan in plans for row in plan["channels"])
    totals = {
        fmt.titled(name, units.symbol): [total_of(plan, name) for plan in plans]
        for name in names
    }
    return {
        "Weeks": [_span(plan["weeks"]) for plan in plans],
        "Budget": [fmt.money(plan["budget"], units.currency) for plan in plans],
        "Objective": [str(plan["objective"]["name"]) for plan in plans],
        f"{units.outcome_name} from paid media": estimates("outcome", signed=False),
        "Added after the end": estimates("terminal", signed=False),
        "Gain over last year's weeks": estimates("gain_over_current", signed=True),
        "Beats last year's weeks": odds("gain_over_current"),
        "Gain over even weeks": estimates("gain_over_even", signed=True),
        "From the best possible": [gap_of(plan) for plan in plans],
        **totals,
        "Change from week to week": [_changes(plan["scenario"]) for plan in plans],
        "Advice": [str(plan["advice"]) for plan in plans],
        "Saved": [saved_when(plan) for plan in plans],
        "Run": [str(plan["run_id"]) for plan in plans],
        "Notes": [str(plan.get("notes") or "") for plan in plans],
    }


def _changes(scenario: Mapping[str, Any]) -> str:
    """The limit on weekly change of all channels, and of those with their own."""
    parts = [str((scenario.get("weeks") or {}).get("change", "free"))]
    for name, row in (scenario.get("channel") or {}).items():
        if "change" in row:
            parts.append(f"{name} {row['change']}")
    return ", ".join(parts)


def _at(plan: Mapping[str, Any], key: str) -> Mapping[str, float]:
    given = plan[key]
    return given["planned"] if key == "outcome" else given


def _span(weeks: Sequence[str]) -> str:
    return f"{len(weeks)} from {fmt.date(weeks[0])}"


def _charts(plans: Sequence[Mapping[str, Any]], units: fmt.Units) -> None:
    left, right = st.columns(2, gap="medium")
    theme = layout.theme()
    with left:
        figure = figures.spends(plans, currency=units.currency, theme=theme)
        layout.chart(figure, "compare.flights.spend")
    draws = {
        f"{i}. {plan.get('name')}": np.array(plan["draws"]["planned"])
        for i, plan in enumerate(plans, start=1)
        if plan.get("draws")
    }
    with right:
        if draws:
            figure = figures.outcomes(draws, units=units, theme=theme)
            layout.chart(figure, "compare.flights.outcomes")
