"""Results of a run: written whole or not at all, and checked when they are read."""

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import WorkspaceError
from core.store.atomic import explain, sha256_of, sync_file, sync_folder, write_json
from core.store.stored import read_regular

if TYPE_CHECKING:
    import xarray as xr

_UNREADABLE = (OSError, ValueError, LookupError, AttributeError, TypeError)
_UNREADABLE += (RecursionError,)
#: Bytes of a file of a result; draws of large markets come to some hundred million.
_MOST = 16 * 1024**3
#: Files that are made durable at a time.
_SYNCED = 16
_NAME = re.compile(r"[a-z][a-z0-9_]*\.(json|nc)", re.ASCII)


def _synced(path: Path) -> tuple[str, str]:
    """Name and hash of a file whose content is durable."""
    sync_file(path)
    return path.name, sha256_of(path)


def write_record(path: Path, record: Any) -> None:
    """A record as a JSON file of a result, which `write_result` makes durable."""
    from msgspec import to_builtins  # noqa: PLC0415  a supervisor reads without it

    text = json.dumps(record, indent=1, allow_nan=False, default=to_builtins)
    path.write_text(text, "utf-8")


@contextlib.contextmanager
def write_result(run: Path) -> Iterator[Path]:
    """A folder to write a run's result into; it becomes `result/` at the end.

    The files go to `result.tmp/`, then their hashes to its manifest.json, then the
    folder gets its name. If the body raises, nothing of it stays.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    temporary, final = run / "result.tmp", run / "result"
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir()
        yield temporary
        files = sorted(path for path in temporary.iterdir() if path.is_file())
        with ThreadPoolExecutor(_SYNCED) as threads:  # a disk takes them together
            hashes = dict(threads.map(_synced, files))
        write_json(temporary / "manifest.json", {"files": hashes})
        if final.exists():
            shutil.rmtree(final)
        os.rename(temporary, final)
        sync_folder(run)
    except OSError as error:
        raise explain(error, final) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def has_result(run: Path) -> bool:
    """Whether the run has a finished result."""
    return os.path.isfile(run / "result" / "manifest.json")


def read_json(run: Path, name: str) -> Any:
    """A JSON file of the result, checked against the manifest.

    Args:
        run: The run's folder.
        name: The file, with or without `.json`.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    name = name if name.endswith(".json") else f"{name}.json"
    try:
        return json.loads(_read(run, name))
    except (ValueError, RecursionError) as error:
        raise _damaged(run, name) from error


def open_dataset(run: Path, name: str) -> "xr.Dataset":
    """A dataset of the result, checked against the manifest and held in memory.

    Args:
        run: The run's folder.
        name: The file, with or without `.nc`.

    Raises:
        WorkspaceError: There is no result, or it is damaged.
    """
    import xarray as xr

    name = name if name.endswith(".nc") else f"{name}.nc"
    data = _read(run, name)
    try:
        with xr.open_dataset(io.BytesIO(data), engine="h5netcdf") as dataset:
            return dataset.load()
    except (OSError, ValueError, KeyError) as error:
        raise _damaged(run, name) from error


def result_files(run: Path) -> dict[str, str]:
    """The files of the result with their hashes.

    Raises:
        WorkspaceError: There is no result, or its manifest is damaged.
    """
    path = run / "result" / "manifest.json"
    try:
        files = json.loads(read_regular(path))["files"]
        if not all(isinstance(digest, str) for digest in files.values()):
            raise TypeError
        return files
    except FileNotFoundError as error:
        if os.path.isdir(run / "result") or not os.path.isdir(run):
            raise _damaged(run, path.name) from error
        raise WorkspaceError(
            f"Run {run.name} has no result.",
            hint="Wait until it is done, or fit again.",
            where=str(run),
        ) from error
    except _UNREADABLE as error:
        raise _damaged(run, path.name) from error


def _read(run: Path, name: str) -> bytes:
    if not _NAME.fullmatch(name):
        raise WorkspaceError(f"{name!r} is not the name of a result.", where=str(run))
    expected = result_files(run).get(name)
    if expected is None:
        raise WorkspaceError(
            f"Run {run.name} has no {name}.",
            hint="It was made by another version or is of another kind; fit again.",
            where=str(run),
        )
    try:
        data = read_regular(run / "result" / name, most=_MOST)
    except OSError as error:
        raise _damaged(run, name) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise _damaged(run, name)
    return data


def _damaged(run: Path, name: str) -> WorkspaceError:
    """Why a file of the result cannot be read; the run may be gone meanwhile."""
    if not os.path.isdir(run):
        return WorkspaceError(
            f"Run {run.name} is gone: it was deleted, or its project was.",
            hint="Choose another fit, or fit again.",
            where=str(run),
        )
    return WorkspaceError(
        f"Run {run.name} has a damaged result: {name} is not what was written.",
        hint="Fit again; the project and its other runs are not affected.",
        where=str(run / "result" / name),
    )
