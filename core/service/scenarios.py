"""Scenario files: what a plan is asked for, as TOML, a plan's JSON or its workbook."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.data.files.isolated import read_apart
from core.errors import PlanError, WorkspaceError
from core.plan.record.plan_record import Over
from core.plan.response.curves import response_curves
from core.plan.scenario.table import scenario_table
from core.plan.scenario.workbook.edited import edited_plan
from core.plan.scenario.workbook.geos import edited_geos
from core.plan.scenario.workbook.sheet import fit_of, geo_sheet, week_sheet
from core.plan.scenario.workbook.weeks import edited_weeks
from core.project.fits.horizons import own_curves
from core.project.fits.runs import Run
from core.project.plans.plans import list_plans
from core.service.places import project_of
from core.store.places import is_id
from core.store.results import open_dataset
from core.team.audit import entries


class EditedBook(NamedTuple):
    """What the edited workbook of a plan asks for.

    Attributes:
        over: What the plan is over.
        table: As in a scenario file.
        is_evaluated: Whether its amounts are evaluated; else they are to be planned.
    """

    over: Over
    table: dict[str, Any]
    is_evaluated: bool


#: What else a plan is written as, for people and other programs.
_NO_SCENARIO = (".csv", ".tsv", ".txt", ".html", ".pdf", ".pptx", ".png", ".parquet")


def of_file(fit: Run, path: Path) -> dict[str, Any]:
    """The scenario of a file.

    Args:
        fit: The fit to plan with.
        path: TOML; or a plan as JSON or as an edited workbook.

    Raises:
        PlanError: It is none, was planned with another project's fit, or contradicts
            itself.
        SchemaError: The workbook is damaged.
        WorkspaceError: It cannot be read.
    """
    kind = path.suffix.lower()
    if kind == ".xlsx":
        return of_workbook(fit, cells_of(path, path.name), path.name).table
    if kind in _NO_SCENARIO:
        raise PlanError(
            f"{path.name} is no file that a plan can be read from.",
            hint="Use the plan's workbook (.xlsx), its scenario (.toml) or its record "
            "(.json): --out writes them.",
            where=path.name,
        )
    text = _scenario_text(path)
    return _of_json(fit, path, text) if kind == ".json" else scenario_table(text)


def cells_of(source: Path | bytes, filename: str) -> list[dict[str, Any]]:
    """The cells of a workbook by sheet, read in a process of its own.

    Args:
        source: Its path or its content.
        filename: Its name, for messages.

    Raises:
        SchemaError: It is no workbook, or damaged.
    """
    return read_apart("core.data.files.load.workbook_cells", source, filename)


def of_workbook(
    fit: Run, sheets: Sequence[Mapping[str, Any]], filename: str
) -> EditedBook:
    """The scenario of a plan's edited workbook, whatever it is over.

    Args:
        fit: The fit to plan with.
        sheets: Its cells, as the reader gives them.
        filename: Its name, for messages.

    Raises:
        PlanError: It is no plan, was planned with another project's fit, or its cells
            contradict each other; `findings` has every one, with file and cell.
    """
    check_own_fit(project_of(fit), fit_of(sheets), filename)
    curves = response_curves(open_dataset(fit.folder, "curves"))
    names, currency = curves.names, curves.currency
    if any(map(week_sheet, sheets)):
        table = edited_weeks(sheets, filename, names, currency)
        return EditedBook("weeks", table, is_evaluated=True)
    if any(map(geo_sheet, sheets)):
        edited = edited_geos(sheets, filename, (names, _geos(fit)), currency)
        return EditedBook("geos", edited.scenario, edited.is_evaluated)
    edited = edited_plan(sheets, filename, names, currency)
    return EditedBook("channels", edited.scenario, edited.is_evaluated)


def _geos(fit: Run) -> list[str]:
    """Names of a fit's geos; none for one market."""
    name = own_curves(fit.folder).geos
    if name is None:
        return []
    return [str(geo) for geo in open_dataset(fit.folder, name)["geo"].values]


def _scenario_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise WorkspaceError(
            f"There is no file {path}.", hint="Check the path.", where=str(path)
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(
            f"The scenario {path} cannot be read.",
            hint="Give the path of a TOML file, or of a plan's JSON or edited XLSX; "
            "docs/planning.md has an example.",
            where=str(path),
        ) from error


def _of_json(fit: Run, path: Path, text: str) -> dict[str, Any]:
    """The scenario of a plan that was written as JSON."""
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
    check_own_fit(project_of(fit), str(plan.get("run_id") or ""), path.name)
    named = {key: plan[key] for key in ("name", "notes") if plan.get(key)}
    return named | table


def check_own_fit(project_folder: Path, run_id: str, filename: str) -> None:
    """Refuse the plan of another project, whose channels may have the same names.

    A fit of the project may be deleted by now: its plans and the log still know it.

    Args:
        project_folder: The project that is planned.
        run_id: The fit that the file was planned with; empty where it does not say.
        filename: Of the file, for messages.

    Raises:
        PlanError: The fit was never one of the project.
    """
    if not is_id(run_id) or (project_folder / "runs" / run_id).is_dir():
        return
    if any(plan.run_id == run_id for plan in list_plans(project_folder)):
        return
    if any(entry.subject == run_id for entry in entries(project_folder)):
        return
    raise PlanError(
        f"{filename} was planned with a fit of another project ({run_id}).",
        hint=f"Write a plan of {project_folder.name} to a file and edit that, or "
        "type the limits.",
        where=filename,
    )
