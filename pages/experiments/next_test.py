"""What to test next: designs ranked by what they bring to the next plan."""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.model.market import Market as Glance
from core.project.fits.runs import Run
from pages.experiments import assignment
from pages.ui import state
from pages.ui.findings import show_error
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.experiments.design.candidate import Design

_MOST = 40


def show(here: Opened, about: Glance, run: Run) -> None:
    """Choose channels, rank the designs, and plan one."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    channels = row.multiselect(
        "Channels",
        [channel.name for channel in here.project.mapping.channels if channel.spend],
        key="experiments.next.channels",
        placeholder="All",
        width=420,
    )
    if row.button("Rank the tests", key="experiments.rank", type="primary"):
        _rank(here, run, tuple(channels))
    designs = state.draft("experiments.designs") or ()
    if not designs:
        st.caption(
            "Spend switched off, halved or raised in some geos for 2 to 12 weeks: how "
            "precise each test would be, what it costs, and what its result is "
            "expected to bring to the next plan."
        )
        return
    _table(here, about, run, designs)


def _rank(here: Opened, run: Run, channels: tuple[str, ...]) -> None:
    from core.experiments.design.ranking import rank

    bar = st.progress(0.0, "Ranking the tests")
    try:
        market = assignment.market_to_test(here, run)
        designs = rank(market, channels, on_progress=lambda share: bar.progress(share))
        state.keep("experiments.designs", designs[:_MOST])
    except MMMError as error:
        show_error(error)
    finally:
        bar.empty()


def _table(
    here: Opened, about: Glance, run: Run, designs: tuple["Design", ...]
) -> None:
    from core.experiments.design.over_time import WEAK

    unit = about.units.outcome
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    chosen = st.dataframe(
        pd.DataFrame([_row(each, about) for each in designs]),
        column_config={
            "channel": text("Channel", pinned=True, width=110),
            "kind": text(
                "Test", width=80, help="Spend off, halved, or half as much again."
            ),
            "start": text("Starts", width=95, help="The best of a few starts."),
            "weeks": number("Weeks", width=60),
            "geos": text("Treated geos", width=200),
            "mde": text("Smallest lift", width=95, help="Detected 8 times in 10."),
            "power": text("Power", width=75, help="To detect what the model expects."),
            "cost": text(f"Cost, {unit}", width=150),
            "value": text(
                f"Value, {unit}", width=100, help="To the plan of the next year."
            ),
            "net": text(f"Net, {unit}", width=150),
            "odds": text("Pays for itself", width=110),
        },
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="experiments.designs",
        placeholder="",
        alt="Designs of tests, the best first",
    )
    if not designs[0].geos:
        st.caption(WEAK)
    if designs[0].net["mean"] <= 0:
        st.caption("No test is expected to pay for itself: plan without one.")
    selected = [row for row in chosen.selection.rows if row < len(designs)]
    if selected:
        assignment.show(here, about, run, designs[selected[0]])


def _row(design: "Design", about: Glance) -> dict[str, object]:
    def shown(estimate) -> str:
        if about.units.is_money:
            return fmt.estimate(estimate, "money", about.units.currency)
        return fmt.estimate(estimate, "number")

    return {
        "channel": design.channel,
        "kind": design.kind,
        "start": fmt.date(design.start),
        "weeks": design.weeks,
        "geos": ", ".join(design.geos) or "all",
        "mde": fmt.percent(design.mde),
        "power": fmt.share(design.power),
        "cost": shown(design.cost),
        "value": about.units.show(design.value),
        "net": shown(design.net),
        "odds": fmt.probability(design.net["probability_positive"]),
    }
