"""By hand: a slider for each channel, and scenarios side by side."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.estimate import estimate, probability_positive
from core.service.planning.by_hand import difference
from core.service.planning.scenario import whole
from core.service.records.plan import ResponseCurves, believed
from core.text.languages.language import marked, say
from core.view.plan_words import brought
from pages.plan import limits as plan_limits
from pages.plan.steps import Track
from pages.ui import layout, state
from pages.ui.document import amount_in, document_in, keep_document
from pages.ui.findings import plain
from pages.ui.planning import ChannelPlan

#: Largest amount of a slider, percent of today's spend, and its step.
_TOP, _STEP = 200, 5
#: Sliders that are shown at once; those of smaller channels are in a box of their own.
_AT_ONCE = 12
#: Letters of scenarios that are kept beside the one at the sliders.
_KEPT = ("B", "C")

Amounts = tuple[float, ...]
_NAME = "hand"
_SLIDERS = "A"


@dataclass(frozen=True)
class Hand:
    """What the screen holds.

    Attributes:
        of: The fit and the periods that the amounts are of.
        amounts: At the sliders, currency.
        by_letter: Scenarios beside them, by letter.
    """

    of: str
    amounts: Amounts
    by_letter: Mapping[str, Amounts]


@st.fragment
def show(of: str, curves: ResponseCurves, best: ChannelPlan, units: fmt.Units) -> None:
    """The sliders, what they bring, and the scenarios kept for comparison.

    Args:
        of: The fit and its periods.
        curves: Of the periods planned.
        best: The best plan.
        units: Words for the units.
    """
    planned = tuple(line.planned for line in best.record.channels)
    beliefs = best.scenario.beliefs
    curves = best.scenario.as_bought(believed(curves, beliefs))
    could = {belief.name: belief.spend for belief in beliefs}
    take(of, len(planned), _put)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        amounts = _sliders((of, could), curves, planned, units.currency)
    by_letter: Mapping[str, Amounts] = state.draft(_name(of, "kept"), {})
    hand = Hand(of, amounts, by_letter)
    _TRACK.take(of, hand)
    keep(of, None if amounts == planned else amounts, by_letter)
    scenarios = {
        curves.horizon.heading: tuple(curves.spend),
        marked("Best plan"): planned,
        "A": amounts,
    }
    with left:
        _back_buttons(hand, curves)
    with right:
        _scenarios_table(curves, scenarios | dict(by_letter), units)
        _buttons(hand, curves)


def _put(of: str, amounts: Amounts | None, by_letter: Mapping[str, Amounts]) -> None:
    """Set sliders and scenarios; None for the best plan."""
    state.keep(_name(of, "start"), amounts)
    state.keep(_name(of, "kept"), by_letter)
    state.start_afresh("hand")


_TRACK = Track("hand", lambda hand: _put(hand.of, hand.amounts, hand.by_letter))


def _back_buttons(hand: Hand, curves: ResponseCurves) -> None:
    """Where the sliders can go back to."""
    ran = tuple(float(cost) for cost in curves.spend)
    with st.container(horizontal=True, vertical_alignment="center"):
        _TRACK.buttons()
        for key, label, amounts in (
            ("ran", _back(curves), ran),
            ("best", say("Back to the best plan"), None),
        ):
            st.button(
                label,
                key=f"hand.{key}",
                on_click=_put,
                args=(hand.of, amounts, hand.by_letter),
            )


def _buttons(hand: Hand, curves: ResponseCurves) -> None:
    """What is kept of the sliders, and the plan that they make."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for name in _KEPT:
            st.button(
                say("Keep as {name}", name=name),
                key=f"hand.keep.{name}",
                on_click=_keep,
                args=(hand, name),
            )
        st.space("stretch")
        if st.button(
            say("Use as the plan"),
            key="hand.use",
            type="primary",
            icon=":material/check:",
            on_click=_use,
            args=(hand, curves),
        ):
            # A fragment draws itself alone; limits and the view are the screen's.
            st.rerun(scope="app")


def _back(curves: ResponseCurves) -> str:
    if not curves.horizon.has_last_year:
        return say("Back to what ran")
    return say("Back to last year")


def _name(of: str, what: str) -> str:
    return f"hand.{what}.{of}"


def _sliders(
    about: tuple[str, Mapping[str, float]],
    curves: ResponseCurves,
    planned: Amounts,
    currency: str,
) -> Amounts:
    """Amounts as the sliders have them; the best plan's until they are moved.

    Args:
        about: What they are of, and what channels without history could spend.
        curves: Of all channels.
        planned: Amounts of the best plan.
        currency: Of them.
    """
    of, could = about
    start: Amounts = state.draft(_name(of, "start")) or planned
    # Streamlit keeps a slider's value under its key: another edition begins afresh.
    edition, amounts = state.edition("hand"), []
    st.caption(_meaning(curves, could))
    boxes, total = _boxes(curves), float(curves.spend.sum())
    for i, (name, ran) in enumerate(zip(curves.names, curves.spend, strict=True)):
        today = could.get(name, float(ran))
        key = f"plan.hand.{edition}.{of}.{i}"
        first = min(_STEP * round(100 * start[i] / today / _STEP), _TOP)
        percent = float(state.widget(key, first))
        # Where it begins, not what is left of that by the steps of a slider.
        amount = start[i] if percent == first else today * percent / 100
        boxes[i].slider(
            fmt.named(plain(name), fmt.money(amount, currency)),
            0,
            _TOP,
            first,
            _STEP,
            format="%d %%",
            key=key,
        )
        amounts.append(whole(amount, total))
    return tuple(amounts)


def _meaning(curves: ResponseCurves, could: Mapping[str, float]) -> str:
    """What the percentages of the sliders are of, once for all of them."""
    ran = curves.horizon.as_it_ran
    if not could:
        return say("Percent of what {as_it_ran} cost.", as_it_ran=ran)
    return say(
        "Percent of what {as_it_ran} cost; of {names}, of what you said that it could "
        "spend.",
        as_it_ran=ran,
        names=plain(fmt.listed(list(could))),
    )


def _boxes(curves: ResponseCurves) -> list[DeltaGenerator]:
    """Where the slider of each channel stands: the largest first, the rest folded."""
    above, n = st.container(), len(curves.names)
    if n <= _AT_ONCE:
        return [above] * n
    largest = set(np.argsort(-curves.spend, kind="stable")[: _AT_ONCE - 2].tolist())
    below = st.expander(say("{n} smaller channels", n=n - len(largest)))
    return [above if i in largest else below for i in range(n)]


def _keep(hand: Hand, name: str) -> None:
    state.keep(_name(hand.of, "kept"), dict(hand.by_letter) | {name: hand.amounts})


def _use(hand: Hand, curves: ResponseCurves) -> None:
    """Make these amounts the plan: limits that leave nothing to choose."""
    limits = {
        name: plan_limits.Limit(amount, amount)
        for name, amount in zip(curves.names, hand.amounts, strict=True)
        if name not in curves.beliefs  # gets what is left of the budget
    }
    run_id, total = hand.of.partition(".")[0], sum(hand.amounts)
    plan_limits.await_curves(run_id, limits, whole(total, total))
    state.put("plan.over", "Channels")


def _scenarios_table(
    curves: ResponseCurves, scenarios: Mapping[str, Amounts], units: fmt.Units
) -> None:
    """Spend by channel with a total, and what each scenario brings."""
    before = curves.outcome(curves.spend).sum(axis=1)
    columns = {
        name: _column(curves, np.array(own), before, units)
        for name, own in scenarios.items()
    }
    frame = pd.DataFrame(columns).rename(columns=say)
    # A table of the page, not a grid: on a phone its cells take more lines.
    with st.container(key="by-hand-amounts"):  # assets/style.css sets them right
        st.table(frame.rename(index=plain).map(plain))
    layout.remark(
        "A is what the sliders say. Gains are over {ran}. Brackets: 90 % "
        "intervals. ▲: beyond observed spend, extrapolated.",
        ran=curves.horizon.as_it_ran,
    )


def _column(
    curves: ResponseCurves, spend: np.ndarray, before: np.ndarray, units: fmt.Units
) -> dict[str, str]:
    """One scenario: each channel, the total, and what it brings over what ran."""
    beyond, currency = curves.beyond_seen(spend), units.currency
    over = say("Gain")
    cells = {
        name: fmt.money(float(own), currency) + " ▲" * bool(far)
        for name, own, far in zip(curves.names, spend, beyond, strict=True)
    }
    total = float(spend.sum())
    cells[say("Total")] = fmt.money(total, currency)
    draws = curves.outcome(spend).sum(axis=1)
    outcome = units.estimate(estimate(draws), bare=True)
    cells[brought(units)] = outcome
    gain = difference(draws, before)
    is_same = not np.any(gain)
    cells[over] = units.estimate(estimate(gain), signed=True, bare=True)
    odds = fmt.probability(probability_positive(gain))
    cells[say("Odds of a gain")] = fmt.NONE if is_same else odds
    if is_same:
        cells[over] = fmt.NONE
    if units.is_money and total > 0:
        cells["ROI"] = fmt.estimate(estimate(draws / total), "ratio")
    return cells


def take(of: str, n: int, set_sliders: Callable[..., None]) -> None:
    """Bring back what the address has, once for each browser tab.

    Args:
        of: The fit and the periods that the amounts are of.
        n: How many channels there are.
        set_sliders: Sets sliders and scenarios.
    """
    if state.draft("hand.read"):
        return
    state.keep("hand.read", True)
    content = document_in(_NAME)
    # Amounts of another fit or of other periods would be other percentages here.
    if content.get("of") != of:
        return
    scenarios: dict[str, tuple[float, ...]] = {}
    for name in (_SLIDERS, "B", "C"):
        row = content.get(name)
        amounts = [amount_in(value) for value in row] if isinstance(row, list) else []
        if len(amounts) == n and None not in amounts:
            scenarios[name] = tuple(amount or 0.0 for amount in amounts)
    set_sliders(of, scenarios.pop(_SLIDERS, None), scenarios)


def keep(
    of: str,
    amounts: tuple[float, ...] | None,
    by_letter: Mapping[str, tuple[float, ...]],
) -> None:
    """Have the address say where the sliders are and what is kept.

    Args:
        of: The fit and the periods.
        amounts: Currency; None where they are those of the best plan.
        by_letter: Scenarios by letter.
    """
    content = ({} if amounts is None else {_SLIDERS: amounts}) | dict(by_letter)
    keep_document(_NAME, {"of": of} | content if content else {})
