"""The life of a project: created, copied, renamed and thrown away."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import as_text
from core.data.mapping import ColumnMapping
from core.errors import MMMError, WorkspaceError
from core.fit.settings import SamplerSettings
from core.project.fits.runs import refuse_live
from core.project.settings.defaults import default_spec
from core.project.settings.definition import Project
from core.project.settings.project import FILE, load_project, save_project
from core.project.settings.project_data import replace_data
from core.store.atomic import copy_file, explain, make_folder, sync_folder, write_json
from core.store.locks import alone
from core.store.places import (
    check_project_name,
    new_id,
    project_folder,
    projects_folder,
    trash_folder,
)
from core.store.scratch import scratch
from core.store.stored import read_object
from core.team.gate import check, gated
from core.team.membership import found
from core.team.roles import Role

if TYPE_CHECKING:
    import pandas as pd

_TRUTH = "truth.json"


@gated("project created", Role.PLANNER)
def create_project(
    name: str,
    frame: "pd.DataFrame",
    mapping: ColumnMapping,
    *,
    truth: dict[str, Any] | None = None,
    **settings: Any,
) -> Path:
    """Create a project of the workspace; see `init_project`.

    Raises:
        WorkspaceError: The name is not allowed or taken, or the disk is full or
            read-only. Nothing is left behind.
    """
    folder = project_folder(name)
    make_folder(projects_folder())
    return init_project(folder, frame, mapping, truth=truth, **settings)


@gated("project created", Role.PLANNER)
def init_project(
    folder: Path,
    frame: "pd.DataFrame",
    mapping: ColumnMapping,
    *,
    truth: dict[str, Any] | None = None,
    **settings: Any,
) -> Path:
    """Create a project in a folder that does not exist yet, or is empty.

    Args:
        folder: The project's.
        frame: The table as imported.
        mapping: The role of each column.
        truth: What a simulation knows, for demos.
        settings: Fields of `Project` that are not usual.

    Returns:
        The project's folder.

    Raises:
        WorkspaceError: There is something already, or it cannot be written.
    """
    refuse_taken(folder)
    usual = {"name": as_text(folder.name), "currency": "", "file": "data.parquet"}
    usual["sampler"] = SamplerSettings()
    if settings.get("spec") is None:
        settings["spec"] = default_spec(mapping, frame)
    project = Project(mapping=mapping, **usual | settings)
    try:
        with _beside(folder) as temporary:
            replace_data(temporary, frame, project.file)
            if truth is not None:
                write_json(temporary / _TRUTH, truth)
            save_project(temporary, project)
            found(temporary)
            _move(temporary, folder)
    except OSError as error:
        raise explain(error, folder) from error
    return folder


def truth(folder: Path) -> dict[str, Any] | None:
    """What the simulation behind a demo project knows; None for real data."""
    return read_object(folder / _TRUTH) or None


def true_rois(truth: Mapping[str, Any] | None) -> dict[str, float]:
    """True ROI by channel, by what a simulation knows; empty for real data."""
    channels = (truth or {}).get("channels") or {}
    rois = {name: entry.get("roi") for name, entry in channels.items()}
    return {name: roi for name, roi in rois.items() if roi is not None}


@gated("project renamed", Role.ADMIN)
def rename_project(name: str, new_name: str) -> Path:
    """Give a project another name.

    Returns:
        Its new folder.

    Raises:
        WorkspaceError: The name is not allowed or taken, a run is at work, or the
            workspace is read-only.
    """
    folder, target = _existing(name), project_folder(new_name)
    refuse_live(folder)
    refuse_taken(target)
    project = load_project(folder)
    try:
        _move(folder, target)
    except OSError as error:
        raise explain(error, target) from error
    try:
        save_project(target, replace(project, name=target.name))
    except MMMError:  # the disk is full: it keeps the name that it had
        with contextlib.suppress(OSError):
            _move(target, folder)
        raise
    return target


@gated("project duplicated", Role.VIEWER)
def duplicate_project(name: str, new_name: str) -> Path:
    """Copy a project's data and settings; runs and plans stay with the original.

    Returns:
        The new folder.

    Raises:
        WorkspaceError: The name is not allowed or taken, or the disk is full.
    """
    folder, target = _existing(name), project_folder(new_name)
    check("project duplicated", None, Role.PLANNER, subject=new_name)
    refuse_taken(target)
    try:
        with _beside(target) as temporary:
            with alone(folder):  # project.toml and the table that it names, as one
                project = load_project(folder)
                for file in (FILE, project.file, _TRUTH):
                    if (folder / file).is_file():
                        copy_file(folder / file, temporary / file)
            save_project(temporary, replace(project, name=target.name))
            found(temporary)
            _move(temporary, target)
    except OSError as error:
        raise explain(error, target) from error
    return target


@gated("project deleted", Role.ADMIN)
def delete_project(name: str) -> Path:
    """Move a project to the trash.

    Returns:
        Where it is now.

    Raises:
        WorkspaceError: There is none, a run is at work, or the workspace is
            read-only.
    """
    folder = _existing(name)
    refuse_live(folder)
    target = make_folder(trash_folder()) / f"{name} {new_id()}"
    try:
        _move(folder, target)
    except OSError as error:
        raise explain(error, target) from error
    return target


def _existing(name: str) -> Path:
    folder = project_folder(name)
    if not folder.is_dir():
        raise WorkspaceError(
            f"There is no project {name}.",
            hint="It may have been renamed or deleted; choose one from the list.",
            where=name,
        )
    return folder


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that is not empty, or that the app would not open.

    Raises:
        WorkspaceError: There is something already, or a project of the app cannot be
            called that.
    """
    if folder.parent == projects_folder():
        check_project_name(folder.name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WorkspaceError(
            f"There is something called {folder.name} already.",
            hint="Choose another name.",
            where=str(folder),
        )


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Where a project is put together, on the disk that it is to lie on."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch(folder.parent, folder.name) as stage:
        inside = stage / folder.name
        inside.mkdir()
        yield inside


def _move(source: Path, target: Path) -> None:
    try:
        os.rename(source, target)
    except OSError:
        refuse_taken(target)  # by somebody who was quicker
        raise
    sync_folder(target.parent)
