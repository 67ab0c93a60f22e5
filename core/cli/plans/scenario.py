"""What is asked of a plan: what flags ask for, and the scenario file beside them."""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from core.cli.plans.plan_horizon import horizon
from core.errors import PlanError, WorkspaceError
from core.service.ask import Bound, PlanAsk, share
from core.service.places import finished_fit, project_of
from core.workspace.fits.horizons import own_curves
from core.workspace.fits.runs import open_dataset
from core.workspace.planned_with import check_own_fit


def ask(options: argparse.Namespace) -> PlanAsk:
    """What the flags and the scenario file ask for; flags go before the file.

    Raises:
        PlanError: The file is not TOML, or its workbook contradicts itself.
        SchemaError: The workbook is damaged.
        WorkspaceError: The file cannot be read, or flags contradict it.
    """
    return PlanAsk(
        over=options.over,
        horizon=horizon(options),
        budget=options.budget,
        objective=options.objective,
        bounds=options.bounds,
        geo_bounds=options.geo_bounds,
        geo_totals=options.geo_totals,
        limits=_limits(options),
        scaled=options.scaled,
        within_seen=options.within_seen,
        supported=not options.best,
        keeps_tests=not options.without_tests,
        scenario={} if options.scenario is None else scenario_file(options),
    )


def _limits(options: argparse.Namespace) -> list[Bound]:
    """Limits of channels."""
    locked = [
        Bound(name, locked=True if amount is None else amount)
        for name, amount in options.lock
    ]
    shares = [
        Bound(name, low=share(low), high=share(high))
        for name, (low, high) in options.limit
    ]
    money = [
        Bound(name, low=low, high=high) for name, (low, high) in options.limit_money
    ]
    return [*locked, *shares, *money]


def scenario_file(options: argparse.Namespace) -> dict[str, Any]:
    """The content of the scenario file: TOML, or the edited workbook of a plan.

    Raises:
        PlanError: It is not TOML, or the workbook contradicts itself.
        SchemaError: The workbook is damaged.
        WorkspaceError: It cannot be read, or flags contradict it.
    """
    beside = {
        "--bounds": options.bounds,
        "--limit": options.limit,
        "--limit-money": options.limit_money,
        "--lock": options.lock,
        "--scaled": options.scaled,
    }
    for flag, value in beside.items():
        if value:
            raise WorkspaceError(
                f"{flag} is given beside --scenario.",
                hint="Limits are in the scenario file; change them there.",
                where=options.scenario,
            )
    from core.plan.scenario.table import scenario_table

    path = Path(options.scenario).expanduser()
    if path.suffix.lower() == ".xlsx":
        return _of_workbook(path, options)
    text = _text(path)
    if path.suffix.lower() == ".json":
        return _of_json(path, text, options)
    return scenario_table(text)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(
            f"The scenario {path} cannot be read.",
            hint="Give the path of a TOML file, or of a plan's JSON or edited XLSX; "
            "docs/planning.md has an example.",
            where=str(path),
        ) from error


def _of_json(path: Path, text: str, options: argparse.Namespace) -> dict[str, Any]:
    """The scenario of a plan that --out wrote."""
    try:
        plan = json.loads(text)
        table = plan["scenario"]
    except (ValueError, RecursionError, LookupError, TypeError):
        table = None
    if not isinstance(table, dict):
        raise PlanError(
            f"{path.name} is not a plan.",
            hint="Name a file that plan --out wrote, or a scenario in TOML.",
            where=str(path),
        )
    run = finished_fit(options.run)
    check_own_fit(project_of(run), str(plan.get("run_id") or ""), path.name)
    named = {key: plan[key] for key in ("name", "notes") if plan.get(key)}
    return named | table


def _of_workbook(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The scenario of an edited workbook."""
    from core.data.files.isolated import read_apart
    from core.plan.response.curves import response_curves
    from core.plan.scenario.workbook.edited import edited_plan
    from core.plan.scenario.workbook.geos import edited_geos
    from core.plan.scenario.workbook.sheet import fit_of, geo_sheet, week_sheet
    from core.plan.scenario.workbook.weeks import edited_weeks

    run = finished_fit(options.run)
    curves = response_curves(open_dataset(run.folder, "curves"))
    cells = read_apart("workbook_cells", path, path.name)
    check_own_fit(project_of(run), fit_of(cells), path.name)
    if any(map(week_sheet, cells)):
        return edited_weeks(cells, path.name, curves.names, curves.currency)
    if any(map(geo_sheet, cells)):
        by_geo = own_curves(run.folder).geos
        geos = open_dataset(run.folder, by_geo)["geo"].values.tolist() if by_geo else ()
        names = curves.names, [str(geo) for geo in geos]
        return edited_geos(cells, path.name, names, curves.currency).scenario
    return edited_plan(cells, path.name, curves.names, curves.currency).scenario


def out_path(name: str | None, kinds: tuple[str, ...]) -> Path | None:
    """Where a plan is to be written.

    Args:
        name: As given; None for nowhere.
        kinds: Endings that it can have.

    Raises:
        WorkspaceError: It has another ending, or its folder is not there.
    """
    if name is None:
        return None
    path = Path(name).expanduser()
    if path.suffix.lower() not in kinds:
        *some, last = kinds
        raise WorkspaceError(
            f"{path.name} is not a plan format.",
            hint=f"End the name in {', '.join(some)} or {last}.",
            where=str(path),
        )
    if not os.path.isdir(path.absolute().parent):
        raise WorkspaceError(
            f"There is no folder {path.absolute().parent}.", where=str(path)
        )
    return path
