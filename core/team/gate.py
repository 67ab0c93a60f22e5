"""The gate: what every write of the workspace passes, whoever asks for it.

It knows who acts, refuses what their role does not allow, and writes the audit log.
Gates may lie within each other, as saving a table saves project.toml too: every one
checks, and the outermost writes the line.

    @gated("plan saved", Role.PLANNER)
    def save_plan(project_folder, content): ...
"""

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from core.errors import AccessError, MMMError, WorkspaceError
from core.store.atomic import changes, gone
from core.store.places import project_folder
from core.store.version import record, recorded, refuse_newer
from core.team import audit
from core.team.members import role_of
from core.team.roles import Role
from core.team.settings import acting, is_enforced
from core.text.languages.language import marked
from core.within import Within

_LOGGER = logging.getLogger("mixwright")
_P, _R = ParamSpec("_P"), TypeVar("_R")
_is_within: Within[bool] = Within("within", False)
#: How to be allowed to change something; None where one is.
_read_only: Within[str | None] = Within("read_only", None)


@dataclass
class Passage:
    """What the line of the log will say.

    Attributes:
        subject: What it is about; may be set while the body runs.
    """

    subject: str = ""


@contextlib.contextmanager
def gate(
    action: str,
    project: Path | None,
    needs: Role,
    *,
    subject: str = "",
    is_logged: bool = True,
) -> Iterator[Passage]:
    """Let the body pass if the one who acts may, and log it if it changed something.

    Args:
        action: What is done, such as `plan saved`.
        project: The project's folder; None for the workspace.
        needs: The least role.
        subject: The run, plan or name that it is about.
        is_logged: Whether success is worth a line; a refusal always is.

    Raises:
        AccessError: They may not, or nothing may be changed. Nothing was.
        WorkspaceError: The log cannot be written, where roles are enforced, or the
            body fails because the project was deleted or renamed meanwhile.
    """
    check(action, project, needs, subject=subject)
    if (hint := _read_only.get()) is not None:
        why, message = "read-only", f"Nothing may be changed here: no {action}."
        refuse(action, project, subject=subject, why=why, message=message, hint=hint)
    passage, is_outer = Passage(subject), not _is_within.get()
    was_there = project is not None and project.is_dir()
    is_noted = is_outer and is_logged
    with begun(action, project, subject) if is_noted else contextlib.nullcontext():
        before = changes()
        try:
            with _is_within.during(True):
                yield passage
        except BaseException as error:
            if is_outer and (outcome := _outcome(error, changes() != before)):
                why = type(error).__name__
                _log(action, project, passage.subject, outcome, why)
            if isinstance(error, MMMError) and was_there and not project.is_dir():
                raise gone(project) from error
            raise
        if is_outer and changes() != before:
            workspace = audit.workspace_of(project)
            if not recorded(workspace):
                with contextlib.suppress(WorkspaceError):  # what was done stays done
                    record(workspace)
            if is_logged:
                _log(action, project, passage.subject, "done")


def _outcome(error: BaseException, has_changed: bool) -> audit.Outcome | None:
    """What the log says of a body that raised; None for nothing."""
    if isinstance(error, MMMError):
        return None if getattr(error, "is_logged", False) else "refused"
    if isinstance(error, Exception):
        return "failed"
    return "stopped" if has_changed else None


def begun(
    action: str, project: Path | None, subject: str = ""
) -> contextlib.AbstractContextManager[None]:
    """Have the log say what was begun if the process is killed in the body."""
    return audit.begun(acting(project), action, project, subject=subject)


def read_only(hint: str) -> contextlib.AbstractContextManager[None]:
    """Let nothing pass a gate in the body, whatever the role.

    Args:
        hint: How to be allowed to.
    """
    return _read_only.during(hint)


def check(action: str, project: Path | None, needs: Role, *, subject: str = "") -> None:
    """Refuse the one who acts if their role is too small.

    Raises:
        AccessError: It is; the refusal is in the log.
        WorkspaceError: A newer version wrote the workspace.
    """
    refuse_newer(audit.workspace_of(project))
    denied = denial(project, needs)
    if denied is not None:
        _log(action, project, subject, "refused", f"needs {needs.word}")
        denied.is_logged = True
        raise denied


def denial(project: Path | None, needs: Role) -> AccessError | None:
    """The error that refuses what needs this role; None for whoever may."""
    why = why_not(project, needs)
    name = project.name if project is not None else marked("the workspace")
    hint = f"Ask an admin of {name}."
    return AccessError(why, hint=hint, where=name) if why else None


def log_refusal(action: str, project: Path | None, subject: str, why: str) -> None:
    """Log what was refused elsewhere, such as an address that leads nowhere."""
    _log(action, project, subject, "refused", why)


def may(project: Path | None, needs: Role) -> bool:
    """Whether the one who acts may do what needs this role; nothing is logged."""
    return not why_not(project, needs)


def why_not(project: Path | None, needs: Role) -> str:
    """Why the one who acts may not do what needs this role; empty where they may."""
    person = acting(project)
    role = role_of(person, project)
    if role >= needs:
        return ""
    name = project.name if project is not None else marked("this workspace")
    known = f"{person.name} is {role.article} of {name}" if role else ""
    lacks = "role in" if project is None else "access to"
    known = known or f"{person.name or 'Nobody'} has no {lacks} {name}"
    return f"{known}; this needs {needs.article}."


def note(action: str, project: Path | None, needs: Role, *, subject: str = "") -> None:
    """Check and log what changes nothing here, such as a report that leaves.

    Raises:
        AccessError: The one who acts may not.
    """
    check(action, project, needs, subject=subject)
    _log(action, project, subject, "done")


def refuse(
    action: str,
    project: Path | None,
    *,
    subject: str,
    why: str,
    message: str,
    hint: str,
) -> None:
    """Log a refusal and raise it.

    Raises:
        AccessError: Always.
    """
    _log(action, project, subject, "refused", why)
    error = AccessError(message, hint=hint, where=project.name if project else "")
    error.is_logged = True
    raise error


def gated(
    action: str, needs: Role, *, is_logged: bool = True
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A gate around a function whose first argument is a project: folder or name.

    The log's subject is the second argument where that is a text, such as a plan's
    identifier, and otherwise the name that the function returns.

    Args:
        action: What the function does.
        needs: The least role.
        is_logged: Whether success is worth a line.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def inside(*args: _P.args, **keywords: _P.kwargs) -> _R:
            subject = str(args[1]) if len(args) > 1 and type(args[1]) is str else ""
            folder = _folder(action, args[0], subject)
            with gate(
                action, folder, needs, subject=subject, is_logged=is_logged
            ) as passage:
                answer = function(*args, **keywords)
                passage.subject = passage.subject or _name(answer)
            return answer

        return inside

    return decorate


def _folder(action: str, project: Any, subject: str) -> Path:
    """The folder that a function's first argument stands for."""
    if isinstance(project, Path):
        return project
    try:
        return project_folder(str(project))
    except WorkspaceError as error:  # a name that would lead elsewhere
        culprit = f"{project} {subject}".strip()
        _log(action, None, culprit, "refused", type(error).__name__)
        raise


def _name(answer: Any) -> str:
    """The name of what a function made."""
    if isinstance(answer, list | tuple):
        return ", ".join(_name(part) for part in answer)
    return answer.name if isinstance(answer, Path) else str(answer or "")


def _log(
    action: str,
    project: Path | None,
    subject: str,
    outcome: audit.Outcome,
    why: str = "",
) -> None:
    try:
        audit.record(
            acting(project), action, project, subject=subject, outcome=outcome, why=why
        )
    except WorkspaceError as error:
        if is_enforced(project):
            raise
        _LOGGER.warning("The audit log was not written: %s", error)
