"""Restore: what a backup holds becomes projects of the workspace, each whole.

Everything is unpacked beside the projects and compared with its hash before anything
is touched; then folders change their names. What was there is kept in the trash.
"""

import contextlib
import ctypes
import errno
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from core import __version__
from core.errors import WorkspaceError
from core.project.backup.archive import Archive, Part, free_bytes
from core.project.backup.stage import is_kept
from core.project.fits.runs import refuse_live
from core.project.lift_tests.lift_tests import lift_tests
from core.project.promises.record import AGAIN, KINDS, promise_file
from core.project.settings.project import load_project, save_project
from core.store.atomic import (
    explain,
    make_folder,
    note_change,
    sha256_of,
    sync_folder,
)
from core.store.locks import alone
from core.store.places import (
    home,
    new_id,
    project_folder,
    projects_folder,
    trash_folder,
)
from core.store.scratch import scratch
from core.store.version import is_newer
from core.team import audit
from core.team.gate import check
from core.team.identity import who
from core.team.roles import Role
from core.text import count, listed
from core.text.escaping import printable

_ACTION = "project restored"
#: Bytes that a disk keeps free beside what is unpacked.
_SPARE = 16 * 1024**2
#: Files of a run or project whose loss nobody would notice.
_SLIGHT = ("seen", "lock", "cluster.lock", "cancel", "log.txt", "progress.json")


@dataclass(frozen=True)
class Restored:
    """What a restore did.

    Attributes:
        projects: The folders that are in place now.
        aside: Where the project of that name went, for those that there were.
        files: The workspace's own files that were put back.
    """

    projects: tuple[Path, ...]
    aside: Mapping[str, Path]
    files: tuple[Path, ...] = ()


def restore(
    archive: Archive,
    *,
    project: str | None = None,
    name: str | None = None,
    may_replace: bool = False,
) -> Restored:
    """Put the projects of a backup back.

    Projects of the workspace that are not in the backup stay as they are. The
    workspace's own files are put back with the whole backup only, and only where they
    are missing: who is a member is not turned back in silence.

    Args:
        archive: The backup.
        project: The one project to restore; None for all.
        name: What to call it in the workspace; for one project only.
        may_replace: Whether to replace projects that have changed since.

    Raises:
        AccessError: Whoever asks may not.
        WorkspaceError: The backup is damaged or of a newer version, there is no room, a
            run is at work, or a project has what the backup has not. Everything is as
            it was.
    """
    _refuse_newer_version(archive)
    targets = _targets(archive, project, name)
    is_whole = project is None and name is None
    _check_roles(archive, targets.values(), is_whole=is_whole)
    _refuse_without_room(archive)
    if not may_replace:
        _refuse_newer(archive, targets)
    folder = make_folder(projects_folder())
    with _beside(folder) as stage:
        for named, target in targets.items():
            archive.unpack(f"projects/{named}/", make_folder(stage / target.name))
            if target.name != named:
                renamed = replace(load_project(stage / target.name), name=target.name)
                save_project(stage / target.name, renamed)
        own = make_folder(stage / ".workspace")
        if is_whole:
            archive.unpack("workspace/", own)
        os.sync()
        subject = archive.path.name
        with alone(folder), contextlib.ExitStack() as noted:
            for target in targets.values():
                begun = audit.begun(who(), _ACTION, target, subject=subject)
                noted.enter_context(begun)
            restored = _put(stage, targets, own)
            for target in targets.values():
                audit.record(who(), _ACTION, target, subject=subject)
    return restored


def _refuse_newer_version(archive: Archive) -> None:
    version = archive.manifest.version
    if is_newer(version):
        raise WorkspaceError(
            f"{archive.path.name} was written by Mixwright {version}; this is "
            f"{__version__}, which does not know its files.",
            hint=f"Restore it with Mixwright {version} or newer.",
            where=archive.path.name,
        )


def _check_roles(archive: Archive, targets: Iterable[Path], *, is_whole: bool) -> None:
    """Refuse whoever may not replace a project, or make one, or restore members."""
    subject = archive.path.name
    if is_whole and any(
        part.startswith("workspace/") for part in archive.manifest.parts
    ):
        check("workspace restored", None, Role.ADMIN, subject=subject)
    for target in targets:
        needs = Role.ADMIN if os.path.lexists(target) else Role.PLANNER
        check(_ACTION, target, needs, subject=subject)


def _targets(
    archive: Archive, project: str | None, name: str | None
) -> dict[str, Path]:
    """The folder that each project of the backup goes to."""
    names = archive.manifest.projects if project is None else (project,)
    if project is not None and project not in archive.manifest.projects:
        raise WorkspaceError(
            f"{archive.path.name} has no project {project}.",
            hint=f"Its projects: {listed(archive.manifest.projects)}.",
            where=project,
        )
    if name is not None and len(names) != 1:
        raise WorkspaceError(
            f"{archive.path.name} has {count(len(names), 'project')}; one name is not "
            "enough for them.",
            hint="Name the one to restore with --project.",
            where=name,
        )
    return {named: project_folder(name or named) for named in names}


def _refuse_without_room(archive: Archive) -> None:
    needed, free = archive.manifest.n_bytes + _SPARE, free_bytes(make_folder(home()))
    if needed > free:
        raise WorkspaceError(
            f"{archive.path.name} needs {needed / 1024**2:,.0f} MB and the disk of the "
            f"workspace has {free / 1024**2:,.0f} MB left.",
            hint="Free some space; nothing was changed.",
            where=str(home()),
        )


def _refuse_newer(archive: Archive, targets: Mapping[str, Path]) -> None:
    """Refuse to replace what the backup does not have."""
    for named, target in targets.items():
        lost = _lost(target, archive.manifest.of_project(named))
        if lost:
            raise WorkspaceError(
                f"{target.name} has changed since this backup "
                f"({archive.manifest.created}): {_in_words(lost)}.",
                hint="Restore it under another name with --as, or replace it with "
                "--yes; what is there now is kept in the trash.",
                where=str(target),
            )


def _lost(folder: Path, parts: Mapping[str, Part]) -> list[str]:
    """Files of a project that the backup has not, or has with other content.

    But for promises of what the backup has, and scores: whoever looks at them next
    works out the same again.
    """
    lost, again = [], _worked_out_again(folder, parts)
    for path in _files(folder):
        named = path.relative_to(folder).as_posix()
        if path.name in _SLIGHT or named.startswith(AGAIN) or named in again:
            continue
        part = parts.get(named)
        with contextlib.suppress(FileNotFoundError):
            if part is None or part.sha256 != sha256_of(path):
                lost.append(printable(named))
    return lost


def _worked_out_again(folder: Path, parts: Mapping[str, Part]) -> set[str]:
    """The files of promises that a backup lacks and a look at its project makes."""
    inside = [Path(name).parts for name in parts]
    ids = {
        part[1].removesuffix(".json") for part in inside if part[0] in ("runs", "plans")
    }
    ids |= {test.test_id for test in lift_tests(folder)}
    return {promise_file(kind, about) for about in ids for kind in KINDS} - parts.keys()


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if is_kept(name)]
        yield from (Path(place, name) for name in names if is_kept(name))


def _in_words(lost: list[str]) -> str:
    """What would be lost: `project.toml, 2 runs and 1 plan`."""
    parts = {tuple(name.split("/")[:2]) for name in lost}
    kinds = Counter(part[0] for part in parts if len(part) > 1)
    words = sorted(part[0] for part in parts if len(part) == 1)
    words += [
        count(number, folder.removesuffix("s")) for folder, number in kinds.items()
    ]
    return listed(words)


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A folder that is no project, on the disk of the projects."""
    try:
        with scratch(folder, "restore") as stage:
            yield stage
    except OSError as error:
        raise explain(error, folder) from error


def _put(stage: Path, targets: Mapping[str, Path], own: Path) -> Restored:
    """Give every folder its name; all of them, or none where one fails.

    At no moment is there nothing of a name that there was: a project goes into the
    trash first, and there changes its place with the one that it replaces.
    """
    undo: list[Callable[[], None]] = []
    aside, files = {}, []
    trash = make_folder(trash_folder())
    try:
        for target in targets.values():
            if os.path.lexists(target):
                refuse_live(target)
                place = trash / f"{target.name} before {new_id()}"
                _move(stage / target.name, place, undo)
                exchange(place, target)
                note_change()
                undo.append(partial(exchange, place, target))
                aside[target.name] = place
            else:
                _move(stage / target.name, target, undo)
        for path in sorted(own.iterdir()):
            if not os.path.lexists(home() / path.name):
                _move(path, home() / path.name, undo)
                files.append(home() / path.name)
    except (OSError, WorkspaceError) as error:
        for step in reversed(undo):
            step()
        if isinstance(error, OSError):
            raise explain(error, projects_folder()) from error
        raise
    for folder in (projects_folder(), trash, home()):
        sync_folder(folder)
    return Restored(tuple(targets.values()), aside, tuple(files))


def _move(source: Path, target: Path, undo: list[Callable[[], None]]) -> None:
    os.rename(source, target)
    note_change()
    undo.append(partial(os.rename, target, source))


# With two renames there is a moment at which nothing has the name, and a process that
# is killed then leaves it so.
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
#: Of systems and file systems that cannot do it.
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(one: Path, other: Path) -> None:
    """Give two folders of one disk each other's names.

    Where the system cannot do it in one step, by three renames.

    Raises:
        OSError: It cannot be done; both have their names.
    """
    try:
        _in_one_step(one, other)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
        _in_three(one, other)


def _in_one_step(one: Path, other: Path) -> None:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one), None, str(other))


def _in_three(one: Path, other: Path) -> None:
    between = one.with_name(f"{one.name} between")
    moves: list[tuple[Path, Path]] = []
    try:
        for old, new in ((other, between), (one, other), (between, one)):
            os.rename(old, new)
            moves.append((old, new))
    except OSError:
        for old, new in reversed(moves):
            os.rename(new, old)
        raise
