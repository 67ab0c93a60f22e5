"""refresh: has a worker get ready, and does the rest meanwhile."""

import argparse

from core.cli.answer import Answer
from core.service import runs
from core.service.places import project_folder


def refresh(options: argparse.Namespace) -> Answer:
    """Take new rows in, fit, and say what moved and why."""
    runs.prepare(project_folder(options.project))
    # Not before: what a worker imports takes as long as this and reading the tables.
    from core.cli.team.refreshing import refreshed

    return refreshed(options)
