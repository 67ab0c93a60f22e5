"""The version of a workspace: which Mixwright wrote it last.

`version.json` in MIXWRIGHT_HOME holds it from the first write on. Major and minor
number count: a patch never changes what files are. A newer workspace is left as it is;
an older one is opened by `core.service.projects.version`, after a backup.
"""

import functools
import os
import re
from pathlib import Path

import core
from core.errors import WorkspaceError
from core.store.atomic import write_json
from core.store.stored import read_object

FILE = "version.json"
_NUMBER = re.compile(r"(\d{1,6})\.(\d{1,6})(\.\w+)*", re.ASCII)


def recorded(workspace: Path) -> str:
    """The version that wrote a workspace last; empty where none is recorded."""
    path = workspace / FILE
    try:
        about = os.stat(path)
    except OSError:
        return ""
    return _read(path, about.st_mtime_ns, about.st_size, about.st_ino)


@functools.lru_cache(maxsize=16)
def _read(path: Path, *_state: int) -> str:
    version = read_object(path).get("version")
    is_one = isinstance(version, str) and _NUMBER.fullmatch(version)
    return version if is_one else ""


def refuse_newer(workspace: Path) -> None:
    """Refuse a workspace that a newer version wrote.

    Raises:
        WorkspaceError: One did. Nothing was changed.
    """
    version = recorded(workspace)
    if is_newer(version):
        raise WorkspaceError(
            f"This workspace was last written by Mixwright {version}; this is "
            f"{core.__version__}, which does not know its files. Nothing was changed.",
            hint=f"Use Mixwright {version} or newer, or another workspace: set "
            "MIXWRIGHT_HOME to another folder.",
            where="MIXWRIGHT_HOME",
        )


def is_newer(version: str) -> bool:
    """Whether a version is newer than this one, in what counts."""
    return _counted(version) > _counted(core.__version__)


def is_older(workspace: Path) -> bool:
    """Whether an older version wrote a workspace last."""
    version = recorded(workspace)
    return bool(version) and _counted(version) < _counted(core.__version__)


def record(workspace: Path) -> None:
    """Record this version as the one that writes a workspace.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    if workspace.is_dir():
        write_json(workspace / FILE, {"version": core.__version__})


def _counted(version: str) -> tuple[int, int]:
    """Major and minor number."""
    match = _NUMBER.match(version)
    return (int(match[1]), int(match[2])) if match else (0, 0)
