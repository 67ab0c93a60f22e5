"""Start, stop and await runs: in processes that outlive the server, here or elsewhere.

An executor is where a run works: `local` is this machine, with its queue; `dask` is
the cluster of MIXWRIGHT_DASK_SCHEDULER, see `core.jobs.cluster`.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from core.errors import AccessError, MMMError, WorkspaceError
from core.jobs import cluster, queue
from core.jobs.resources import lane_of, python_path
from core.jobs.standby.keeping import STANDBY
from core.jobs.states import NEVER_STARTED
from core.jobs.status import status
from core.jobs.supervisor import LOCK_VARIABLE
from core.store.atomic import explain, write_text
from core.store.locks import hold, is_held
from core.store.run_about import RunAbout, read_about
from core.store.run_state import (
    CLUSTER_LOCK,
    FINAL,
    RunStatus,
    read_status,
    stored_state,
    write_state,
)
from core.team.gate import gate, may
from core.team.quota import room_for_run
from core.team.roles import Role

Where = Literal["local", "dask"]


def submit(run: Path, *, resume: bool = False, executor: Where | None = None) -> None:
    """Start a run in the background, or queue it; returns at once.

    The run's lock is taken here and handed on, so that there is no moment in which
    the run looks abandoned.

    Args:
        run: The run directory, from `new_run`.
        resume: Start a run again that was cancelled, killed, lost or failed.
        executor: Where it is to work; None for what `default_executor` says.

    Raises:
        WorkspaceError: The run is at work or finished, or the disk is full or
            read-only, or there is no cluster.
    """
    run = run.resolve()
    with _refusal_said([run]):
        if (executor or default_executor()) == "dask":
            cluster.check()
            _start_keeper(_placed([run], resume=resume))
        else:
            _submit_here(run, resume)


def submit_all(
    runs: Sequence[Path], *, executor: Where | None = None
) -> dict[Path, MMMError]:
    """Start many runs; on a cluster with one connection for all of them.

    Args:
        runs: Run directories, from `new_run`.
        executor: Where they are to work; None for what `default_executor` says.

    Returns:
        The runs that could not be started, and why.

    Raises:
        WorkspaceError: There is no cluster.
    """
    refused: dict[Path, MMMError] = {}
    if (executor or default_executor()) == "dask":
        with _refusal_said(runs):
            cluster.check()
        _start_keeper(_placed([run.resolve() for run in runs], refused=refused))
        return refused
    for run in runs:
        try:
            submit(run, executor="local")
        except (AccessError, WorkspaceError) as error:
            refused[run] = error
    return refused


@contextlib.contextmanager
def _refusal_said(runs: Sequence[Path]) -> Iterator[None]:
    """Give new runs that are refused their last word: they neither failed nor are lost.

    Without it a run that waits to be submitted would pass for one whose process died.
    """
    try:
        yield
    except MMMError as error:
        for run in runs:
            # Whoever has no right to start it has none to end it.
            is_run = (run / "run.json").is_file()
            is_theirs = is_run and may(run.resolve().parents[1], Role.PLANNER)
            lock = hold(run / "lock") if is_theirs else None
            if lock is None:
                continue
            try:
                if stored_state(run) == "queued" and not _is_on_cluster(run):
                    about = {"message": error.message, "hint": error.hint}
                    with contextlib.suppress(WorkspaceError):  # the disk may be full
                        write_state(run, "cancelled", **about)
            finally:
                os.close(lock)
        raise


def default_executor() -> Where:
    """`dask` where MIXWRIGHT_DASK_SCHEDULER is set, else `local`."""
    return "dask" if cluster.address() else "local"


def _submit_here(run: Path, resume: bool) -> None:
    with _passed(run, resume), _taken(run) as (lock, about):
        if not _made_ready(run, resume):
            return
        write_state(run, "queued")
        ticket = queue.join(lane_of(about), run)
        try:
            process = STANDBY.hand_over(run, lock) or _start_supervisor(run, lock)
        except OSError as error:
            queue.leave(ticket)
            raise explain(error, run / "log.txt") from error
        threading.Thread(
            target=_seen_off, args=(process, run), daemon=True, name="reaper"
        ).start()


def _seen_off(process: subprocess.Popen, run: Path) -> None:
    """Wait for a supervisor to end: someone must, or it stays behind as a zombie."""
    process.wait()
    STANDBY.renew(run)


def _passed(run: Path, resume: bool) -> contextlib.AbstractContextManager[object]:
    action = "run resumed" if resume else "run started"
    return gate(action, run.parents[1], Role.PLANNER, subject=run.name)


@contextlib.contextmanager
def _taken(run: Path) -> Iterator[tuple[int, RunAbout]]:
    """The lock of a run that nobody works on, and its run.json."""
    about = read_about(run)
    if about == RunAbout():
        raise WorkspaceError(
            f"{run.name} is not a run, or its run.json is damaged.",
            hint="Start a new run.",
            where=str(run),
        )
    lock = hold(run / "lock", patience=1.0)
    if lock is None or _is_on_cluster(run):
        if lock is not None:
            os.close(lock)
        raise WorkspaceError(f"Run {run.name} is already running.", where=run.name)
    try:
        room_for_run(run)
        yield lock, about
    finally:
        os.close(lock)


def _is_on_cluster(run: Path) -> bool:
    """Whether a cluster has the run; it may take a moment to let go of an ended one."""
    deadline = time.monotonic() + 2.0
    while is_held(run / CLUSTER_LOCK):
        has_ended = stored_state(run) in FINAL
        if not has_ended or time.monotonic() > deadline:
            return True
        time.sleep(0.05)
    return False


def _placed(
    runs: Sequence[Path],
    *,
    resume: bool = False,
    refused: dict[Path, MMMError] | None = None,
) -> dict[Path, int]:
    """Runs made ready for a cluster, each with the lock that says so.

    Args:
        runs: Run directories.
        resume: Start them again.
        refused: Takes those that cannot be started; None to raise.
    """
    handles = {}
    for run in runs:
        try:
            with _refusal_said([run]), _passed(run, resume), _taken(run):
                if _made_ready(run, resume):
                    write_state(run, "queued")
                    handles[run] = hold(run / CLUSTER_LOCK, patience=1.0)
        except (AccessError, WorkspaceError) as error:
            if refused is None:
                raise
            refused[run] = error
    return {run: handle for run, handle in handles.items() if handle is not None}


def _start_keeper(handles: Mapping[Path, int]) -> None:
    """Start the process that sends runs to the cluster, and hand it their locks."""
    if not handles:
        return
    locked_runs = [f"{handle}={run}" for run, handle in handles.items()]
    first = next(iter(handles))
    try:
        keeper = _start(
            ["core.jobs.keeper", *locked_runs], first, tuple(handles.values())
        )
        threading.Thread(target=keeper.wait, daemon=True, name="reaper").start()
    except OSError as error:
        raise explain(error, first / "log.txt") from error
    finally:
        for handle in handles.values():
            os.close(handle)


def _made_ready(run: Path, resume: bool) -> bool:
    """Whether to go on; clears what an earlier attempt left behind."""
    state = stored_state(run)
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


def _start_supervisor(run: Path, lock: int) -> subprocess.Popen:
    of_lock = {LOCK_VARIABLE: str(lock)}
    return _start(["core.jobs.supervisor", str(run)], run, (lock,), of_lock)


def _start(
    command: Sequence[str],
    run: Path,
    handles: tuple[int, ...],
    variables: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.Popen:
    """Start a module in a session of its own; it inherits the handles."""
    environment = {**os.environ, "PYTHONPATH": python_path(), **variables}
    with open(run / "log.txt", "ab") as log:
        return subprocess.Popen(
            # -P: nothing in the current folder is imported as a module.
            [sys.executable, "-P", "-m", *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            pass_fds=handles,
        )


def cancel(run: Path) -> None:
    """Ask a run to stop; it finishes its block first. Harmless if it has ended.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    if not read_status(run).is_live:
        return
    with gate("run stopped", run.resolve().parents[1], Role.PLANNER, subject=run.name):
        _cancel(run)


def _cancel(run: Path) -> None:
    write_text(run / "cancel", "")
    lock = hold(run / "lock")
    if lock is None:
        return  # its supervisor will see the request
    try:
        if stored_state(run) not in FINAL:
            write_state(run, "cancelled", message=NEVER_STARTED)
    finally:
        os.close(lock)


def wait(
    run: Path,
    on_progress: Callable[[RunStatus], None] | None = None,
    *,
    timeout: float | None = None,
    interval: float = 0.05,
) -> RunStatus:
    """Wait until a run has ended.

    Args:
        run: The run directory.
        on_progress: Told the status at every look.
        timeout: Seconds to wait at most; None for ever.
        interval: Seconds between two looks.

    Returns:
        The last status seen: final, unless the time was up.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        now = status(run)
        if on_progress is not None:
            on_progress(now)
        if not now.is_live or (deadline is not None and time.monotonic() >= deadline):
            return now
        time.sleep(interval)
