"""Presence: who has a project open, on which screen, and when they last changed it.

A file for each window, rewritten every half minute and forgotten soon after; it says
something to people and guards nothing: `save_project` does that. Standard library.
"""

import contextlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from core.store.places import home
from core.store.stored import read_object

#: Seconds after which a window that says nothing is closed, and its file removed.
CLOSED, FORGOTTEN = 90.0, 3600.0
_LONGEST = 254


@dataclass(frozen=True)
class Presence:
    """A window in which a project is open.

    Attributes:
        who: Name of the person; empty where nobody signs in.
        screen: Title of the screen.
        idle: Seconds since they last did something.
        edited: Seconds since they last changed the project; None if they did not.
    """

    who: str
    screen: str
    idle: float
    edited: float | None


def note_presence(
    project: Path,
    window: str,
    *,
    who: str,
    screen: str,
    acted: float,
    edited: float | None,
) -> None:
    """Say that a window has a project open; never fails.

    Args:
        project: The project's folder.
        window: Identifies the window.
        who: Name of the person.
        screen: Title of the screen.
        acted: When they last did something, seconds since 1970.
        edited: When they last changed the project; None if they did not.
    """
    about = {"who": who[:_LONGEST], "screen": screen, "acted": acted, "edited": edited}
    path = _folder(project) / f"{window}.json"
    temporary = path.with_name(f".{path.name}.tmp")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        # No part of the project: not counted as a change, as atomic.write_json does.
        temporary.write_text(json.dumps(about | {"seen": time.time()}))
        os.replace(temporary, path)


def others(project: Path, window: str) -> list[Presence]:
    """Other windows in which a project is open, the last active first."""
    now = time.time()
    windows = []
    for path in _folder(project).glob("*.json"):
        about = read_object(path)
        silent = now - _number(about.get("seen"), 0.0)
        if silent > FORGOTTEN:
            with contextlib.suppress(OSError):
                path.unlink()
        elif path.stem != window and -CLOSED < silent < CLOSED:
            edited = about.get("edited")
            windows.append(
                Presence(
                    who=str(about.get("who") or "")[:_LONGEST],
                    screen=str(about.get("screen") or ""),
                    idle=max(0.0, now - _number(about.get("acted"), now)),
                    edited=None if edited is None else now - _number(edited, now),
                )
            )
    return sorted(windows, key=lambda window: window.idle)


def _folder(project: Path) -> Path:
    """Beside the projects: a project has not changed because somebody looks at it."""
    return home() / "presence" / project.name


def _number(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
