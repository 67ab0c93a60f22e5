"""Beside the plan: the same money over geos and channels."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.planning import geos as figures
from core.errors import PlanError
from core.service import plans
from core.service.horizons import CurveFiles
from core.service.records.fit import Run
from core.service.records.plan import (
    GeoRequest,
    GeoResponse,
    PlanRecord,
    geo_response,
)
from core.text.languages.language import say
from core.view import plan_words
from core.view.advice import BETWEEN_GEOS
from core.view.sections import plan_tables
from pages.plan import planned_tests
from pages.plan import view as plan_view
from pages.plan.geos import limits as geo_limits
from pages.ui import drawn, planning, reading
from pages.ui.findings import plain, show_error
from pages.ui.planning import ChannelPlan
from pages.ui.reader import tongue


@dataclass(frozen=True)
class Places:
    """Where the parts of the view are drawn, and what they are called.

    Attributes:
        table: Of the table and what is said of it.
        chart: Of the chart.
        limits: Of the limits.
        named: What the data call a geo.
        order: Every channel of the project.
    """

    table: DeltaGenerator
    chart: DeltaGenerator
    limits: DeltaGenerator
    named: str
    order: Sequence[str]


def show(
    run: Run,
    files: CurveFiles,
    channel_plan: ChannelPlan,
    units: fmt.Units,
    places: Places,
) -> PlanRecord | None:
    """Limits of geos, the best split over them, and what moving money adds.

    Args:
        run: The fit.
        files: Response curves of the plan's periods.
        channel_plan: The plan of channels, whose budget and limits hold here too.
        units: Words for the units.
        places: Where its parts are drawn, and what they are called.

    Returns:
        The plan; None where there is none.
    """
    response = _response(files)
    geo_limits.take(run, response.geos)
    with places.limits:
        request, stated = geo_limits.choose(run, response, channel_plan)
    geo_limits.keep(request, stated)
    ahead = response.curves.horizon
    # What has run, or is settled, carries out no test.
    if not (ahead.as_fitted or request.spend):
        span = ahead.start, ahead.periods
        reserved = planned_tests.reserved(run, *span, units.currency)
        request = replace(request, reserved=reserved)
    verdict = reading.verdict(run.folder)
    try:
        planned = _best(files, channel_plan, request, verdict)
    except PlanError as error:
        with places.table:
            show_error(error)
        return None
    plan = planning.of_fit(planned, run)
    with places.table:
        plan_view.answer(plan_tables.at_a_glance(plan, places.named))
        said(plan, units)
        plan_view.trust(plan)
        plan_view.add_up(plan, channel_plan.record)
    geos = [line.name for line in plan_tables.most_more_first(plan.geos)]
    look = {"geos": geos, "order": places.order, "currency": units.currency}
    key = _key(files, channel_plan, request, verdict)
    with places.chart:
        drawn.show("plan.geos", partial(figures.change, plan, **look), *key, run=run)
    return plan


def _response(files: CurveFiles) -> GeoResponse:
    return _responses(str(files.run), reading.result_sha(files.run), files.geos)


@st.cache_resource(max_entries=4, show_spinner=False)
@tongue.in_english
def _responses(folder: str, sha: str, name: str) -> GeoResponse:
    return geo_response(reading.result_dataset(Path(folder), name))


def _key(
    files: CurveFiles, channels: ChannelPlan, request: GeoRequest, verdict: str
) -> tuple[str]:
    money = tuple(channels.record.money.values())
    asked = (channels.scenario, channels.record.budget, money)
    parts = (files, asked, request, verdict, fmt.locale().name)  # a plan has words
    return (hashlib.sha256(repr(parts).encode()).hexdigest(),)


def _best(
    files: CurveFiles, channels: ChannelPlan, request: GeoRequest, verdict: str
) -> PlanRecord:
    """The plan, worked out once for the same request."""
    key = _key(files, channels, request, verdict)
    return _planned(
        reading.result_sha(files.run), key, files, channels, request, verdict
    )


@st.cache_resource(max_entries=16, show_spinner=tongue.Later("Planning over geos"))
@tongue.in_english
def _planned(
    sha: str,
    key: tuple[str],
    _files: CurveFiles,
    _channels: ChannelPlan,
    _request: GeoRequest,
    _verdict: str,
) -> PlanRecord:
    asked, verdict = _channels.scenario, _verdict or None
    return plans.split_over_geos(
        _response(_files), asked, _request, verdict=verdict, channels=_channels.record
    )


def said(plan: PlanRecord, units: fmt.Units) -> None:
    """What moving money between geos adds, and whether to."""
    gain = plan.gain_over_channels
    if gain is None:
        text = say("No plan that keeps each channel's split over geos fits the limits.")
    else:
        moved = plain(plan_words.gained(gain, units))
        text = f"{fmt.named(say(BETWEEN_GEOS[plan.geo_advice]), moved)}."
    st.markdown(text)
