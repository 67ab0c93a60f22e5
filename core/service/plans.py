"""Plans: worked out for one ask over channels, geos or weeks, and saved."""

import getpass
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from core.errors import PlanError
from core.experiments.reservation import reservations, usual_spend
from core.plan.geo_plan import as_planned, geo_plan
from core.plan.plan import plan as channel_plan
from core.plan.record.plan_record import PlanRecord, as_record, with_details
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.scenario.geos import geo_wish, with_totals
from core.plan.scenario.reserved import Reserved, as_rows
from core.plan.scenario.table import of_table
from core.plan.scenario.weeks import flight_wish, weeks_ahead
from core.service.ask import PlanAsk
from core.service.horizons import curve_files, curves, data_times
from core.service.places import project_of
from core.service.runs import SILENT, Watch, work_off
from core.workspace.fits.derived import derived, new_derived, wish_of
from core.workspace.fits.results import has_result
from core.workspace.fits.runs import Run, open_dataset, read_json
from core.workspace.lift_tests import lift_tests
from core.workspace.plans import save_plan, with_fit
from core.workspace.tested_fits import data_of_run

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
    record = planner(fit, ask, ask.stated(), watch)
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
        WorkspaceError: The fit was deleted, or the disk is full or read-only.
    """
    saved = save_plan(project_of(fit), with_details(record, name=name, by=author()))
    return with_details(saved, run=record.run)


def author() -> str:
    """Who uses this process; empty where the system does not say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def verdict_of(fit: Run) -> str | None:
    """The verdict on the fit; None where it has none."""
    diagnostics = read_json(fit.folder, "summary").get("diagnostics") or {}
    return diagnostics.get("verdict") or None


def _channels(
    fit: Run, ask: PlanAsk, table: dict[str, Any], watch: Watch
) -> PlanRecord:
    """The plan over channels."""
    response = curves(fit, ask.periods, watch)
    split = channel_plan(response, of_table(table, response), verdict=verdict_of(fit))
    return with_fit(split.record, fit.folder)


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
    limits = geo_wish(table.pop("geos"))
    table = with_totals(table, limits, response.names)
    horizon, reserved = response.horizon, ()
    if ask.keeps_tests and not (horizon.as_fitted or limits.spend):
        reserved = reserved_by_tests(fit, horizon.start, horizon.periods)
    limits = replace(limits, scaled=bool(table.get("scaled")), reserved=reserved)
    # The best plan of geos is the plan: its own advice says what draws support.
    scenario = replace(of_table(table, response), supported=False)
    decided = scenario
    if scenario.find is not None or not all(
        channel.is_whole for channel in scenario.channels
    ):
        decided = as_planned(channel_plan(response, scenario))
    by_geo = open_dataset(files.run, files.geos)
    split = geo_plan(by_geo, decided, limits, verdict=verdict_of(fit))
    return with_fit(split.record(scenario), fit.folder)


def _weeks(fit: Run, ask: PlanAsk, table: dict[str, Any], watch: Watch) -> PlanRecord:
    """The plan over channels and weeks, found by a worker."""
    return week_plan(fit, _with_tests(fit, ask, table), watch)


def week_plan(fit: Run, table: Mapping[str, Any], watch: Watch = SILENT) -> PlanRecord:
    """The plan of weeks of a scenario; the one that was found before, if there is one.

    Args:
        fit: A finished fit.
        table: The scenario; see `core.plan.scenario.weeks`.
        watch: Told how the run goes on.

    Raises:
        PlanError: The scenario is not understood.
        MMMError: It cannot be met.
        SamplingError: The run failed or was stopped.
    """
    flight_wish(table)  # refused here, with everything that is wrong with it
    table = _storable(table)
    listed = derived(project_of(fit), "flight", fit.run_id)
    run = next(
        (
            each.folder
            for each in listed
            if has_result(each.folder) and wish_of(each.folder) == table
        ),
        None,
    )
    if run is None:
        run = new_derived(fit.folder, "flight", table)
        work_off(run, "Planning the weeks.", watch)
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
    ahead = weeks_ahead(flight_wish(table), data_times(fit))
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
