"""Labels of plans: the name and the notes that somebody gave one after it was saved.

    plans/labels.json    {plan_id: {"name", "notes"}}

Beside the plans, whose files are never changed: what was approved stays what it is.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

from core.store.atomic import write_json
from core.store.rewritten import object_before
from core.store.stored import read_object

FILE = "labels.json"


def labels(folder: Path) -> dict[str, dict[str, str]]:
    """Name and notes by plan; none where the file is missing or damaged.

    Args:
        folder: The folder of plans.
    """
    path = folder / FILE
    try:
        state = path.stat()
    except OSError:
        return {}
    return _read(path, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, *_state: int) -> dict[str, dict[str, str]]:
    return _labels(read_object(path))


def _labels(content: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Name and notes by plan, of what the file holds."""
    return {
        name: {key: own[key] for key in ("name", "notes") if _is_text(own.get(key))}
        for name, own in content.items()
        if isinstance(own, dict)
    }


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def add_label(folder: Path, plan_id: str, label: dict[str, str]) -> None:
    """Give a plan another label, for whoever holds the project's lock.

    Raises:
        WorkspaceError: The disk is full or read-only, or the file cannot be read.
    """
    earlier = _labels(object_before(folder / FILE))
    write_json(folder / FILE, earlier | {plan_id: label})
    _read.cache_clear()  # two writes may look alike to a coarse clock
