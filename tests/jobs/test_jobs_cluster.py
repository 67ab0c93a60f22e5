"""Runs on a real Dask cluster: a scheduler and several worker processes."""

import os
import signal
from pathlib import Path

import pytest
from dask_grid import local_cluster
from job_bench import PATIENCE, is_dead, pids, read, until

from core.errors import WorkspaceError
from core.jobs import cluster
from core.jobs.executor import cancel, submit, submit_all, wait
from core.jobs.status import status
from core.store.run_about import about_of

pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def scheduler():
    with local_cluster() as address:
        yield address


@pytest.fixture
def grid(bench, scheduler):
    """A bench whose runs go to the cluster, and wait there for the gate."""
    bench.monkeypatch.setenv(cluster.VARIABLE, scheduler)
    return bench


def ended(run):
    return wait(run, timeout=PATIENCE)


def test_a_run_on_the_cluster_tells_its_progress_and_ends(grid):
    run = grid.start("gate")
    assert status(run).is_live
    until(lambda: status(run).state == "running")
    assert status(run).fraction == 0.25
    with pytest.raises(WorkspaceError, match="already running"):
        submit(run)
    grid.open_gate()
    assert ended(run).state == "done"
    with pytest.raises(WorkspaceError, match="finished"):
        submit(run)


def test_more_runs_than_workers_wait_and_the_waiting_can_be_cancelled(grid):
    grid.behave("gate")
    runs = [grid.new() for _ in range(5)]
    assert submit_all(runs) == {}
    until(lambda: sum(status(run).state == "running" for run in runs) == 3)
    waiting = [run for run in runs if status(run).state == "queued"]
    assert len(waiting) == 2
    assert "worker of the cluster" in status(waiting[0]).message
    cancel(waiting[0])
    assert ended(waiting[0]).state == "cancelled"
    grid.open_gate()
    states = [ended(run).state for run in runs]
    assert sorted(states) == ["cancelled", *["done"] * 4]
    assert not (waiting[0] / "worker.txt").exists()


def test_cancel_of_a_run_at_work_and_resume(grid):
    run = grid.start("gate")
    worker, supervisor = pids(run)
    cancel(run)
    assert ended(run).state == "cancelled"
    until(lambda: is_dead(worker) and is_dead(supervisor))
    grid.open_gate()
    submit(run, resume=True)
    assert ended(run).state == "done"


def test_a_dask_worker_killed_in_a_fit_gives_it_to_another(grid):
    run = grid.start("gate")
    worker, supervisor = pids(run)
    until(lambda: status(run).state == "running")
    dask_worker = parent(supervisor)
    (run / "worker.txt").unlink()
    os.kill(dask_worker, signal.SIGKILL)
    until(lambda: is_dead(worker) and is_dead(supervisor))
    seen = {status(run).state}
    again, _ = pids(run)
    assert again != worker
    seen.add(status(run).state)
    assert seen <= {"queued", "starting", "running"}
    grid.open_gate()
    assert ended(run).state == "done"


def parent(pid):
    stat = read(Path(f"/proc/{pid}/stat"))
    return int(stat.rpartition(")")[2].split()[1])


def test_the_fits_worker_killed_on_the_cluster(grid):
    run = grid.start("gate")
    os.kill(pids(run)[0], signal.SIGKILL)
    last = ended(run)
    assert (last.state, last.signal) == ("killed", 9)


def test_the_keeper_killed_leaves_what_works_alone(grid):
    run = grid.start("gate")
    pids(run)
    os.kill(keeper_of(run), signal.SIGKILL)
    assert status(run).state in ("starting", "running")
    grid.open_gate()
    assert ended(run).state == "done"


def keeper_of(run):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = read(folder / "cmdline")
        except OSError:
            continue
        if "core.jobs.keeper" in command and run.name in command:
            return int(folder.name)
    raise AssertionError("no keeper")


def test_needs_are_those_of_the_run(grid):
    about = {"kind": "fit", "sampler": {"device": "gpu"}}
    grid.monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "2G")
    assert cluster.needs(about_of(about)) == {"GPU": 1.0, "MEMORY": 2.0 * 1024**3}
    grid.monkeypatch.delenv("MIXWRIGHT_MEMORY_LIMIT")
    assert cluster.needs(about_of({"kind": "fit", "sampler": {"device": "cpu"}})) == {}


def test_a_run_that_no_worker_can_have_waits_until_it_is_cancelled(grid):
    grid.monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "900G")
    run = grid.start("gate")
    assert wait(run, timeout=3).state == "queued"
    cancel(run)
    assert ended(run).state == "cancelled"


def test_a_scheduler_that_is_not_there(bench):
    bench.monkeypatch.setenv(cluster.VARIABLE, "tcp://127.0.0.1:9")
    bench.monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    run = bench.start("gate")
    last = ended(run)
    assert last.state == "failed"
    assert "scheduler at tcp://127.0.0.1:9 did not answer" in last.message
    assert cluster.VARIABLE in last.hint


def test_no_cluster_named_or_no_package(bench, monkeypatch):
    bench.behave("done")
    run = bench.new()
    monkeypatch.delenv(cluster.VARIABLE, raising=False)
    with pytest.raises(WorkspaceError, match="no Dask cluster"):
        submit(run, executor="dask")
    monkeypatch.setenv(cluster.VARIABLE, "tcp://127.0.0.1:9")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(WorkspaceError, match="distributed is not installed"):
        submit(run)
