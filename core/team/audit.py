"""The audit log: who did what and when, one JSON object a line, only ever appended to.

    {"time", "who", "source", "action", "project", "subject", "outcome", "why"}

A line is one write to a file opened for appending, so that servers and commands can
share it. A crash can tear the last line only; the next line begins a new one, and
reading leaves torn lines out. Names are in it, data never.

A line is written once something is done. Until then a locked file in `begun/` says what
was begun: one that nobody holds was left by a process that was killed, and becomes a
line whose outcome is `stopped`.
"""

import contextlib
import errno
import fcntl
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from core.errors import WorkspaceError
from core.store.atomic import explain, locked_beside, make_folder, unreadable
from core.store.places import home
from core.team.identity import Person, tidy_name

Outcome = Literal["done", "refused", "failed", "stopped"]

FILE, _BEGUN = "audit.jsonl", "begun"
#: Also marks the workspace whose rules a project follows.
SETTINGS = "access.toml"
#: Characters of a subject: the names of some eighty runs.
_LONGEST = 2000
_TEXTS = ("time", "who", "source", "action", "project", "subject", "outcome", "why")


@dataclass(frozen=True)
class Entry:
    """One line of the log.

    Attributes:
        time: When, ISO UTC.
        who: Name of the person.
        source: Who says that it is that person, see `identity.Person`.
        action: What was done, such as `plan saved`.
        project: Name of a project of the workspace, or the folder of another; empty
            where no project is concerned.
        subject: The run, plan, member or name that it is about.
        outcome: `done`, `refused` (nothing was changed), `failed` (a mistake of
            Mixwright's; see the server's log), or `stopped` (the process ended before
            it was done; it may be).
        why: Why it was refused.
    """

    time: str
    who: str
    source: str
    action: str
    project: str = ""
    subject: str = ""
    outcome: str = "done"
    why: str = ""


def workspace_of(project: Path | None) -> Path:
    """The workspace whose rules and log a project belongs to.

    A project of another workspace keeps that one's rules, whatever MIXWRIGHT_HOME says.
    """
    workspace = home()
    if project is None:
        return workspace
    folder = Path(os.path.realpath(project))
    if folder.is_relative_to(workspace):
        return workspace
    for parent in folder.parents:
        if os.path.lexists(parent / SETTINGS):
            return parent
    return workspace


def name_in_log(project: Path | None) -> str:
    """What the log calls a project."""
    if project is None:
        return ""
    folder = Path(os.path.realpath(project))
    is_ours = folder.parent == workspace_of(project) / "projects"
    return folder.name if is_ours else str(folder)


def record(
    person: Person,
    action: str,
    project: Path | None = None,
    *,
    subject: str = "",
    outcome: Outcome = "done",
    why: str = "",
) -> None:
    """Append a line to the log of the project's workspace.

    Raises:
        WorkspaceError: The log cannot be written.
    """
    entry = _entry_now(person, action, project, subject, outcome, why)
    folder = make_folder(workspace_of(project))
    append(folder / FILE, json.dumps(asdict(entry)))


@contextlib.contextmanager
def begun(
    person: Person, action: str, project: Path | None, *, subject: str = ""
) -> Iterator[None]:
    """Note what is being done until its line is in the log, for who reads that.

    What killed processes left of theirs becomes lines. Where no note can be made there
    is none.
    """
    entry = _entry_now(person, action, project, subject, "stopped")
    workspace = workspace_of(project)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(WorkspaceError, OSError):
            folder = make_folder(workspace / _BEGUN)
            for line in _left(workspace, takes=True):
                append(workspace / FILE, line)
            file = stack.enter_context(locked_beside(folder / "line"))
            stack.callback(Path(file.name).unlink, missing_ok=True)
            file.write(json.dumps(asdict(entry)).encode())
            file.flush()
        yield


def _entry_now(
    person: Person,
    action: str,
    project: Path | None,
    subject: str,
    outcome: Outcome,
    why: str = "",
) -> Entry:
    return Entry(
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        who=tidy_name(person.name),
        source=person.source,
        action=action,
        project=name_in_log(project),
        subject=subject[:_LONGEST],
        outcome=outcome,
        why=why[:_LONGEST],
    )


def _left(workspace: Path, *, takes: bool = False) -> Iterator[str]:
    """Lines of what was begun by processes that were killed; taken away if asked."""
    for path in sorted((workspace / _BEGUN).glob(".*.tmp")):
        with contextlib.suppress(OSError), open(path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if line := file.read().decode(errors="replace"):
                yield line
            if takes:
                path.unlink()


def append(path: Path, text: str) -> None:
    """Append a line in one write; a torn last line stays apart from it.

    Raises:
        WorkspaceError: The disk is full, or the file cannot be written.
    """
    line = f"{text}\n".encode()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(path, flags, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            line = b"\n" + line if is_torn else line
            try:
                if os.write(handle, line) != len(line):
                    raise OSError(errno.ENOSPC, "the disk is full", str(path))
                os.fsync(handle)
            except OSError:  # whoever is told that it failed need not find it there
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)
    except OSError as error:
        raise explain(error, path) from error


def entries(project: Path | None = None) -> list[Entry]:
    """The lines of the log, oldest first.

    Args:
        project: Only what concerns this project, under its former names too; None for
            everything in the workspace.

    Raises:
        WorkspaceError: The log cannot be read.
    """
    workspace = workspace_of(project)
    stored = itertools.chain(lines(workspace / FILE), _objects(_left(workspace)))
    listed = [entry for entry in map(_entry, stored) if entry is not None]
    return listed if project is None else _of_project(listed, name_in_log(project))


def _of_project(listed: list[Entry], name: str) -> list[Entry]:
    """What concerns a project: a renamed project takes its past along."""
    pasts: dict[str, list[Entry]] = {}
    for entry in listed:
        past = pasts.setdefault(entry.project, [])
        past.append(entry)
        if entry.action == "project renamed" and entry.outcome == "done":
            pasts[entry.subject] = pasts.pop(entry.project)
    return pasts.get(name, [])


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; torn and foreign lines are left out.

    Raises:
        WorkspaceError: The file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            yield from _objects(file)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(error, path) from error


def _objects(texts: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    for text in texts:
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(text)
            if isinstance(value, dict):
                yield value


def _entry(stored: dict[str, Any]) -> Entry | None:
    """A line of the log; None for one that is something else."""
    try:
        return Entry(**{key: _logged_text(stored[key]) for key in _TEXTS})
    except (KeyError, TypeError):
        return None


def _logged_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return "".join(sign if sign.isprintable() else " " for sign in value)
