"""Tests of how the tests are ordered and chosen."""

import pytest

from tests import order


def test_files_are_there_and_the_longest_first():
    seconds = order.durations()
    assert list(seconds.values()) == sorted(seconds.values(), reverse=True)
    gone = [path for path in seconds if not (order.HERE / path).is_file()]
    assert gone == [], "`python -m tests.order` or take them out"


def test_what_was_measured_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(order, "FILE", tmp_path / "durations.txt")
    order.write({"a.py": 7.4, "b.py": 60.0, "c.py": 0.2})
    assert order.durations() == {"b.py": 60.0, "a.py": 7.0}


@pytest.mark.parametrize(
    ("marks", "left_out"),
    [
        ("slow and not calibration", {"queue"}),
        ("not slow and not calibration", {"cluster"}),
        ("not calibration", set()),
        ("", set()),
    ],
)
def test_only_files_that_a_mark_runs_are_read(marks, left_out):
    names = ("without_linux", "queue", "cluster")  # both kinds, quick, slow
    paths = {name: order.HERE / f"jobs/test_jobs_{name}.py" for name in names}
    assert all(path.is_file() for path in paths.values())
    wanted = marks.split(" and ")
    assert {n for n in names if order.is_left_out(paths[n], wanted)} == left_out


def test_slow_names_are_of_files():
    assert [name for name in order.SLOW if not (order.HERE / name).exists()] == []
