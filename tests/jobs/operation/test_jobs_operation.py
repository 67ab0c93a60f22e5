"""What who keeps a server is told: overview, readiness, OpenMetrics, event log."""

import errno
import json
import os
from collections import namedtuple
from pathlib import Path
from unittest.mock import Mock

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from core.errors import DataError, WorkspaceError
from core.jobs.operation import overview as overviews
from core.jobs.operation import readiness
from core.jobs.operation.event_log import event
from core.jobs.operation.openmetrics import openmetrics
from core.jobs.operation.overview import overview
from core.jobs.operation.readiness import obstacles
from core.project.backup.take import take_backup
from core.project.fits.runs import list_runs
from core.store.atomic import write_json
from core.store.locks import hold
from core.store.run_state import write_state
from tests.pages import worlds

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "2")
    return tmp_path / "home"


@pytest.fixture
def market(home):
    """A project with a finished fit of 74 s, one that failed, and a lost one."""
    folder = worlds.project("Odd name")
    done = worlds.run(folder, "done")
    write_json(done / "progress.json", {"elapsed": 74.0})
    worlds.run(folder, "failed")
    worlds.run(folder, "running")
    return folder


def samples(text: str) -> dict[tuple, float]:
    """Every sample by its name and labels, as Prometheus reads them."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_overview_counts_runs_by_kind_and_state(market):
    seen = overview()
    assert seen.runs == {"fit": {"done": 1, "failed": 1, "lost": 1}}
    assert seen.seconds["fit"].total == 74.0
    assert seen.projects == 1
    assert seen.backup_age is None


def test_a_run_that_works_and_one_that_waits(market):
    from core.jobs import queue

    run = worlds.run(market, "queued")
    held = [hold(run / "lock")]
    queue.join("cpu", run)
    folder = queue.queue_folder() / "cpu"
    held.append(hold(folder / "slot-0.lock"))
    try:
        load = overview().queue["cpu"]
    finally:
        for handle in held:
            os.close(handle)
    assert (load.waiting, load.working, load.places) == (1, 1, 2)
    assert (overview().queue["cpu"].waiting, overview().queue["cpu"].working) == (0, 0)


def test_the_last_backup_has_an_age(market, tmp_path):
    take_backup(tmp_path / "all.zip")
    seen = overview()
    assert 0 <= seen.backup_age < 600
    assert seen.last_backup.file == str(tmp_path / "all.zip")


def test_an_empty_workspace_is_ready(home):
    seen = overview()
    assert seen.is_ready
    assert seen.runs == {}
    assert samples(openmetrics(seen))["mixwright_ready",] == 1


def test_openmetrics_as_prometheus_reads_it(market, tmp_path):
    take_backup(tmp_path / "all.zip")
    read = samples(openmetrics(overview()))
    assert read["mixwright_runs", "done", "fit"] == 1
    assert read["mixwright_failures", "failed", "fit"] == 1
    assert read["mixwright_failures", "fit", "lost"] == 1
    assert read["mixwright_run_seconds", "fit"] == 74.0
    assert read["mixwright_queue_places", "cpu"] == 2
    assert read["mixwright_backup_age_seconds",] >= 0


def test_openmetrics_has_nothing_of_a_project(market):
    for run in list_runs(market):
        write_json(run.folder / "run.json", {"run_id": run.run_id, "kind": 'x"} 1\n'})
    text = openmetrics(overview())
    assert market.name not in text
    assert samples(text)["mixwright_runs", "done", "other"] == 1


def test_a_full_disk_is_an_obstacle(home, monkeypatch):
    usage = Usage(10**9, 10**9 - 10**6, 10**6)
    monkeypatch.setattr(readiness.shutil, "disk_usage", lambda _: usage)
    assert "The disk has 1 MB left; a fit needs 200 MB." in obstacles()


def test_a_workspace_that_takes_nothing_is_an_obstacle(home, monkeypatch):
    def refused(path, *_, **__):
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    obstacles()  # makes the folders
    fault = WorkspaceError("queue is read-only.", hint="Make the folder writable.")
    monkeypatch.setattr(readiness, "write_bytes", Mock(side_effect=fault))
    monkeypatch.setattr(Path, "unlink", refused)
    assert obstacles() == ["queue is read-only. Make the folder writable."]


def test_a_workspace_that_cannot_be_made_is_an_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "file" / "home"))
    assert "is not a folder" in obstacles()[0]


def test_locks_that_do_not_hold_are_an_obstacle(home, monkeypatch):
    monkeypatch.setattr(readiness, "is_held", lambda _: False)
    assert "File locks do not hold" in obstacles()[0]


def test_too_little_memory_is_an_obstacle(home, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "100M")
    assert "100 MB of memory and needs 700 MB" in obstacles()[0]
    monkeypatch.delenv("MIXWRIGHT_MEMORY_LIMIT")
    monkeypatch.setattr(readiness.memory, "free", lambda: 5 * 1024**2)
    assert "5 MB of memory are free" in obstacles()[0]


def test_a_missing_package_is_an_obstacle(home, monkeypatch):
    monkeypatch.setattr(readiness, "_PACKAGES", ("jax", "no_such_package"))
    assert "Not installed: no_such_package." in obstacles()[0]


def test_a_cluster_without_its_package_is_an_obstacle(home, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_DASK_SCHEDULER", "tcp://nowhere:8786")
    monkeypatch.setattr(readiness.cluster.importlib.util, "find_spec", lambda _: None)
    assert "distributed is not installed" in obstacles()[0]


def test_readiness_leaves_nothing_behind(home):
    obstacles()
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_sizes_of_the_workspace(market):
    taken = overviews.used()
    assert taken["projects"] > 10_000
    assert taken["trash"] == 0


# --- the event log ---------------------------------------------------------------


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_LOG", str(tmp_path / "events.jsonl"))
    return lambda: [
        json.loads(line)
        for line in (tmp_path / "events.jsonl").read_text().splitlines()
    ]


def test_no_file_no_log(tmp_path, monkeypatch):
    monkeypatch.delenv("MIXWRIGHT_LOG", raising=False)
    event("run", run="x", state="done")


def test_an_event_names_its_run(log):
    event("run", run="20250131-093000-0a1b2c3d", state="done")
    line = log()[0]
    assert line["event"] == "run"
    assert line["run"] == "20250131-093000-0a1b2c3d"
    assert line["state"] == "done"
    assert "error" not in line


def test_an_error_is_told_by_class_and_place_without_its_message(log, market):
    from core.project.settings.project import load_project

    try:
        load_project(market / "Secret customer")
    except Exception as error:
        event("page", request="abc123", name="plan", seconds=0.12345, error=error)
    line = log()[0]
    assert line["error"] == "WorkspaceError"
    assert line["where"].startswith("core/project/settings/project.py:")
    assert line["seconds"] == 0.123
    assert "Secret" not in json.dumps(line)


def test_an_error_from_elsewhere_has_no_place(log):
    event("command", error=DataError("Revenue of Acme is 12."))
    assert log()[0]["error"] == "DataError"
    assert "Acme" not in json.dumps(log())


def test_a_log_that_cannot_be_written_stops_nothing(monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_LOG", "/proc/nowhere/events.jsonl")
    event("run", run="x", state="done")


def test_states_of_a_run_are_logged(log, home, market, monkeypatch):
    from core.jobs.supervisor import Supervisor

    monkeypatch.setattr("core.jobs.supervisor.signal.signal", lambda *_: None)
    run = worlds.run(market, "queued")
    write_state(run, "queued")
    supervisor = Supervisor(run, lock=-1)
    supervisor.move("starting")
    supervisor.move("running")
    assert [(line["run"], line["state"]) for line in log()] == [
        (run.name, "starting"),
        (run.name, "running"),
    ]
