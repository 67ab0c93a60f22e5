"""Plans that --save keeps in their project."""

import getpass
from collections.abc import Mapping
from typing import Any

from core.cli.places import project_of
from core.workspace.plans import save_plan
from core.workspace.runs import Run


def keep(run: Run, told: dict[str, Any], content: Mapping[str, Any]) -> str:
    """Keep a plan, and have the answer say its name and identifier.

    Args:
        run: The fit that it was made with.
        told: The answer; gets both.
        content: What to keep, with the plan's name.

    Returns:
        A remark that says where it is.
    """
    folder = project_of(run)
    told["name"] = content["name"]
    told["plan_id"] = save_plan(folder, content)
    return f"Kept as plan {told['plan_id']} of {folder.name}."


def author() -> str:
    """Who is at the command line; empty where the system does not say."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
