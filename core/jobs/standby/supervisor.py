"""A supervisor that stands by, with a worker.

    python -m core.jobs.standby.supervisor HOME DOOR ABOUT [RUN]

It starts its worker before there is a run for it, waits for one at the socket DOOR, and
then supervises it like any other. It ends when the process that keeps it is gone, after
ten idle minutes, when its worker ends or takes too much memory, or when the machine
runs short of it. ABOUT is the kind and the sampler of the runs that it is for, as JSON;
RUN is one that its worker practises on. Standard library only.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from core.jobs import memory
from core.jobs.resources import worker_environment
from core.jobs.standby import handover
from core.jobs.standby.keeping import LOCK
from core.jobs.supervisor import Supervisor, see_through, start_worker
from core.store.locks import hold
from core.store.places import queue_folder
from core.store.run_about import about_of

#: Seconds after which a process that nobody wanted ends.
_IDLE = 600.0
_LOOK = 1.0  # seconds between two looks at the worker's memory


class _Ready:
    """The worker on standby, its environment, and the socket to it."""

    def __init__(self, home: str, about: str, example: list[str]):
        self.environment = worker_environment("cpu", 0)
        self.door, other = socket.socketpair()
        command = ["core.jobs.standby.worker", home, str(other.fileno())]
        command += [about, *example]
        self.process = start_worker(
            command, self.environment, handles=(other.fileno(),)
        )
        other.close()

    def end(self) -> None:
        """End it, with what it may have started."""
        self.door.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class _OnStandby(Supervisor):
    """A supervisor whose worker is there already."""

    def __init__(self, run: Path, lock: int, worker: _Ready):
        super().__init__(run, lock)
        self._worker = worker

    def work_done(self, environment: dict[str, str]) -> int:
        """The exit status of what stood by; of another worker where it did nothing.

        It may not fit, or be gone. One that was killed a moment ago is there for its
        parent still, and its socket takes a run of which it never hears.
        """
        worker = self._worker
        if environment == worker.environment and worker.process.poll() is None:
            with contextlib.suppress(OSError):
                handover.send(worker.door, self.run, self.lock)
                status = self.status_of(worker.process)
                was_ended = self.was_asked or self.over
                if was_ended or handover.is_confirmed(worker.door, 0.0):
                    return status
        worker.end()
        return super().work_done(environment)


def _awaited(door: socket.socket, worker: _Ready) -> tuple[Path, int] | None:
    """The run to do; None where there is nothing left to wait for."""
    until, most = time.monotonic() + _IDLE, memory.limit()
    scarce = memory.SCARCE * memory.machine()
    while worker.process.poll() is None and time.monotonic() < until:
        if handover.has_news(door, _LOOK):
            return handover.receive(door)
        if memory.resident(worker.process.pid) > most or memory.free() < scarce:
            return None
    return None


def _say(lock: int, worker: _Ready, about: str) -> None:
    """Write whose worker stands by into the lock file, for `status`."""
    precision = about_of(json.loads(about)).sampler.precision
    content = {"pid": worker.process.pid, "precision": precision}
    os.ftruncate(lock, 0)
    os.write(lock, json.dumps(content).encode())


def main(arguments: list[str]) -> int:
    """Stand by, and supervise the run that comes."""
    home, number, about, *example = arguments
    os.set_inheritable(int(number), False)
    door = socket.socket(fileno=int(number))
    place = hold(queue_folder() / LOCK, patience=1.0)
    if place is None:
        return 0  # another server's stands by: one in a workspace is enough
    shutil.rmtree(queue_folder() / "standby", ignore_errors=True)
    worker = _Ready(home, about, example)
    try:
        with contextlib.suppress(OSError):
            _say(place, worker, about)
        request = _awaited(door, worker)
        with contextlib.suppress(OSError):
            os.ftruncate(place, 0)  # the next to hold it has no worker yet
        os.close(place)
        if request is None:
            return 0
        run, lock = request
        handover.write_into(run / "log.txt")
        supervisor = _OnStandby(run, lock, worker)
        handover.confirm(door)
        return see_through(supervisor)
    finally:
        worker.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
