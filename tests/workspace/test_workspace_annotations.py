"""Notes on time charts: kept with the project, by whoever may, whole or not at all."""

import threading

import pytest

from core.errors import WorkspaceError
from core.project.history.annotations import (
    LONGEST,
    MOST,
    annotate,
    annotations,
    delete_annotation,
)
from tests.pages import worlds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return worlds.project()


def test_notes_are_kept_in_order_of_time_and_taken_away(folder):
    assert annotations(folder) == ()
    annotate(folder, "2023-03-06", " TV   strike\n")
    annotate(folder, "2021-06-07", "مرحبا 🎉")
    annotate(folder, "2021-06-07", "مرحبا 🎉")
    first, second = annotations(folder)
    assert first == ("2021-06-07", "مرحبا 🎉")
    assert second == ("2023-03-06", "TV strike")
    delete_annotation(folder, first)
    delete_annotation(folder, first)
    assert annotations(folder) == (second,)


def test_a_note_needs_a_date_and_a_text(folder):
    for day, text in (("2023-03-06", "  "), ("6 March", "Strike"), ("2023-3-6", "x")):
        with pytest.raises(WorkspaceError, match="needs a date and a text"):
            annotate(folder, day, text)
    annotate(folder, "2023-03-06", "x" * 500)
    assert len(annotations(folder)[0].text) == LONGEST


def test_there_is_an_end_to_notes(folder):
    for i in range(MOST):
        annotate(folder, "2023-03-06", f"Note {i}")
    with pytest.raises(WorkspaceError, match="Delete one first"):
        annotate(folder, "2023-03-06", "One more")


def test_two_who_note_at_once_lose_nothing(folder):
    people = [
        threading.Thread(target=annotate, args=(folder, "2023-03-06", f"Note {i}"))
        for i in range(8)
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert len(annotations(folder)) == 8


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"annotations": 7}', '{"annotations": [1, {"date": 3, "text": []}]}'],
)
def test_a_damaged_file_has_no_notes(folder, content):
    (folder / "annotations.json").write_text(content)
    assert annotations(folder) == ()
