"""What a fit at work explains and what it says so far, to look at until it is done."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core import text as fmt
from core.charts import channels, data
from core.service.fits import read_preview
from core.service.records.columns import PAID
from core.service.records.fit import Run
from core.service.records.model import assumed_returns
from core.service.records.preview import Preview
from core.text.languages.language import say
from pages.fit import preview
from pages.ui import drawn, navigation, reading
from pages.ui.findings import plain
from pages.ui.reading import Opened


def show(here: Opened, run: Run) -> None:
    """The KPI beside what was spent, or beside returns once there are any."""
    report = read_preview(run.folder)
    with st.container(border=True, key="fit.meanwhile"):
        st.markdown(plain(_sentence(here)))
        left, right = st.columns(2, gap="medium")
        with left:
            _chart(here, data.kpi, "kpi")
        with right:
            if report is not None and any(row.roi for row in report.channels):
                _returns(here, run, report)
            elif here.project.mapping.of_kind(*PAID):
                _chart(here, data.spend, "spend")
            if report is not None:
                st.caption(preview.about(report))
        with st.container(horizontal=True):
            label = say("Look at the data")
            navigation.go_button(navigation.DATA, label, primary=False)
            label = say("See what is assumed")
            navigation.go_button(navigation.MODEL, label, primary=False)


def _sentence(here: Opened) -> str:
    """What is being fitted."""
    about = reading.market(here)
    return say(
        "The model learns from {periods} of {kpi_name} what each of {channels} added "
        "to trend, season and controls.",
        periods=fmt.count(about.n_times, about.period),
        kpi_name=about.units.kpi_name,
        channels=fmt.count(len(here.project.mapping.channels), "channel"),
    )


def _chart(here: Opened, figure_of: Callable[..., Any], name: str) -> None:
    """A figure of the table; see `core.charts.data`."""
    mapping, currency = here.project.mapping, here.project.currency
    make = partial(figure_of, reading.table(here), mapping, currency=currency)
    drawn.show(f"fit.{name}", make, here.data_sha, mapping, currency)


def _returns(here: Opened, run: Run, report: Preview) -> None:
    """ROI so far, with what was assumed before the data behind it."""
    make = partial(
        channels.roi_so_far,
        {row.name: row.roi for row in report.channels},
        report.units,
        is_sampled=report.method == "sampled",
        prior=_assumed(here, run),
    )
    key = str(run.folder), here.sha, here.data_sha, report
    drawn.show("fit.so_far", make, *key)


def _assumed(here: Opened, run: Run) -> dict[str, tuple[float, float]]:
    """What the fit assumes of returns; nothing where the project assumes other now."""
    if reading.out_of_date(here, run.folder):
        return {}
    return assumed_returns(here.project.spec, reading.market(here).totals)
