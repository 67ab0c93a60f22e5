"""Beside the plan: the same money over geos and channels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.planning import geos as figures
from core.errors import PlanError
from core.service import plans
from core.service.horizons import CurveFiles
from core.service.records.fit import Run
from core.service.records.plan import GeoRequest, GeoResponse, PlanRecord, geo_response
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
from pages.ui.reader.once import once


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
    key = _about(files, channel_plan, request, verdict)
    with places.chart:
        drawn.show("plan.geos", partial(figures.change, plan, **look), *key, run=run)
    return plan


@once(lambda files: (files.run, reading.result_sha(files.run), files.geos), most=4)
def _response(files: CurveFiles) -> GeoResponse:
    return geo_response(reading.result_dataset(files.run, files.geos))


def _about(
    files: CurveFiles, channels: ChannelPlan, request: GeoRequest, verdict: str
) -> tuple[object, ...]:
    """What tells plans apart: a plan has words."""
    sha, plan = reading.result_sha(files.run), channels.record
    about = channels.scenario, plan.budget, tuple(plan.money.values())
    return sha, files, about, request, verdict, fmt.locale().name


@once(_about, most=16, wait=tongue.Later("Planning over geos"))
def _best(
    files: CurveFiles, channels: ChannelPlan, request: GeoRequest, verdict: str
) -> PlanRecord:
    return plans.split_over_geos(
        _response(files),
        channels.scenario,
        request,
        verdict=verdict or None,
        channels=channels.record,
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
