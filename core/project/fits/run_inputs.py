"""Create a run: a directory with frozen inputs, their hashes, versions and seed."""

import contextlib
import functools
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from core import __version__
from core.fit.settings import SamplerSettings
from core.project.settings.definition import Project, spec_sha256
from core.project.settings.project import FILE, data_file, load_project, render_project
from core.store.atomic import (
    copy_file,
    explain,
    make_subfolder,
    sha256_of,
    sync_folder,
    write_json,
    write_text,
)
from core.store.places import confined, is_id, new_id
from core.store.run_about import read_about
from core.store.run_state import write_state
from core.store.scratch import scratch
from core.team.gate import gated
from core.team.quota import check_disk
from core.team.roles import Role
from core.team.settings import acting

RunKind = Literal["fit", "prior", "backtest", "flight", "horizon"]

_DATA = "data.parquet"
_PACKAGES = ("jax", "jaxlib", "numpy", "tfp-nightly", "blackjax")
_PACKAGES += ("pandas", "xarray", "pyarrow")


@gated("run created", Role.PLANNER, is_logged=False)
def new_run(
    project_folder: Path,
    kind: RunKind = "fit",
    project: Project | None = None,
    *,
    sampler: SamplerSettings | Mapping[str, Any] | None = None,
    inputs: Path | None = None,
    options: Mapping[str, Any] | None = None,
    fill: Callable[[Path], object] | None = None,
) -> Path:
    """Create a run directory with frozen inputs, ready to be submitted.

    Args:
        project_folder: The project.
        kind: What to do.
        project: The project as it is to be fitted; None for what is on disk.
        sampler: Settings of this run, or those that differ from the project's.
        inputs: Folder of the data file, and of the fits of mediators where it is a
            run; None for the project's own.
        options: What else the run is told, as `options` in run.json.
        fill: Puts into the folder what else belongs to the run, before anyone sees it.

    Returns:
        The run directory.

    Raises:
        SpecError: The settings, the results of an experiment or a funnel are
            impossible.
        WorkspaceError: The project is damaged, has no data, or cannot be written.
    """
    # It reads tables, and most who read runs make none.
    from core.project.fits import mediators  # noqa: PLC0415

    check_disk("run created", project_folder)
    project = project or load_project(project_folder)
    if isinstance(sampler, SamplerSettings):
        project = replace(project, sampler=sampler)
    elif sampler:
        project = replace(project, sampler=replace(project.sampler, **sampler))
    project.lift_tests()
    source = data_file(inputs or project_folder, project)
    fits = []
    if kind == "fit" or (kind == "backtest" and _needs_mediators(project, options)):
        fits = mediators.frozen_mediators(inputs) if inputs else []
        fits = fits or mediators.mediator_fits(project_folder, project, source)
    run_id = new_id()
    confined(project_folder / "runs", project_folder)
    runs = make_subfolder(project_folder, "runs")
    try:
        with scratch(runs, "run") as stage:
            temporary = stage / run_id
            temporary.mkdir()
            about = {"run_id": run_id, "kind": kind, "number": _next_number(runs)}
            about |= {"by": acting(project_folder).name}
            about |= {"options": dict(options)} if options else {}
            _freeze(temporary, about, project, source)
            with_results = kind == "fit"
            mediators.freeze_mediators(temporary, fits, with_results=with_results)
            if fill is not None:
                fill(temporary)
            temporary.rename(runs / run_id)
        sync_folder(runs)
    except OSError as error:
        raise explain(error, runs / run_id) from error
    return runs / run_id


def _needs_mediators(project: Project, options: Mapping[str, Any] | None) -> bool:
    """Whether a part of a backtest fits mediators again.

    A refit's returns are totals, and lift tests measure them; a forecast without tests
    takes mediators as they were.
    """
    is_refit = "drop" in (options or {})
    return bool(project.funnels) and (is_refit or bool(project.experiments))


def _next_number(runs: Path) -> int:
    """One more than the highest number of a run: the order that no clock decides."""
    numbers = [0]
    for name in os.listdir(runs):
        if is_id(name):
            numbers.append(read_about(runs / name).number)
    return max(numbers) + 1


def _freeze(
    folder: Path, about: Mapping[str, Any], project: Project, source: Path
) -> None:
    data_sha256 = _freeze_data(source, folder / _DATA)
    write_text(folder / FILE, render_project(replace(project, file=_DATA)))
    described = dict(about) | {
        "project": project.name,
        "created": datetime.now(UTC).isoformat(timespec="microseconds"),
        "seed": project.sampler.seed,
        "sampler": asdict(project.sampler),
        "data_sha256": data_sha256,
        "spec_sha256": spec_sha256(project),
        "versions": versions(),
    }
    write_json(folder / "run.json", described)
    write_state(folder, "queued")


def _freeze_data(source: Path, target: Path) -> str:
    """Freeze the data as Parquet; the hash is that of the project's own file."""
    if source.suffix.lower() == ".parquet":
        return copy_file(source, target)
    from core.data.files.isolated import load_table
    from core.data.files.parquet import save_table

    digest = sha256_of(source)
    save_table(load_table(source, source.name), target)
    return digest


@functools.cache
def versions() -> dict[str, str]:
    """Versions of this program and of what decides its numbers."""
    by_package = {
        "mixwright": _version("mixwright"),
        "python": platform.python_version(),
    }
    return by_package | {name: _version(name) for name in _PACKAGES}


def _version(package: str) -> str:
    if package == "mixwright":
        return __version__
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return ""
