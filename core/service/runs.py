"""Runs: started, awaited and stopped; what a face shows meanwhile is its own."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from core import PROGRAM, quoted
from core.errors import MMMError, SamplingError
from core.jobs import executor
from core.jobs.executor import default_executor, submit_all
from core.jobs.resources import python_path
from core.jobs.standby.keeping import STANDBY
from core.jobs.states import RESUMABLE
from core.jobs.status import status
from core.project.fits.run_inputs import RunKind, new_run
from core.project.fits.runs import (
    Run,
    data_sha256,
    delete_run,
    latest_fit,
    list_runs,
    open_run,
    out_of_date,
)
from core.project.settings.definition import Project
from core.store.places import run_folder
from core.store.results import has_result, open_dataset, read_json, result_files
from core.store.run_state import ChainProgress, Progress, RunStatus

#: Exit status of a worker whose input was at fault, and of one that could not sample.
_AT_FAULT, _NOT_SAMPLED = 1, 3


def start(
    project: Path, kind: RunKind, settings: Project | None = None, sampler: Any = None
) -> Path:
    """Create a run of a project and submit it; returns at once.

    Args:
        project: Its folder.
        kind: Of run.
        settings: Of the project; None for what project.toml has.
        sampler: Settings that differ from them.

    Raises:
        MMMError: The project cannot be fitted, or the workspace cannot be written.
    """
    run = new_run(project, kind, settings, sampler=sampler)
    executor.submit(run)
    return run


def keep_warm() -> None:
    """Have a worker wait for the next run from the end of each on: for what goes on.

    A server and a session do, a command does not, since the worker ends with it.
    """
    STANDBY.keep()


def resume(run: Run) -> None:
    """Start a run again that stopped before its end; returns at once.

    Raises:
        WorkspaceError: It is at work or finished, or cannot be written.
    """
    executor.submit(run.folder, resume=True)


def cancel(run: Run) -> None:
    """Ask a run to stop.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    executor.cancel(run.folder)


def newest(project: Path, kind: RunKind) -> Run | None:
    """The newest run of a kind, whatever became of it."""
    return next(iter(list_runs(project, kind)), None)


def live(project: Path, kind: RunKind) -> Run | None:
    """The newest run of a kind that waits or works."""
    runs = list_runs(project, kind)
    return next((run for run in runs if run.status.is_live), None)


class Watch:
    """What a face shows of a run while it waits; this one shows nothing."""

    def started(self, run: Path, purpose: str) -> None:
        """A run was started.

        Args:
            run: Its directory.
            purpose: What it is for, in a sentence.
        """

    def __call__(self, status: RunStatus) -> None:
        """How it stands now."""

    def stopping(self) -> None:
        """It was asked to stop."""

    def ended(self) -> None:
        """It has ended."""


SILENT = Watch()


def work_off(
    run: Path, purpose: str, watch: Watch = SILENT, *, resume: bool = False
) -> None:
    """Start a run and wait until it has a result; see `await_end`."""
    executor.submit(run, resume=resume)
    await_end(run, purpose, watch)


def await_end(run: Path, purpose: str, watch: Watch = SILENT) -> None:
    """Wait until a run that was started has a result.

    Interrupting (Ctrl-C, or SIGTERM) stops the run and waits until it has stopped;
    interrupting again leaves it to stop by itself.

    Args:
        run: Its directory.
        purpose: What it is for, in a sentence.
        watch: Told how it goes on.

    Raises:
        SamplingError: It failed or was stopped; its cause is the interrupt, if any.
        MMMError: Its input is at fault.
    """
    watch.started(run, purpose)
    wait = partial(executor.wait, run, watch)
    interrupt = interrupt_of([run], wait, watch.stopping)
    watch.ended()
    ended = status(run)
    if ended.state != "done":
        raise _failure(run, ended) from interrupt


def interrupt_of(
    runs: Sequence[Path], wait: Callable[[], object], stopping: Callable[[], None]
) -> KeyboardInterrupt | None:
    """What interrupted waiting for runs, which it stops; None where nothing did.

    Args:
        runs: Their directories.
        wait: Waits until they have ended; after an interrupt once more.
        stopping: Called before they are stopped.
    """
    with interruptible():
        try:
            wait()
        except KeyboardInterrupt as interrupt:
            stopping()
            for run in runs:
                executor.cancel(run)
            wait()
            return interrupt
    return None


def _failure(run: Path, status: RunStatus) -> MMMError:
    """Why there is no result, as the error that has the right exit status."""
    message = status.message or f"The run is {status.state}."
    hint = status.hint
    if status.state == "failed" and status.rc == _AT_FAULT:
        return MMMError(message, hint=hint, where=str(run))
    if status.rc != _NOT_SAMPLED:
        project = run.parent.parent
        again = " Run the command again."
        if open_run(run).kind == "fit":
            again = f" Continue it: {PROGRAM} fit {quoted(project)} --resume {run.name}"
        hint += again
    return SamplingError(message, hint=hint.strip(), where=str(run))


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM interrupts as Ctrl-C does, where this thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
