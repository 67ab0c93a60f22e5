"""Checkpoint: an unfinished run on disk, exact to the bit, without pickle."""

import hashlib
import json
import os
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct, structs

#: Seconds between two saves, at least; and a save takes at most this share of time.
_SECONDS = 2.0
_SHARE = 0.05

_STATE = "state.npz"
#: What reading a damaged checkpoint may raise.
DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    TypeError,
    zlib.error,
    zipfile.BadZipFile,
    msgspec.MsgspecError,
)


class Standing(Struct, frozen=True, kw_only=True):
    """How far an unfinished run is.

    Attributes:
        stage: Place of its stage in the plan.
        done: Iterations of that stage that are done.
        plan: Every stage: its name, its length, and whether it adapts, corrects and
            takes the curvature of the chains.
        n_modes: Modes that were found.
        apart: How far they are apart.
        restarts: Chains that were started again.
        notes: What is to be said.
        seconds: What stages took.
    """

    stage: int
    done: int
    plan: tuple[tuple[str, int, bool, bool, bool], ...]
    n_modes: int
    apart: float = 0.0
    restarts: int
    notes: tuple[str, ...]
    seconds: dict[str, float | None]


class _Head(Standing, frozen=True, kw_only=True):
    """The same with whose checkpoint it is, and the files of the stage's rows."""

    mark: str
    files: tuple[str, ...]


class Saved(NamedTuple):
    """What a checkpoint holds: how far it is, arrays, the stage's rows, their files."""

    about: Standing
    arrays: dict[str, np.ndarray]
    rows: dict[str, np.ndarray]
    files: tuple[str, ...]


def fingerprint(about: Any, arrays: list[Any]) -> str:
    """Text that is the same for the same options and data."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for array in arrays:
        array = np.asarray(array)
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class Checkpoint:
    """The folder of a run's checkpoint.

    Args:
        folder: Made where it is missing.
        mark: The run's `fingerprint`: a checkpoint of another is not used.
    """

    def __init__(self, folder: Path, mark: str):
        self.folder, self.mark = Path(folder), mark
        self.folder.mkdir(parents=True, exist_ok=True)
        self._files: list[str] = []
        self._stage: Any = None
        self._saved_at, self._cost = time.monotonic(), 0.0

    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        pause = max(_SECONDS, self._cost / _SHARE)
        return time.monotonic() - self._saved_at >= pause

    def save(
        self,
        about: Standing,
        arrays: dict[str, np.ndarray],
        rows: dict[str, np.ndarray],
    ) -> None:
        """Save the state, and the rows since the last save of the same stage."""
        started = time.monotonic()
        old: list[str] = []
        if about.stage != self._stage:
            old, self._files, self._stage = self._files, [], about.stage
        if rows:
            number = len(self._files)
            self._files.append(f"rows-{about.stage}-{number}.npz")
            _write(self.folder / self._files[-1], rows)
        own = {"mark": self.mark, "files": tuple(self._files)}
        head = msgspec.json.encode(_Head(**structs.asdict(about), **own)).decode()
        _write(self.folder / _STATE, arrays | {"about": np.array(head)})
        for name in old:
            (self.folder / name).unlink(missing_ok=True)
        self._saved_at = time.monotonic()
        self._cost = self._saved_at - started

    def load(self) -> tuple[Saved | None, str]:
        """What was saved, or None and why it cannot be used."""
        if not (self.folder / _STATE).exists():
            return None, ""
        try:
            saved = read_saved(self.folder, self.mark)
        except DAMAGE:
            return None, "The checkpoint was damaged; sampling started again."
        if saved is None:
            return None, (
                "The checkpoint belongs to other data or settings; sampling started "
                "again."
            )
        self._files, self._stage = list(saved.files), saved.about.stage
        return saved, ""

    def clear(self) -> None:
        """Remove what was saved."""
        for pattern in (_STATE, "rows-*.npz", "*.npz.tmp"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        self._files, self._stage = [], None


def read_saved(folder: Path, mark: str | None = None) -> Saved | None:
    """What a folder holds; None where its mark is another.

    Args:
        folder: Of a checkpoint.
        mark: The run's `fingerprint`; None for any run's.

    Raises:
        OSError, ValueError, KeyError and others of `DAMAGE`: It is damaged.
    """
    arrays = _read(folder / _STATE)
    about = msgspec.json.decode(str(arrays.pop("about")), type=_Head)
    if about.mark != mark and mark is not None:
        return None
    parts = [_read(folder / name) for name in about.files]
    rows = {
        name: np.concatenate([part[name] for part in parts], axis=1)
        for name in (parts[0] if parts else {})
    }
    return Saved(about, arrays, rows, about.files)


def _write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write all or nothing: a temporary name, then a rename."""
    partial = path.with_name(f"{path.name}.tmp")
    with partial.open("wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def _read(path: Path) -> dict[str, np.ndarray]:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
