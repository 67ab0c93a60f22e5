"""The parts of a job that need no processes."""

import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest
from job_bench import PATIENCE, read

from core.errors import DataError, SamplingError, SpecError, WorkspaceError
from core.jobs import queue, resources, supervisor
from core.jobs.executor import submit, wait
from core.jobs.states import RESUMABLE, is_legal, last_word
from core.jobs.worker import jax_environment, understood
from core.store.locks import hold
from core.store.run_about import RunSampler, about_of
from core.store.run_state import FINAL, State

STATES = get_args(State)


def test_every_live_state_can_end_and_no_end_goes_on_but_by_resuming():
    live = [state for state in STATES if state not in FINAL]
    assert live == ["queued", "starting", "running", "cancelling"]
    for state in live:
        for final in ("failed", "cancelled", "killed"):
            assert is_legal(state, final)
    for before, after in itertools.product(FINAL, STATES):
        assert is_legal(before, after) == (before in RESUMABLE and after == "queued")
    assert "done" not in RESUMABLE


@pytest.mark.parametrize(
    ("rc", "was_asked", "has_result", "state"),
    [
        (0, False, True, "done"),
        (0, True, True, "done"),
        (0, False, False, "failed"),
        (1, False, False, "failed"),
        (1, True, False, "failed"),
        (3, False, False, "failed"),
        (4, True, False, "cancelled"),
        (4, False, False, "cancelled"),
        (-9, True, False, "cancelled"),
        (-9, False, False, "killed"),
        (-11, False, False, "killed"),
        (-11, False, True, "done"),
        (-9, True, True, "done"),
    ],
)
def test_last_word(rc, was_asked, has_result, state):
    assert last_word(rc, was_asked=was_asked, has_result=has_result) == state


def test_slots_can_be_set(monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "3")
    assert resources.slots("cpu") == resources.slots("prior") == 3
    for odd in ("", "0", "many", "-1"):
        monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", odd)
        assert resources.slots("cpu") == max(1, resources.cores() // 2)


def test_lanes(monkeypatch):
    monkeypatch.setattr(resources, "gpus", lambda: ())
    lane = resources.lane_of
    assert lane(about_of({"kind": "prior", "sampler": {"device": "gpu"}})) == "prior"
    assert lane(about_of({"kind": "fit", "sampler": {"device": "auto"}})) == "cpu"
    assert lane(about_of({"kind": "fit", "sampler": {"device": "gpu"}})) == "gpu"
    assert lane(about_of({})) == "cpu"
    monkeypatch.setattr(resources, "gpus", lambda: ("0", "1"))
    assert lane(about_of({"kind": "fit", "sampler": {"device": "auto"}})) == "gpu"
    assert lane(about_of({"kind": "fit", "sampler": {"device": "cpu"}})) == "cpu"
    assert resources.slots("gpu") == 2
    environment = resources.worker_environment("gpu", 1)
    assert environment["CUDA_VISIBLE_DEVICES"] == "1"
    assert environment["MALLOC_MMAP_THRESHOLD_"] == "1048576"


def test_jax_environment(monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    given = jax_environment(RunSampler(device="gpu", precision="float32"))
    assert given["JAX_PLATFORMS"] == "cuda,cpu"
    assert given["JAX_ENABLE_X64"] == "0"
    # A GPU would take products of float32 with ten bits.
    assert given["JAX_DEFAULT_MATMUL_PRECISION"] == "highest"
    assert "JAX_PLATFORMS" not in jax_environment(RunSampler(device="auto"))
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=7 --x")
    kept = jax_environment(RunSampler())["XLA_FLAGS"]
    assert kept == "--xla_force_host_platform_device_count=7 --x"


def test_no_worker_compiles_what_one_before_it_did(tmp_path):
    names = {"MIXWRIGHT_TEST_WORKER": "tests.jobs.compiling_worker"}
    environment = os.environ | names | {"MIXWRIGHT_HOME": str(tmp_path / "home")}
    counts = []
    for name in ("first", "second"):
        run = tmp_path / name
        run.mkdir()
        (run / "run.json").write_text('{"kind": "fit", "sampler": {"device": "cpu"}}')
        command = [sys.executable, "-m", "core.jobs.worker", str(run)]
        subprocess.run(command, env=environment, check=False)
        counts.append(json.loads((run / "count.json").read_text()))
    assert counts[0] >= 2
    assert counts[1] == 0


def test_errors_are_understood(tmp_path):
    def kind(error):
        return type(
            understood(error, about_of({"sampler": {"device": "tpu"}}), tmp_path)
        )

    assert kind(DataError("x")) is DataError
    assert kind(RuntimeError("RESOURCE_EXHAUSTED: Out of memory")) is SamplingError
    assert kind(RuntimeError("Unable to initialize backend 'tpu'")) is SpecError
    assert kind(OSError(28, "No space left on device")) is WorkspaceError
    assert kind(FileNotFoundError(2, "No such file", "x")) is FileNotFoundError
    assert kind(ValueError("x")) is ValueError


def test_first_in_line_takes_the_slot_and_the_dead_are_skipped(bench):
    held, runs = [], [bench.new() for _ in range(4)]
    for run in runs:
        held.append(hold(run / "lock"))
    tickets = [queue.join("cpu", run) for run in runs]
    assert queue.join("cpu", runs[1]) == tickets[1]
    assert [queue.position("cpu", run) for run in runs] == [1, 2, 3, 4]
    assert queue.take_slot("cpu", tickets[1]) is None
    slot = queue.take_slot("cpu", tickets[0])
    assert slot.number == 0
    assert [queue.position("cpu", run) for run in runs] == [None, 1, 2, 3]
    assert queue.take_slot("cpu", tickets[1]) is None  # the slot is in use
    os.close(held[1])  # its supervisor dies
    slot.leave()
    assert queue.position("cpu", runs[3]) == 2
    assert queue.take_slot("cpu", tickets[3]) is None
    slot = queue.take_slot("cpu", tickets[2])
    assert slot is not None
    assert not tickets[1].exists()
    slot.leave()
    for handle in (held[0], *held[2:]):
        os.close(handle)


def test_damaged_ticket_does_not_block(bench):
    run = bench.new()
    lock = hold(run / "lock")
    ahead = queue.join("cpu", run).with_name("0000000000")
    ahead.write_bytes(b"\xff")
    slot = queue.take_slot("cpu", queue.join("cpu", run))
    assert slot is not None
    assert not ahead.exists()
    slot.leave()
    os.close(lock)


def test_what_is_no_run_is_refused(bench, tmp_path):
    with pytest.raises(WorkspaceError, match="is not a run"):
        submit(tmp_path)
    run = bench.new()
    (run / "run.json").write_text("{")
    with pytest.raises(WorkspaceError, match="damaged"):
        submit(run)


def test_unknown_kind_of_run_fails_with_words(bench):
    run = bench.new()
    about = json.loads(read(run / "run.json"))
    (run / "run.json").write_text(json.dumps(about | {"kind": "magic"}))
    submit(run)
    last = wait(run, timeout=PATIENCE)
    assert (last.state, last.rc) == ("failed", 1)
    assert "unknown kind, 'magic'" in last.message


def test_wait_gives_up_when_the_time_is_up(bench):
    run = bench.new()
    assert wait(run, timeout=0).state == "queued"


def test_supervisor_and_web_side_stay_light():
    code = (
        "import sys, core.jobs.supervisor\n"
        "print([m for m in ('numpy', 'pandas', 'tomlkit') if m in sys.modules])\n"
        "import core.jobs.executor, core.project.plans.plans\n"
        "import core.project.shelf.store\n"
        "print([m for m in ('jax', 'scipy', 'xarray', 'streamlit', 'tensorflow_probab"
        "ility', 'blackjax') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[]", "[]"], done.stderr


@pytest.mark.parametrize("sampler", [[1], "x", 5, {"device": []}, None])
def test_a_run_json_of_another_type_still_waits_in_a_lane(sampler):
    assert resources.lane_of(about_of({"kind": "fit", "sampler": sampler})) in (
        "cpu",
        "gpu",
    )


def test_odd_tickets_are_dead(tmp_path, monkeypatch):
    """A pipe, a NUL or a folder among the tickets keeps nobody waiting."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    folder = tmp_path / "queue" / "cpu"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "0000000001")
    (folder / "0000000002").write_bytes(b"/a\0b")
    (folder / "0000000003").write_bytes(b"\xff" * 100)
    run = tmp_path / "run"
    run.mkdir()
    lock = hold(run / "lock")
    try:
        ticket = queue.join("cpu", run)
        slot = queue.take_slot("cpu", ticket)
        assert slot is not None
        slot.leave()
    finally:
        os.close(lock)


def test_a_worker_loads_no_plotting_library_and_no_cluster(tmp_path):
    code = """
import sys
import time
from pathlib import Path
from core.process import hide_plotting
hide_plotting()
import core.jobs.tasks.fit_run
import xarray as xr
from core.fit.posterior import write_netcdf
write_netcdf(xr.Dataset({"x": ("draw", [1.0])}), Path(sys.argv[1]))
unasked = ("matplotlib", "plotly", "distributed", "dask")
print([name for name in unasked if sys.modules.get(name)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.nc")],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("tells", [True, False])
def test_the_end_of_a_worker_is_noticed_at_once_where_the_system_tells(
    monkeypatch, tells
):
    monkeypatch.setattr(supervisor, "_LOOK", PATIENCE if tells else 0.01)
    if not tells:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    elif not hasattr(os, "pidfd_open"):
        pytest.skip("the system does not tell")
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
    began = time.monotonic()
    with supervisor._noticed(worker) as pause:
        while worker.poll() is None:
            pause()
    assert time.monotonic() - began < PATIENCE
