"""A part of the fault suite: each fault a few times (`MIXWRIGHT_FAULTS` for more)."""

import os

import faults
import pytest

N = int(os.environ.get("MIXWRIGHT_FAULTS", "2"))
LISTED = faults.faults(N)


#: Those whose run meets a worker on standby another way; all where N is given.
WARM = ("kill -9 of the worker", "kill -9 of the supervisor", "cancel while sampling")
WARM += ("SIGSTOP", "file size")
CASES = [(*row, False) for row in LISTED]
CASES += [
    (*row, True)
    for row in LISTED
    if "MIXWRIGHT_FAULTS" in os.environ or row[0].startswith(WARM)
]


@pytest.mark.parametrize(
    ("fault", "times", "is_warm"),
    [row[1:] for row in CASES],
    ids=[f"{name}{', on standby' * is_warm}" for name, *_, is_warm in CASES],
)
def test_fault(tmp_path, fault, times, is_warm):
    world = faults.attempt(fault, tmp_path / "home", times, is_warm=is_warm)
    assert world.wrong == []
    assert world.slowest < 5


@pytest.mark.parametrize("at_once", [False, True])
def test_full_disk(tmp_path, monkeypatch, at_once):
    world = faults.full_disk(tmp_path, monkeypatch, 1, at_once=at_once)
    if world is None:
        pytest.skip("a tmpfs cannot be mounted here; RLIMIT_FSIZE stands in for it")
    assert world.wrong == []
