"""audit: who did what and when."""

import argparse
from dataclasses import asdict

from core.cli.answer import Answer, table
from core.service.places import project_folder
from core.service.projects.access import Role, check
from core.team.audit import FILE, Entry, entries, workspace_of


def audit_command(options: argparse.Namespace) -> Answer:
    """The audit log of the workspace, or of one project."""
    folder = None if options.project is None else project_folder(options.project)
    check("audit read", folder, Role.VIEWER if folder else Role.ADMIN)
    listed = entries(folder)
    if options.last is not None:
        listed = listed[-options.last :] if options.last > 0 else []
    file = str(workspace_of(folder) / FILE)
    log = {"file": file, "entries": [asdict(entry) for entry in listed]}
    return Answer(log, _text(listed, file))


def _text(listed: list[Entry], file: str) -> str:
    if not listed:
        return f"Nothing is in the log yet: {file}"
    titles = ("Time (UTC)", "Who", "What", "Project", "Subject", "Outcome")
    return table(titles, [_row(entry) for entry in listed], texts=len(titles))


def _row(entry: Entry) -> tuple[str, ...]:
    time = entry.time[:19].replace("T", " ")
    outcome = f"{entry.outcome} ({entry.why})" if entry.why else entry.outcome
    subject = entry.subject if len(entry.subject) <= 60 else f"{entry.subject[:59]}…"
    return time, entry.who or "nobody", entry.action, entry.project, subject, outcome
