"""A workspace to do harm to, and what must hold in it afterwards."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from job_bench import Bench, is_dead

from core.errors import MMMError
from core.jobs.executor import cancel, submit
from core.jobs.standby.keeping import STANDBY
from core.jobs.status import status
from core.project.fits.runs import list_runs
from core.store.places import home
from core.store.run_state import FINAL

HERE = Path(__file__).parent
#: Seconds within which the state must be right and every process gone.
LIMIT = 5.0
LIVE = {"queued", "starting", "running", "cancelling"}
SERVER = """
import sys, time
from pathlib import Path
from core.jobs.executor import submit
for name in sys.argv[1:]:
    submit(Path(name))
time.sleep(600)
"""


class World(Bench):
    """A bench that keeps account of what went wrong.

    Attributes:
        wrong: What must not have happened, in words.
        slowest: Seconds that the slowest state took to be right.
        ends: How often runs ended in which state.
    """

    def __init__(self, folder, monkeypatch, seed=1):
        monkeypatch.setenv("MIXWRIGHT_HOME", str(folder))
        monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "fake_worker")
        monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "1")
        monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "2")
        monkeypatch.setenv("MIXWRIGHT_WARM_WORKER", "on")
        monkeypatch.setenv("PYTHONPATH", str(HERE))
        monkeypatch.delenv("MIXWRIGHT_DASK_SCHEDULER", raising=False)
        super().__init__(folder, monkeypatch)
        self.rng = random.Random(seed)
        self.wrong, self.slowest, self.ends = [], 0.0, Counter()
        self.servers = []

    def must(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def settles(self, run, expected, *, seconds=LIMIT, since=None):
        """The state becomes one of those expected, in time; the state."""
        began = since or time.monotonic()
        while (now := status(run)).state not in expected:
            if time.monotonic() - began > seconds:
                break
            time.sleep(0.02)
        took = time.monotonic() - began
        self.must(now.state in expected, f"{now.state} in place of {expected}")
        if seconds == LIMIT:
            self.slowest = max(self.slowest, took)
        if now.state in FINAL:
            self.ends[now.state] += 1
        return now

    def comes_to_an_end(self, run, expected=("done",)):
        return self.settles(run, set(expected), seconds=90)

    def resumed(self, run, behaviour="fit_like"):
        self.behave(behaviour)
        try:
            submit(run, resume=True)
        except MMMError as error:
            self.must(False, f"resume refused: {error.message}")
            return
        self.comes_to_an_end(run)

    def serve(self, runs):
        """A server of its own that submits these runs and then stands by."""
        command = [sys.executable, "-c", SERVER, *map(str, runs)]
        server = subprocess.Popen(command, start_new_session=True)
        self.servers.append(server)
        return server

    def end_servers(self):
        for server in self.servers:
            with contextlib.suppress(ProcessLookupError):
                server.kill()
            server.wait()
        self.servers = []

    def nothing_is_left(self):
        """No orphan, no run lost from the list, and the next run works."""
        self.end_servers()
        STANDBY.end()
        deadline = time.monotonic() + LIMIT
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.must(not left, f"orphans: {left}")
        listed = {run.run_id for run in list_runs(self.project)}
        self.must(listed == {run.name for run in self.runs}, "a run is lost")
        run = self.start("done")
        self.comes_to_an_end(run)

    def processes(self, word="core.jobs"):
        """Command lines of processes that work on this workspace, by number."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (folder / "cmdline").read_bytes().decode(errors="replace")
                if str(home()) in command and word in command:
                    pid = int(folder.name)
                    if not is_dead(pid) and pid != os.getpid():
                        found[pid] = command.replace("\0", " ")
        return found

    def find(self, part, run, seconds=20.0):
        """Number of a run's worker, supervisor or keeper, once there is one."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for pid, command in self.processes().items():
                # `core.jobs.worker`, or `core.jobs.standby.worker`.
                if run.name in command and f".{part} " in command:
                    return pid
            if status(run).state in FINAL:
                return None
            time.sleep(0.01)
        return None

    def sleep(self, most):
        time.sleep(self.rng.uniform(0, most))

    def close(self):
        self.end_servers()
        STANDBY.end()
        for run in self.runs:
            with contextlib.suppress(OSError, MMMError):
                cancel(run)
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def kill(pid, number=signal.SIGKILL):
    if pid == 1:  # the parent of a process whose own has ended just now
        return
    with contextlib.suppress(ProcessLookupError, TypeError):
        os.kill(pid, number)
