"""Limits of geos: the form, and what an edited workbook or a saved plan states instead.

The form says how far every channel and every geo may move. What it has no words for
(limits of single geos, amounts that are settled) stands in its place until it is left.
"""

import math
from typing import NamedTuple

import streamlit as st

from core.service.records.fit import Run
from core.service.records.plan import GeoRequest, GeoResponse
from core.text.languages.language import marked, say
from pages.ui import navigation, state
from pages.ui.findings import plain
from pages.ui.planning import ChannelPlan

#: How many times today's spend the form allows a channel in a geo.
TIMES = 1.0, 10.0
#: What the form begins with: such a multiple, and percent of a geo's total.
USUAL = 2.0, 30


class Stated(NamedTuple):
    """Limits of geos in the place of the form's.

    Attributes:
        source: Where they are from: a file, or a saved plan.
        request: The limits, or the amounts.
    """

    source: str
    request: GeoRequest


def state_limits(run: Run, stated: Stated | None) -> None:
    """Put limits in the place of the form's; None for the form."""
    state.keep(_key(run), stated)


def _key(run: Run) -> str:
    return f"geos.stated.{run.run_id}"


def choose(
    run: Run, response: GeoResponse, channel_plan: ChannelPlan
) -> tuple[GeoRequest, Stated | None]:
    """The limits of geos, or the amounts that are settled.

    Args:
        run: The fit.
        response: By geo, of the periods planned.
        channel_plan: The plan of channels; settled amounts are its totals over geos.

    Returns:
        The limits, and what stated them; None for that where it was the form.
    """
    stated: Stated | None = state.draft(_key(run))
    if stated is None or not _is_of(stated.request, channel_plan):
        return _form(run, response), None
    what = say("Amounts") if stated.request.spend else say("Limits of geos")
    does = (
        say("evaluated as they are")
        if stated.request.spend
        else say("those that apply")
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            say(
                "{what} of **{source}** are {does}.",
                what=what,
                source=plain(stated.source),
                does=does,
            )
        )
        st.button(
            say("Plan within other limits"),
            key="plan.geos.form",
            icon=":material/tune:",
            on_click=state_limits,
            args=(run, None),
        )
    return stated.request, stated


def _is_of(request: GeoRequest, channel_plan: ChannelPlan) -> bool:
    """Whether settled amounts are those of the plan of channels as it stands."""
    if not request.spend:
        return True
    return all(
        math.isclose(
            math.fsum(row.get(line.name, 0.0) for row in request.spend.values()),
            line.planned,
            # Every geo's amount is rounded to the cent, and the channel's is as well.
            abs_tol=0.02,
        )
        for line in channel_plan.record.channels
    )


_TIMES = marked(
    "The most a channel may spend in a geo, as a multiple of the spend that ran there; "
    "the least is the inverse. Scaled to the budget."
)
_TOTALS = marked(
    "How far the spend of all channels in a geo may move; scaled to the budget."
)


def _form(run: Run, response: GeoResponse) -> GeoRequest:
    """The limits of cells and of geos, and geos that are left alone."""
    with (
        st.expander(say("Limits of geos"), icon=":material/tune:"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        times = st.number_input(
            say("Channel in a geo, up to ×"),
            *TIMES,
            USUAL[0],
            0.1,
            format="%.1f",
            key="plan.geos.times",
            persist_state="session",
            width=170,
            help=navigation.tip(_TIMES),
        )
        spread = st.number_input(
            say("Geo totals ±, %"),
            0,
            100,
            USUAL[1],
            10,
            key="plan.geos.spread",
            persist_state="session",
            width=130,
            help=navigation.tip(_TOTALS),
        )
        locked = st.multiselect(
            say("Leave alone"),
            list(response.geos),
            key=f"plan.geos.locked.{run.run_id}",
            persist_state="session",
            placeholder=say("No geo"),
            help=navigation.tip("Geos that keep exactly what they have."),
        )
    share = float(spread) / 100
    return GeoRequest(
        bounds=(1 / float(times), float(times)),
        totals=(1 - share, 1 + share),
        geos={geo: {"lock": True} for geo in locked},
        scaled=True,
    )
