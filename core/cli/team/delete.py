"""delete: a project of the workspace to the trash, or for good."""

import argparse

from core.cli.answer import Answer
from core.service.projects.shelf import delete_project, erase_project
from core.service.workspace.server import in_words


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
