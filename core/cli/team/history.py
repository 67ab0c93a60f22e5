"""history, audit: what happened in a project, ROI from fit to fit, and who did what."""

import argparse
from dataclasses import asdict
from pathlib import Path

from core import text as fmt
from core.cli.answer import Answer, clean, side_by_side, table
from core.cli.section_text import section_text
from core.service import plans
from core.service.places import project_folder
from core.service.projects import promises
from core.service.projects.access import Role, check
from core.service.projects.history import returns_over_fits, timeline
from core.service.workspace.audit import Entry, Log, logged
from core.view.origin import changed_plans
from core.view.promises import sections


def history(options: argparse.Namespace) -> Answer:
    """The time line of a project, and its returns over fits."""
    folder = project_folder(options.project)
    check("history read", folder, Role.VIEWER)
    if options.promises:
        return _promises(folder)
    events, fits = timeline(folder), returns_over_fits(folder)
    turned = plans.changed(folder)
    data = {
        "project": str(folder),
        "events": [asdict(event) for event in events],
        "fits": [asdict(fit) for fit in fits],
        "plans_changed": [stood.again for _, stood in turned],
    }
    rows = [
        (event.time[:16].replace("T", " "), event.who, event.kind, event.text)
        for event in events
    ]
    text = table(("Time (UTC)", "Who", "About", "What"), rows, texts=4)
    names = list(dict.fromkeys(name for fit in fits for name in fit.roi))
    over = [
        (
            f"data to {fit.end}",
            *(fmt.estimate(fit.roi.get(name), "ratio") for name in names),
        )
        for fit in fits
    ]
    if over:
        text = f"{text}\n\n{side_by_side(('ROI by fit', *names), over)}"
    lines = [text, *changed_plans(turned)]
    return Answer(data, clean("\n\n".join(lines)))


def _promises(folder: Path) -> Answer:
    """What was promised, what came, and how often intervals held."""
    record = promises.record(folder)
    data = {"project": str(folder)} | record.as_dict()
    texts = map(section_text, sections(record.settled, "text"))
    return Answer(data, clean("\n\n".join(texts)))


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
