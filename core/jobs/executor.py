"""Start, stop and await runs: on this machine, in processes that outlive the server."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from core.errors import WorkspaceError
from core.jobs import queue
from core.jobs.resources import lane_of, python_path
from core.jobs.status import RunStatus, status
from core.jobs.supervisor import LOCK_VARIABLE
from core.workspace.atomic import explain, write_text
from core.workspace.locks import hold
from core.workspace.run_state import read_object, read_status, write_state

__all__ = ["RunStatus", "cancel", "status", "submit", "wait"]


def submit(run: Path, *, resume: bool = False) -> None:
    """Start a run in the background, or queue it; returns at once.

    The run's lock is taken here and handed on, so that there is no moment in which
    the run looks abandoned.

    Args:
        run: The run directory, from `new_run`.
        resume: Start a run again that was cancelled, killed, lost or failed.

    Raises:
        WorkspaceError: The run is at work or finished, or the disk is full or
            read-only.
    """
    run = run.resolve()
    about = read_object(run / "run.json")
    if not about:
        raise WorkspaceError(
            f"{run.name} is not a run, or its run.json is damaged.",
            hint="Start a new run.",
            where=str(run),
        )
    lock = hold(run / "lock", patience=1.0)
    if lock is None:
        raise WorkspaceError(f"Run {run.name} is at work already.", where=run.name)
    try:
        if not _made_ready(run, resume):
            return
        write_state(run, "queued")
        ticket = queue.join(lane_of(about), run)
        try:
            _start_supervisor(run, lock)
        except OSError as error:
            queue.leave(ticket)
            raise explain(error, run / "log.txt") from error
    finally:
        os.close(lock)


def _made_ready(run: Path, resume: bool) -> bool:
    """Whether to go on; clears what an earlier attempt left behind."""
    state = read_object(run / "state.json").get("state")
    if state == "cancelled" and not resume:
        return False  # cancelled before it was submitted: so it stays
    if state == "done" or (run / "result").exists():
        raise WorkspaceError(
            f"Run {run.name} is finished.", hint="Start a new one.", where=run.name
        )
    if state not in (None, "queued") and not resume:
        raise WorkspaceError(
            f"Run {run.name} was started before.",
            hint="Resume it, or start a new one.",
            where=run.name,
        )
    if resume:
        for name in ("cancel", "error.json", "progress.json"):
            (run / name).unlink(missing_ok=True)
        shutil.rmtree(run / "result.tmp", ignore_errors=True)
    return True


def _start_supervisor(run: Path, lock: int) -> None:
    environment = {**os.environ, LOCK_VARIABLE: str(lock), "PYTHONPATH": python_path()}
    with open(run / "log.txt", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "core.jobs.supervisor", str(run)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            pass_fds=(lock,),
        )
    # Someone must ask for its exit status, or it stays behind as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="reaper").start()


def cancel(run: Path) -> None:
    """Ask a run to stop; it finishes its block first. Harmless if it has ended.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    if not read_status(run).is_live:
        return
    write_text(run / "cancel", "")
    lock = hold(run / "lock")
    if lock is None:
        return  # its supervisor will see the wish
    try:
        if read_object(run / "state.json").get("state") == "queued":
            message = "The run was cancelled before it started."
            write_state(run, "cancelled", message=message)
    finally:
        os.close(lock)


def wait(
    run: Path,
    on_progress: Callable[[RunStatus], None] | None = None,
    *,
    timeout: float | None = None,
    interval: float = 0.2,
) -> RunStatus:
    """Wait until a run has ended.

    Args:
        run: The run directory.
        on_progress: Told the status whenever it has changed.
        timeout: Seconds to wait at most; None for ever.
        interval: Seconds between two looks.

    Returns:
        The last status seen: final, unless the time was up.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    told: RunStatus | None = None
    while True:
        now = status(run)
        if on_progress is not None and now != told:
            on_progress(now)
            told = now
        if not now.is_live or (deadline is not None and time.monotonic() >= deadline):
            return now
        time.sleep(interval)
