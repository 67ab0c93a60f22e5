"""Limits of geos: the form, and what an edited workbook or a saved plan states instead.

The form says how far every channel and every geo may move. What it has no words for
(limits of single geos, amounts that are settled) stands in its place until it is left.
The address has either, so that F5 and a copied link keep it; amounts of very many geos
are too long for an address and left out.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from core.errors import MMMError
from core.service.planning.scenario import StatedRow, geo_request
from core.service.records.fit import Run
from core.service.records.plan import GeoRequest, GeoResponse
from core.text.languages.language import marked, say
from pages.ui import navigation, state
from pages.ui.document import document_in, keep_document
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
        geos={geo: StatedRow(locked=True) for geo in locked},
        scaled=True,
    )


#: Name in the address, and letters of a source's name that are read.
_NAME, _LONGEST = "geos", 120


def take(run: Run, geos: Sequence[str]) -> None:
    """Bring back what the address has, once for each browser tab.

    Args:
        run: The fit.
        geos: Its geos.
    """
    if state.draft("geos.read"):
        return
    state.keep("geos.read", True)
    content = document_in(_NAME)
    times, spread = content.get("times"), content.get("spread")
    # Not isinstance: a JSON true is an int, too.
    if type(times) in (int, float) and TIMES[0] <= times <= TIMES[1]:
        state.put("plan.geos.times", float(times))
    if type(spread) is int and 0 <= spread <= 100:
        state.put("plan.geos.spread", spread)
    if isinstance(locked := content.get("locked"), list):
        names = [geo for geo in geos if geo in locked]
        state.put(f"plan.geos.locked.{run.run_id}", names)
    if stated := _stated(content.get("stated"), geos):
        state_limits(run, stated)


def _stated(content: Any, geos: Sequence[str]) -> Stated | None:
    if not (isinstance(content, list) and len(content) == 3):
        return None
    source, scaled, table = content
    if not (isinstance(source, str) and isinstance(table, dict)):
        return None
    try:
        request = geo_request(table)
    except MMMError:
        return None
    is_of_fit = {*request.geos, *request.spend} <= set(geos)
    request = replace(request, scaled=scaled is True)
    return Stated(source[:_LONGEST], request) if is_of_fit else None


def keep(request: GeoRequest, stated: Stated | None) -> None:
    """Have the address say what limits there are; nothing where all is as usual.

    Args:
        request: The limits as the form has them.
        stated: What stands in their place; None where it is the form.
    """
    if stated is not None:
        table = [stated.source, stated.request.scaled, stated.request.as_table()]
        keep_document(_NAME, {"stated": table})
        return
    content: dict[str, Any] = {}
    if request.bounds[1] != USUAL[0]:
        content["times"] = request.bounds[1]
    spread = round(100 * (request.totals[1] - 1)) if request.totals else 100
    if spread != USUAL[1]:
        content["spread"] = spread
    if request.geos:
        content["locked"] = list(request.geos)
    keep_document(_NAME, content)
