"""Rewritten: files that are read, changed and written again, and lose nothing by it.

What counts as nothing where it is only shown must not be nothing where it is written
again. Who changes such a file holds a lock meanwhile.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from core.store.atomic import explain, sync_folder, unreadable
from core.store.places import new_id
from core.store.stored import read_regular, sound


def bytes_before(path: Path) -> bytes:
    """What a file holds that is about to be written again; empty where there is none.

    Raises:
        WorkspaceError: It cannot be read, so that nobody knows what would be lost.
    """
    try:
        return read_regular(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise unreadable(error, path) from error


def object_before(path: Path) -> dict[str, Any]:
    """A JSON object from a file that is about to be written again; see `set_aside`.

    Raises:
        WorkspaceError: It cannot be read, or what is damaged cannot be set aside.
    """
    content = bytes_before(path)
    with contextlib.suppress(ValueError, RecursionError):
        value = sound(json.loads(content))
        if isinstance(value, dict):
            return value
    if content.strip():
        set_aside(path)
    return {}


def set_aside(path: Path) -> Path:
    """Give a damaged file another name in its folder, so that nothing replaces it.

    Returns:
        Where it is now: `labels damaged 20250131-093000-0a1b2c3d.json`.

    Raises:
        WorkspaceError: The folder cannot be written.
    """
    aside = path.with_name(f"{path.stem} damaged {new_id()}{path.suffix}")
    try:
        os.rename(path, aside)
        sync_folder(path.parent)
    except OSError as error:
        raise explain(error, path) from error
    return aside
