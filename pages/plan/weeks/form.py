"""What is asked of a plan of weeks, beside the plan whose money it spends."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.service.planning.asked import CONTROLS
from core.service.planning.scenario import beliefs_table, stated
from core.service.records.data import PlanHorizon
from core.service.suggestions.prices import price_rows
from core.text.languages.language import say
from core.view.advice import switch_label
from pages.ui import navigation, state
from pages.ui.planning import ChannelPlan

_SWITCHES = [switch for switch in CONTROLS if switch.in_weeks is not None]
_DEFAULTS = {"flight.discount": 0.0, "flight.spread": 0}
_DEFAULTS |= {f"flight.{switch.name}": switch.in_weeks for switch in _SWITCHES}
_DEFAULTS |= {"flight.teach": False, "flight.teach_cost": 0.5, "flight.later": 1}
_DEFAULTS |= {"flight.teach_spread": 0}


def requests(
    row: DeltaGenerator,
    channel_plan: ChannelPlan,
    ahead: PlanHorizon,
    *,
    may_teach: bool,
    has_geos: bool,
) -> dict[str, Any]:
    """The controls; what they ask for, as a scenario file has it.

    Args:
        row: Where they stand.
        channel_plan: The plan of channels, whose money and limits hold here too.
        ahead: Its weeks.
        may_teach: Whether its weeks may be planned to teach, too: for the expected
            KPI, with a fit that forecasts.
        has_geos: Whether the fit has several geos, which may differ to teach.
    """
    for name, first in _DEFAULTS.items():
        state.setdefault(name, first)
    with row:
        spread = st.number_input(
            say("Channel totals may move, ± %"),
            0,
            100,
            step=5,
            key="flight.spread",
            width=190,
            help=navigation.tip(
                "0: each channel keeps its total, and only the timing is planned."
            ),
        )
        change = st.number_input(
            say("Weekly change, ± %"),
            min_value=0.0,
            value=None,
            step=10.0,
            format="%.0f",
            placeholder=say("free"),
            key="flight.change",
            width=150,
            help=navigation.tip(
                "How far a channel's spend may move from one week to the next. "
                "Empty: no limit. It does not apply next to dark weeks or between "
                "booked ones."
            ),
        )
        more = _more(may_teach=may_teach, has_geos=has_geos)
    weeks = {} if change is None else {"weeks": {"change": f"{change:g} %"}}
    return _spent(channel_plan, ahead, float(spread) / 100) | more | weeks


def _spent(
    channel_plan: ChannelPlan, ahead: PlanHorizon, spread: float
) -> dict[str, Any]:
    """What the plan over channels says of its weeks: money, objective, beliefs."""
    beliefs = beliefs_table(channel_plan.scenario.beliefs)
    return {
        "horizon": periods(ahead),
        "budget": channel_plan.record.budget,
        "objective": channel_plan.scenario.objective,
        "channel": _totals(channel_plan, spread),
        **({"belief": beliefs} if beliefs else {}),
        **_mediators(channel_plan),
    }


def _mediators(channel_plan: ChannelPlan) -> dict[str, Any]:
    """What the plan over channels buys of mediators, which weeks pay as well."""
    bought = channel_plan.scenario.bought
    rows = {name: {"bought": share} for name, share in bought.items()}
    return {"mediator": rows} if rows else {}


def periods(ahead: PlanHorizon) -> dict[str, Any]:
    """The weeks as a scenario file has them."""
    value = {"value": list(ahead.value)} if ahead.value else {}
    return {"periods": ahead.n, "start": ahead.start} | value


def _totals(channel_plan: ChannelPlan, spread: float) -> dict[str, dict[str, float]]:
    """Least and most of each channel over all weeks: its total, and how it may move."""
    prices = price_rows(channel_plan.record.scenario)
    return {
        channel.name: {
            # Weeks are rounded to the cent: a total that must be exact could not be
            # met.
            "min": math.floor(own * (1 - spread)),
            "max": math.ceil(own * (1 + spread)) + 1,
            **prices.get(channel.name, {}),
        }
        for channel in channel_plan.record.channels
        for own in [channel.planned if channel.own is None else channel.own]
    }


def _more(*, may_teach: bool, has_geos: bool) -> dict[str, Any]:
    """Switches, the discount, and whether the weeks are to teach."""
    with st.popover(say("More"), icon=":material/tune:"):
        request: dict[str, Any] = {
            switch.name: st.toggle(
                switch_label(switch),
                key=f"flight.{switch.name}",
                help=navigation.tip(switch.help),
            )
            for switch in _SWITCHES
        }
        discount = st.number_input(
            say("Yearly discount, %"),
            min_value=0.0,
            max_value=1000.0,
            step=1.0,
            key="flight.discount",
            help=navigation.tip("What comes a year later counts this much less."),
        )
        taught = _teach(has_geos=has_geos) if may_teach else {}
    return request | ({"discount": f"{discount:g} %"} if discount else {}) | taught


def _teach(*, has_geos: bool) -> dict[str, Any]:
    """Whether the weeks are to teach, at what cost, for how long and by which geos."""
    teaches = st.toggle(
        say("Vary spend to learn"),
        key="flight.teach",
        help=navigation.tip(
            "Vary spend from week to week so that the next plan knows more, at a "
            "cost that you limit. On simulated markets it neither earned nor "
            "taught measurably more within a year than the plan that only earns; "
            "longer has not been tried. To settle one channel's return, plan a "
            "lift test."
        ),
    )
    if not teaches:
        return {}
    cost = st.number_input(
        say("Learning may cost, %"),
        min_value=0.1,
        max_value=20.0,
        step=0.1,
        key="flight.teach_cost",
        width=150,
        help=navigation.tip("Of what media bring in these weeks, in expectation."),
    )
    later = st.number_input(
        say("Used in later horizons"),
        min_value=1,
        step=1,
        key="flight.later",
        width=170,
        help=navigation.tip(
            "How many later horizons of this length use what is learned."
        ),
    )
    request = {"cost": f"{cost:g} %", "later": int(later)}
    if has_geos and (spread := _spread()):
        request["spread"] = f"{spread} %"
    return {"teach": request}


def _spread() -> int:
    """How far geos may differ, in percent of their share."""
    return int(
        st.number_input(
            say("Geos may differ, ± %"),
            min_value=0,
            max_value=100,
            step=5,
            key="flight.teach_spread",
            width=170,
            help=navigation.tip(
                "How far a geo's share of a channel's money may differ from last "
                "year's, as a share of itself, where that teaches more for the "
                "same money. 0: geos stay as they were."
            ),
        )
    )


def put(scenario: Mapping[str, Any]) -> None:
    """Set the controls to what a scenario asks for."""
    request = stated(scenario)
    state.put("flight.discount", percent(request.discount) or 0.0)
    for switch in _SWITCHES:
        # A plan that says nothing has the usual, not what this screen begins with.
        state.put(f"flight.{switch.name}", scenario.get(switch.name, switch.default))
    state.put("flight.change", percent(request.weeks.change))
    state.put("flight.teach", bool(request.teach))
    state.put("flight.teach_cost", percent(request.taught.cost) or 0.5)
    state.put("flight.later", int(request.taught.later))
    state.put("flight.teach_spread", int(percent(request.taught.spread) or 0))


def percent(entry: Any) -> float | None:
    """The number of a percentage such as "30 %"; None where it is none."""
    if isinstance(entry, str) and entry.strip().endswith("%"):
        return float(entry.strip().removesuffix("%"))
    return None
