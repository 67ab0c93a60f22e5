"""What modules hold is not searched for garbage."""

import gc
import subprocess
import sys
import types

import pytest

from pages.shell import garbage


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def test_modules_are_spared_once_and_again_when_more_come(monkeypatch):
    monkeypatch.setattr(garbage, "_n_modules", 0)
    garbage.spare_modules()
    spared = gc.get_freeze_count()
    assert spared > 10_000
    kept = [[] for _ in range(100)]
    garbage.spare_modules()
    assert gc.get_freeze_count() <= spared
    monkeypatch.setitem(sys.modules, "one_more", types.ModuleType("one_more"))
    garbage.spare_modules()
    assert gc.get_freeze_count() >= spared + len(kept) - 10


def test_garbage_itself_is_not_spared(monkeypatch):
    class Node:
        gone = 0

        def __del__(self):
            Node.gone += 1

    one, other = Node(), Node()
    one.other, other.other = other, one
    del one, other
    monkeypatch.setattr(garbage, "_n_modules", 0)
    garbage.spare_modules()
    assert Node.gone == 2


_PIECES = """
import os
from core.jobs.memory import resident
from pages.shell import garbage

held = [bytes(2000) for _ in range(20_000)]
last = bytes(2000)
grown = resident(os.getpid())
del held
garbage.give_back()
print(grown - resident(os.getpid()), len(last))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps what is free")
def test_what_is_free_is_given_back():
    """Forty megabytes in small pieces, freed below one that stays.

    In a process of its own: in one that has run other tests the pieces may lie in gaps
    between what stays, and then no whole page is free.
    """
    ran = subprocess.run(
        [sys.executable, "-c", _PIECES], capture_output=True, text=True, check=True
    )
    given_back, last = map(int, ran.stdout.split())
    assert given_back > 20e6
    assert last == 2000
