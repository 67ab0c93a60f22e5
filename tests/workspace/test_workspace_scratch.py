"""Scratch folders: gone with their process, however that ends."""

import subprocess
import sys

import pytest

from core.project.shelf.lifecycle import duplicate_project
from core.store.scratch import scratch
from tests.pages import worlds

_KILLED = """
import os, sys
from pathlib import Path
from core.store.scratch import scratch
with scratch(Path(sys.argv[1]), "restore") as folder:
    (folder / "North").mkdir()
    (folder / "North" / "data.parquet").write_bytes(b"amounts")
    os._exit(9)
"""


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_goes_with_the_next(tmp_path):
    subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert len(left(tmp_path)) == 1
    with scratch(tmp_path, "other") as own:
        assert left(tmp_path) == [own.name]
    assert left(tmp_path) == []


def test_a_folder_in_use_and_other_peoples_stay(tmp_path):
    others = (".notes.tmp", ".restore-1.tmp", "restore-20260101-000000-0a1b2c3d.tmp")
    for name in others:
        (tmp_path / name).mkdir()
    with scratch(tmp_path, "one") as first, scratch(tmp_path, "two") as second:
        assert first.is_dir() and second.is_dir()
    assert left(tmp_path) == sorted(others)


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), scratch(tmp_path, "one") as own:
        (own / "file").write_text("x")
        raise ZeroDivisionError
    assert left(tmp_path) == []


def test_a_copy_that_was_killed_leaves_no_table_of_it(home):
    worlds.project("North")
    projects = home / "projects"
    old = projects / ".South.20260101-000000-0a1b2c3d.tmp"
    old.mkdir()
    (old / "data.parquet").write_bytes(b"amounts")
    duplicate_project("North", "South")
    assert left(projects) == ["North", "South"]
