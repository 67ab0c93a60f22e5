"""Planning: the plan of a fit under limits, worked out once, and the goal it is for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
from pages.ui.reader.once import once


@once(lambda files: (files.run, reading.result_sha(files.run), files.channels), most=8)
def curves_of(files: CurveFiles) -> ResponseCurves:
    """The response curves of a plan's periods.

    Raises:
        PlanError: No channel has spend in them.
        WorkspaceError: They are damaged.
    """
    return response_curves(reading.result_dataset(files.run, files.channels))


def prices_of(run: Run) -> tuple[prices.Price, ...]:
    """How the price of each channel depends on its volume; none for damaged data."""
    try:
        return _prices(run)
    except MMMError:
        return ()


@once(lambda run: reading.result_sha(run.folder), most=32)
def _prices(run: Run) -> tuple[prices.Price, ...]:
    return prices.prices_of(run)


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
    record = _best(files, request, reading.verdict(run.folder))
    return ChannelPlan(request, of_fit(record, run))


def of_fit(plan: PlanRecord, run: Run) -> PlanRecord:
    """A plan with the channels of its fit that are unseen, as one that is saved has."""
    return with_details(plan, unseen=reading.fit(run.folder).unseen)


def _about(files: CurveFiles, *request: object) -> tuple[object, ...]:
    """What tells plans by the same files apart."""
    return (reading.result_sha(files.run), files, *request)


@once(
    # A plan has words.
    lambda *request: (*_about(*request), fmt.locale().name),
    most=64,
    wait=tongue.Later("Looking for the best split"),
)
def _best(files: CurveFiles, request: Scenario, verdict: str) -> PlanRecord:
    return plans.channel_plan(curves_of(files), request, verdict=verdict or None)


@once(_about, most=32, wait=tongue.Later("Lifting each limit in turn"))
def limit_costs_of(
    files: CurveFiles, request: Scenario, money: Mapping[str, float]
) -> tuple[LimitCost, ...]:
    """What each limit of a plan costs."""
    return limit_costs(curves_of(files), request, dict(money))


@once(_about, most=32, wait=tongue.Later("Trying other budgets"))
def along(files: CurveFiles, request: Scenario) -> tuple[dict[str, Any], ...]:
    """The best outcome over budgets, within a scenario's limits."""
    return frontier(curves_of(files), request)


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
