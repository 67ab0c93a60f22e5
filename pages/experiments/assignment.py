"""Treated geos of a design, edited by hand and scored at once; and its planning."""

from typing import TYPE_CHECKING

import streamlit as st

from core import text as fmt
from core.errors import MMMError, SpecError
from core.service.records.fit import Run
from core.service.records.model import Market as Glance
from core.text.languages.language import say
from core.view.suggestions.next_test import named, worth_nothing
from pages.experiments import draft
from pages.ui import navigation, reading, state
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.service.experiments.designs import Design, Edited, Tested


#: A tile whose second line is no change.
_PLAIN = {"delta_color": "off", "delta_arrow": "off", "border": True}


def show(here: Opened, about: Glance, run: Run, chosen: "Design") -> None:
    """The treated geos of a design to edit, how they score, and the way to plan it.

    Args:
        here: The open project.
        about: Its market.
        run: A finished fit.
        chosen: A design that was drawn.
    """
    if not chosen.geos:
        _plan(here, about, chosen)
        return
    design_key = (
        f"{chosen.channel}.{chosen.kind}.{chosen.weeks}.{','.join(chosen.geos)}"
    )
    key = f"experiments.geos.{design_key}"
    state.setdefault(key, list(chosen.geos))
    geos = st.multiselect(
        say("Treated geos"),
        about.geos,
        key=key,
        help=navigation.tip(
            "Those drawn are the most precise of many. Change them, and they are "
            "scored again: by their balance, and by how far such a comparison errs "
            "where nothing was tested."
        ),
        placeholder=say("Choose"),
    )
    try:
        scored = _scored(here, run, chosen, tuple(geos))
    except MMMError as error:
        show_error(error)
        return
    _scores(scored, about)
    for warning in scored.warnings:
        st.warning(plain(warning), icon=":material/warning:")
    _plan(here, about, scored.design)


def _scores(scored: "Edited", about: Glance) -> None:
    scores, design, units = scored.assignment, scored.design, about.units
    effect, p = scores.aa[0]
    row = st.container(horizontal=True)
    row.metric(
        say("Placebo error"),
        fmt.percent(scores.error[0]),
        border=True,
        help=navigation.tip(
            "Standard error of the lift, from groups and weeks in which nothing "
            "was tested."
        ),
    )
    row.metric(
        say("Smallest lift"),
        fmt.percent(design.mde),
        say("power {power}", power=fmt.share(design.power)),
        **_PLAIN,
    )
    row.metric(
        say("Balance"),
        say("{balance} SD", balance=fmt.ratio(scores.balance)),
        say("{n_control} control geos", n_control=len(scores.control)),
        **_PLAIN,
        help=navigation.tip(
            "Difference of treated and control geos' means, in standard deviations."
        ),
    )
    row.metric(say("At risk"), fmt.share(scores.share), border=True)
    row.metric(
        say("A/A check"),
        f"p = {p:.2f}",
        say("{effect} where 0 is true", effect=fmt.share(effect, signed=True)),
        **_PLAIN,
    )
    row.metric(
        say("Net value"),
        units.show(design.net.mean),
        say(
            "pays with {probability_positive}",
            probability_positive=fmt.probability(design.net.probability_positive),
        ),
        **_PLAIN,
    )


def _plan(here: Opened, about: Glance, design: "Design") -> None:
    if warning := worth_nothing(design, about.units):
        st.warning(plain(warning), icon=":material/warning:")
    if gated.button(say("Plan this test"), key="experiments.plan", type="primary"):
        from core.service.experiments.designs import plan_design

        name = named(design)
        plan_design(here.folder, design, name)
        state.note(say("{name} is planned.", name=plain(name)))
        st.rerun()


@once(
    lambda here, run, *design: (reading.result_sha(run.folder), here.data_sha, design),
    most=32,
    wait=tongue.Later("Scoring the geos"),
)
def _scored(
    here: Opened, run: Run, chosen: "Design", geos: tuple[str, ...]
) -> "Edited":
    return tested(here, run).score(chosen, geos)


def tested(here: Opened, run: Run) -> "Tested":
    """What a fit says about tests of the project's data.

    Raises:
        MMMError: A result is damaged, or the data have errors.
    """
    from core.service.experiments.designs import Tested

    data = draft.data(here)
    if data is None:
        raise SpecError(
            say("The data have errors."),
            hint=say("Correct them on the Data screen."),
            where="data",
        )
    return Tested(data, run, reading.result_dataset)
