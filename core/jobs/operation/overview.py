"""Overview: queue, runs, disk, versions and the last backup of a workspace."""

import shutil
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from core.jobs import queue
from core.jobs.operation.readiness import obstacles
from core.jobs.resources import Lane, gpus
from core.jobs.standby import keeping
from core.jobs.standby.keeping import Waiting
from core.project.backup.take import LastBackup, last_backup
from core.project.fits.pruning import size_of
from core.project.fits.run_inputs import RunKind, versions
from core.project.fits.runs import Run, list_runs
from core.store.atomic import make_folder
from core.store.places import (
    compilation_cache,
    home,
    may_name_project,
    projects_folder,
    trash_folder,
)

#: States of runs that did not end as they should.
FAILURES = ("failed", "killed", "lost")


@dataclass(frozen=True)
class RunSeconds:
    """Seconds that the finished runs of a kind worked, and how many they are."""

    total: float
    runs: int


@dataclass(frozen=True)
class Disk:
    """Bytes of a disk."""

    total: int
    free: int


@dataclass(frozen=True)
class Overview:
    """How a workspace stands.

    Attributes:
        obstacles: Why a fit could not start; empty if it could.
        projects: How many there are.
        queue: What waits and works, by lane.
        standby: The worker that waits for the next run; None where none does.
        runs: Number of runs by kind and state.
        seconds: What finished runs took, by kind.
        disk: Of the workspace.
        last_backup: When and where to; None where there never was one.
        versions: Of Mixwright and of what decides its numbers.
        time: When this was seen, seconds since 1970.
    """

    obstacles: tuple[str, ...]
    projects: int
    queue: Mapping[Lane, queue.Load]
    standby: Waiting | None
    runs: Mapping[str, Mapping[str, int]]
    seconds: Mapping[str, RunSeconds]
    disk: Disk
    last_backup: LastBackup | None
    versions: Mapping[str, str]
    time: float

    @property
    def is_ready(self) -> bool:
        """Whether a fit could start."""
        return not self.obstacles

    @property
    def backup_age(self) -> float | None:
        """Seconds since the last backup; None where there never was one."""
        if self.last_backup is None:
            return None
        try:
            moment = datetime.fromisoformat(self.last_backup.created)
            return self.time - moment.astimezone(UTC).timestamp()
        except (ValueError, OverflowError):
            return None

    def as_dict(self) -> dict[str, Any]:
        """The overview as plain values."""
        fields = asdict(self)
        unknown = {name: {} for name, part in fields.items() if part is None}
        return {"ready": self.is_ready} | fields | unknown


def overview() -> Overview:
    """How the workspace stands now.

    Raises:
        WorkspaceError: It is not there and cannot be made.
    """
    folders = _project_folders()
    counts: dict[str, Counter[str]] = {}
    seconds: dict[str, list[float]] = {}
    for run in (run for folder in folders for run in list_runs(folder)):
        kind = run.kind if run.kind in get_args(RunKind) else "other"
        counts.setdefault(kind, Counter())[run.status.state] += 1
        if run.status.state == "done":
            seconds.setdefault(kind, []).append(_seconds(run))
    usage = shutil.disk_usage(make_folder(home()))
    return Overview(
        obstacles=tuple(obstacles()),
        projects=len(folders),
        queue={lane: queue.load(lane) for lane in _lanes()},
        standby=keeping.waiting(),
        runs={kind: dict(states) for kind, states in counts.items()},
        seconds={
            kind: RunSeconds(sum(values), len(values))
            for kind, values in seconds.items()
        },
        disk=Disk(usage.total, usage.free),
        last_backup=last_backup(),
        versions=versions(),
        time=time.time(),
    )


def _lanes() -> list[Lane]:
    """The lanes of this machine."""
    return [lane for lane in get_args(Lane) if lane != "gpu" or gpus()]


def _project_folders() -> list[Path]:
    try:
        paths = sorted(projects_folder().iterdir())
    except OSError:
        return []
    return [
        path
        for path in paths
        if may_name_project(path.name) and path.is_dir() and not path.is_symlink()
    ]


def _seconds(run: Run) -> float:
    elapsed = run.status.progress.elapsed
    return float(elapsed) if isinstance(elapsed, int | float) else 0.0


def used() -> dict[str, int]:
    """Bytes of projects, trash and compilation cache; looks at every file."""
    folders = {
        "projects": projects_folder(),
        "trash": trash_folder(),
        "cache": compilation_cache().parent,
    }
    return {name: size_of(folder) for name, folder in folders.items()}
