"""Who else has a project open."""

import os
import time

import pytest

from core.project.shelf.cards import projects
from core.store import presence
from core.store.atomic import changes
from core.store.presence import note_presence, others


@pytest.fixture
def note(market):
    def say(window, **about):
        told = {"who": "", "screen": "Model", "acted": time.time(), "edited": None}
        note_presence(market, window, **told | about)

    return say


def test_others_are_seen_and_oneself_is_not(market, note):
    now = time.time()
    note("a", who="Anna", acted=now - 60)
    note("b", who="Ben", screen="Plan", edited=now - 5)
    assert [other.who for other in others(market, "a")] == ["Ben"]
    ben, anna = others(market, "c")
    assert (ben.who, ben.screen, anna.who) == ("Ben", "Plan", "Anna")
    assert 5 <= ben.edited < 65
    assert anna.edited is None
    assert 60 <= anna.idle < 120


def test_a_window_that_says_nothing_more_is_closed(market, note, monkeypatch):
    note("a")
    now = time.time()
    monkeypatch.setattr(presence.time, "time", lambda: now + presence.CLOSED + 1)
    assert others(market, "b") == []


def test_its_file_goes_later(market, note, home, monkeypatch):
    note("a")
    now = time.time()
    monkeypatch.setattr(presence.time, "time", lambda: now + presence.FORGOTTEN + 1)
    others(market, "b")
    assert list((home / "presence" / market.name).iterdir()) == []


def test_looking_is_no_change(market, note):
    before, card = changes(), projects()[0].changed
    os.utime(market, (1e9, 1e9))
    note("a")
    assert changes() == before
    assert projects()[0].changed <= card


@pytest.mark.parametrize("text", ["", "[]", '{"seen": "x", "acted": null}', "\0"])
def test_a_damaged_file_is_nobody(market, note, home, text):
    note("a")
    (home / "presence" / market.name / "a.json").write_text(text)
    assert others(market, "b") == []


def test_a_workspace_that_cannot_be_written_stops_nothing(market, note, home):
    (home / "presence").write_text("in the way")
    note("a")
    assert others(market, "b") == []
