"""A part of the fault suite: each fault a few times (`MIXWRIGHT_FAULTS` for more)."""

import os

import faults
import pytest

N = int(os.environ.get("MIXWRIGHT_FAULTS", "2"))
LISTED = faults.faults(N)


@pytest.mark.parametrize(
    ("fault", "times"),
    [(fault, times) for _, fault, times in LISTED],
    ids=[name for name, _, _ in LISTED],
)
def test_fault(tmp_path, fault, times):
    world = faults.attempt(fault, tmp_path / "home", times)
    assert world.wrong == []
    assert world.slowest < 5


@pytest.mark.parametrize("at_once", [False, True])
def test_full_disk(tmp_path, monkeypatch, at_once):
    world = faults.full_disk(tmp_path, monkeypatch, 1, at_once=at_once)
    if world is None:
        pytest.skip("a tmpfs cannot be mounted here; RLIMIT_FSIZE stands in for it")
    assert world.wrong == []
