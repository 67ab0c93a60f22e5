import json
import os
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from core.errors import WorkspaceError
from core.project.fits.pruning import prune, pruning, size_of
from core.project.fits.runs import list_runs
from core.project.plans.plans import save_plan
from core.store.locks import hold
from core.store.places import new_id
from core.store.results import write_result
from core.store.run_state import write_state
from tests.plan.records import record

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    folder = tmp_path / "projects" / "Market"
    (folder / "runs").mkdir(parents=True)
    return folder


def add(project, days, state="failed", kind="fit"):
    """A run that was made so many days before NOW."""
    born = NOW - timedelta(days=days)
    run = project / "runs" / f"{born:%Y%m%d-%H%M%S}-{days:08x}"
    run.mkdir()
    about = {"run_id": run.name, "kind": kind, "created": born.isoformat()}
    (run / "run.json").write_text(json.dumps(about))
    (run / "data.parquet").write_bytes(b"x" * 1000)
    write_state(run, state)
    if state == "done":
        with write_result(run) as result:
            (result / "fit.json").write_text("{}")
    return run


def names(runs):
    return [run.run_id for run in runs]


def left(project):
    return set(names(list_runs(project)))


def test_by_number_and_age(project):
    runs = [add(project, days) for days in (1, 10, 20, 40, 80)]
    ids = [run.name for run in runs]
    assert names(pruning(project, keep=2, now=NOW).runs) == ids[2:]
    month = timedelta(days=30)
    assert names(pruning(project, older_than=month, now=NOW).runs) == ids[3:]
    assert names(pruning(project, keep=4, older_than=month, now=NOW).runs) == ids[4:]
    found = pruning(project, keep=4, now=NOW)
    assert found.n_bytes == size_of(runs[-1]) > 1000
    assert prune(project, found.runs) == [ids[-1]]
    assert left(project) == set(ids[:-1])
    assert list((project.parents[1] / "trash").iterdir()) == []
    with pytest.raises(WorkspaceError, match="cannot be kept"):
        pruning(project, keep=-1)


def test_what_a_killed_process_had_begun_to_delete_goes(project):
    trash = project.parents[1] / "trash"
    begun = trash / f"pruned {new_id()} {new_id()}"
    others = {trash / "pruned", trash / f"pruned {new_id()}", trash / "Pruned a b"}
    for folder in (begun, *others):
        (folder / "result").mkdir(parents=True)
    prune(project, [])
    assert set(trash.iterdir()) == others


def test_kinds_are_counted_apart(project):
    fits = [add(project, days) for days in (1, 3)]
    priors = [add(project, days, kind="prior") for days in (2, 4)]
    gone = pruning(project, keep=1, now=NOW).runs
    assert names(gone) == [fits[1].name, priors[1].name]


def test_live_planned_and_newest_finished_runs_stay(project):
    lost = add(project, 1, "running")
    newest = add(project, 2, "done")
    planned = add(project, 3, "done")
    damaged = add(project, 4, "done")
    live = add(project, 5, "running")
    handle = hold(live / "lock")
    save_plan(project, record(name="Next", run_id=planned.name))
    plan = save_plan(project, record(name="Old", run_id=damaged.name)).plan_id
    path = project / "plans" / f"{plan}.json"
    path.write_text(path.read_text()[:-20])  # truncated, and still it counts
    found = pruning(project, now=NOW)
    why = {run.run_id: reason for run, reason in found.exceptions}
    assert why[newest.name] == "it is the newest finished fit"
    assert why[planned.name] == why[damaged.name] == "a plan was made with it"
    assert why[live.name] == "it is not finished"
    assert prune(project, found.runs) == [lost.name]
    assert left(project) == {run.name for run in (newest, planned, damaged, live)}
    os.close(handle)


def test_what_happened_since_the_look_counts(project):
    held, queued, planned = (add(project, days) for days in (1, 2, 3))
    found = pruning(project, now=NOW)
    assert len(found.runs) == 3
    handle = hold(held / "lock")
    write_state(queued, "queued")
    save_plan(project, record(name="Next", run_id=planned.name))
    assert prune(project, found.runs) == []
    assert len(left(project)) == 3
    os.close(handle)


def test_a_run_that_somebody_else_deleted_meanwhile_is_passed_over(project):
    first, second = (add(project, days) for days in (1, 2))
    chosen = pruning(project, now=NOW).runs
    shutil.rmtree(first)
    assert prune(project, chosen) == [second.name]
    shutil.rmtree(project)
    with pytest.raises(WorkspaceError, match="could not be written"):
        prune(project, chosen)


def test_a_folder_that_goes_while_one_looks_counts_as_nothing(tmp_path, monkeypatch):
    for name in ("there", "away"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x" * 10_000)
    scandir = os.scandir

    def gone(path):
        if str(path).endswith("away"):
            raise FileNotFoundError(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", gone)
    assert 10_000 < size_of(tmp_path) < 20_000
