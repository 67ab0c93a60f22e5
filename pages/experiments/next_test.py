"""What to test next: designs ranked by what they bring to the next plan."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service.records.fit import Run
from core.service.records.model import Market as Glance
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.lift_tests import KINDS
from core.view.suggestions.next_test import next_test
from pages.experiments import assignment
from pages.ui import layout, navigation, state, tables
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

if TYPE_CHECKING:
    from core.service.experiments.designs import Design

_MOST = 40

#: What is ranked, where there are geos and where there are none.
_IN_GEOS = marked(
    "Spend switched off, halved or raised in some geos for 2 to 12 weeks: how precise "
    "each test would be, what it costs, and what its result is expected to bring to "
    "the next plan."
)
_EVERYWHERE = marked(
    "Spend switched off, halved or raised everywhere for 2 to 12 weeks: how precise "
    "each test would be, what it costs, and what its result is expected to bring to "
    "the next plan."
)


def show(here: Opened, about: Glance, run: Run | None) -> None:
    """Choose channels, rank the designs, and plan one.

    Args:
        here: The open project.
        about: Its market.
        run: A finished fit; without one, only the precision of tests is shown.
    """
    if run is None:
        _precision(here, about)
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    channels = row.multiselect(
        say("Channels"),
        [channel.name for channel in here.project.mapping.channels if channel.spend],
        key="experiments.next.channels",
        placeholder=say("All"),
        width=420,
    )
    if row.button(say("Rank the tests"), key="experiments.rank", type="primary"):
        _rank(here, run, tuple(channels))
    designs = state.draft("experiments.designs") or ()
    if not designs:
        layout.remark(_IN_GEOS if about.geos else _EVERYWHERE)
        return
    _designs_table(here, about, run, designs)


def _precision(here: Opened, about: Glance) -> None:
    """How small a lift tests would find, before there is a fit."""
    from core.service.experiments import lift_tests

    if st.button(
        say("Work out the tests"), key="experiments.precision", type="primary"
    ):
        try:
            with st.spinner(say("Working out the tests")):
                found = lift_tests.precision(here.folder)
            state.keep("experiments.precise", found.designs)
        except MMMError as error:
            show_error(error)
    st.caption(lift_tests.WITHOUT_FIT)
    designs = state.draft("experiments.precise") or ()
    if not designs:
        return
    lifts = tuple(designs[0].power)
    rows = [
        {
            "weeks": each.weeks,
            "geos": ", ".join(each.geos),
            "mde": fmt.percent(each.mde),
            "outcome": about.units.show(each.mde_outcome),
            **{f"at{lift}": fmt.share(each.power[lift]) for lift in lifts},
        }
        for each in designs
    ]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    tables.grid(
        rows,
        say("Tests by how small a lift they find"),
        {
            "weeks": number(say("Weeks"), width=60),
            "geos": text(say("Treated geos"), width=280),
            "mde": text(
                say("Smallest lift"), width=100, help=say("Detected 8 times in 10.")
            ),
            "outcome": text(
                say("In {outcome}", outcome=about.units.outcome), width=110
            ),
            **{
                f"at{lift}": text(
                    say("Power at {lift} %", lift=f"{100 * lift:g}"), width=110
                )
                for lift in lifts
            },
        },
        placeholder="",
    )


def _rank(here: Opened, run: Run, channels: tuple[str, ...]) -> None:
    bar = st.progress(0.0, say("Ranking the tests"))
    try:
        fit = assignment.tested(here, run)
        designs = fit.rank(channels, on_progress=lambda share: bar.progress(share))
        state.keep("experiments.designs", designs[:_MOST])
    except MMMError as error:
        show_error(error)
    finally:
        bar.empty()


def _designs_table(
    here: Opened, about: Glance, run: Run, designs: tuple["Design", ...]
) -> None:
    from core.service.experiments.lift_tests import WEAK

    advice, reason = next_test(designs, about.units)
    st.markdown(f"**{advice}** {plain(reason)}")
    place = tables.chosen(
        [_design_row(each, about) for each in designs],
        say("Designs of tests, the best first"),
        _columns(about.units.outcome),
        key="experiments.designs",
        placeholder="",
    )
    navigation.columns_explained(navigation.EXPERIMENTS)
    if not designs[0].geos:
        st.caption(reworded(WEAK))
    if place is not None:
        assignment.show(here, about, run, designs[place])


def _columns(unit: str) -> dict[str, Any]:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "channel": text(say("Channel"), pinned=True, width=90),
        "kind": text(
            say("Test"),
            width=90,
            help=say("Spend off, half of it, or half as much again."),
        ),
        "weeks": number(say("Weeks"), width=55),
        "start": text(say("Starts"), width=90, help=say("The best of a few starts.")),
        "geos": text(
            say("Geos"),
            width=55,
            help=say("How many are treated; choose a row for names."),
        ),
        "mde": text(
            say("Lift"), width=60, help=say("Smallest lift: found 8 times in 10.")
        ),
        "power": text(
            say("Power"), width=60, help=say("To detect what the model expects.")
        ),
        "cost": text(say("Cost, {unit}", unit=unit), width=130),
        "value": text(
            say("Value, {unit}", unit=unit),
            width=80,
            help=say("To the plan of the next year."),
        ),
        "net": text(say("Net, {unit}", unit=unit), width=130),
        "odds": text(
            say("Pays"), width=65, help=say("Probability that it pays for itself.")
        ),
    }


def _design_row(design: "Design", about: Glance) -> dict[str, object]:
    def shown(estimate) -> str:
        if about.units.is_money:
            return fmt.estimate(estimate, "money", about.units.currency)
        return fmt.estimate(estimate, "number")

    return {
        "channel": design.channel,
        "kind": say(KINDS[design.kind]),
        "weeks": design.weeks,
        "start": fmt.date(design.start),
        "geos": str(len(design.geos) or say("all")),
        "mde": fmt.percent(design.mde),
        "power": fmt.share(design.power),
        "cost": shown(design.cost),
        "value": about.units.show(design.value),
        "net": shown(design.net),
        "odds": fmt.probability(design.net.probability_positive),
    }
