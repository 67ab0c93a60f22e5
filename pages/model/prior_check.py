"""The prior predictive check: what the priors alone imply, before any data."""

from functools import partial

import streamlit as st

from core import text as fmt
from core.charts.fits import prior as figures
from core.errors import MMMError
from core.service import runs
from core.service.records.fit import Run
from core.service.records.model import Market
from core.service.runs import status
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import drawn, layout, reading, words
from pages.ui.findings import plain, show_error
from pages.ui.guard import guarded
from pages.ui.reading import Opened

_WHY = marked(
    "Check priors draws markets from the assumptions alone and sets them beside the "
    "KPI. If the band is far from it, or one channel explains most of it, an "
    "assumption says more than you meant. It takes a few seconds."
)


def show(here: Opened, market: Market) -> None:
    """The newest check: at work, failed, or its result."""
    run = runs.newest(here.folder, "prior")
    if run is None:
        layout.remark(_WHY)
        return
    if run.status.is_live:
        st.fragment(_progress, run_every="1s")(run)
    elif run.status.state != "done":
        text = run.status.message or say("The check did not finish.")
        text = plain(fmt.sentence(reworded(text)))
        st.warning(f"{text} {plain(run.status.hint)}", icon=":material/warning:")
    else:
        _result(here, run, market)


@guarded
def _progress(run: Run) -> None:
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    st.progress(now.fraction, say("Checking the priors: {now}", now=words.at_work(now)))


def _result(here: Opened, run: Run, market: Market) -> None:
    reasons = reading.out_of_date(here, run.folder)
    if reasons:
        layout.remark(
            ":orange[:material/priority_high:] Out of date: {reasons} since this "
            "check ({created}).",
            reasons=", ".join(map(reworded, reasons)),
            created=words.ago(run.created),
        )
    try:
        check = reading.prior_check(run.folder)
    except MMMError as error:
        show_error(error)
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        drawn.show("model.shares", partial(figures.shares, check), run=run)
    with right:
        units = market.units
        make = partial(figures.predictive, check, units=units)
        drawn.show("model.predictive", make, units, run=run)
