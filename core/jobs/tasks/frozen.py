"""Frozen: the project and the model of a run, as they were when it was made."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from core.data.assemble import assemble
from core.data.files.parquet import read_table
from core.data.recognition.unused_spend import check_unused_spend
from core.errors import WorkspaceError
from core.model.build import Model, build
from core.model.spec import ModelSpec
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.results import has_result, read_json, result_files


def load_model(run: Path, precision: str | None = None) -> tuple[Project, Model]:
    """The project frozen in a run, and its model.

    Args:
        run: The run's folder.
        precision: Of the model's arrays; the run's own where not given.

    Raises:
        DataError: The data cannot be modelled.
        SpecError: The options do not fit the data.
    """
    project = load_project(run)
    frame = read_table(data_file(run, project))
    data = assemble(frame, project.mapping)
    spec = replace(project.spec, experiments=project.lift_tests())
    spec = _as_decided(run, spec)
    return project, build(data, spec, precision=precision or project.sampler.precision)


def unused_spend(run: Path, project: Project) -> list[str]:
    """What is to be said of spend that is in the data and in no channel."""
    frame = read_table(data_file(run, project))
    return [
        f"{finding.message} {finding.hint}"
        for finding in check_unused_spend(frame, project.mapping)
    ]


def _as_decided(run: Path, spec: ModelSpec) -> ModelSpec:
    """The options of a finished fit, with the prior of following demand that it had.

    Its draws belong to those columns, whatever a later version makes of the data.

    Raises:
        WorkspaceError: An earlier version fitted it, without such a prior.
    """
    if not has_result(run) or "summary.json" not in result_files(run):
        return spec
    demand = {
        row["name"]: row.get("demand") for row in read_json(run, "summary")["channels"]
    }
    if any(row and "prior" not in row for row in demand.values()):
        raise WorkspaceError(
            f"Fit {run.name} was made by an earlier version, whose draws this one "
            "cannot read.",
            hint="Fit the project again.",
            where=run.name,
        )
    channels = tuple(
        replace(channel, follows_demand=_as_option(demand[channel.name]["prior"]))
        if demand.get(channel.name)
        else channel
        for channel in spec.channels
    )
    return replace(spec, channels=channels)


def _as_option(probability: float) -> bool | float:
    return bool(probability) if probability in (0.0, 1.0) else probability


def attributes(project: Project, model: Model) -> dict[str, Any]:
    """What every view model says about its numbers."""
    return {
        "outcome_unit": model.data.outcome_unit,
        "currency": project.currency,
        "kpi_name": project.mapping.kpi,
        "has_value": has_value(model),
        "n_times": model.data.n_times,
        "start": str(model.data.times[0]),
        "end": str(model.data.times[-1]),
    }


def has_value(model: Model) -> int:
    """Whether the outcome is the KPI times its value: 1 or 0, as files store it."""
    return int(model.data.revenue_per_kpi is not None)
