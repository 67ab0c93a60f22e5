"""By hand: a slider for each channel, and scenarios side by side."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from core import text as fmt
from core.plan.record.channels import Plan
from core.plan.record.today import difference
from core.plan.record.uncertainty import estimate, probability_positive
from core.plan.response.curves import ResponseCurves
from core.workspace.fits.runs import Run
from pages.plan import limits as plan_limits
from pages.ui import state
from pages.ui.findings import plain

#: Largest amount of a slider, percent of today's spend, and its step.
_TOP, _STEP = 200, 5
#: Letters of scenarios that are kept beside the one at the sliders.
_KEPT = ("B", "C")

Amounts = tuple[float, ...]


@st.fragment
def show(run: Run, curves: ResponseCurves, best: Plan, units: fmt.Units) -> None:
    """The sliders, what they bring, and the scenarios kept for comparison.

    Args:
        run: The fit.
        curves: Of the periods planned.
        best: The best plan.
        units: Words for the units.
    """
    planned = tuple(line.planned for line in best.channels)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        amounts = _sliders(run, curves, planned, units.currency)
    scenarios = {"Today": tuple(curves.spend), "Best plan": planned, "A": amounts}
    kept: dict[str, Amounts] = state.draft(_name(run, "kept"), {})
    scenarios |= {
        name: own for name, own in kept.items() if len(own) == len(curves.names)
    }
    with right:
        _table(curves, scenarios, units)
        _buttons(run, curves, amounts)


def _buttons(run: Run, curves: ResponseCurves, amounts: Amounts) -> None:
    """Where the sliders go, what is kept of them, and the plan that they make."""
    with st.container(horizontal=True):
        for name in _KEPT:
            st.button(
                f"Keep as {name}",
                key=f"hand.keep.{name}",
                on_click=_keep,
                args=(run, name, amounts),
            )
        st.button("Back to today", key="hand.today", on_click=_set, args=(run, 100.0))
        st.button("Back to the best plan", key="hand.best", on_click=_set, args=(run,))
        if st.button(
            "Use as the plan",
            key="hand.use",
            icon=":material/check:",
            on_click=_use,
            args=(run, curves, amounts),
        ):
            st.rerun(scope="app")


def _name(run: Run, what: str) -> str:
    return f"hand.{what}.{run.run_id}"


def _sliders(
    run: Run, curves: ResponseCurves, planned: Amounts, currency: str
) -> Amounts:
    """Amounts as the sliders have them; the best plan's until they are moved."""
    start: float | None = state.draft(_name(run, "start"))
    edition, amounts = state.edition("hand"), []
    for i, (name, today) in enumerate(zip(curves.names, curves.spend, strict=True)):
        usual = 100 * planned[i] / today if start is None else start
        key = f"plan.hand.{edition}.{run.run_id}.{i}"
        first = min(_STEP * round(usual / _STEP), _TOP)
        percent = float(state.widget(key, first))
        amount = today * percent / 100
        if percent == first and start is None:
            amount = planned[i]  # not what is left of it by the steps of a slider
        st.slider(
            f"{plain(name)}: {fmt.money(amount, currency)}",
            0,
            _TOP,
            first,
            _STEP,
            format="%d %%",
            key=key,
            help="Percent of today's spend.",
        )
        amounts.append(round(float(amount), 2))
    return tuple(amounts)


def _set(run: Run, start: float | None = None) -> None:
    """Put all sliders to today's spend, or to the best plan."""
    state.keep(_name(run, "start"), start)
    state.start_afresh("hand")


def _keep(run: Run, name: str, amounts: Amounts) -> None:
    kept = state.draft(_name(run, "kept"), {})
    state.keep(_name(run, "kept"), kept | {name: amounts})


def _use(run: Run, curves: ResponseCurves, amounts: Amounts) -> None:
    """Make these amounts the plan: limits that leave nothing to choose."""
    limits = {
        name: plan_limits.Limit(amount, amount)
        for name, amount in zip(curves.names, amounts, strict=True)
    }
    plan_limits.await_curves(run.run_id, limits, round(sum(amounts), 2))
    state.put("plan.over", "Channels")


def _table(
    curves: ResponseCurves, scenarios: Mapping[str, Amounts], units: fmt.Units
) -> None:
    """Spend by channel with a total, and what each scenario brings."""
    before = curves.outcome(curves.spend).sum(axis=1)
    columns = {
        name: _column(curves, np.array(own), before, units)
        for name, own in scenarios.items()
    }
    frame = pd.DataFrame(columns)
    frame.insert(0, "", list(next(iter(columns.values()))))
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        placeholder="",
        column_config={"": st.column_config.TextColumn("", pinned=True, width=150)},
        alt="Scenarios side by side: spend by channel, total, outcome and odds",
    )
    st.caption(
        "A is what the sliders say. Brackets: 90 % intervals. ▲: beyond observed "
        "spend, extrapolated."
    )


def _column(
    curves: ResponseCurves, spend: np.ndarray, before: np.ndarray, units: fmt.Units
) -> dict[str, str]:
    """One scenario: each channel, the total, and what it brings over today."""
    beyond, currency = curves.beyond_seen(spend), units.currency
    shown = {
        name: fmt.money(float(own), currency) + " ▲" * bool(far)
        for name, own, far in zip(curves.names, spend, beyond, strict=True)
    }
    total = float(spend.sum())
    shown["Total"] = fmt.money(total, currency)
    drawn = curves.outcome(spend).sum(axis=1)
    outcome = units.estimate(estimate(drawn), bare=True)
    shown[f"{units.outcome_name} from paid media"] = outcome
    gain = difference(drawn, before)
    is_same = not np.any(gain)
    shown["Over today"] = units.estimate(estimate(gain), signed=True, bare=True)
    odds = fmt.probability(probability_positive(gain))
    shown["Chance of beating today"] = fmt.NONE if is_same else odds
    if is_same:
        shown["Over today"] = fmt.NONE
    if units.is_money and total > 0:
        shown["ROI"] = fmt.estimate(estimate(drawn / total), "ratio")
    return shown
