"""Stored: what a file of the workspace holds, read without trusting that it is one.

Whoever can write into a folder can leave anything there: a pipe that never ends, a
link to itself, brackets by the thousand. Nothing of it may stop whoever lists the
projects. Standard library only: the supervisor uses it.
"""

import contextlib
import errno
import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from core.toml.document import DEEPEST, LARGEST

#: Bytes of a file that describes something; results and tables have limits elsewhere.
MOST = 32 * 1024**2
#: Bytes of a file's name that every file system of today takes.
LONGEST_NAME = 255


def read_regular(path: Path | str, *, most: int = MOST) -> bytes:
    """The bytes of a regular file of at most so many bytes.

    Raises:
        OSError: It is missing, is no regular file, is too large, or cannot be read.
    """
    try:
        # Without O_NONBLOCK, opening a pipe waits for somebody who writes into it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, "its name cannot be one", str(path)) from error
    with open(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        if about.st_size > most:
            limit = f"it is larger than {most / 1024**2:,.0f} MB"
            raise OSError(errno.EFBIG, limit, str(path))
        return file.read(most)


def read_object(path: Path) -> dict[str, Any]:
    """A JSON object from a file; empty if it is missing, damaged or none.

    Numbers in it are finite and below 2^63, texts can be printed, and nothing is nested
    deeper than `DEEPEST`.
    """
    with contextlib.suppress(OSError, ValueError, RecursionError):
        value = sound(json.loads(read_regular(path)))
        return value if isinstance(value, dict) else {}
    return {}


def sound(value: Any, depth: int = 0) -> Any:
    """Plain values as every reader can take them.

    Raises:
        ValueError: They are nested deeper than `DEEPEST`.
    """
    if depth > DEEPEST:
        raise ValueError(f"nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        return {sound(key): sound(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        return [sound(entry, depth + 1) for entry in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and not -LARGEST <= value < LARGEST:
        return None
    return value
