"""Plans side by side: their numbers, their spend, what they may bring, scored anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import text as fmt
from core.charts import plan_words
from core.charts import plans as figures
from core.workspace import runs
from core.workspace.plans import (
    CHANNELS,
    GEOS,
    WEEKS,
    kind_of,
    list_plans,
    mark_plan,
    plan_of_record,
)
from core.workspace.results import has_result
from core.workspace.runs import Run
from pages.compare import actuals, rescored
from pages.ui import layout, navigation, planning, reading, state
from pages.ui.kept import saved_when
from pages.ui.reading import Opened

_MOST = 6
_OVER = {CHANNELS: "channels", WEEKS: "channels and weeks", GEOS: "channels and geos"}


def show(here: Opened, run: Run) -> None:
    """Any number of saved plans, up to six at a time."""
    saved = list_plans(here.folder, None)
    if not saved:
        layout.empty(
            "No plan is saved",
            "Save two plans, then they stand here side by side.",
            navigation.PLAN,
            "Go to Plan",
        )
        return
    record = plan_of_record(here.folder)
    plans, labels = chosen(saved, record, "Plans", key="compare.plans")
    if not plans:
        return
    units = fmt.units(reading.result_json(run.folder, "summary"))
    table(
        _rows(plans, units),
        plans,
        record,
        "Plans",
        key="compare.plans",
        comparable=comparable(plans),
    )
    if not comparable(plans):
        what = "budgets" if has_one_horizon(plans) else "periods"
        st.caption(
            f"The {what} differ, so no plan is marked as the best: compare what each "
            "changes against today" + (", per period." * (what == "periods") or ".")
        )
    _charts(here, plans, units)
    of_record(here.folder, plans, labels, record)
    made_with = with_fits(here, plans)
    actuals.show(made_with, units, key="compare.actuals")
    of_channels = [pair for pair in made_with if kind_of(pair[0]) == CHANNELS]
    rescored.show(here, of_channels, run, units)


def comparable(plans: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the plans spend the same to the cent in the same periods."""
    budgets = {round(float(plan["budget"]), 2) for plan in plans}
    return len(budgets) == 1 and has_one_horizon(plans)


def has_one_horizon(plans: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the plans are for the same periods."""
    spans = {(plan["horizon"]["start"], plan["horizon"]["periods"]) for plan in plans}
    return len(spans) == 1


def with_fits(
    here: Opened, plans: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], Run]]:
    """Plans with the fits that they were made with, where these are still there."""
    found = [(plan, _fit_of(here, plan)) for plan in plans]
    return [(plan, fit) for plan, fit in found if fit]


def chosen(
    saved: Sequence[dict[str, Any]], record: str | None, label: str, *, key: str
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The plans to compare, at first that of record and the newest, and all labels.

    Args:
        saved: Plans of one kind, newest first.
        record: The plan of record; None where there is none.
        label: What they are.
        key: Of the widget.
    """
    by_id = {plan["plan_id"]: plan for plan in saved}
    labels = {
        one: f"{len(saved) - i} · {plan.get('name') or one}"
        + (" (of record)" if one == record else "")
        for i, (one, plan) in enumerate(by_id.items())
    }
    newest = list(by_id)[:3]
    first = list(dict.fromkeys([*([record] if record in by_id else []), *newest]))[:3]
    picked = st.multiselect(
        label,
        list(by_id),
        default=first,
        format_func=labels.get,
        max_selections=_MOST,
        key=key,
        persist_state="session",
    )
    plans = [by_id[one] for one in picked if one in by_id]
    if not plans:
        st.caption("Choose plans to compare.")
    return plans, labels


def table(
    rows: Mapping[str, Sequence[str]],
    plans: Sequence[Mapping[str, Any]],
    record: str | None,
    label: str,
    *,
    key: str,
    comparable: bool = True,
) -> None:
    """One column per plan; the best of a row is marked where one can be best.

    Args:
        rows: What each row says of each plan.
        plans: The plans.
        record: The plan of record; None where there is none.
        label: What they are.
        key: Where the key begins.
        comparable: Whether one can be best.
    """
    frame = pd.DataFrame(list(rows.values()), columns=numbered(plans, record))
    frame.insert(0, "", list(rows))
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        key=f"{key}.table",
        alt=f"{label} side by side",
    )
    marked = "★: best of the row. " if comparable else ""
    st.caption(f"{marked}Brackets: 90 % intervals.")


def numbered(plans: Sequence[Mapping[str, Any]], record: str | None) -> list[str]:
    """Heads of the plans' columns."""
    return [
        f"{i}. {plan.get('name')}" + (" (of record)" * (plan["plan_id"] == record))
        for i, plan in enumerate(plans, start=1)
    ]


def _rows(plans: Sequence[Mapping[str, Any]], units: fmt.Units) -> dict[str, list[str]]:
    """What each row says of each plan."""
    kind, unit = _measure(units)
    gains = [plan["gain"] for plan in plans]
    outcomes = [plan["outcome"]["planned"] for plan in plans]
    odds = [gain["probability_positive"] for gain in gains]

    def marked(texts: list[str], values: list[float]) -> list[str]:
        return best_of(texts, values) if comparable(plans) else texts

    return {
        "Plan for": [plan_words.horizon(plan) for plan in plans],
        "Over": [_OVER[kind_of(plan)] for plan in plans],
        "Budget": [fmt.money(plan["budget"], units.currency) for plan in plans],
        "Objective": [str(plan["objective"]["name"]) for plan in plans],
        units.outcome_name: marked(
            [fmt.estimate(one, kind, unit) for one in outcomes],
            [one["mean"] for one in outcomes],
        ),
        **_per_period(plans, outcomes, units),
        fmt.titled("ROI of the plan", units.roi): marked(
            *_columns(
                [
                    one["mean"] / plan["budget"]
                    for one, plan in zip(outcomes, plans, strict=True)
                ]
            )
        ),
        "Against today": [
            plan_words.against_today(plan, units) or fmt.NONE for plan in plans
        ],
        "Gain over current": marked(
            [fmt.estimate(gain, kind, unit, signed=True) for gain in gains],
            [gain["mean"] for gain in gains],
        ),
        "Beats current": marked([fmt.probability(one) for one in odds], odds),
        "From the best possible": [gap_of(plan) for plan in plans],
        "Advice": [str(plan["advice"]) for plan in plans],
        "Beyond spend seen": [
            ", ".join(c["name"] for c in plan["channels"] if _is_beyond(c)) or "none"
            for plan in plans
        ],
        "Saved": [saved_when(plan) for plan in plans],
        "Notes": [str(plan.get("notes") or "") for plan in plans],
    }


def _per_period(
    plans: Sequence[Mapping[str, Any]],
    outcomes: Sequence[Mapping[str, float]],
    units: fmt.Units,
) -> dict[str, list[str]]:
    """Budget and outcome per period, where plans are for different ones."""
    if has_one_horizon(plans):
        return {}
    counts = [max(int(plan["horizon"]["periods"]), 1) for plan in plans]
    budgets = [
        fmt.money(plan["budget"] / n, units.currency)
        for plan, n in zip(plans, counts, strict=True)
    ]
    brought = [
        units.show(one["mean"] / n) for one, n in zip(outcomes, counts, strict=True)
    ]
    return {
        "Budget per period": budgets,
        f"{units.outcome_name} per period": brought,
    }


def _is_beyond(channel: Mapping[str, Any]) -> bool:
    """Whether a channel is to spend more than was ever seen, in any of its weeks."""
    return bool(np.any(channel.get("beyond_seen", False)))


def gap_of(plan: Mapping[str, Any]) -> str:
    """How far a plan can be from the best possible."""
    gap = plan["bound"]["gap"]
    return fmt.NONE if gap is None else f"{max(100 * gap, 0.1):.1f}\u00a0%"


def total_of(plan: Mapping[str, Any], name: str, over: str = "channels") -> str:
    """Planned spend of a channel, or of another part of a plan."""
    row = next((one for one in plan[over] if one["name"] == name), None)
    return fmt.NONE if row is None else fmt.exact(float(row["planned"]))


def _columns(ratios: list[float]) -> tuple[list[str], list[float]]:
    return [fmt.roi(one) for one in ratios], ratios


def best_of(texts: list[str], values: list[float]) -> list[str]:
    """Texts with a mark at the largest, where there are several."""
    if len(texts) < 2 or np.ptp(values) == 0:
        return texts
    top = int(np.argmax(values))
    return [f"★ {text}" if i == top else text for i, text in enumerate(texts)]


def _measure(units: fmt.Units) -> tuple[str, str]:
    return ("money", units.currency) if units.is_money else ("number", units.outcome)


def _charts(here: Opened, plans: Sequence[Mapping[str, Any]], units: fmt.Units) -> None:
    left, right = st.columns(2, gap="medium")
    theme = layout.theme()
    with left:
        figure = figures.spends(plans, currency=units.currency, theme=theme)
        layout.chart(figure, "compare.spend")
    draws = {}
    for i, plan in enumerate(plans, start=1):
        outcome = _draws(here, plan)
        if outcome is not None:
            draws[f"{i}. {plan.get('name')}"] = outcome
    with right:
        if draws:
            figure = figures.outcomes(draws, units=units, theme=theme)
            layout.chart(figure, "compare.outcomes")
        if len(draws) < len(plans):
            st.caption("The fits of some plans are gone; they have no distribution.")


def _draws(here: Opened, plan: Mapping[str, Any]) -> np.ndarray | None:
    """A plan's outcome per draw of the fit that it was made with."""
    if plan.get("draws"):
        return np.array(plan["draws"]["planned"], dtype=float)
    run = _fit_of(here, plan)
    curves = None if run is None else planning.curves_of_plan(run, plan)
    if curves is None:
        return None
    money = {str(row["name"]): float(row["planned"]) for row in plan["channels"]}
    if set(money) != set(curves.names):
        return None
    spend = np.array([money[name] for name in curves.names])
    return curves.outcome(spend).sum(axis=1)


def _fit_of(here: Opened, plan: Mapping[str, Any]) -> Run | None:
    for run in runs.list_runs(here.folder, "fit"):
        if run.run_id == plan.get("run_id") and has_result(run.folder):
            return run
    return None


def of_record(
    folder: Path,
    plans: Sequence[Mapping[str, Any]],
    labels: Mapping[str, str],
    record: str | None,
) -> None:
    """The plan that is decided on."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Plan of record",
            [plan["plan_id"] for plan in plans],
            format_func=labels.get,
            key="compare.record.plan",
        )
        st.button(
            "Mark as plan of record",
            key="compare.record",
            icon=":material/flag:",
            disabled=chosen == record,
            on_click=state.attempt,
            args=(mark_plan, folder, chosen),
        )
