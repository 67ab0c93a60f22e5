"""status, delete: how the workspace stands, and a project of it to the trash."""

import argparse
from dataclasses import asdict
from datetime import timedelta

from core import PROGRAM
from core.cli.answer import AT_FAULT, DONE, Answer, table
from core.service.places import typed_path
from core.service.projects.shelf import delete_project, erase_project, home
from core.service.workspace.server import (
    Overview,
    in_words,
    overview,
    used,
    write_metrics,
)


def status(options: argparse.Namespace) -> Answer:
    """How the workspace stands; exit status 1 where a fit could not start."""
    server = overview()
    if options.metrics:
        write_metrics(typed_path(options.metrics), server)
    usage = used()
    data = {"workspace": str(home())} | server.as_dict()
    data |= {"disk": asdict(server.disk) | usage}
    code = DONE if server.is_ready else AT_FAULT
    return Answer(data, _server_text(server, usage), code)


def _server_text(server: Overview, usage: dict[str, int]) -> str:
    ready = "A fit could start."
    if server.obstacles:
        ready = "A fit could not start: " + " ".join(server.obstacles)
    lanes = [
        (lane, str(load.working), str(load.waiting), str(load.places))
        for lane, load in server.queue.items()
    ]
    runs = [
        (kind, state, str(number))
        for kind, states in sorted(server.runs.items())
        for state, number in sorted(states.items())
    ]
    parts = [
        ready,
        table(("Queue", "Running", "Waiting", "Limit"), lanes),
        _standby(server),
    ]
    if runs:
        parts.append(table(("Kind", "State", "Runs"), runs, texts=2))
    sizes = ", ".join(f"{name} {in_words(size)}" for name, size in usage.items())
    free = f"{in_words(server.disk.free)} of {in_words(server.disk.total)} free"
    parts.append(f"Disk: {free}; {sizes}.\n{_backup(server)}\n{_versions(server)}")
    return "\n\n".join(parts)


def _standby(server: Overview) -> str:
    worker = server.standby
    if worker is None:
        return "Warm worker: none."
    about = f"{worker.precision}, {in_words(worker.bytes)}"
    return f"Warm worker: one waits for the next run ({about})."


def _backup(server: Overview) -> str:
    age = server.backup_age
    if age is None or server.last_backup is None:
        return f"Last backup: never. {PROGRAM} backup FILE.zip"
    ago = timedelta(seconds=max(0, round(age)))
    return f"Last backup: {ago} ago, to {server.last_backup.file}."


def _versions(server: Overview) -> str:
    named = (
        f"{name} {version}" for name, version in server.versions.items() if version
    )
    return f"Versions: {', '.join(named)}."


def delete(options: argparse.Namespace) -> Answer:
    """Move a project to the trash, or delete it and what the trash has of it."""
    if options.for_good:
        freed = erase_project(options.project)
        text = f"{options.project} is deleted for good, {in_words(freed)}."
        data = {"project": options.project, "for_good": True, "n_bytes": freed}
        return Answer(data, f"{text} Backups still have it: docs/privacy.md.")
    moved = delete_project(options.project)
    data = {"project": options.project, "for_good": False, "trash": str(moved)}
    return Answer(data, f"{options.project} is in the trash: {moved}")
