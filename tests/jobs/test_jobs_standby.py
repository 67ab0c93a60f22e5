"""A worker on standby: who it works for, what ends it, and that numbers are equal."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from job_bench import PATIENCE, is_dead, pids, read, until
from test_jobs_fit_run import QUICK, a_project

from core.cli.team import server
from core.jobs import memory
from core.jobs.executor import submit, wait
from core.jobs.operation.overview import overview
from core.jobs.standby import keeping
from core.jobs.standby.keeping import STANDBY, waiting
from core.project.fits.run_inputs import new_run
from core.service.workspace.getting_ready import prepare
from core.store.results import open_dataset, read_json
from core.store.run_state import stored_state


def worker_of(run):
    return pids(run)[0]


def kept(bench):
    """The worker that this process keeps from the end of its first run on.

    Not a fixture: pytest names what it is at in the environment of this process.
    """
    STANDBY.keep()
    assert wait(bench.start("done"), timeout=PATIENCE).state == "done"
    found = until(waiting)
    assert not is_dead(found.pid), read(bench.home / "queue" / "standby.log")
    return found


def over(bench, behaviour="done", **sampler):
    """A finished run whose supervisor has ended, too: the queue counts both."""
    run = bench.start(behaviour, **sampler)
    assert wait(run, timeout=PATIENCE).state == "done"
    until(lambda: is_dead(pids(run)[1]))
    return run


def test_it_takes_one_run_and_is_replaced(bench):
    first = kept(bench)
    assert first.bytes > 0
    run = bench.start("done")
    assert wait(run, timeout=PATIENCE).state == "done"
    assert worker_of(run) == first.pid
    assert "core.jobs.standby.worker" not in read(run / "log.txt")
    until(lambda: (now := waiting()) and now.pid != first.pid)
    assert is_dead(first.pid)
    seen = overview()
    assert seen.standby.precision == "float32"
    assert "one waits for the next run (float32" in server._server_text(seen, {})
    STANDBY.end()
    until(lambda: not waiting())
    assert "Warm worker: none." in server._server_text(overview(), {})


def test_a_command_has_one_for_the_run_it_prepares(bench):
    """Without practice, which would take longer than the command does."""
    over(bench)
    prepare(str(bench.project))
    found = until(waiting)
    command = read(Path(f"/proc/{found.pid}/cmdline")).split("\0")
    about = json.loads(command[-2])
    assert about["kind"] == "fit" and about["sampler"]["precision"] == "float32"
    run = bench.start("done")
    assert wait(run, timeout=PATIENCE).state == "done"
    assert worker_of(run) == found.pid
    until(lambda: is_dead(found.pid))
    assert STANDBY._kept is None and not waiting()
    # Whoever holds the lock next is not taken for one with this worker.
    assert not read(bench.home / "queue" / keeping.LOCK)


def test_nothing_is_prepared_where_none_may_stand_by(bench):
    over(bench)
    bench.monkeypatch.setenv(keeping.VARIABLE, "off")
    prepare(str(bench.project))
    assert STANDBY._kept is None


def test_nothing_is_prepared_for_a_project_that_is_not_there(bench):
    over(bench)
    prepare(str(bench.project / "nowhere"))
    assert STANDBY._kept is None


def test_one_is_prepared_for_the_precision_that_is_asked_for(bench):
    over(bench)
    for asked in ({}, {"precision": "float64"}):
        prepare(str(bench.project), asked)
        precision = asked.get("precision", "float32")
        assert STANDBY._kept.needs.precision == precision
        over(bench, "environment", precision=precision)
        assert STANDBY._kept is None


@pytest.mark.parametrize("verb", ["fit", "refresh", "demo"])
def test_a_command_that_fits_has_its_worker_started_before_it_loads_anything(verb):
    code = """
import sys
from core.service.workspace import getting_ready
def prepare(project, sampler):
    early = [name for name in ("numpy", "pandas") if name in sys.modules]
    print(project, sampler, early)
    sys.stdout.flush()
    raise SystemExit
getting_ready.prepare = prepare
from core.cli.main import main
main(sys.argv[1:])
"""
    arguments = [verb] if verb == "demo" else [verb, "nowhere"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    named = "None" if verb == "demo" else "nowhere"
    assert done.stdout.strip() == f"{named} {{}} []", done.stderr


def test_no_worker_is_started_for_a_project_below_the_home_of_nobody(monkeypatch):
    monkeypatch.setattr(STANDBY, "prepare", pytest.fail)
    prepare("~nobody-here/market", {})


@pytest.mark.parametrize("of_other", ["precision", "variable", "switch"])
def test_a_run_of_another_environment_starts_as_ever(bench, of_other):
    first, precision = kept(bench), "float32"
    if of_other == "precision":
        precision = "float64"
    elif of_other == "variable":
        bench.monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=true")
    else:
        bench.monkeypatch.setenv(keeping.VARIABLE, "off")
    run = bench.start("environment", precision=precision)
    assert wait(run, timeout=PATIENCE).state == "done"
    assert worker_of(run) != first.pid
    assert is_dead(first.pid)
    found = eval(read(run / "environment.txt"))
    assert found["JAX_ENABLE_X64"] == "01"[precision == "float64"]


@pytest.mark.parametrize("harm", ["worker", "deaf worker", "supervisor", "stopped"])
def test_a_run_is_never_lost_with_what_stood_by(bench, harm):
    bench.monkeypatch.setattr(keeping, "_PATIENCE", 0.3)
    first = kept(bench).pid
    parent = int(read(Path(f"/proc/{first}/stat")).rpartition(")")[2].split()[1])
    stops = harm in ("stopped", "deaf worker")
    target = first if "worker" in harm else parent
    os.kill(target, signal.SIGSTOP if stops else signal.SIGKILL)
    run = bench.start("done")
    if harm == "deaf worker":  # the run is at its door when it ends
        until(lambda: stored_state(run) == "starting")
        os.kill(first, signal.SIGKILL)
    assert wait(run, timeout=PATIENCE).state == "done"
    assert worker_of(run) != first
    until(lambda: is_dead(first) and is_dead(parent))


def test_it_ends_with_the_process_that_keeps_it(bench):
    bench.behave("done")
    runs = [bench.new() for _ in range(2)]
    code = """
import sys, time
from pathlib import Path
from core.jobs.executor import submit, wait
from core.jobs.standby.keeping import STANDBY
STANDBY.keep()
submit(Path(sys.argv[1]))
time.sleep(600)
"""
    keeper = subprocess.Popen([sys.executable, "-c", code, str(runs[0])])
    found = until(waiting)
    assert STANDBY.hand_over(runs[1], 0) is None  # it is not this process's
    keeper.kill()
    keeper.wait()
    until(lambda: is_dead(found.pid) and not waiting())


def test_where_none_stands_by(monkeypatch):
    monkeypatch.delenv(keeping.VARIABLE, raising=False)
    for size, is_wanted in ((4e9, False), (8.2e9, True)):
        monkeypatch.setattr(memory, "machine", lambda size=size: int(size))
        assert keeping.is_wanted() == is_wanted
    for choice, is_wanted in (("off", False), ("OFF", False), ("on", True)):
        monkeypatch.setenv(keeping.VARIABLE, choice)
        assert keeping.is_wanted() == is_wanted
    monkeypatch.setenv("MIXWRIGHT_DASK_SCHEDULER", "tcp://host:8786")
    assert not keeping.is_wanted()


@pytest.mark.slow
def test_numbers_are_those_of_a_worker_that_starts_anew(bench, keeps_compiled):
    """And practice leaves nothing to trace or compile, and nothing behind."""
    log = bench.home / "queue" / "standby.log"
    bench.monkeypatch.delenv("MIXWRIGHT_TEST_WORKER")
    keeps_compiled(bench.home)
    project = a_project("Real")
    STANDBY.keep()
    posteriors = []
    for _ in range(2):
        run = new_run(project, sampler=vars(QUICK) | {"draws": 300, "device": "cpu"})
        bench.runs.append(run)
        submit(run)
        last = wait(run, timeout=PATIENCE)
        assert last.state == "done", last.message
        posteriors.append(open_dataset(run, "posterior").load())
        if len(posteriors) == 1:
            until(lambda: log.exists() and "ready after" in read(log))
    assert "ready after" not in read(run / "log.txt")
    fit = read_json(run, "fit")
    assert (fit["compilations"], fit["seconds"]["compile"]) == (0, 0.0)
    assert not (bench.home / "queue" / "standby").exists()
    for name, values in posteriors[0].items():
        np.testing.assert_array_equal(values, posteriors[1][name])
