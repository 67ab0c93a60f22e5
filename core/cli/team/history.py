"""history: what happened in a project, and each channel's ROI from fit to fit."""

import argparse
from dataclasses import asdict

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.project.history.returns import returns_over_fits
from core.project.history.timeline import timeline
from core.service.places import project_folder
from core.team.gate import Role, check


def history(options: argparse.Namespace) -> Answer:
    """The time line of a project, and its returns over fits."""
    folder = project_folder(options.project)
    check("history read", folder, Role.VIEWER)
    events, fits = timeline(folder), returns_over_fits(folder)
    data = {
        "project": str(folder),
        "events": [asdict(event) for event in events],
        "fits": [asdict(fit) for fit in fits],
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
    return Answer(data, clean(text))
