"""Plans: worked out for one ask over channels, geos or weeks, and saved."""

import getpass
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from core.data.files.isolated import load_table
from core.errors import PlanError
from core.experiments.reservation import reservations, usual_spend
from core.jobs import executor
from core.plan.geo_plan import as_planned, geo_plan
from core.plan.limits.stated import stated
from core.plan.plan import plan as channel_plan
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import PlanRecord, as_record, with_details
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.geos import GeoResponse, geo_response
from core.plan.scenario.amounts import plain_numbers, refuse_other_currencies
from core.plan.scenario.geos import GeoRequest, geo_request, with_totals
from core.plan.scenario.reserved import Reserved, as_rows
from core.plan.scenario.scenario import Scenario
from core.plan.scenario.table import of_table
from core.plan.scenario.weeks import week_request, weeks_ahead
from core.project.fits.derived import derived, new_derived, request_of
from core.project.fits.runs import Run
from core.project.lift_tests.lift_tests import lift_tests
from core.project.lift_tests.tested_fits import data_of_run
from core.project.plans import plan_life
from core.project.plans.plan_actuals import laid_out_for, variance
from core.project.plans.plans import list_plans, load_plan, save_plan, with_fit
from core.project.promises.keeping import attempt, keep_plan, keep_teaching
from core.project.refresh.standing import Standing, standing
from core.project.settings.project import load_project
from core.service.ask import PlanAsk
from core.service.fits import verdict_of
from core.service.horizons import curve_files, curves, data_times
from core.service.places import finished_fit, project_of, typed_file
from core.service.runs import SILENT, Watch, await_end
from core.service.suggestions import prices
from core.store.results import has_result, open_dataset, read_json

_NOTHING = PlanAsk()


def plan(fit: Run, ask: PlanAsk = _NOTHING, watch: Watch = SILENT) -> PlanRecord:
    """The best plan for what is asked, or what the spend that it gives would bring.

    Args:
        fit: A finished fit.
        ask: Over what, for which periods, at what budget, within which limits.
        watch: Told how runs go on that have to work something out first.

    Raises:
        PlanError: The ask is not understood, or cannot be met; the hint has the
            smallest change that resolves it.
        SamplingError: A run that was needed failed or was stopped.
        WorkspaceError: The fit is damaged, or the workspace cannot be written.
    """
    planner = {"channels": _channels, "geos": _geos, "weeks": _weeks}[ask.kind()]
    table = ask.stated()
    refuse_other_currencies(table, load_project(fit.folder).currency or "")
    table = plain_numbers(table)
    prices.check(fit, table)
    record = planner(fit, ask, table, watch)
    about = ask.scenario
    named = {key: str(about[key]) for key in ("name", "notes") if key in about}
    return with_details(record, **named)


def today(fit: Run, ask: PlanAsk, watch: Watch = SILENT) -> ResponseCurves:
    """The curves of the periods asked for: what is spent in them today, and until when.

    Raises:
        PlanError: The periods are not understood, or cannot be planned.
    """
    return curves(fit, ask.periods, watch)


def save(fit: Run, record: PlanRecord, name: str) -> PlanRecord:
    """Save a plan in the project of its fit.

    Args:
        fit: The fit that it was made with.
        record: The plan.
        name: Its name.

    Returns:
        The plan with its identifier.

    Raises:
        AccessError: The one who acts may not.
        PlanError: The name is empty.
        WorkspaceError: The fit was deleted, or the disk is full or read-only.
    """
    named = with_details(record, name=name, by=author())
    saved = save_named(project_of(fit), named)
    return with_details(saved, run=record.run)


def save_named(project: Path, record: PlanRecord) -> PlanRecord:
    """Save a plan that has its name, its author and its fit, and what it promises.

    Args:
        project: Folder of its project.
        record: The plan.

    Returns:
        The plan with its identifier.

    Raises:
        AccessError: The one who acts may not.
        PlanError: Its name is empty.
        WorkspaceError: The fit was deleted, or the disk is full or read-only.
    """
    if not record.name.strip():
        raise PlanError("The plan needs a name.", hint="Type one.", where="name")
    saved = save_plan(project, record)
    attempt(keep_plan, project, saved)
    attempt(keep_teaching, project, saved)
    return saved


def actuals(
    project: Path, record: PlanRecord, files: Sequence[str | Path]
) -> PlanBesideActuals:
    """A saved plan beside what happened.

    Args:
        project: Folder of its project.
        record: The plan.
        files: What was spent and came in, in one table or several.

    Raises:
        DataError: They are not what is needed.
        PlanError: The plan begins after they end.
        WorkspaceError: There is no such file, or the fit has no forecast.
    """
    fit = finished_fit(str(project / "runs" / record.run_id))
    paths = [typed_file(file) for file in files]
    tables = {path.name: load_table(path, path.name) for path in paths}
    return variance(fit.folder, record, laid_out_for(fit.folder, tables))


def author() -> str:
    """Who uses this process; empty where the system does not say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def scenario_of(ask: PlanAsk, response: ResponseCurves) -> Scenario:
    """What is asked for as limits of channels, checked.

    Args:
        ask: Over channels.
        response: Curves of its periods.

    Raises:
        PlanError: It is not understood, or cannot be met.
    """
    return of_table(ask.stated(), response)


def split_over_geos(
    response: GeoResponse,
    scenario: Scenario,
    limits: GeoRequest,
    *,
    verdict: str | None,
    channels: PlanRecord | None = None,
) -> PlanRecord:
    """The best split over channels and geos.

    Args:
        response: By geo, of the plan's periods.
        scenario: Budget and limits of channels.
        limits: Of geos.
        verdict: Of the fit; None where it has none.
        channels: Says what geos cannot (pauses, steps); None where there are none.

    Raises:
        PlanError: It cannot be met, or is not settled.
    """
    decided = scenario if channels is None else as_planned(scenario, channels)
    split = geo_plan(response, decided, limits, verdict=verdict, original=scenario)
    return split.record(scenario)


def _channels(
    fit: Run, ask: PlanAsk, table: dict[str, Any], watch: Watch
) -> PlanRecord:
    """The plan over channels."""
    response = curves(fit, ask.periods, watch)
    scenario = of_table(table, response)
    record = channel_plan(response, scenario, verdict=verdict_of(fit))
    return with_fit(record, fit.folder)


def _geos(fit: Run, ask: PlanAsk, table: dict[str, Any], watch: Watch) -> PlanRecord:
    """The plan over channels and geos."""
    files = curve_files(fit, ask.periods, watch)
    if files.geos is None:
        raise PlanError(
            "The fit is of one market: it has no geos to plan for.",
            hint="Plan without geos, or fit data of several geos.",
            where="geos",
        )
    response = response_curves(open_dataset(files.run, files.channels))
    limits = geo_request(table.pop("geos"))
    table = with_totals(table, limits, response.names)
    horizon, reserved = response.horizon, ()
    if ask.keeps_tests and not (horizon.as_fitted or limits.spend):
        reserved = reserved_by_tests(fit, horizon.start, horizon.periods)
    limits = replace(limits, scaled=bool(stated(table).scaled), reserved=reserved)
    scenario = of_table(table, response)
    is_settled = all(each.is_whole for each in scenario.channels)
    channels = replace(scenario, supported=False)
    by_channel = None if is_settled else channel_plan(response, channels)
    by_geo = geo_response(open_dataset(files.run, files.geos))
    verdict = verdict_of(fit)
    record = split_over_geos(
        by_geo, scenario, limits, verdict=verdict, channels=by_channel
    )
    return with_fit(record, fit.folder)


def _weeks(fit: Run, ask: PlanAsk, table: dict[str, Any], watch: Watch) -> PlanRecord:
    """The plan over channels and weeks, found by a worker."""
    return week_plan(fit, _with_tests(fit, ask, table), watch)


def changed(project: Path) -> list[tuple[PlanRecord, Standing]]:
    """Saved plans whose advice the newest fit changed, newest first.

    Args:
        project: Its folder.
    """
    stood = [(plan, standing(project, plan)) for plan in list_plans(project)]
    return [(plan, each) for plan, each in stood if each.is_changed]


class Life(NamedTuple):
    """How far a plan is on its way.

    Attributes:
        stages: Every stage, from draft to plan of record.
        now: The one that it is at.
        saved: The saved plan that it is; None for a draft.
    """

    stages: tuple[str, ...]
    now: str
    saved: PlanRecord | None

    @property
    def is_decided(self) -> bool:
        """Whether it is the plan of record."""
        return self.now == self.stages[-1]


def life_of(
    project: Path, fit: Path, plan: PlanRecord, saved: Sequence[PlanRecord]
) -> Life:
    """How far a plan that is worked on is on its way.

    Args:
        project: Its folder.
        fit: Folder of the fit that it was made with.
        plan: The plan, not saved.
        saved: Plans of the project.

    Raises:
        WorkspaceError: The fit or an approval is damaged.
    """
    same = plan_life.saved_as(with_fit(plan, fit), saved)
    now = plan_life.stage(project, same)
    return Life(plan_life.stages(project), now, same)


def start_weeks(fit: Run, table: Mapping[str, Any]) -> Path:
    """Start a plan of weeks; returns at once.

    Args:
        fit: A finished fit.
        table: The scenario; see `core.plan.scenario.weeks`.

    Raises:
        PlanError: The scenario is not understood, or is not for weeks.
        WorkspaceError: The workspace cannot be written.
    """
    week_request(table)  # refused here, with everything that is wrong with it
    run = new_derived(fit.folder, "flight", _storable(table))
    executor.submit(run)
    return run


def week_plan(fit: Run, table: Mapping[str, Any], watch: Watch = SILENT) -> PlanRecord:
    """The plan of weeks of a scenario; one found before or at work is not begun again.

    Args:
        fit: A finished fit.
        table: The scenario; see `core.plan.scenario.weeks`.
        watch: Told how the run goes on.

    Raises:
        PlanError: The scenario is not understood.
        MMMError: It cannot be met.
        SamplingError: The run failed or was stopped.
    """
    table = _storable(table)
    listed = derived(project_of(fit), "flight", fit.run_id)
    same = [each for each in listed if request_of(each.folder) == table]
    run = next((each.folder for each in same if has_result(each.folder)), None)
    if run is None:
        at_work = (each.folder for each in same if each.status.is_live)
        run = next(at_work, None) or start_weeks(fit, table)
        await_end(run, "Planning the weeks.", watch)
    return as_record(read_json(run, "flight"))


def _storable(value: Any) -> Any:
    """A scenario as JSON keeps it: dates and infinity as texts."""
    if isinstance(value, Mapping):
        return {str(key): _storable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(entry) for entry in value]
    if isinstance(value, date):
        return value.isoformat()
    return "inf" if value == math.inf else value


def _with_tests(fit: Run, ask: PlanAsk, table: dict[str, Any]) -> dict[str, Any]:
    """The scenario with what planned tests fix; exact amounts have no limits.

    Raises:
        PlanError: The scenario is not understood.
        MMMError: Two tests want different spend in the same geos and weeks.
    """
    weeks = table.get("weeks") or {}
    if isinstance(weeks, Mapping):
        weeks = {key: value for key, value in weeks.items() if key != "reserved"}
    others = {key: value for key, value in table.items() if key != "weeks"}
    table = others | ({"weeks": weeks} if weeks else {})
    if "spend" in table or not ask.keeps_tests:
        return table
    ahead = weeks_ahead(week_request(table), data_times(fit))
    reserved = reserved_by_tests(fit, ahead.start, ahead.n)
    if not reserved:
        return table
    return table | {"weeks": weeks | {"reserved": as_rows(reserved, "weeks")}}


def reserved_by_tests(fit: Run, start: str, n: int) -> tuple[Reserved, ...]:
    """What the planned tests of a fit's project fix of a plan's spend.

    Args:
        fit: The fit.
        start: First day of the plan, ISO.
        n: Periods of the plan.

    Raises:
        MMMError: Two tests want different spend in the same geos and weeks.
    """
    tests = lift_tests(project_of(fit))
    if not tests:
        return ()
    return reservations(usual_spend(data_of_run(fit), start, n), tests)
