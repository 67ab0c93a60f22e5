"""What modules hold is not searched for garbage."""

import gc
import os
import sys
import types

import pytest

from core.jobs.memory import resident
from pages.shell import garbage


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def test_modules_are_spared_once_and_again_when_more_come(monkeypatch):
    monkeypatch.setattr(garbage, "_known", 0)
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
    monkeypatch.setattr(garbage, "_known", 0)
    garbage.spare_modules()
    assert Node.gone == 2


def test_what_is_free_is_given_back():
    """Twenty megabytes in small pieces, freed below one that stays."""
    held = [bytes(2000) for _ in range(20_000)]
    last = bytes(2000)
    grown = resident(os.getpid())
    del held
    garbage.give_back()
    assert resident(os.getpid()) < grown - 20e6
    assert len(last) == 2000
