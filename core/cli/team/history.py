"""history: what happened in a project, and each channel's ROI from fit to fit."""

import argparse
from dataclasses import asdict
from pathlib import Path

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.service import plans
from core.service.places import project_folder
from core.service.projects import promises
from core.service.projects.access import Role, check
from core.service.projects.history import returns_over_fits, timeline
from core.view import promises as words
from core.view.origin import changed_plans


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
            *(
                fmt.estimate(fit.roi[name], "ratio") if name in fit.roi else fmt.NONE
                for name in names
            ),
        )
        for fit in fits
    ]
    if over:
        text = f"{text}\n\n{table(('ROI by fit', *names), over)}"
    lines = [text, *changed_plans(turned)]
    return Answer(data, clean("\n\n".join(lines)))


def _promises(folder: Path) -> Answer:
    """What was promised, what came, and how often intervals held."""
    record = promises.record(folder)
    data = {"project": str(folder)} | record.as_dict()
    parts = ["\n".join(words.findings(record.settled))]
    if rows := words.rows(record.settled):
        parts.append(table(words.HEADS, rows, texts=3))
    if counted := record.calibrated():
        levels = [
            (
                fmt.share(each.level / 100),
                str(each.n),
                str(each.held),
                f"{each.least} to {each.most}",
            )
            for each in counted
        ]
        heads = ("Level", "Intervals", "Held", "No surprise")
        parts += [table(heads, levels), words.COUNTED]
    parts += words.notes(record.settled)
    return Answer(data, clean("\n\n".join(parts)))
