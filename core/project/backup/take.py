"""Take a backup: of the workspace or of one project, while others work on it."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from core.disk import is_disk_full
from core.errors import WorkspaceError
from core.project.backup.archive import (
    Archive,
    Manifest,
    free_bytes,
    write_archive,
)
from core.project.backup.stage import (
    LAST,
    Staged,
    stage_project,
    stage_workspace,
)
from core.project.settings.project import load_project
from core.store.atomic import explain, make_folder, write_json, write_with
from core.store.places import check_project_name, home, projects_folder
from core.store.scratch import scratch
from core.store.stored import lenient, read_object
from core.team.gate import gate
from core.team.quota import size_of
from core.team.roles import Role


def take_backup(file: Path, project: Path | None = None) -> Manifest:
    """Write the workspace, or one project, into a file, as it is at one moment.

    Fits may run and people may work meanwhile. Each file, each run, and each
    project.toml with its table is taken whole. What was written is read again before it
    replaces a file of that name.

    Args:
        file: Where to write it, a name that ends in .zip.
        project: The folder of the one project; None for the whole workspace.

    Returns:
        What is in it, and what was left out.

    Raises:
        AccessError: Whoever asks may not.
        WorkspaceError: The name is another, something cannot be read, or the disk is
            full. A file that was there is as it was.
    """
    if file.suffix.lower() != ".zip":
        raise WorkspaceError(
            f"{file.name} is not the name of a backup.",
            hint="Give it a name that ends in .zip.",
            where=str(file),
        )
    needs = Role.ADMIN if project is None else Role.VIEWER
    with gate("backup taken", project, needs, subject=file.name):
        manifest = _write(file, project)
    if project is None:
        _remember(file, manifest)
    return manifest


def _write(file: Path, project: Path | None) -> Manifest:
    """Stage, write and read again."""
    manifest: list[Manifest] = []
    with _staged(file, project) as staged:
        if not staged.projects:
            raise WorkspaceError(
                "There is no project to back up.",
                hint=f"{home()} is the workspace; MIXWRIGHT_HOME names another. A "
                "project of another folder: --project FOLDER.",
                where=str(home()),
            )

        def write(out: BinaryIO) -> None:
            manifest.append(write_archive(out, staged))
            out.flush()
            with Archive(Path(out.name)) as archive:  # before the old one goes
                archive.check()

        write_with(file, write)
    return manifest[0]


def _stage_one(staged: Staged, project: Path) -> None:
    check_project_name(project.name)
    load_project(project)
    try:
        stage_project(staged, project)
    except FileNotFoundError as error:
        raise WorkspaceError(
            f"{project.name} was deleted or renamed meanwhile.", where=str(project)
        ) from error


@contextlib.contextmanager
def _staged(file: Path, project: Path | None) -> Iterator[Staged]:
    """What is to be backed up, staged in the workspace, on whose disk links are free.

    Beside the backup where that disk is full, if it is on another one, and where the
    workspace is read-only, as a disk with errors is.

    Raises:
        WorkspaceError: Something cannot be read, or no disk has room for copies.
    """
    workspace, beside = make_folder(home()), file.absolute().parent
    places = [workspace] if os.access(workspace, os.W_OK) else []
    if not places or _is_on_another_disk(beside, workspace):
        places.append(beside)
    for place in places:
        with contextlib.ExitStack() as stack:
            try:
                staged = stack.enter_context(_stage(place))
                _fill(staged, project)
            except (WorkspaceError, OSError) as error:
                if not is_disk_full(error):
                    raise
                if place is not places[-1]:
                    continue
                raise _without_room(place, project) from error
            yield staged
            return


def _is_on_another_disk(folder: Path, other: Path) -> bool:
    """Whether two folders are on different disks."""
    try:
        return folder.stat().st_dev != other.stat().st_dev
    except OSError:  # there is no such folder, which writing the file will say
        return False


def _fill(staged: Staged, project: Path | None) -> None:
    """Stage the workspace, or one project."""
    if project is None:
        stage_workspace(staged, home())
    else:
        _stage_one(staged, project)


def _without_room(place: Path, project: Path | None) -> WorkspaceError:
    """What needs room where, and how much, for a backup that found none."""
    needed = _bytes_of(projects_folder() if project is None else project)
    return WorkspaceError(
        "What is backed up is copied first, which needs up to "
        f"{needed / 1024**2:,.0f} MB, and the disk of {place} has "
        f"{free_bytes(place) / 1024**2:,.0f} MB left.",
        hint="Free some space there, or write the backup to another disk that has "
        "room; what was there before is untouched.",
        where=str(place),
    )


def _bytes_of(folder: Path) -> int:
    """Bytes of what is in a folder, and of what a small archive needs at the least."""
    return max(size_of(folder), 1 << 20)


@contextlib.contextmanager
def _stage(place: Path) -> Iterator[Staged]:
    """A private folder in another, without those that killed backups left there."""
    try:
        with scratch(place, "backup") as folder:
            yield Staged(folder)
    except OSError as error:
        raise explain(error, place / ".backup") from error


@dataclass(frozen=True)
class LastBackup:
    """The last backup of a workspace.

    Attributes:
        created: When, ISO.
        file: Where to.
        bytes: Its size.
        projects: How many are in it.
        left_out: How many files are not.
    """

    created: str = ""
    file: str = ""
    bytes: int = 0
    projects: int = 0
    left_out: int = 0


def _remember(file: Path, manifest: Manifest) -> None:
    """Keep when the last backup was, for `status`; a full disk does not undo it."""
    about = LastBackup(
        created=manifest.created,
        file=str(file.resolve()),
        bytes=os.path.getsize(file),
        projects=len(manifest.projects),
        left_out=len(manifest.left_out),
    )
    with contextlib.suppress(WorkspaceError):
        write_json(home() / LAST, asdict(about))


def last_backup() -> LastBackup | None:
    """The last backup of the workspace; None where there never was one."""
    last = lenient(read_object(home() / LAST), LastBackup)
    return None if last == LastBackup() else last
