"""prune: delete old runs of a project for good."""

import argparse

from core.cli.answer import Answer, table
from core.errors import WorkspaceError
from core.service.fits import Pruning, prune, pruning
from core.service.places import project_folder


def prune_command(options: argparse.Namespace) -> Answer:
    """Delete the runs beyond a number and an age, or list them."""
    if options.keep is None and options.older_than is None:
        raise WorkspaceError(
            "Say which runs may be deleted.",
            hint="--keep 20 keeps the newest 20, --older-than 30d keeps those of the "
            "last 30 days; together, a run goes if neither keeps it.",
        )
    folder = project_folder(options.project)
    chosen = pruning(folder, keep=options.keep or 0, older_than=options.older_than)
    n_bytes = chosen.n_bytes
    names = [run.run_id for run in chosen.runs]
    if not options.dry_run:
        names = prune(folder, chosen.runs)
    data = {
        "project": str(folder),
        "dry_run": options.dry_run,
        "runs": names,
        "n_bytes": n_bytes,
        "kept": [{"run": run.run_id, "why": why} for run, why in chosen.exceptions],
    }
    return Answer(data, _pruning(chosen, names, n_bytes, dry_run=options.dry_run))


def _pruning(chosen: Pruning, names: list[str], n_bytes: int, *, dry_run: bool) -> str:
    rows = [
        (run.run_id, run.kind, run.status.state)
        for run in chosen.runs
        if run.run_id in names
    ]
    size = f"{n_bytes / 1024**2:,.0f} MB"
    verb = "would be deleted" if dry_run else "deleted"
    lines = [table(("Run", "Kind", "State"), rows, texts=3)] if rows else []
    lines.append(f"{len(rows)} {'run' if len(rows) == 1 else 'runs'} {verb}, {size}.")
    lines += [f"Kept: {run.run_id}, {why}." for run, why in chosen.exceptions]
    return "\n".join(lines)
