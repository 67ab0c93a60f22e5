"""A worker that takes too much memory dies alone, and says so."""

import subprocess
import sys
from pathlib import Path

import pytest
from job_bench import PATIENCE, is_dead, pids

from core.jobs import memory
from core.jobs.executor import submit, wait


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("800M", 800 * 1024**2),
        ("6.5 GB", int(6.5 * 1024**3)),
        ("2gib", 2 * 1024**3),
        ("1000", 1000),
        ("", None),
        ("0", None),
        ("much", None),
        ("-1G", None),
    ],
)
def test_sizes(text, size):
    assert memory.in_bytes(text) == size


def test_limit_is_a_share_of_the_machine_unless_set(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    assert 0 < memory.limit() < memory.machine()
    monkeypatch.setenv(memory.VARIABLE, "300M")
    assert memory.limit() == 300 * 1024**2
    assert memory.in_words(memory.limit()) == "300 MB"


def test_resident_memory_is_what_a_process_takes():
    """Of one that has nothing to free meanwhile, as this one may."""
    code = """
import os
from core.jobs import memory
before = memory.resident(os.getpid())
taken = bytearray(os.urandom(1024) * (50 * 1024))
print(memory.resident(os.getpid()) - before)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 40 * 1024**2 < int(ran.stdout) < 80 * 1024**2
    assert memory.resident(2**30) == 0


def test_a_worker_that_takes_all_memory_dies_alone(bench):
    neighbour = bench.start("gate", kind="prior")
    pids(neighbour)
    bench.monkeypatch.setenv(memory.VARIABLE, "400M")
    run = bench.start("greedy")
    worker, _ = pids(run)
    last = wait(run, timeout=PATIENCE)
    assert (last.state, last.signal) == ("killed", 9)
    assert "of memory and was stopped at the limit of 400 MB" in last.message
    assert memory.VARIABLE in last.hint
    assert is_dead(worker)
    bench.monkeypatch.delenv(memory.VARIABLE)
    bench.open_gate()
    assert wait(neighbour, timeout=PATIENCE).state == "done"
    bench.behave("done")
    submit(run, resume=True)
    assert wait(run, timeout=PATIENCE).state == "done"
