"""What modules hold is not searched for garbage."""

import gc
import sys
import types

import pytest

from pages.ui import garbage


@pytest.fixture(autouse=True)
def _thawed():
    yield
    gc.unfreeze()


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
