"""Standby: one idle worker that a server, a notebook or a command has for its next run.

It has its imports done, and the functions of the last fit compiled. It takes one run
and is replaced when that has ended, so that every run has a process of its own still.
It is used only for a run that needs exactly the environment it was started with; any
other run starts as it would without. A command has one only while it makes its one run
(`prepare`). Standard library only, and free of JAX.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.jobs import cluster, memory, queue
from core.jobs.resources import lane_of, python_path
from core.jobs.standby import handover
from core.store.atomic import make_folder
from core.store.locks import is_held
from core.store.places import queue_folder
from core.store.run_about import RunAbout, RunSampler, read_about
from core.store.run_state import stored_state
from core.store.stored import lenient, read_object

#: `off` where there is to be none, `on` where there is to be one on any machine.
VARIABLE = "MIXWRIGHT_WARM_WORKER"
#: Held by the one supervisor of a workspace that stands by; says whose worker it has.
LOCK = "standby.lock"

#: Bytes of memory from which on a machine has room for an idle worker.
_ROOM = 8 * 10**9
#: Seconds that a process on standby has to take a run.
_PATIENCE = 5.0
_LANES = ("cpu", "prior", "backtest")


@dataclass(frozen=True)
class _Needs:
    """What is fixed when a worker starts."""

    environment: dict[str, str]
    precision: object
    device: object


@dataclass(frozen=True)
class _Kept:
    """A process on standby, the socket to it, and the runs that it is for."""

    process: subprocess.Popen
    door: socket.socket
    needs: _Needs

    def end(self) -> None:
        """End it, and wait until it has ended."""
        self.door.close()
        self.process.kill()
        self.process.wait()


class Standby:
    """What this process keeps for its next run; nothing until `keep` was called."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._is_wanted = False
        self._kept: _Kept | None = None
        self._example: Path | None = None

    def keep(self) -> None:
        """Have a worker stand by from the end of the next run on."""
        self._is_wanted = True

    def prepare(self, sampler: Mapping[str, Any]) -> None:
        """Have a worker do its imports now, for a fit that is still being made.

        None stands by after that run, unless `keep` was called.

        Args:
            sampler: Settings of the fit: its precision and its device count.
        """
        about = RunAbout(kind="fit", sampler=RunSampler(**sampler))
        with self._guard:
            if self._kept is not None or not is_wanted() or not _has_room(about):
                return
            with contextlib.suppress(OSError):  # it is a help, not a need
                self._kept = _started(about)

    def hand_over(self, run: Path, lock: int) -> subprocess.Popen | None:
        """Give a run to the process on standby.

        Args:
            run: The run directory.
            lock: Descriptor that holds its lock.

        Returns:
            The run's supervisor; None where nobody took it, and it must be started.
        """
        with self._guard:
            standby, self._kept = self._kept, None
            if standby is None:
                return None
            if standby.needs != _needs(read_about(run)) or not is_wanted():
                standby.end()
                return None
            is_confirmed = False
            with contextlib.suppress(OSError):
                handover.send(standby.door, run, lock)
                is_confirmed = handover.is_confirmed(standby.door, _PATIENCE)
            if not is_confirmed:
                standby.end()
                return None
            standby.door.close()
            return standby.process

    def renew(self, run: Path) -> bool:
        """Have a worker stand by, once a run has ended and no other waits or works.

        Args:
            run: The run that ended. The last fit that was finished is what the worker
                practises on; before there is one, it is for runs like this one.

        Returns:
            Whether one stands by now.
        """
        about = read_about(run)
        with self._guard:
            if about.kind == "fit" and stored_state(run) == "done":
                self._example = run
            example = self._example or run
            about = read_about(example)
            if not self._is_wanted or not is_wanted() or not _has_room(about):
                return False
            needs = _needs(about)
            if self._kept is not None:
                if self._kept.needs == needs and self._kept.process.poll() is None:
                    return True
                self._kept.end()
                self._kept = None
            with contextlib.suppress(OSError):  # it is a help, not a need
                self._kept = _started(about, example)
            return self._kept is not None

    def end(self) -> None:
        """End what stands by."""
        with self._guard:
            standby, self._kept = self._kept, None
            self._is_wanted = False
            if standby is not None:
                standby.end()


#: The standby of this process.
STANDBY = Standby()


def is_wanted() -> bool:
    """Whether workers may stand by on this machine, for what works on it."""
    choice = os.environ.get(VARIABLE, "").strip().lower()
    if cluster.address() or choice in ("off", "0", "no", "false"):
        return False
    return bool(choice) or memory.machine() >= _ROOM


@dataclass(frozen=True)
class Waiting:
    """A worker that stands by.

    Attributes:
        pid: Number of its process; None where nothing stands by.
        precision: Floating point type that it is ready for.
        bytes: Its memory.
    """

    pid: int | None = None
    precision: str | None = None
    bytes: int = 0


def waiting() -> Waiting | None:
    """What stands by in the workspace; None if nothing does."""
    path = queue_folder() / LOCK
    worker = lenient(read_object(path) if is_held(path) else {}, Waiting)
    if worker.pid is None:
        return None
    return replace(worker, bytes=memory.resident(worker.pid))


def _needs(about: RunAbout) -> _Needs:
    """What a run needs, from its run.json."""
    return _Needs(dict(os.environ), about.sampler.precision, about.device)


def _has_room(about: RunAbout) -> bool:
    """Whether nothing else wants the processor or the memory now.

    A GPU's memory is not kept from others by a worker that is idle.
    """
    if lane_of(about) == "gpu":
        return False
    loads = [queue.load(lane) for lane in _LANES]
    is_busy = any(load.waiting or load.working for load in loads)
    return not is_busy and memory.free() > memory.SCARCE * memory.machine()


def _started(about: RunAbout, example: Path | None = None) -> _Kept:
    """A supervisor that stands by, with a worker that does.

    Args:
        about: Of the runs it is for, as run.json has it.
        example: The run that the worker practises on; None for imports only.
    """
    needs = _needs(about)
    door, other = socket.socketpair()
    folder = make_folder(queue_folder())
    command = ["core.jobs.standby.supervisor", str(folder.parent), str(other.fileno())]
    command.append(json.dumps({"kind": about.kind, "sampler": about.sampler.as_dict()}))
    command += [example] if example else []
    try:
        with open(folder / "standby.log", "wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**needs.environment, "PYTHONPATH": python_path()},
                start_new_session=True,
                pass_fds=(other.fileno(),),
            )
    except OSError:
        door.close()
        raise
    finally:
        other.close()
    # Someone must ask for its exit status, or it stays behind as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="reaper").start()
    return _Kept(process, door, needs)
