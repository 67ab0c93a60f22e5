"""history: what happened in a project, and each channel's ROI from fit to fit."""

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
