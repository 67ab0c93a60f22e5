"""audit: who did what and when."""

import argparse
from dataclasses import asdict

from core.cli.answer import Answer, table
from core.service.places import project_folder
from core.service.workspace.audit import Entry, Log, logged


def audit_command(options: argparse.Namespace) -> Answer:
    """The audit log of the workspace, or of one project."""
    folder = None if options.project is None else project_folder(options.project)
    log = logged(folder, options.last)
    return Answer(
        asdict(log) | {"entries": list(map(asdict, log.entries))}, _listed(log)
    )


def _listed(log: Log) -> str:
    if not log.entries:
        return f"Nothing is in the log yet: {log.file}"
    titles = ("Time (UTC)", "Who", "What", "Project", "Subject", "Outcome")
    return table(titles, [_entry(entry) for entry in log.entries], texts=len(titles))


def _entry(entry: Entry) -> tuple[str, ...]:
    time = entry.time[:19].replace("T", " ")
    outcome = f"{entry.outcome} ({entry.why})" if entry.why else entry.outcome
    subject = entry.subject if len(entry.subject) <= 60 else f"{entry.subject[:59]}…"
    return time, entry.who or "nobody", entry.action, entry.project, subject, outcome
