"""The supervisor of one run: `python -m core.jobs.supervisor RUN_DIR`.

It holds the run's lock, waits for its turn, starts the worker in a process group of
its own, passes on the request to cancel, and always writes the last word. The worker
dies with it. Standard library only, so that it is small and cannot fail with the rest.
"""

import contextlib
import fcntl
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from core.errors import WorkspaceError
from core.jobs import memory, queue
from core.jobs.cluster import PARENT_VARIABLE
from core.jobs.operation.event_log import event
from core.jobs.resources import Lane, lane_of, worker_environment
from core.jobs.states import LOG_LOST, NEVER_STARTED, NO_SPACE, is_legal, last_word
from core.process import dies_with
from core.store.atomic import explain, is_full
from core.store.locks import hold
from core.store.run_about import read_about
from core.store.run_state import (
    FINAL,
    State,
    give_back_reserve,
    reserve_last_word,
    stored_state,
    write_state,
)
from core.store.stored import read_object

#: A run's niceness: beside somebody who clicks it gets a tenth of a core, else all.
NICENESS = 10

_GROUP = "/proc/self/autogroup"
_TRIES, _PAUSE = 5, 0.05
#: Descriptor of the run's lock, where the one who submitted the run took it already.
LOCK_VARIABLE = "MIXWRIGHT_RUN_LOCK"

_LOOK = 0.05  # seconds between two looks at the worker and the cancel file
_WAIT = 0.2  # seconds between two looks at the queue


class Supervisor:
    """One run from its place in the queue to its last word."""

    def __init__(self, run: Path, lock: int, *, on_cluster: bool = False):
        self.run = run
        self.lock = lock
        self.on_cluster = on_cluster
        self.state: State = "queued"
        self.was_told = False
        self.was_asked = False
        self.over = 0  # bytes that the worker had when it was ended for them
        signal.signal(signal.SIGTERM, self._tell)
        signal.signal(signal.SIGINT, self._tell)

    def _tell(self, number: int, frame: FrameType | None) -> None:
        self.was_told = True

    @property
    def is_cancelled(self) -> bool:
        """Whether someone wants the run to stop."""
        return self.was_told or (self.run / "cancel").exists()

    def move(self, state: State, **details: object) -> None:
        """Go to the next state, if that is a legal step."""
        if state != self.state and is_legal(self.state, state):
            write_state(self.run, state, **details)
            self.state = state
            event("run", run=self.run.name, state=state)

    def supervise(self) -> None:
        """Wait for a slot, run the worker, write the last word."""
        reserve_last_word(self.run)
        lane = lane_of(read_about(self.run))
        if self.on_cluster and self._has_result():  # of a worker that died at the end
            self.move("starting")
            self.say_last("done", rc=0)
            return
        if self.on_cluster and not self.is_cancelled:  # it has waited there already
            self._work(worker_environment(lane, 0))
            return
        ticket = queue.join(lane, self.run)
        try:
            slot = self._wait_for_slot(lane, ticket)
        finally:
            queue.leave(ticket)
        if slot is None:
            self.move("cancelled", message=NEVER_STARTED)
            return
        try:
            self._work(worker_environment(lane, slot.number))
        finally:
            slot.leave()

    def _wait_for_slot(self, lane: Lane, ticket: Path) -> queue.Slot | None:
        while not self.is_cancelled:
            slot = queue.take_slot(lane, ticket)
            if slot is not None:
                return slot
            time.sleep(_WAIT)
        return None

    def _work(self, environment: dict[str, str]) -> None:
        self.move("starting")
        self._end(self.work_done(environment))

    def work_done(self, environment: dict[str, str]) -> int:
        """The exit status of a worker that was started, and did this run."""
        command = ["core.jobs.worker", str(self.run)]
        with open(self.run / "log.txt", "ab") as log:
            # The run is held until both are gone.
            worker = start_worker(command, environment, handles=(self.lock,), log=log)
        return self.status_of(worker)

    def status_of(self, worker: subprocess.Popen) -> int:
        """The exit status of a worker at work on this run, once it has ended."""
        try:
            self._watch(worker)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)  # and what it may have started
            status = worker.wait()
        return status

    def _watch(self, worker: subprocess.Popen) -> None:
        with _noticed(worker) as pause:
            self._watch_until_it_ends(worker, pause)

    def _watch_until_it_ends(
        self, worker: subprocess.Popen, pause: Callable[[], object]
    ) -> None:
        grace, most = _grace(), memory.limit()
        deadline = float("inf")
        while worker.poll() is None:
            resident = memory.resident(worker.pid)
            if resident > most:
                self.over = resident
                os.killpg(worker.pid, signal.SIGKILL)
                return
            if not self.was_asked and self.is_cancelled:
                self.was_asked = True
                deadline = time.monotonic() + grace
                self._try_move("cancelling")
                os.killpg(worker.pid, signal.SIGTERM)
            elif time.monotonic() > deadline:
                os.killpg(worker.pid, signal.SIGKILL)
            elif self.state == "starting" and (self.run / "progress.json").exists():
                self._try_move("running")
            pause()

    def _try_move(self, state: State) -> None:
        """Move, but let the worker live where the disk is full for the moment."""
        with contextlib.suppress(WorkspaceError):
            self.move(state)

    def _end(self, rc: int) -> None:
        is_cancelled = self.was_asked and not self.over
        state = last_word(rc, was_asked=is_cancelled, has_result=self._has_result())
        message, hint = _words(self.run, state, rc)
        if self.over and state == "killed":
            message, hint = _too_much(self.over)
        shutil.rmtree(self.run / "result.tmp", ignore_errors=True)
        self.say_last(
            state,
            message=message,
            hint=hint,
            rc=rc if rc >= 0 else None,
            signal=-rc if rc < 0 else None,
        )

    def _has_result(self) -> bool:
        return (self.run / "result" / "manifest.json").is_file()

    def say_last(self, state: State, **details: object) -> None:
        """Write the last word, with patience for a disk that is full."""
        for _ in range(9):
            with contextlib.suppress(WorkspaceError):
                return self.move(state, **details)
            time.sleep(0.5)
        return self.move(state, **details)


def start_worker(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    handles: tuple[int, ...],
    log: IO[bytes] | None = None,
) -> subprocess.Popen:
    """Start a worker, which dies with this process and gives way to all others.

    Args:
        command: Module and arguments.
        environment: Of the worker.
        handles: Descriptors that it gets.
        log: Takes what it prints; None for where this process prints.
    """
    die_with_this = dies_with(os.getpid())

    def before_start() -> None:
        die_with_this()
        give_way()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # dumps fill the disk
        memory.go_first()

    return subprocess.Popen(
        [sys.executable, "-P", "-m", *command],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log and subprocess.STDOUT,
        env=environment,
        start_new_session=True,
        pass_fds=handles,
        preexec_fn=before_start,  # one thread only: nothing can be locked
    )


@contextlib.contextmanager
def _noticed(worker: subprocess.Popen) -> Iterator[Callable[[], object]]:
    """Gives what waits between two looks at a worker, no longer than it lives.

    Where the system does not say when a process ends, until the next look.
    """
    try:
        ends = os.pidfd_open(worker.pid)
    except (AttributeError, OSError):
        yield lambda: time.sleep(_LOOK)
        return
    try:
        yield lambda: select.select([ends], [], [], _LOOK)
    finally:
        os.close(ends)


def _grace() -> float:
    """Seconds that a worker has to finish its block once it is told to stop."""
    try:
        return float(os.environ.get("MIXWRIGHT_CANCEL_GRACE", ""))
    except ValueError:
        return 20.0


def _words(run: Path, state: State, rc: int) -> tuple[str, str]:
    """Message and hint of a final state."""
    if state == "done":
        return "", ""
    if state == "cancelled":
        return "The run was cancelled.", ""
    if state == "killed":
        return (
            f"The worker was stopped by the system (signal {-rc}).",
            "Most often that means memory ran out: use fewer chains or draws, or "
            "float32, or a machine with more memory."
            if rc == -signal.SIGKILL
            else "The end of the run's log may say more.",
        )
    error = read_object(run / "error.json")
    if rc in (NO_SPACE, LOG_LOST) or (not error and is_full(run)):
        return (
            "The disk is full: the run could not write its files.",
            "Free some space and start it again; a fit goes on from its last "
            "checkpoint.",
        )
    if error.get("message"):
        return str(error["message"]), str(error.get("hint") or "")
    if rc == 0:
        return "The worker ended without a result.", "See the run's log."
    return f"The worker ended with exit status {rc}.", "See the run's log."


def _too_much(taken: int) -> tuple[str, str]:
    """Message and hint of a run whose worker took too much memory."""
    return (
        f"The fit used {memory.in_words(taken)} of memory and was stopped at the limit "
        f"of {memory.in_words(memory.limit())}.",
        f"Raise {memory.VARIABLE}, or use fewer chains or draws, float32, or a machine "
        "with more memory.",
    )


def _as_words(error: Exception, run: Path) -> WorkspaceError:
    if isinstance(error, WorkspaceError):
        return error
    if isinstance(error, OSError):
        return explain(error, run)
    return WorkspaceError(
        f"Mixwright made a mistake: {type(error).__name__}: {error}",
        hint="The run's log has the details.",
    )


def main(arguments: list[str]) -> int:
    """Supervise the run in the directory given."""
    run = Path(arguments[0]).resolve()
    if not (run / "run.json").is_file():
        print(f"{run} is not a run: it has no run.json.", file=sys.stderr)
        return 1
    handle = os.environ.pop(LOCK_VARIABLE, "")
    parent = os.environ.pop(PARENT_VARIABLE, "")
    if parent:
        dies_with(int(parent))()  # a Dask worker, so that the run can go elsewhere
    # On a cluster another worker may have the run still, cut off from its scheduler.
    patience = float("inf") if parent else 1.0
    lock = int(handle) if handle else hold(run / "lock", patience=patience)
    if lock is None:
        print(f"Run {run.name} is already running.", file=sys.stderr)
        return 1
    # Only the worker gets it, by pass_fds: another child would hold the run.
    fcntl.fcntl(lock, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    if stored_state(run) in FINAL:
        print(f"Run {run.name} has ended already.", file=sys.stderr)
        return 1
    if parent:
        (run / "progress.json").unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        os.setsid()
    return see_through(Supervisor(run, lock, on_cluster=bool(parent)))


def see_through(supervisor: Supervisor) -> int:
    """Supervise a run to its last word, whatever goes wrong; the exit status."""
    try:
        supervisor.supervise()
        give_back_reserve(supervisor.run)
    except Exception as error:
        reason = _as_words(error, supervisor.run)
        supervisor.say_last("failed", message=reason.message, hint=reason.hint)
        raise
    return 0


def give_way() -> None:
    """Lower the priority of this process, the first of its session.

    Where Linux shares the processor between sessions (autogroup, the default of
    desktops) niceness counts within a session only, so the session gets it too.
    """
    os.nice(NICENESS)
    for _ in range(_TRIES):  # Linux takes one such request in a tenth of a second
        with contextlib.suppress(OSError):
            group = os.open(_GROUP, os.O_WRONLY)
            try:
                os.write(group, str(NICENESS).encode())
            finally:
                os.close(group)
            return
        if not os.path.exists(_GROUP):
            return
        time.sleep(_PAUSE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
