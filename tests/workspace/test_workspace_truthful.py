"""What is said is so: which run is the newest, what is on disk, what is gone."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from workspace_market import simple, table

from core.data.files.parquet import read_table
from core.errors import WorkspaceError
from core.project.fits import run_inputs, runs
from core.project.fits.pruning import pruning
from core.project.fits.run_inputs import new_run
from core.project.plans import plans
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    save_project,
)
from core.project.settings.project_data import replace_table
from core.project.shelf import lifecycle, seen
from core.project.shelf.lifecycle import create_project, delete_project, rename_project
from core.store.atomic import changes, is_full, write_text
from core.store.results import write_result
from core.store.run_state import read_status, write_state
from tests.plan.records import record
from tests.saved_plans import plans_over

AHEAD = datetime.now(UTC) + timedelta(days=400)


class Ahead(datetime):
    """A clock that is more than a year ahead."""

    @classmethod
    def now(cls, tz=None):
        return AHEAD


def fit(market):
    run = new_run(market)
    with write_result(run) as result:
        (result / "fit.json").write_text("{}")
    write_state(run, "done")
    return run


@pytest.fixture
def clock_was_ahead(market, monkeypatch):
    """A fit made while the clock was ahead, and one made after it was set right."""
    with monkeypatch.context() as patch:
        patch.setattr(run_inputs, "datetime", Ahead)
        patch.setattr(run_inputs, "new_id", lambda: f"{AHEAD:%Y%m%d-%H%M%S}-00000000")
        early = fit(market)
    return early, fit(market)


def test_the_newest_fit_is_the_last_one_made(market, clock_was_ahead):
    early, late = clock_was_ahead
    assert early.name > late.name
    assert runs.latest_fit(market).run_id == late.name
    assert [run.run_id for run in runs.list_runs(market)] == [late.name, early.name]
    assert seen.unseen(market).run_id == late.name


@pytest.mark.parametrize("older_than", [None, timedelta(0), timedelta(days=-500)])
def test_prune_never_offers_the_newest(market, clock_was_ahead, older_than):
    early, late = clock_was_ahead
    for keep in (0, 1):
        offered = pruning(market, keep=keep, older_than=older_than).runs
        assert late.name not in [run.run_id for run in offered]
    kept_one = pruning(market, keep=1).runs
    assert [run.run_id for run in kept_one] == [early.name]


def test_numbers_go_on_after_a_damaged_run(market):
    first = fit(market)
    (fit(market) / "run.json").write_text("[]")
    last = fit(market)
    numbers = [run.number for run in runs.list_runs(market)]
    assert runs.latest_fit(market).run_id == last.name
    assert numbers == sorted(numbers, reverse=True)
    assert json.loads((first / "run.json").read_text())["number"] == 1


def test_the_newest_plan_is_the_last_one_saved(market, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(plans, "datetime", Ahead)
        patch.setattr(plans, "new_id", lambda: f"{AHEAD:%Y%m%d-%H%M%S}-00000000")
        early = plans.save_plan(market, record(name="Early")).plan_id
    late = plans.save_plan(market, record(name="Late", over="weeks")).plan_id
    last = plans.save_plan(market, record(name="Last")).plan_id
    assert early > max(late, last)
    listed = [plan.plan_id for plan in plans.list_plans(market)]
    assert listed == [last, late, early]
    named = [plan.name for plan in plans_over(market, "channels")]
    assert named == ["Last", "Early"]


# --- the table and its mapping ---------------------------------------------------


def other(project):
    """The project with a channel of another name."""
    mapping = project.mapping
    channel = replace(mapping.channels[0], name="Radio")
    spec = replace(
        project.spec, channels=(replace(project.spec.channels[0], name="Radio"),)
    )
    return replace(project, mapping=replace(mapping, channels=(channel,)), spec=spec)


def state_of(market):
    """Rows of the table and the channel in project.toml."""
    project = load_project(market)
    rows = len(read_table(data_file(market, project)))
    return rows, project.mapping.channels[0].name


def test_table_and_mapping_are_replaced_together(market):
    sha = project_sha256(market)
    new = replace_table(market, table(30), other(load_project(market)), base_sha=sha)
    assert state_of(market) == (30, "Radio")
    assert new == project_sha256(market)
    assert len(list(market.glob("*.parquet"))) == 1


@pytest.mark.parametrize("at", range(6))
def test_a_crash_leaves_the_old_pair_or_the_new(market, monkeypatch, at):
    """Stopped at each step that touches the disk, as a power cut would."""

    class PowerCut(BaseException):
        pass

    steps = [0]

    def cut(real):
        def step(*args, **keywords):
            steps[0] += 1
            if steps[0] > at:
                raise PowerCut
            return real(*args, **keywords)

        return step

    sha, project = project_sha256(market), load_project(market)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", cut(os.replace))
        patch.setattr(os, "fsync", cut(os.fsync))
        patch.setattr("pathlib.Path.unlink", cut(lambda *a, **k: None))
        try:
            replace_table(market, table(30), other(project), base_sha=sha)
        except PowerCut:
            pass
    assert state_of(market) in [(24, "TV"), (30, "Radio")]


def test_an_edit_in_between_is_not_lost(market):
    sha, project = project_sha256(market), load_project(market)
    save_project(market, replace(project, currency="CHF"))
    with pytest.raises(WorkspaceError, match="changed meanwhile"):
        replace_table(market, table(30), other(project), base_sha=sha)
    assert state_of(market) == (24, "TV")
    assert len(list(market.glob("*.parquet"))) == 1


def test_somebodys_own_file_stays(market):
    (market / "data-of-mine.parquet").write_bytes(b"mine")
    (market / "sales.csv").write_text("mine")
    sha, project = project_sha256(market), load_project(market)
    replace_table(market, table(30), project, base_sha=sha)
    assert (market / "data-of-mine.parquet").exists()
    assert (market / "sales.csv").exists()


# --- deleted projects ------------------------------------------------------------


def test_a_deleted_project_leaves_no_orphan(market, home):
    """A screen that is still open on it makes nothing of it again."""
    project, sha = load_project(market), project_sha256(market)
    run = fit(market)
    delete_project("Market")
    attempts = [
        lambda: save_project(market, project, base_sha=sha),
        lambda: save_project(market, project),
        lambda: replace_table(market, table(30), project, base_sha=sha),
        lambda: plans.save_plan(market, record(name="x", run_id=run.name)),
        lambda: plans.mark_plan(market, None),
        lambda: new_run(market, project=project),
        lambda: runs.delete_run(market, run.name),
    ]
    for attempt in attempts:
        with pytest.raises(WorkspaceError):
            attempt()
    seen.mark_seen(run)
    assert not list((home / "projects").iterdir())
    created = create_project("Market", table(), simple().mapping)
    assert lifecycle.load_project(created)


# --- what was written ------------------------------------------------------------


def test_changes_are_counted(market):
    def changed(action):
        before = changes()
        action()
        return changes() > before

    project = load_project(market)
    assert not changed(lambda: load_project(market))
    assert not changed(lambda: runs.list_runs(market))
    assert not changed(lambda: save_project(market, project))  # nothing differs
    assert changed(lambda: save_project(market, replace(project, currency="CHF")))
    assert changed(lambda: plans.save_plan(market, record(name="x")))
    assert changed(lambda: fit(market))
    assert changed(lambda: write_text(market / "x", "x"))
    assert changed(lambda: rename_project("Market", "Other"))
    assert changed(lambda: delete_project("Other"))


# --- a disk without room ---------------------------------------------------------


def test_a_lost_run_on_a_full_disk_says_so(market, monkeypatch):
    run = new_run(market)
    write_state(run, "running")
    (run / "lock").touch()
    assert "without a message" in read_status(run).message
    monkeypatch.setattr("core.store.run_state.is_full", lambda folder: True)
    last = read_status(run)
    assert last.state == "lost"
    assert "disk is full" in last.message
    assert "Free some space" in last.hint


def test_a_disk_with_room_is_not_full(tmp_path):
    assert not is_full(tmp_path)
    assert not is_full(tmp_path / "gone")
