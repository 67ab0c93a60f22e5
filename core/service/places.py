"""Where things are: projects and runs as people name them."""

import contextlib
import errno
import os
from collections.abc import Sequence
from pathlib import Path

from core import PROGRAM, quoted
from core.data.files.limits import TABLES
from core.errors import WorkspaceError
from core.project.fits.runs import Run, latest_fit, open_run
from core.project.settings.project import locale_of
from core.store.atomic import unreadable
from core.store.places import data_folders, is_id, projects_folder, typed_path
from core.team.gate import check, may
from core.team.roles import Role
from core.text.languages.locale import set_locale


def project_folder(name: str) -> Path:
    """The folder of a project: a path, or the name of a project of the workspace.

    What is said from here on is written as the project chooses.

    Raises:
        WorkspaceError: There is none.
    """
    folder = _project_folder(name)
    check("project opened", folder, Role.VIEWER)
    _write_as(folder)
    return folder


def typed_file(text: str | Path) -> Path:
    """A file as somebody types its path.

    Raises:
        WorkspaceError: There is none.
    """
    path = typed_path(text)
    if not os.path.isfile(path):
        raise WorkspaceError(
            f"There is no file {path}.", hint="Check the path.", where=str(path)
        )
    return path


def typed_out(text: str | Path, kinds: Sequence[str] = (), of: str = "") -> Path:
    """Where somebody types that a file is to be written.

    Args:
        text: The path.
        kinds: Endings that it may have, with their dots; any where there are none.
        of: What is written, for messages.

    Raises:
        WorkspaceError: It has another ending, or its folder is not there.
    """
    path = typed_path(text)
    if kinds and path.suffix.lower() not in kinds:
        ends = [", ".join(kinds[:-1]), kinds[-1]]
        raise WorkspaceError(
            f"{path.name} is not a {of} format.",
            hint=f"End the name in {' or '.join(filter(None, ends))}.",
            where=str(path),
        )
    if not os.path.isdir(path.absolute().parent):
        raise WorkspaceError(
            f"There is no folder {path.absolute().parent}.", where=str(path)
        )
    return path


def _write_as(folder: Path) -> None:
    how = locale_of(folder)
    set_locale(lambda: how)


def _project_folder(name: str) -> Path:
    path = typed_path(name)
    if os.path.isdir(path):
        return path.resolve()
    if path.name == "project.toml" and os.path.isfile(path):
        return path.parent.resolve()
    names = _known()
    if name in names:
        return projects_folder() / name
    try:
        os.lstat(path)
    except PermissionError as error:  # there may be one: who looks may not see it
        raise unreadable(error, path) from error
    except (OSError, ValueError):
        pass
    if path.suffix.lower().removeprefix(".") in TABLES:
        raise WorkspaceError(
            f"There is no file {name}.", hint="Check the path.", where=name
        )
    text = _listed(names)
    listed = f" Projects of the app: {text}." if text else ""
    raise WorkspaceError(
        f"There is no project {name}.",
        hint=f"Name a folder that has a project.toml.{listed} "
        f"A new one: {PROGRAM} init DATA.csv --out PROJECT",
        where=name,
    )


def finished_fit(name: str) -> Run:
    """The fit that a run's folder, its name or a project stands for.

    Raises:
        WorkspaceError: There is none, it is not finished, or it is not a fit.
    """
    folder = run_folder(name)
    run = open_run(folder)
    if run.kind != "fit":
        run_id = run.run_id
        message = f"Run {run_id} is not a fit."
        if run.kind == "prior":
            message = f"Run {run_id} is a prior check, not a fit."
        raise WorkspaceError(
            message,
            hint=f"Name a run that `{PROGRAM} fit` made.",
            where=str(folder),
        )
    if run.status.state != "done":
        message = run.status.message or f"It is {run.status.state}."
        resumable = not run.status.is_live
        resume = f"{PROGRAM} fit {quoted(folder.parent.parent)} --resume {run.run_id}"
        raise WorkspaceError(
            f"Run {run.run_id} has no result. {message}",
            hint=f"Continue it: {resume}" if resumable else "Wait until it is done.",
            where=str(folder),
        )
    return run


def fit_or_project(name: str) -> Run | Path:
    """The fit that a run or a project stands for; a project's folder without a fit.

    Raises:
        WorkspaceError: There is none, or the run that is named is not a finished fit.
    """
    path = typed_path(name)
    if is_id(path.name) or os.path.isfile(path / "run.json"):
        return finished_fit(name)
    folder = project_folder(name)
    return folder if latest_fit(folder) is None else finished_fit(name)


def run_folder(name: str) -> Path:
    """The folder of a run, finished or not; for a project, its newest finished fit.

    Raises:
        WorkspaceError: There is none.
    """
    folder = _run_folder(name)
    if len(folder.parents) > 1:
        check("run opened", folder.parents[1], Role.VIEWER, subject=folder.name)
    _write_as(folder)
    return folder


def _run_folder(name: str) -> Path:
    path = typed_path(name)
    if os.path.isfile(path / "run.json"):
        return path.resolve()
    if is_id(path.name) and not os.path.exists(path):
        project = project_with("runs", path.name) if str(path) == path.name else None
        if project is not None:
            return (project / "runs" / path.name).resolve()
        raise WorkspaceError(
            f"There is no run {name}.",
            hint="Runs are found by name in the workspace and in the projects of the "
            "current folder; elsewhere by their path, PROJECT/runs/RUN.",
            where=name,
        )
    if is_id(path.name):
        return path.resolve()
    folder = project_folder(name)
    if not os.path.isfile(folder / "project.toml"):
        raise WorkspaceError(
            f"{folder} is no project.",
            hint="Name a folder that has a project.toml, or a project of the app.",
            where=str(folder),
        )
    run = latest_fit(folder)
    path = folder / "runs"
    if run is None and os.path.exists(path) and not os.access(path, os.R_OK | os.X_OK):
        raise unreadable(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), path)
    if run is None:
        raise WorkspaceError(
            f"{folder.name} has no finished fit.",
            hint=f"Fit it: {PROGRAM} fit {quoted(name)}",
            where=str(folder),
        )
    return run.folder


#: What lies in a folder of a project.
_WHAT = {"runs": "Run", "plans": "Plan"}


def nearby() -> list[Path]:
    """The projects that a run or a plan may lie in that is named alone.

    Those of the workspace, the current folder, and those in it: where `init` made
    projects outside the workspace, commands are typed beside them or in one.
    """
    around: list[Path] = []
    with contextlib.suppress(OSError):  # somebody took the current folder away
        here = Path.cwd()
        around = [here, *(path.parent for path in here.glob("*/project.toml"))]
    projects = [projects_folder() / name for name in _known()]
    folders = {
        path.resolve(): path
        for path in [*around, *projects]
        if os.path.isfile(path / "project.toml")
    }
    return sorted(folders.values())


def project_with(kind: str, file: str) -> Path | None:
    """The project in which a run or plan with an identifier lies; None where none has.

    Copies of a project have the identifiers of the first.

    Args:
        kind: `runs` or `plans`.
        file: The identifier, as it is called there.

    Raises:
        WorkspaceError: Several projects have one.
    """
    paths = [each / kind / file for each in nearby()]
    paths = [path for path in paths if os.path.exists(path)]
    visible = [path for path in paths if may(path.parents[1], Role.VIEWER)]
    if len(paths) < 2 or len(visible) < 2:
        return next((path.parents[1] for path in (*visible, *paths)), None)
    projects = ", ".join(path.parents[1].name for path in visible)
    what, name = _WHAT[kind], Path(file).stem
    raise WorkspaceError(
        f"{what} {name} is in {len(visible)} projects: {projects}.",
        hint=f"Give its path, such as {visible[0]}.",
        where=name,
    )


def project_of(run: Run) -> Path:
    """The folder of the project that a run belongs to."""
    return run.folder.parent.parent


def _known() -> list[str]:
    folder = projects_folder()
    files = folder.glob("*/project.toml") if folder.is_dir() else ()
    return sorted(path.parent.name for path in files)


def _listed(names: list[str]) -> str:
    """Those that the one who acts may see."""
    folder = projects_folder()
    return ", ".join(name for name in names if may(folder / name, Role.VIEWER))
