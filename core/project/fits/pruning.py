"""Pruning: old runs of a project deleted for good, to give their disk space back.

Never one that is at work, that a plan names, or that is the newest finished fit.
"""

import contextlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.errors import WorkspaceError
from core.project.fits.runs import Run, latest_fit, list_runs
from core.project.plans.plans import plan_files
from core.store.atomic import explain, make_folder, note_change
from core.store.locks import alone, hold, is_held
from core.store.places import confined, is_id, new_id, trash_folder
from core.store.run_state import CLUSTER_LOCK, read_status
from core.store.stored import read_regular
from core.team.gate import gated
from core.team.quota import size_of
from core.team.roles import Role


@dataclass(frozen=True)
class Pruning:
    """What is to be deleted, and what is kept although it is old.

    Attributes:
        runs: To be deleted, newest first.
        exceptions: Runs that would go by number and age, each with why it stays.
    """

    runs: tuple[Run, ...]
    exceptions: tuple[tuple[Run, str], ...]

    @property
    def n_bytes(self) -> int:
        """Disk space that deleting gives back."""
        return sum(size_of(run.folder) for run in self.runs)


def pruning(
    project_folder: Path,
    *,
    keep: int = 0,
    older_than: timedelta | None = None,
    now: datetime | None = None,
) -> Pruning:
    """What to delete: runs beyond the newest few that are old enough.

    Args:
        project_folder: The project.
        keep: So many of the newest runs of each kind stay.
        older_than: Younger runs stay; None for any age.
        now: The time to reckon from; None for now.

    Raises:
        WorkspaceError: `keep` is negative.
    """
    if keep < 0:
        raise WorkspaceError(
            f"{keep} runs cannot be kept.", hint="Keep none, or some.", where="keep"
        )
    born_before = (now or datetime.now(UTC)) - (older_than or timedelta(0))
    named = _named_by_plans(project_folder)
    newest = latest_fit(project_folder)
    counts: Counter[str] = Counter()
    runs, exceptions = [], []
    for run in list_runs(project_folder):
        counts[run.kind] += 1
        is_old = older_than is None or datetime.fromisoformat(run.created) < born_before
        if counts[run.kind] <= keep or not is_old:
            continue
        if run.status.is_live:
            exceptions.append((run, "it is not finished"))
        elif run.run_id in named:
            exceptions.append((run, "a plan was made with it"))
        elif newest is not None and run.run_id == newest.run_id:
            exceptions.append((run, "it is the newest finished fit"))
        else:
            runs.append(run)
    return Pruning(tuple(runs), tuple(exceptions))


@gated("runs deleted", Role.ADMIN)
def prune(project_folder: Path, runs: Iterable[Run]) -> list[str]:
    """Delete runs for good, but for those that have come to life or into a plan.

    Args:
        project_folder: The project.
        runs: From `pruning`.

    Returns:
        The names of the runs that are deleted.

    Raises:
        WorkspaceError: A run cannot be deleted.
    """
    trash = make_folder(trash_folder())
    for path in trash.iterdir():
        kind, *ids = path.name.split(" ")
        if kind == "pruned" and len(ids) == 2 and all(map(is_id, ids)):
            with contextlib.suppress(OSError):
                _delete(path)  # what one that was killed had begun to
    deleted = []
    for run in runs:
        try:
            if _prune_one(project_folder, run, trash):
                deleted.append(run.run_id)
        except WorkspaceError:
            if run.folder.is_dir() or not project_folder.is_dir():
                raise
            # another process deleted it meanwhile
    return deleted


def _prune_one(project_folder: Path, run: Run, trash: Path) -> bool:
    """Delete a run for good; False where it is at work, or named by a plan.

    Raises:
        WorkspaceError: It cannot be deleted, or is gone.
    """
    folder = confined(run.folder, project_folder)
    lock = None if is_held(folder / CLUSTER_LOCK) else hold(folder / "lock")
    if lock is None:
        return False
    try:
        moved = trash / f"pruned {run.run_id} {new_id()}"
        with alone(project_folder):  # nobody saves a plan of it meanwhile
            is_new = read_status(folder).since != run.status.since
            if is_new or run.run_id in _named_by_plans(project_folder):
                return False
            note_change()
            os.rename(folder, moved)  # gone at once, whatever happens next
        _delete(moved)
        return True
    except OSError as error:
        raise explain(error, folder) from error
    finally:
        os.close(lock)


def _delete(folder: Path) -> None:
    """Delete a folder, which another process may be deleting just as well.

    Raises:
        OSError: Something of it cannot be deleted.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:  # another process is at it, too
        shutil.rmtree(folder, ignore_errors=True)


def _named_by_plans(project_folder: Path) -> str:
    """The text of every plan: a damaged one may name a run just as well."""
    texts = []
    for path in plan_files(project_folder):
        with contextlib.suppress(OSError):
            texts.append(read_regular(path).decode(errors="replace"))
    return "\n".join(texts)
