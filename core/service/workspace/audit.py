"""The audit log: what was done in a workspace and by whom, and who came and went."""

from dataclasses import dataclass
from pathlib import Path

from core.service.projects.access import Person, Role, check
from core.team.audit import FILE, Entry, Outcome, entries, record, workspace_of


@dataclass(frozen=True)
class Log:
    """Lines of the log.

    Attributes:
        file: Where they are.
        entries: The oldest first.
    """

    file: str
    entries: tuple[Entry, ...]


def logged(project: Path | None = None, last: int | None = None) -> Log:
    """The log of the workspace, or what concerns one project.

    Args:
        project: Its folder; None for everything, which admins may see.
        last: How many lines at most, the newest; None for all.

    Raises:
        AccessError: The one who acts may not see it.
        WorkspaceError: It cannot be read.
    """
    check("audit read", project, Role.VIEWER if project else Role.ADMIN)
    lines = entries(project)
    if last is not None:
        lines = lines[-last:] if last > 0 else []
    return Log(str(workspace_of(project) / FILE), tuple(lines))


def note_sign_in(person: Person, action: str, outcome: Outcome) -> None:
    """Log that a person signed in or out, or was turned away.

    Raises:
        WorkspaceError: The log cannot be written.
    """
    why = "no role" if outcome == "refused" else ""
    record(person, action, outcome=outcome, why=why)
