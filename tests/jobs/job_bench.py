"""A workspace for tests with real processes, and ways to look at them."""

import contextlib
import os
import signal
import time
from pathlib import Path

from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs.executor import submit
from core.jobs.standby.keeping import STANDBY, waiting
from core.model.spec import ChannelSpec, ModelSpec
from core.project.fits.run_inputs import new_run
from core.project.settings.definition import Project
from core.project.settings.project import save_project

#: Seconds for what takes one or two: others may have the processor first.
PATIENCE = 300.0


def until(condition, *, seconds=PATIENCE):
    """Poll until the condition holds; what it returned."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def is_dead(pid):
    """Whether a process has ended, a zombie included."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def pids(run):
    """Process numbers of a run's worker and supervisor, once it works."""
    text = until(lambda: (run / "worker.txt").exists() and read(run / "worker.txt"))
    worker, supervisor = map(int, text.split())
    return worker, supervisor


def read(path):
    return path.read_text()


class Bench:
    """A workspace with one project, and runs of the fake worker."""

    def __init__(self, home, monkeypatch):
        self.home = home
        self.monkeypatch = monkeypatch
        self.runs = []
        self.is_warm = False
        self.project = home / "projects" / "Market"
        self.project.mkdir(parents=True)
        (self.project / "data.parquet").write_bytes(b"not read by the fake worker")
        columns = ChannelColumns("TV", "media", media="tv", spend="tv_spend")
        save_project(
            self.project,
            Project(
                name="Market",
                currency="EUR",
                file="data.parquet",
                mapping=ColumnMapping("time", "sales", channels=(columns,)),
                spec=ModelSpec(channels=(ChannelSpec("TV"),), knots=4),
                sampler=SamplerSettings(device="cpu"),
            ),
        )

    def new(self, kind="fit", **sampler):
        run = new_run(self.project, kind, sampler=sampler)
        self.runs.append(run)
        return run

    def behave(self, behaviour):
        self.monkeypatch.setenv("FAKE_BEHAVIOUR", behaviour)

    def start(self, behaviour, kind="fit", **sampler):
        self.behave(behaviour)
        run = self.new(kind, **sampler)
        if self.is_warm:
            self.stand_by(run)
        submit(run)
        return run

    def stand_by(self, run):
        """Have a worker stand by for this run; None does where others are at work."""
        STANDBY.end()
        STANDBY.keep()
        if STANDBY.renew(run):
            until(waiting)

    def open_gate(self):
        (self.home / "go").touch()

    def clean(self):
        """End what a failed test may have left: only processes of its own runs."""
        STANDBY.end()
        for run in self.runs:
            with contextlib.suppress(OSError):
                (run / "cancel").touch()
            with contextlib.suppress(OSError, ValueError):
                for pid in read(run / "worker.txt").split():
                    command = read(Path(f"/proc/{pid}/cmdline"))
                    if run.name in command:
                        os.kill(int(pid), signal.SIGKILL)
