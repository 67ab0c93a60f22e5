"""What is said of a run at work."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.project.fits.previews import Preview
from core.store.run_state import Progress, RunStatus
from core.view import progress
from core.view.progress import (
    PHASES,
    Pace,
    no_first_answer,
    progress_text,
    seconds_left,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("k_hat", "said"),
    [
        (0.85, "Pareto's k-hat is too high, 0.85, above 0.70"),
        (0.51, "too few of them fit what is new"),
        (None, "too few of them fit what is new"),
    ],
)
def test_no_first_answer_gives_the_reason_that_holds(k_hat, said):
    preview = Preview(channels=(), k_hat=k_hat, highest_k=0.7)
    assert f"({said})" in no_first_answer(preview)


def _at_work(phase, *, since=0.0, **reported):
    """A run that began so many seconds before `NOW`."""
    began = NOW - timedelta(seconds=since)
    return RunStatus(
        "run", "running", began.isoformat(), progress=Progress(phase, **reported)
    )


def test_time_left_runs_down_once_the_draws_are_there(monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return NOW

    monkeypatch.setattr("core.view.progress.datetime", Clock)
    now = _at_work("analysis", since=110, elapsed=80.0, eta=49.0, fraction=0.62)
    assert seconds_left(now) == 19
    assert "left 19 s" in progress_text(now)
    assert progress_text(now).startswith(" 85 %"), "110 of 129 s"
    late = _at_work("analysis", since=200, elapsed=80.0, eta=49.0, fraction=0.62)
    assert seconds_left(late) == 0
    assert "left" not in progress_text(late)
    assert "longer than expected: 200 s so far" in progress_text(late)


def test_a_line_is_not_said_twice(monkeypatch):
    clock = iter(range(0, 1000, 60))
    monkeypatch.setattr("core.view.progress.time.monotonic", lambda: float(next(clock)))
    pace = Pace()
    queued = RunStatus("run", "queued")
    working = _at_work("compiling", fraction=0.0)
    lines = [pace.line(each) for each in (queued, queued, working, working)]
    assert lines == ["In the queue, next", "", "  0 %, preparing the model", ""]


def test_every_phase_that_a_worker_tells_has_words():
    core = Path(progress.__file__).parents[1]
    told = re.compile(r'tell\("(\w+)"[,)]|"phase": "(\w+)"')
    phases = {
        phase
        for room in ("plan", "fit", "jobs/tasks")
        for file in (core / room).rglob("*.py")
        for found in told.findall(file.read_text())
        for phase in found
        if phase
    }
    assert {"climbing", "pausing", "analysis", "checks", "saving"} <= phases
    assert phases <= set(PHASES)
