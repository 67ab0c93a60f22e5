import json
import resource
import subprocess
import sys

import numpy as np
import pytest

from core.errors import WorkspaceError
from core.store.atomic import (
    copy_file,
    json_text,
    make_folder,
    sha256_of,
    write_json,
    write_new,
    write_text,
    write_with,
)
from core.store.locks import hold, is_held


@pytest.fixture
def small_disk():
    """Files may have two thousand bytes at most."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_full_disk_keeps_the_old_file(tmp_path, small_disk):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(WorkspaceError, match=r"disk is full: file\.txt") as caught:
        write_text(path, "x" * 5000)
    assert "Free some space" in caught.value.hint
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "place").write_text("")
    for action in (write_text, lambda path, _: make_folder(path)):
        with pytest.raises(WorkspaceError, match="is not a folder"):
            action(tmp_path / "place" / "file.txt", "text")


@pytest.mark.parametrize("is_own", [True, False])
def test_read_only_folder_says_so(monkeypatch, tmp_path, is_own):
    home = tmp_path if is_own else tmp_path / "elsewhere"
    monkeypatch.setenv("MIXWRIGHT_HOME", str(home))

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("core.store.atomic.os.replace", refuse)
    with pytest.raises(WorkspaceError, match="is read-only") as caught:
        write_text(tmp_path / "file.txt", "text")
    assert ("MIXWRIGHT_HOME" in caught.value.hint) == is_own
    assert list(tmp_path.iterdir()) == []


def test_new_file_is_never_changed(tmp_path):
    path = tmp_path / "file.txt"
    write_new(path, b"one")
    with pytest.raises(WorkspaceError, match="exists already"):
        write_new(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


_KILLED = """
import os, sys
from pathlib import Path
from core.store import atomic
def end(*_):
    os._exit(9)
path = Path(sys.argv[1])
if sys.argv[2] == "write":
    atomic.write_with(path, lambda file: file.write(b"half") and file.flush() or end())
os.replace = os.link = end
{"new": atomic.write_new}.get(sys.argv[2], lambda path, text: atomic.write_together(
    {path: text, path.with_name("other.txt"): text}
))(path, b"whole")
"""


@pytest.mark.parametrize("way", ["write", "new", "together"])
def test_what_a_killed_process_was_writing_goes_with_the_next_write(tmp_path, way):
    path = tmp_path / "file.txt"
    kept = [tmp_path / ".notes.tmp", tmp_path / ".file.txt.new.tmp"]
    for each in kept:
        each.write_text("mine")
    command = [sys.executable, "-c", _KILLED, str(path), way]
    assert subprocess.run(command, check=False).returncode == 9
    assert set(tmp_path.iterdir()) > set(kept) and not path.exists()
    write_text(tmp_path / "next.txt", "text")
    assert set(tmp_path.iterdir()) == {*kept, tmp_path / "next.txt"}


def test_what_is_being_written_stays(tmp_path):
    def meanwhile(file):
        file.write(b"begun")
        write_text(tmp_path / "other.txt", "text")

    write_with(tmp_path / "file.txt", meanwhile)
    assert (tmp_path / "file.txt").read_bytes() == b"begun"
    assert len(list(tmp_path.iterdir())) == 2


def test_copy_tells_the_hash(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    assert copy_file(tmp_path / "a", tmp_path / "b") == sha256_of(tmp_path / "a")
    with pytest.raises(WorkspaceError, match="could not be read"):
        copy_file(tmp_path / "none", tmp_path / "b")


def test_json_of_what_models_make(tmp_path):
    value = {
        "nan": float("nan"),
        "infinity": np.float32("inf"),
        "scalar": np.float64(1.5),
        "count": np.int64(3),
        "truth": np.bool_(True),
        "array": np.array([1.0, np.nan]),
        "date": np.datetime64("2024-01-01"),
        "path": tmp_path,
        "tuple": (1, "ä"),
        3: None,
    }
    write_json(tmp_path / "value.json", value)
    assert json.loads((tmp_path / "value.json").read_text()) == {
        "nan": None,
        "infinity": None,
        "scalar": 1.5,
        "count": 3,
        "truth": True,
        "array": [1.0, None],
        "date": "2024-01-01",
        "path": str(tmp_path),
        "tuple": [1, "ä"],
        "3": None,
    }
    assert json_text({"a": 1}) == '{"a": 1}\n'


def test_lock_is_held_as_long_as_its_process_lives(tmp_path):
    path = tmp_path / "lock"
    assert not is_held(path)
    code = (
        "import sys; from pathlib import Path\n"
        "from core.store.locks import hold\n"
        f"hold(Path({str(path)!r})); print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout.readline() == b"held\n"
        assert is_held(path)
        assert hold(path) is None
        other.kill()
    assert not is_held(path)
    assert hold(path, patience=1) is not None
