"""Previews: what a run at work says before its result is there.

Before it has sampled, what it expects; after that, what sampling says of channels while
the rest is worked out (`method` tells which).

`preview/` lies beside `result/` in the run's folder, is written whole or not at all,
and counts for nothing as soon as there is a result.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from core.store.atomic import explain
from core.store.results import has_result
from core.store.stored import read_object

_FOLDER, _FILE = "preview", "preview.json"


@contextlib.contextmanager
def write_preview(run: Path, content: dict[str, Any]) -> Iterator[Path]:
    """A folder to write more files of the preview into; it is `preview/` at the end.

    Args:
        run: The run's folder.
        content: What preview.json holds.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    temporary, final = run / f"{_FOLDER}.tmp", run / _FOLDER
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir()
        text = json.dumps(
            content | {"is_preview": True},
            indent=1,
            allow_nan=False,
            default=to_builtins,
        )
        (temporary / _FILE).write_text(text)
        yield temporary
        shutil.rmtree(final, ignore_errors=True)
        os.rename(temporary, final)
    except OSError as error:
        raise explain(error, final) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def read_preview(run: Path) -> dict[str, Any] | None:
    """What the run says before its result is there; None once it is.

    None, too, where there is no preview or it is damaged.
    """
    if has_result(run):
        return None
    preview = read_object(run / _FOLDER / _FILE)
    return preview if preview.get("is_preview") and "channels" in preview else None


def clear_preview(run: Path) -> None:
    """Remove the preview."""
    shutil.rmtree(run / _FOLDER, ignore_errors=True)
