"""What is said of a run that has no result."""

import errno
import os
from pathlib import Path

import pytest

from core.data.cells.typed import typed_amount
from core.errors import PlanError, WorkspaceError
from core.jobs import executor
from core.project.fits.runs import open_run
from core.project.refresh import next_fit
from core.project.refresh.next_fit import new_refresh
from core.project.settings.project import load_project
from core.service import forecasts, refreshes, runs
from core.service.places import run_folder
from core.store import run_state
from core.store.locks import hold
from core.store.run_state import RunStatus
from tests.pages import worlds


@pytest.mark.parametrize("kind", ["fit", "horizon", "weeks"])
def test_only_a_fit_is_continued(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    run = worlds.fit(worlds.project())
    text = (run / "run.json").read_text()
    (run / "run.json").write_text(text.replace('"kind": "fit"', f'"kind": "{kind}"'))
    status = RunStatus(run.name, "failed", message="It ended.", rc=70)
    hint = runs._failure(run, status).hint
    assert ("--resume" in hint) == (kind == "fit")
    assert "again" in hint or "Continue" in hint


@pytest.mark.parametrize("goal", ["$3M", "3M GBP", "£3,000,000"])
def test_a_goal_in_another_currency_is_refused(tmp_path, monkeypatch, goal):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    run = open_run(worlds.fit(worlds.project()))
    assert load_project(run.folder).currency == "EUR"
    with pytest.raises(PlanError, match="The goal is in"):
        forecasts.forecast(run, goal=typed_amount(goal))


def test_fits_that_nobody_may_look_at_are_not_said_to_be_none(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    project = worlds.project()
    with pytest.raises(WorkspaceError, match="has no finished fit"):
        run_folder(str(project))
    folder = worlds.fit(project).parent
    scan, access = os.scandir, os.access

    def closed(path):
        if Path(path) == folder:
            raise PermissionError(errno.EACCES, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) != folder and access(path, mode)
    )
    with pytest.raises(WorkspaceError, match="runs could not be read") as refusal:
        run_folder(str(project))
    assert refusal.value.hint == f"Ask who may read {folder}."


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_an_interrupt_stops_every_run_and_waits_until_they_have(
    tmp_path, monkeypatch, is_interrupted
):
    events: list[object] = []
    interrupts = [KeyboardInterrupt()] if is_interrupted else []

    def wait():
        events.append("wait")
        if interrupts and len(events) == 1:
            raise interrupts[0]

    monkeypatch.setattr(runs.executor, "cancel", events.append)
    folders = [tmp_path / "one", tmp_path / "two"]
    interrupt = runs.interrupt_of(folders, wait, lambda: events.append("stopping"))
    if is_interrupted:
        assert interrupt is interrupts[0]
        assert events == ["wait", "stopping", *folders, "wait"]
    else:
        assert interrupt is None and events == ["wait"]


@pytest.mark.parametrize("has_lock", [False, True])
def test_a_fit_whose_maker_was_killed_before_it_began_is_begun(
    tmp_path, monkeypatch, has_lock
):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(run_state, "_GRACE", 0.3)
    submitted = []
    monkeypatch.setattr(
        executor, "submit", lambda run, **how: submitted.append((run, how))
    )
    project = worlds.project()
    abandoned = new_refresh(project, None)
    if has_lock:
        (abandoned / "lock").touch()
    assert refreshes.start_next(project) == abandoned
    assert submitted == [(abandoned, {"resume": True})]


def test_a_fit_that_is_about_to_begin_is_left_to_whoever_made_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(executor, "submit", None)  # is not called
    project = worlds.project()
    run = new_refresh(project, None)
    held: list[int | None] = []

    def begun(seconds: float) -> None:
        held.append(hold(run / "lock"))

    monkeypatch.setattr(next_fit.time, "sleep", begun)
    assert refreshes.start_next(project) == run
    assert len(held) == 1
    os.close(held[0])
