"""Planning: the plan of a fit under limits, worked out once, and the goal it is for."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service import plans, runs
from core.service.horizons import CurveFiles, plan_curves
from core.service.planning.by_hand import LimitCost, frontier, limit_costs
from core.service.records.fit import Run
from core.service.records.plan import (
    Horizon,
    PlanRecord,
    ResponseCurves,
    Scenario,
    response_curves,
    with_details,
)
from core.service.runs import has_result
from core.service.suggestions import prices
from core.text.languages.language import marked, say
from pages.ui import navigation, reading
from pages.ui.fields.amount import amount_field
from pages.ui.reader import tongue


def curves_of(files: CurveFiles) -> ResponseCurves:
    """The response curves of a plan's periods.

    Raises:
        PlanError: No channel has spend in them.
        WorkspaceError: They are damaged.
    """
    sha = reading.result_sha(files.run)
    return _curves(str(files.run), sha, files.channels)


@st.cache_resource(max_entries=8, show_spinner=False)
@tongue.in_english
def _curves(folder: str, sha: str, name: str) -> ResponseCurves:
    return response_curves(reading.result_dataset(Path(folder), name))


def prices_of(run: Run) -> tuple[prices.Price, ...]:
    """How the price of each channel depends on its volume; none for damaged data."""
    try:
        return _prices(reading.result_sha(run.folder), run)
    except MMMError:
        return ()


@st.cache_data(max_entries=32, show_spinner=False)
@tongue.in_english
def _prices(sha: str, _run: Run) -> tuple[prices.Price, ...]:
    return prices.prices_of(_run)


def check_prices(run: Run, request: Scenario) -> None:
    """Refuse a price that rises with volume where the fit was on money.

    Raises:
        PlanError: It was.
    """
    if request.gammas:
        prices.refuse_money(prices_of(run), request.gammas)


def curves_of_plan(fit: Run, plan: PlanRecord) -> ResponseCurves | None:
    """The curves of a saved plan's periods by a fit; None where it has none.

    Raises:
        WorkspaceError: They are damaged.
    """
    files = plan_curves(fit.folder, plan.horizon)
    return None if files is None else curves_of(files)


class ChannelPlan(NamedTuple):
    """A plan over channels beside what was asked for."""

    scenario: Scenario
    record: PlanRecord


def best(run: Run, files: CurveFiles, request: Scenario) -> ChannelPlan:
    """The best plan for a request.

    Args:
        run: The fit.
        files: Response curves of the plan's periods.
        request: What is asked for.

    Raises:
        PlanError: The request cannot be met.
    """
    verdict, how = reading.verdict(run.folder), fmt.locale().name  # a plan has words
    key = hashlib.sha256(repr((files, request, verdict, how)).encode()).hexdigest()
    record = _best(reading.result_sha(files.run), key, files, request, verdict)
    return ChannelPlan(request, of_fit(record, run))


def of_fit(plan: PlanRecord, run: Run) -> PlanRecord:
    """A plan with the channels of its fit that are unseen, as one that is saved has."""
    return with_details(plan, unseen=reading.fit(run.folder).unseen)


@st.cache_resource(
    max_entries=64, show_spinner=tongue.Later("Looking for the best split")
)
@tongue.in_english
def _best(
    sha: str, key: str, _files: CurveFiles, _request: Scenario, _verdict: str
) -> PlanRecord:
    return plans.channel_plan(curves_of(_files), _request, verdict=_verdict or None)


def limit_costs_of(
    files: CurveFiles, request: Scenario, money: Mapping[str, float]
) -> tuple[LimitCost, ...]:
    """What each limit of a plan costs."""
    key = hashlib.sha256(repr((files, request, money)).encode()).hexdigest()
    return _costs(reading.result_sha(files.run), key, files, request, money)


@st.cache_resource(
    max_entries=32, show_spinner=tongue.Later("Lifting each limit in turn")
)
@tongue.in_english
def _costs(
    sha: str,
    key: str,
    _files: CurveFiles,
    _request: Scenario,
    _money: Mapping[str, float],
) -> tuple[LimitCost, ...]:
    return limit_costs(curves_of(_files), _request, dict(_money))


def along(files: CurveFiles, request: Scenario) -> tuple[dict[str, Any], ...]:
    """The best outcome over budgets, within a scenario's limits."""
    key = hashlib.sha256(repr((files, request)).encode()).hexdigest()
    return _along(reading.result_sha(files.run), key, files, request)


@st.cache_resource(max_entries=32, show_spinner=tongue.Later("Trying other budgets"))
@tongue.in_english
def _along(
    sha: str, key: str, _files: CurveFiles, _request: Scenario
) -> tuple[dict[str, Any], ...]:
    return frontier(curves_of(_files), _request)


def goal(before: float, units: fmt.Units, horizon: Horizon, *, key: str) -> float:
    """The outcome to reach; that of the same periods a year earlier until typed.

    Args:
        before: That outcome.
        units: Words for the units.
        horizon: These periods.
        key: Of the field.
    """
    usual = (
        marked(
            "Over all these periods, baseline included. Empty: as much as a year "
            "earlier."
        )
        if horizon.has_last_year
        else marked(
            "Over all these periods, baseline included. Empty: as much as the data's "
            "periods brought."
        )
    )
    value = amount_field(
        fmt.titled(say("Goal"), units.outcome),
        key,
        None,
        placeholder=fmt.exact(before, decimals=0),
        help=navigation.tip(usual),
        currency=units.currency,
    )
    return before if value is None else float(value)


def with_fits(
    project: Path, saved: Sequence[PlanRecord]
) -> list[tuple[PlanRecord, Run]]:
    """Plans with the fits that they were made with, where these are still there.

    Args:
        project: Its folder.
        saved: Its plans.
    """
    fits = {
        run.run_id: run
        for run in runs.list_runs(project, "fit")
        if has_result(run.folder)
    }
    return [(plan, fits[plan.run_id]) for plan in saved if plan.run_id in fits]
