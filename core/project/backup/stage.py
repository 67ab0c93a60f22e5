"""Stage: projects as they are at one moment, in a folder that nobody else writes.

Mixwright replaces its files and never writes into them, so a hard link holds what a
file is now; what is appended to or is somebody's own is copied. A project is taken in
the order of what refers to what: the plan of record, plans, then runs, newest first,
so that nothing taken names something that came later. A run at work is left out.
"""

import contextlib
import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core import disk
from core.errors import MMMError, WorkspaceError
from core.project.settings.project import FILE, load_project
from core.project.settings.project_data import TABLE
from core.store.atomic import explain, make_folder
from core.store.locks import alone, is_held
from core.store.places import is_id, may_name_project, projects_folder
from core.store.run_state import CLUSTER_LOCK, read_status
from core.store.stored import LONGEST_NAME
from core.store.version import FILE as VERSION
from core.text.escaping import printable

#: Files of the workspace itself, beside its folders; those of a project are all taken.
_OF_WORKSPACE = re.compile(r"[A-Za-z0-9][\w-]*\.(toml|json|jsonl)", re.ASCII)
#: What the last backup is known by: of this machine, not of its projects.
LAST = "last_backup.json"
#: Of this machine, too: the event log that docs/server.md and compose.yaml name.
_EVENTS = "log.jsonl"
#: Files that Mixwright replaces whole, so that a link keeps what they hold.
_REPLACED = (".json", ".toml", ".parquet", ".nc", ".npz")
#: Where links are not to be had: other disks, and file systems without.
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES)
_TRIES = 3


@dataclass
class Staged:
    """What is in the stage.

    Attributes:
        folder: The stage: `projects/<name>/…` and `workspace/…`.
        projects: Names of the projects in it.
        left_out: What is not in it, with why.
    """

    folder: Path
    projects: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def leave_out(self, named: str, why: str) -> None:
        """Note what is not in the stage; its name as it can be printed."""
        self.left_out[printable(named)] = why


def stage_workspace(staged: Staged, home: Path) -> None:
    """Stage every project and the workspace's own files.

    Args:
        staged: An empty stage, best on the disk of the workspace.
        home: The workspace.

    Raises:
        WorkspaceError: A file cannot be read, or the disk is full.
    """
    names: set[str] = set()
    for _ in range(_TRIES):  # a project may get another name while others are staged
        present = {path.name: path for path in _projects(staged)}
        if not present.keys() - names:
            break
        for name in sorted(present.keys() - names):
            _stage_listed(staged, present[name])
        names |= present.keys()
    own = make_folder(staged.folder / "workspace")
    for path in _entries(home):
        is_own = bool(_OF_WORKSPACE.fullmatch(path.name))
        if is_own and path.name not in (LAST, _EVENTS, VERSION):
            _take(path, own / path.name, staged)


def _stage_listed(staged: Staged, project: Path) -> None:
    """Stage a project of the list; one that is gone by now is left out."""
    try:
        stage_project(staged, project)
    except FileNotFoundError:
        staged.leave_out(f"projects/{project.name}", "deleted or renamed meanwhile")


def stage_project(staged: Staged, project: Path) -> None:
    """Stage one project, whole or not at all.

    Raises:
        FileNotFoundError: The project is gone.
        WorkspaceError: A file cannot be read, or the disk is full.
    """
    target = staged.folder / "projects" / project.name
    for _ in range(_TRIES):
        with contextlib.suppress(FileNotFoundError):
            identity = project.stat().st_ino
            make_folder(target)
            _stage_parts(staged, project, target)
            if project.stat().st_ino == identity and (target / FILE).is_file():
                break
        shutil.rmtree(target, ignore_errors=True)
    else:
        raise FileNotFoundError(project)
    if project.name not in staged.projects:
        staged.projects.append(project.name)


def _stage_parts(staged: Staged, project: Path, target: Path) -> None:
    try:
        with alone(project):  # project.toml and the table that it names, as one
            _take(project / FILE, target / FILE, staged)
            with contextlib.suppress(MMMError, OSError):
                table = project / load_project(project).file
                if table.parent == project:
                    _take(table, target / table.name, staged)
    except WorkspaceError as error:
        if isinstance(error.__cause__, FileNotFoundError) or not project.is_dir():
            raise FileNotFoundError(project) from error
        raise
    record = project / "plans" / "record.json"
    if record.is_file():
        _take(record, target / "plans" / record.name, staged)
    for path in _entries(project):
        if path.name == "runs" or TABLE.fullmatch(path.name):
            continue  # a table that project.toml does not name is on its way in or out
        if path.is_dir() and not path.is_symlink():
            _take_tree(path, target / path.name, staged)
        elif not (target / path.name).exists():
            with contextlib.suppress(FileNotFoundError):
                _take(path, target / path.name, staged)
    for run in sorted(_entries(project / "runs"), key=_age):
        if is_id(run.name) and run.is_dir() and not run.is_symlink():
            _stage_run(staged, run, target / "runs" / run.name)


def _age(run: Path) -> float:
    """Newest first, by when the run was made."""
    with contextlib.suppress(OSError):
        return -(run / "run.json").stat().st_mtime
    return 0.0  # behind all others: it is being deleted


def _stage_run(staged: Staged, run: Path, target: Path) -> None:
    """Stage a run that nobody works on; any other is left out."""
    named = f"projects/{run.parents[1].name}/runs/{run.name}"
    for _ in range(_TRIES):
        if _is_at_work(run):
            staged.leave_out(named, "it is not finished")
            return
        with contextlib.suppress(FileNotFoundError):
            _take_tree(run, target, staged)
            state = target / "state.json"
            is_same = not state.exists() or _looks(state) == _looks(run / state.name)
            if is_same and not _is_at_work(run):
                return
        shutil.rmtree(target, ignore_errors=True)
        if not run.is_dir():
            return
    staged.leave_out(named, "it was being written")


def _is_at_work(run: Path) -> bool:
    is_kept = is_held(run / "lock") or is_held(run / CLUSTER_LOCK)
    return is_kept or read_status(run).is_live


def _looks(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


def _take_tree(source: Path, target: Path, staged: Staged) -> None:
    for path in _entries(source):
        if path.is_dir() and not path.is_symlink():
            _take_tree(path, target / path.name, staged)
        elif not (target / path.name).exists():
            _take(path, target / path.name, staged)


def _take(source: Path, target: Path, staged: Staged) -> None:
    """Link or copy one file; what no archive can hold is left out."""
    named = target.relative_to(staged.folder)
    if any(map(is_odd, named.parts)):
        staged.leave_out(named.as_posix(), "a backup cannot hold its name")
        return
    if not stat.S_ISREG(source.lstat().st_mode):
        staged.leave_out(named.as_posix(), "it is not a regular file")
        return
    make_folder(target.parent)
    try:
        if source.suffix in _REPLACED and _is_ours(target, staged):
            with contextlib.suppress(FileExistsError):
                os.link(source, target, follow_symlinks=False)
            return
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise _unless_gone(error, source) from error
    _copy(source, target, staged)


def _is_ours(target: Path, staged: Staged) -> bool:
    """Whether a file lies where only Mixwright writes."""
    parts = target.relative_to(staged.folder).parts
    inside = len(parts) > 3 and parts[2] in ("runs", "plans")
    return inside or target.name == FILE or target.suffix == ".parquet"


def _copy(source: Path, target: Path, staged: Staged) -> None:
    """Copy what may be written into: to the size that it has, and looked at twice."""
    try:
        for _ in range(_TRIES):
            with open(source, "rb") as file, open(target, "wb") as out:
                size = os.fstat(file.fileno()).st_size
                content_left = size
                while content_left and (part := file.read(min(1 << 20, content_left))):
                    out.write(part)
                    content_left -= len(part)
                after = os.fstat(file.fileno())
            only_grows = source.suffix in (".txt", ".jsonl", ".log")
            if source.suffix == ".jsonl":
                _end_at_a_line(target)
            os.utime(target, ns=(after.st_atime_ns, after.st_mtime_ns))
            if only_grows:
                return
            if not content_left and _looks(source) == (after.st_mtime_ns, size):
                return
    except OSError as error:
        raise _unless_gone(error, source) from error
    target.unlink()
    named = target.relative_to(staged.folder).as_posix()
    staged.leave_out(named, "it was being written")


def _end_at_a_line(path: Path) -> None:
    """Cut off a last line that is not written to its end yet."""
    with open(path, "r+b") as file:
        content = file.read()
        if not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)


def _unless_gone(error: OSError, path: Path) -> OSError | WorkspaceError:
    """The error itself where a file is gone, else what it means to the user."""
    if isinstance(error, FileNotFoundError):
        return error
    if error.errno in disk.FULL:
        return explain(error, path)
    return WorkspaceError(
        f"{path.name} could not be read: {error.strerror}.",
        hint="Run the backup as the user that owns the workspace.",
        where=str(path),
    )


def _projects(staged: Staged) -> Iterator[Path]:
    for path in _entries(projects_folder()):
        if path.is_symlink() or not may_name_project(path.name):
            staged.leave_out(f"projects/{path.name}", "it is not a project folder")
        elif (path / FILE).is_file():
            yield path
        elif path.is_dir():
            staged.leave_out(f"projects/{path.name}", f"it has no {FILE}")


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, but for what is being written; nothing where it is gone."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unless_gone(error, folder) from error
    return [folder / name for name in names if is_kept(name)]


def is_kept(name: str) -> bool:
    """Whether a name is that of something whole: temporary ones are not."""
    return not name.startswith(".") and not name.endswith(".tmp")


def is_odd(part: str) -> bool:
    """Whether no archive of ours may hold a file or folder of this name."""
    try:
        is_long = len(part.encode()) > LONGEST_NAME
    except UnicodeEncodeError:  # bytes that are no UTF-8, as some systems write them
        return True
    is_control = any(ord(sign) < 32 or sign == "\\" for sign in part)
    return not part or part.startswith(".") or is_control or is_long
