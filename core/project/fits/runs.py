"""Runs of a project: created with frozen inputs, listed, and compared with today.

runs/<run_id>/  run.json project.toml data.parquet  state.json progress.json ...
result/
"""

import contextlib
import functools
import operator
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import MMMError, WorkspaceError
from core.project.fits.run_inputs import RunKind
from core.project.settings.definition import Project, changes, spec_sha256
from core.project.settings.project import data_file, load_project
from core.store.atomic import explain, make_folder, note_change, sha256_of
from core.store.locks import alone, hold, is_held
from core.store.places import is_id, new_id, run_folder, trash_folder
from core.store.results import has_result
from core.store.run_about import RunAbout, read_about, version_in
from core.store.run_state import (
    CLUSTER_LOCK,
    FINAL,
    RunStatus,
    read_status,
    stored_state,
)
from core.team.gate import gated
from core.team.roles import Role
from core.text.languages.language import marked


@dataclass(frozen=True, kw_only=True)
class Run(RunAbout):
    """One run of a project, by its name and time even where run.json says neither.

    Attributes:
        folder: Its directory.
        status: How it stood when the list was made.
    """

    folder: Path
    status: RunStatus

    @property
    def version(self) -> str:
        """Of Mixwright, that made it; empty where unknown."""
        return version_in(self.versions)


def open_run(folder: Path) -> Run:
    """The run in a directory, wherever that is.

    Raises:
        WorkspaceError: There is none, or its run.json is damaged.
    """
    folder = folder.resolve()
    refused = WorkspaceError(
        f"{folder} is not a run: it has no run.json.",
        hint="Name a directory in runs/ of a project.",
        where=str(folder),
    )
    if not os.path.isfile(folder / "run.json"):
        raise refused
    about = read_about(folder)
    if not about.run_id:
        raise WorkspaceError(
            f"Run {folder.name} is damaged: its run.json cannot be read.",
            hint="Delete the run and fit again.",
            where=str(folder / "run.json"),
        )
    try:
        return _run(folder, about)
    except FileNotFoundError as error:  # deleted since it was read
        raise refused from error


def _run(folder: Path, about: RunAbout) -> Run:
    status = read_status(folder)
    if about == RunAbout():
        message = "Its run.json cannot be read."
        status = replace(status, state="failed", message=message, hint="Fit again.")
    own = {"run_id": folder.name, "kind": about.kind or "fit"}
    own["created"] = _created(about.created, folder)
    return Run(**vars(about) | own, folder=folder, status=status)


def _created(stored: Any, folder: Path) -> str:
    """A time that is one: what run.json says, else what the folder does."""
    when = datetime.fromtimestamp(folder.stat().st_ctime, UTC)
    if is_id(folder.name):
        with contextlib.suppress(ValueError):
            when = datetime.strptime(folder.name[:15], "%Y%m%d-%H%M%S")
    with contextlib.suppress(TypeError, ValueError):
        when = datetime.fromisoformat(stored)
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    with contextlib.suppress(OverflowError):  # the first and the last day there is
        when = when.astimezone(UTC)
    return when.isoformat(timespec="microseconds")


def list_runs(project_folder: Path, kind: RunKind | None = None) -> list[Run]:
    """The runs of a project, newest first; damaged ones included."""
    folder = project_folder / "runs"
    with contextlib.ExitStack() as stack:
        try:
            entries = stack.enter_context(os.scandir(folder))
            names = [entry.name for entry in entries if _is_run(entry)]
        except OSError:  # there is none, or what is there cannot be looked into
            return []
    runs = []
    for name in names:
        with contextlib.suppress(FileNotFoundError):  # deleted since it was listed
            runs.append(_listed(folder / name))
    runs = [run for run in runs if kind in (None, run.kind)]
    order = operator.attrgetter("number", "created", "run_id")
    return sorted(runs, key=order, reverse=True)


def _is_run(entry: os.DirEntry[str]) -> bool:
    return is_id(entry.name) and entry.is_dir(follow_symlinks=False)


#: Runs that have ended, as they were read from files that looked like this.
_ENDED: dict[str, tuple[tuple[int, ...], Run]] = {}


def _listed(folder: Path) -> Run:
    """A run of a list; one that has ended is read once for as long as it stays so.

    Where state.json has the last word, the run's lock no longer has a say.
    """
    looks = _looks(folder)
    before, run = _ENDED.get(str(folder), ((), None))
    if run is not None and before == looks:
        return run
    run = _run(folder, read_about(folder))
    last = stored_state(folder)
    if last in FINAL and last == run.status.state and looks == _looks(folder):
        if len(_ENDED) > 5000:
            _ENDED.clear()
        _ENDED[str(folder)] = looks, run
    return run


def _looks(folder: Path) -> tuple[int, ...]:
    """What changes about a run's files when one of them is written."""
    looks: tuple[int, ...] = ()
    for name in ("run.json", "state.json", "progress.json"):
        try:
            stat = os.stat(f"{folder}/{name}")
            looks += (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError:
            looks += (0, 0, 0)
    return looks


def latest_fit(project_folder: Path) -> Run | None:
    """The newest finished fit, None if there is none."""
    for run in list_runs(project_folder, "fit"):
        if run.status.state == "done" and has_result(run.folder):
            return run
    return None


def out_of_date(
    run: Path, project_folder: Path, project: Project | None = None
) -> list[str]:
    """Why a run no longer answers for the project: empty if it does.

    Sampler settings, the project's name and its currency do not matter.
    """
    project = project or load_project(project_folder)
    about = read_about(run)
    reasons = []
    try:
        digest = data_sha256(data_file(project_folder, project))
    except WorkspaceError:
        digest = ""
    if about.data_sha256 != digest:
        reasons.append(marked("the data changed"))
    if about.spec_sha256 != spec_sha256(project):
        try:
            frozen = load_project(run)
            reasons += changes(frozen, project) or ["model options changed"]
        except MMMError:
            reasons.append(marked("the run is of another version"))
    return reasons


def data_sha256(path: Path) -> str:
    """SHA-256 of a data file, computed once for as long as it stays the same."""
    stat = path.stat()
    return _sha256_of(path, stat.st_mtime_ns, stat.st_size, stat.st_ino)


@functools.lru_cache(maxsize=64)
def _sha256_of(path: Path, *_: int) -> str:
    return sha256_of(path)


@gated("run deleted", Role.ADMIN)
def delete_run(project_folder: Path, run_id: str) -> None:
    """Move a run to the trash.

    Raises:
        WorkspaceError: It is at work, a plan refers to it, or it cannot be moved.
    """
    from core.project.plans.plans import list_plans  # noqa: PLC0415  slow to import

    folder = run_folder(project_folder, run_id)
    trash = make_folder(trash_folder())
    with alone(project_folder):  # nobody saves a plan that was made with it meanwhile
        for plan in list_plans(project_folder):
            if plan.run_id == run_id:
                raise WorkspaceError(
                    f"{plan.title} was planned with this fit.",
                    hint="Keep the fit, or delete the plan first.",
                    where=run_id,
                )
        with _at_rest(folder):
            try:
                note_change()
                shutil.move(folder, trash / f"run {run_id} {new_id()}")
            except OSError as error:
                raise explain(error, folder) from error


@contextlib.contextmanager
def _at_rest(folder: Path) -> Iterator[None]:
    """Hold the lock of a run that has ended, so that nobody resumes it.

    Raises:
        WorkspaceError: It waits or works.
    """
    run_id, status = folder.name, read_status(folder)
    is_kept = status.is_live or is_held(folder / CLUSTER_LOCK)
    lock = None if is_kept else hold(folder / "lock", patience=1.0)
    try:
        if lock is None or read_status(folder).since != status.since:
            raise WorkspaceError(
                f"Run {run_id} is not finished.", hint="Cancel it first.", where=run_id
            )
        yield
    finally:
        if lock is not None:
            os.close(lock)


def refuse_live(folder: Path) -> None:
    """Refuse to move a project while a run of it waits or works.

    Raises:
        WorkspaceError: There is such a run.
    """
    if any(run.status.is_live for run in list_runs(folder)):
        raise WorkspaceError(
            f"{folder.name} has a run that is not finished.",
            hint="Cancel it or wait for it.",
            where=folder.name,
        )
