"""Stored: what a file of the workspace holds, read without trusting that it is one.

Whoever can write into a folder can leave anything there: a pipe that never ends, a
link to itself, brackets by the thousand. Nothing of it may stop whoever lists the
projects. An older version may have written it: a field of a record that is missing, or
holds something else, keeps its default. Standard library only: the supervisor uses it.
"""

import contextlib
import errno
import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

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


def json_files(folder: Path) -> list[Path]:
    """What may be records, by name; none where the folder cannot be looked into."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name.endswith(".json")]


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


_Record = TypeVar("_Record")


def lenient(content: Any, kind: type[_Record]) -> _Record:
    """A record of a JSON object.

    Args:
        content: The object; anything else is an empty one.
        kind: A dataclass whose fields all have defaults.
    """
    mapping = content if isinstance(content, Mapping) else {}
    values = {}
    for field in fields(kind):
        value = mapping.get(field.name)
        if is_dataclass(field.type):
            values[field.name] = lenient(value, field.type)
        elif (base := _base_of(value, field.type)) is not None:
            values[field.name] = float(value) if base is float else value
    return kind(**values)


def _base_of(value: Any, annotation: Any) -> type | None:
    """The type of an annotation that a value is of; None where it is of none."""
    is_union = isinstance(annotation, UnionType)
    for each in get_args(annotation) if is_union else (annotation,):
        base = get_origin(each) or each
        if value is None or isinstance(value, bool) and base is not bool:
            continue
        if isinstance(value, base) or (base is float and isinstance(value, int)):
            return base
    return None
