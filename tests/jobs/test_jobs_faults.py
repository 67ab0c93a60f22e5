"""Real processes, a fake quick worker: every end that a run can come to."""

import itertools
import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from job_bench import PATIENCE, is_dead, pids, read, until

from core.errors import WorkspaceError
from core.jobs import worker as at_work
from core.jobs.executor import cancel, submit, wait
from core.jobs.status import status
from core.project.fits.runs import list_runs
from core.store.results import read_json

#: Tests that are always run with a worker on standby too.
EITHER = []


def either(test):
    """Run a test without a worker on standby, and with one."""
    EITHER.append(test)
    return test


def pytest_generate_tests(metafunc):
    """A worker on standby for `either`; for all tests where many faults are tried."""
    if "bench" in metafunc.fixturenames:
        has_both = metafunc.function in EITHER or "MIXWRIGHT_FAULTS" in os.environ
        kinds = ["cold", "warm"] if has_both else ["cold"]
        metafunc.parametrize("bench", kinds, indirect=True)


def ended(run):
    return wait(run, timeout=PATIENCE)


@either
def test_normal_end(bench):
    seen = []
    run = bench.start("done")
    last = wait(run, seen.append, timeout=PATIENCE)
    assert (last.state, last.rc, last.signal) == ("done", 0, None)
    assert last.fraction == 1.0
    assert seen[-1] == last
    assert read_json(run, "fit") == {"seed": 1}
    assert not list((bench.home / "queue" / "cpu").glob("0*"))
    assert status(run).state == "done"


@pytest.mark.parametrize(
    ("behaviour", "rc", "message", "hint"),
    [
        ("input_error", 1, "Channel TV has no spend.", "Add its cost."),
        ("sampling_error", 3, "The density is not finite.", "Check the priors."),
        ("memory_error", 3, "The run needs more memory than there is.", "fewer"),
        ("no_device", 1, "There is no cpu that JAX can use", "auto or cpu"),
        ("crash", 70, "ZeroDivisionError: division by zero", "log"),
        ("nothing", 0, "The worker ended without a result.", "log"),
        ("full_disk", 1, "The disk is full", "Free some space"),
    ],
)
def test_failures_name_cause_and_remedy(bench, behaviour, rc, message, hint):
    run = bench.start(behaviour)
    last = ended(run)
    assert (last.state, last.rc) == ("failed", rc)
    assert message in last.message
    assert hint in last.hint
    assert not (run / "result").exists()
    assert not (run / "result.tmp").exists()


def test_error_file_has_type_and_place(bench):
    run = bench.start("input_error")
    ended(run)
    error = json.loads(read(run / "error.json"))
    assert (error["type"], error["where"]) == ("DataError", "TV")


@either
def test_log_holds_the_traceback(bench):
    run = bench.start("crash")
    ended(run)
    assert "ZeroDivisionError: division by zero" in read(run / "log.txt")


@either
def test_worker_killed_by_the_system(bench):
    run = bench.start("gate")
    worker, _ = pids(run)
    until(lambda: status(run).state == "running")
    os.kill(worker, signal.SIGKILL)
    last = ended(run)
    assert (last.state, last.signal, last.rc) == ("killed", 9, None)
    assert "memory" in last.hint


def test_worker_aborts(bench):
    last = ended(bench.start("abort"))
    assert (last.state, last.signal) == ("killed", signal.SIGABRT)


@either
def test_supervisor_killed_takes_the_worker_along(bench):
    run = bench.start("gate")
    worker, supervisor = pids(run)
    os.kill(supervisor, signal.SIGKILL)
    last = ended(run)
    assert last.state == "lost"
    assert is_dead(worker)  # the lock is free only once both are gone
    assert "Start it again" in last.hint


@either
def test_lost_run_can_be_resumed_and_does_not_block_the_queue(bench):
    run = bench.start("gate")
    os.kill(pids(run)[1], signal.SIGKILL)
    ended(run)
    other = bench.start("done")
    assert ended(other).state == "done"
    bench.open_gate()
    with pytest.raises(WorkspaceError, match="was started before"):
        submit(run)
    submit(run, resume=True)
    assert ended(run).state == "done"


def test_result_finished_just_before_the_supervisor_died_counts(bench):
    run = bench.start("done")
    ended(run)
    until(lambda: is_dead(pids(run)[1]))  # a supervisor at work has the last word
    (run / "state.json").write_text('{"state": "running"}')
    assert status(run).state == "done"


@either
def test_stray_children_of_the_worker_are_swept(bench):
    run = bench.start("family")
    assert ended(run).state == "done"
    child = int(read(run / "child.txt"))
    until(lambda: is_dead(child))  # what is killed on a busy machine has yet to die


def test_cancel_before_submission(bench):
    bench.behave("done")
    run = bench.new()
    cancel(run)
    assert status(run).state == "cancelled"
    submit(run)  # too late: it stays cancelled
    assert status(run).state == "cancelled"
    assert not (run / "worker.txt").exists()


@either
def test_cancel_right_after_submission(bench):
    run = bench.start("gate")
    cancel(run)
    assert ended(run).state == "cancelled"


@either
def test_cancel_while_running_twice(bench):
    run = bench.start("gate")
    worker, supervisor = pids(run)
    cancel(run)
    cancel(run)
    last = ended(run)
    assert (last.state, last.rc) == ("cancelled", 4)
    until(lambda: is_dead(worker) and is_dead(supervisor))
    cancel(run)
    assert status(run).state == "cancelled"


@either
def test_cancel_of_a_worker_that_will_not_listen(bench):
    bench.monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "0.3")
    run = bench.start("stubborn")
    until(lambda: (run / "deaf").exists())
    cancel(run)
    last = ended(run)
    assert (last.state, last.signal) == ("cancelled", 9)


@either
def test_cancel_of_a_stopped_worker(bench):
    bench.monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "0.3")
    run = bench.start("gate")
    os.kill(pids(run)[0], signal.SIGSTOP)
    cancel(run)
    assert ended(run).state == "cancelled"


@either
def test_sigterm_to_the_supervisor_is_a_cancel(bench):
    run = bench.start("gate")
    os.kill(pids(run)[1], signal.SIGTERM)
    assert ended(run).state == "cancelled"


@either
def test_cancelled_run_can_be_resumed(bench):
    run = bench.start("gate")
    pids(run)
    cancel(run)
    ended(run)
    bench.open_gate()
    submit(run, resume=True)
    assert ended(run).state == "done"


def test_finished_run_is_not_started_again(bench):
    run = bench.start("done")
    ended(run)
    for resume in (False, True):
        with pytest.raises(WorkspaceError, match="finished"):
            submit(run, resume=resume)


@either
def test_run_at_work_is_not_started_twice(bench):
    run = bench.start("gate")
    with pytest.raises(WorkspaceError, match="already running"):
        submit(run)
    command = [sys.executable, "-m", "core.jobs.supervisor", str(run)]
    second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 1
    assert "already running" in second.stderr
    bench.open_gate()
    assert ended(run).state == "done"


def test_supervisor_by_hand(bench):
    bench.behave("done")
    run = bench.new()
    command = [sys.executable, "-m", "core.jobs.supervisor", str(run)]
    assert subprocess.run(command, check=False).returncode == 0
    assert status(run).state == "done"


def test_queue_keeps_the_order_and_tells_the_position(bench):
    first = bench.start("gate")
    pids(first)
    second, third = bench.start("gate"), bench.start("gate")
    assert status(second).state == status(third).state == "queued"
    assert [status(run).position for run in (second, third)] == [1, 2]
    assert not (second / "worker.txt").exists()
    bench.open_gate()
    assert [ended(run).state for run in (first, second, third)] == ["done"] * 3
    runs = (first, second, third)
    started = [(run / "worker.txt").stat().st_mtime_ns for run in runs]
    assert started == sorted(started)


def test_cancelled_and_killed_waiting_runs_leave_the_queue(bench):
    first = bench.start("gate")
    pids(first)
    second, third, fourth = (bench.start("gate") for _ in range(3))
    cancel(second)
    assert ended(second).state == "cancelled"
    supervisor = until(lambda: _supervisor_of(third))
    os.kill(supervisor, signal.SIGKILL)
    assert ended(third).state == "lost"
    assert status(fourth).position == 1
    bench.open_gate()
    assert ended(fourth).state == "done"


def _supervisor_of(run):
    for path in os.listdir("/proc"):
        if path.isdigit():
            try:
                command = read(type(run)("/proc") / path / "cmdline")
            except OSError:
                continue
            if ".supervisor" in command and run.name in command:
                return int(path)
    return None


def test_prior_check_does_not_wait_for_a_fit(bench):
    fit = bench.start("gate")
    pids(fit)
    prior = bench.start("done", kind="prior")
    assert ended(prior).state == "done"
    assert status(fit).state in ("starting", "running")


def test_two_at_once_where_that_is_allowed(bench):
    bench.monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "2")
    runs = [bench.start("gate") for _ in range(3)]
    pids(runs[0]), pids(runs[1])
    assert status(runs[2]).position == 1
    bench.open_gate()
    assert [ended(run).state for run in runs] == ["done"] * 3


@either
def test_worker_environment(bench):
    run = bench.start("environment", precision="float64")
    ended(run)
    found = eval(read(run / "environment.txt"))
    assert found["JAX_PLATFORMS"] == "cpu"
    assert found["JAX_ENABLE_X64"] == "1"
    assert "xla_force_host_platform_device_count=" in found["XLA_FLAGS"]
    assert found["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert found["JAX_COMPILATION_CACHE_DIR"] == str(bench.home / "cache" / "jax")
    assert int(found["nice"]) >= 10
    assert found["group"].endswith(" nice 10") or not found["group"]
    assert found["jax"] == "False"
    assert (found["oom"], found["core"]) == ("900", "0")


def test_server_that_ends_leaves_the_run_alone(bench):
    bench.behave("gate")
    run = bench.new()
    code = "from pathlib import Path; from core.jobs.executor import submit\n"
    code += f"submit(Path({str(run)!r}))"
    server = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    server.wait(timeout=PATIENCE)
    pids(run)
    assert status(run).is_live
    bench.open_gate()
    assert ended(run).state == "done"
    assert [entry.run_id for entry in list_runs(bench.project)] == [run.name]


@either
def test_truncated_state_of_a_live_run(bench):
    run = bench.start("gate")
    pids(run)
    until(lambda: status(run).state == "running")
    (run / "state.json").write_text('{"state": "run')
    assert status(run).state == "starting"  # held: someone works on it
    bench.open_gate()
    assert ended(run).state == "done"


def test_chains_stay_known_while_results_are_worked_out(tmp_path):
    progress, chains = at_work.Progress(tmp_path), [{"iteration": 9, "total": 9}]
    known = {"chains": chains, "rhat_max": 1.002, "ess_min": 840.0}
    progress.report({"phase": "draws", "fraction": 0.96} | known)
    progress.report({"phase": "analysis", "fraction": 0.97})
    stored = json.loads(read(tmp_path / "progress.json"))
    assert {key: stored[key] for key in known} == known


def test_progress_is_throttled_but_ends_complete(tmp_path, monkeypatch):
    """Of 500 reports in two seconds eight are written, and the last."""
    seconds, written = itertools.count(0.0, 0.004), []
    clock = SimpleNamespace(monotonic=lambda: next(seconds))
    monkeypatch.setattr(at_work, "time", clock)
    write = at_work.write_json

    def counted(path, content, **options):
        written.append(content)
        write(path, content, **options)

    monkeypatch.setattr(at_work, "write_json", counted)
    progress = at_work.Progress(tmp_path)
    for step in range(500):
        progress.report({"phase": "draws", "fraction": step / 500})
    assert 7 <= len(written) <= 9
    progress.report({"phase": "saving", "fraction": 1.0, "rhat_max": float("nan")})
    stored = json.loads(read(tmp_path / "progress.json"))
    assert stored.pop("elapsed") == pytest.approx(2.0, abs=0.1)
    assert stored == {"phase": "saving", "fraction": 1.0, "rhat_max": None}
