"""Faults on the cluster, and with the real sampler: minutes, so not in `make test`."""

import contextlib
import os
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dask_grid import local_cluster
from fault_world import World, kill
from faults import attempt, row
from job_bench import until

from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs.executor import cancel, submit
from core.jobs.status import status
from core.project.fits.run_inputs import new_run
from core.project.shelf.lifecycle import create_project
from core.store.results import read_json

CHANNELS = {"TV": 900.0, "Search": 400.0}


def parent(pid):
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def table(n_times=104):
    rng = np.random.default_rng(0)
    weeks = pd.date_range("2023-01-02", periods=n_times, freq="7D")
    columns = {"week": weeks.strftime("%Y-%m-%d")}
    sales = 9_000 + rng.normal(0, 300, n_times)
    for name, weekly in CHANNELS.items():
        spend = weekly * rng.gamma(2.0, 0.5, n_times)
        sales += 3 * weekly * spend / (spend + weekly)
        columns |= {name: spend * 30, f"{name}_spend": spend}
    return pd.DataFrame(columns | {"sales": sales}).round(2)


def real(world, draws=4000):
    """A run of a real model, submitted."""
    world.monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "")
    world.monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "20")
    project = world.home / "projects" / "Real"
    if not project.exists():
        channels = [
            ChannelColumns(name, "media", media=name, spend=f"{name}_spend")
            for name in CHANNELS
        ]
        mapping = ColumnMapping(
            "week", "sales", kpi_type="revenue", channels=tuple(channels)
        )
        project = create_project("Real", table(), mapping)
    sampler = SamplerSettings(chains=2, warmup=300, draws=draws, device="cpu")
    run = new_run(project, "fit", sampler=vars(sampler))
    submit(run)
    return run


def back_to_fake(world):
    world.monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "fake_worker")
    world.monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "1")


def sampling(run):
    until(lambda: status(run).progress.phase == "draws")
    until(lambda: (run / "checkpoint" / "state.npz").exists())
    time.sleep(0.5)


def goes_on(world, run, *, note=""):
    """It is resumed and ends well."""
    submit(run, resume=True)
    last = world.settles(run, {"done"}, seconds=180)
    if last.state == "done":
        told = read_json(run, "fit")
        world.must(told["draws"] == 4000, "draws are missing")
        world.must(note in " ".join(told["notes"]), f"notes {told['notes']}")
    back_to_fake(world)


def real_worker_killed(world, i):
    run = real(world)
    sampling(run)
    kill(world.find("worker", run))
    world.settles(run, {"killed"})
    goes_on(world, run)


def real_supervisor_killed(world, i):
    run = real(world)
    sampling(run)
    kill(world.find("supervisor", run))
    world.settles(run, {"lost"})
    goes_on(world, run)


def real_cancelled(phase):
    def fault(world, i):
        run = real(world)
        until(lambda: status(run).progress.phase == phase)
        cancel(run)
        world.settles(run, {"cancelled"}, seconds=25)
        goes_on(world, run)

    return fault


def real_checkpoint_damaged(world, i):
    run = real(world)
    sampling(run)
    kill(world.find("worker", run))
    world.settles(run, {"killed"})
    path = run / "checkpoint" / "state.npz"
    path.write_bytes(path.read_bytes()[:-40])
    goes_on(world, run, note="damaged")


def real_memory(world, i):
    world.monkeypatch.setenv("MIXWRIGHT_MEMORY_LIMIT", "250M")
    run = real(world)
    last = world.settles(run, {"killed"}, seconds=60)
    world.must("250 MB" in last.message, last.message)
    world.monkeypatch.delenv("MIXWRIGHT_MEMORY_LIMIT")
    goes_on(world, run)


def on_cluster(scheduler, fault):
    def with_cluster(world, i):
        world.monkeypatch.setenv("MIXWRIGHT_DASK_SCHEDULER", scheduler)
        (world.home / "go").unlink(missing_ok=True)
        fault(world, i)
        back_to_fake(world)
        world.monkeypatch.delenv("MIXWRIGHT_DASK_SCHEDULER")

    return with_cluster


def dask_worker_killed(world, i):
    """At a random moment; the fit goes on at another worker, or was done."""
    run = world.start("gate")
    supervisor = world.find("supervisor", run)
    world.sleep(1.0)
    with contextlib.suppress(OSError, TypeError):
        kill(parent(supervisor))
    world.must(status(run).is_live, f"{status(run).state} after its worker ended")
    world.open_gate()
    world.comes_to_an_end(run)


def keeper_killed(world, i):
    """What is at work goes on; what waits is lost and can be resumed."""
    runs = [world.start("gate") for _ in range(4)]
    until(lambda: sum(status(run).state == "running" for run in runs) == 3)
    for run in runs:
        os.kill(world.find("keeper", run), signal.SIGKILL)
    waiting = [run for run in runs if not (run / "worker.txt").exists()]
    for run in waiting:
        world.settles(run, {"lost"})
    world.open_gate()
    for run in runs:
        if run not in waiting:
            world.comes_to_an_end(run)
    for run in waiting:
        world.resumed(run)


def real_dask_worker_killed(world, i):
    run = real(world)
    sampling(run)
    kill(parent(world.find("supervisor", run)))
    last = world.settles(run, {"done"}, seconds=180)
    if last.state == "done":
        log = (run / "log.txt").read_text()
        world.must(log.count("sampled:") == 1, "it sampled twice")


def real_rows(folder, n):
    """The rows of docs/reliability.md."""
    listed = [
        ("real: kill -9 of the worker while sampling", real_worker_killed, 1),
        ("real: kill -9 of the supervisor while sampling", real_supervisor_killed, 1),
        ("real: cancel while compiling", real_cancelled("compiling"), 1),
        ("real: cancel while warming up", real_cancelled("warmup"), 1),
        ("real: cancel while sampling", real_cancelled("draws"), 1),
        ("real: checkpoint cut short", real_checkpoint_damaged, 1),
        ("real: more memory than the limit", real_memory, 1),
    ]
    for at, (name, fault, times) in enumerate(listed):
        world = attempt(fault, folder / f"real{at}", times)
        yield row(name, times, world)
        report(world)
    pytest.importorskip("distributed")
    with local_cluster() as scheduler:
        listed = [
            ("Dask: kill -9 of a Dask worker, random moment", dask_worker_killed, n),
            ("Dask: kill -9 of the keepers", keeper_killed, n),
            ("real, Dask: kill -9 of a Dask worker", real_dask_worker_killed, n),
        ]
        for at, (name, fault, times) in enumerate(listed):
            place = folder / f"dask{at}"
            world = attempt(on_cluster(scheduler, fault), place, times)
            yield row(name, times, world)
            report(world)


def report(world: World):
    for wrong in world.wrong:
        print(f"    {wrong}", flush=True)
