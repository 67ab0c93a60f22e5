"""Lift tests on disk: kept whole, changed one at a time, damaged ones left out."""

import errno
import os
import threading

import pytest
from msgspec.structs import replace

from core.errors import WorkspaceError
from core.experiments.kept import as_kept
from core.experiments.reading.record import ReadoutRecord
from core.project.lift_tests import lift_tests as stored_tests
from core.project.lift_tests.lift_tests import (
    change_lift_test,
    delete_lift_test,
    keep_lift_test,
    lift_test,
    lift_tests,
)
from core.store import rewritten

TEST = as_kept(
    {"name": "TV off", "channels": ["TV"], "geos": ["North"], "start": "2024-01-01"}
)


def test_a_test_is_kept_changed_and_taken_out(tmp_path):
    assert lift_tests(tmp_path) == []
    first = keep_lift_test(tmp_path, TEST)
    second = keep_lift_test(tmp_path, replace(TEST, name="Radio off"))
    assert [test.test_id for test in lift_tests(tmp_path)] == [first, second]
    change_lift_test(
        tmp_path, first, {"in_model": True, "readout": ReadoutRecord(p=0.02)}
    )
    assert lift_test(tmp_path, first).readout == ReadoutRecord(p=0.02)
    assert lift_test(tmp_path, "Radio off").test_id == second
    assert not lift_test(tmp_path, second).in_model
    delete_lift_test(tmp_path, first)
    assert [test.test_id for test in lift_tests(tmp_path)] == [second]
    with pytest.raises(WorkspaceError, match="deleted meanwhile"):
        change_lift_test(tmp_path, first, {})


def test_names_that_are_unknown_or_doubled_are_refused(tmp_path):
    keep_lift_test(tmp_path, TEST)
    with pytest.raises(WorkspaceError, match="No test is Radio") as caught:
        lift_test(tmp_path, "Radio")
    assert "TV off" in caught.value.hint
    keep_lift_test(tmp_path, TEST)
    with pytest.raises(WorkspaceError, match="2 tests are called TV off"):
        lift_test(tmp_path, "TV off")


@pytest.mark.parametrize("text", ["", "[]", '{"tests": 3}', "{", '{"tests": [1, {}]}'])
def test_a_damaged_file_counts_as_none(tmp_path, text):
    (tmp_path / "lift_tests.json").write_text(text)
    assert lift_tests(tmp_path) == []
    keep_lift_test(tmp_path, TEST)
    assert len(lift_tests(tmp_path)) == 1
    aside = [path.read_text() for path in tmp_path.glob("lift_tests damaged *.json")]
    assert aside == ([text] if text in ("[]", "{") else [])


def test_a_file_that_cannot_be_read_is_not_written_again(tmp_path, monkeypatch):
    keep_lift_test(tmp_path, TEST)

    def refused(*_, **__):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patched:
        patched.setattr(rewritten, "read_regular", refused)
        with pytest.raises(WorkspaceError, match="Too many open files"):
            keep_lift_test(tmp_path, TEST)
    assert len(lift_tests(tmp_path)) == 1


def test_entries_that_are_not_tests_are_left_out(tmp_path):
    sound = keep_lift_test(tmp_path, TEST)
    text = (tmp_path / "lift_tests.json").read_text()
    odd = '[{"test_id": 3, "name": "x"}, {"test_id": "a", "name": "b", "geos": 1}, '
    (tmp_path / "lift_tests.json").write_text(text.replace("[{", odd + "{", 1))
    assert [test.test_id for test in lift_tests(tmp_path)] == [sound]
    second = keep_lift_test(tmp_path, TEST)
    assert [test.test_id for test in lift_tests(tmp_path)] == [sound, second]
    text = (tmp_path / "lift_tests.json").read_text()
    assert '{"test_id": "a", "name": "b", "geos": 1}' in text  # of another version


def test_two_windows_lose_no_test(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_tests, "_PATIENCE", 300.0)

    def keep(number):
        keep_lift_test(tmp_path, replace(TEST, name=str(number)))

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {test.name for test in lift_tests(tmp_path)} == {*map(str, range(12))}
