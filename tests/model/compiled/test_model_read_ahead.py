"""Executables of the last process are read while the next one imports."""

import threading
from pathlib import Path

import jax
import numpy as np
import pytest

from core.model.compiled import executables, read_ahead
from core.model.compiled.executables import Persistent


@pytest.fixture
def folder(tmp_path, compiled):
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", str(compiled / "jax"))


@pytest.fixture
def begun(folder, monkeypatch):
    """What a process does that has just begun: each call is another one's."""

    def begin() -> tuple[Persistent, list[tuple[str, bool]]]:
        read_ahead.drop()
        read_ahead._ASKED.clear()
        opened, here = [], threading.current_thread()

        def noted(path: Path):
            opened.append((path.name, threading.current_thread() is here))
            return original(path)

        monkeypatch.setattr(executables, "_opened", noted)
        executables.begin_reading()
        return Persistent(jax.jit(powers, static_argnums=0)), opened

    original = executables._opened
    yield begin
    read_ahead.drop()
    read_ahead._ASKED.clear()


def powers(n, x):
    return x**n


X = np.arange(4.0)


def ran(function, *sizes):
    for n in sizes:
        np.testing.assert_allclose(function(n, X), X**n)


def test_what_the_last_process_ran_is_read_beside_this_one(begun):
    first, opened = begun()
    ran(first, 2, 3)
    executables.remember()
    assert opened
    second, opened = begun()
    for task in list(read_ahead._READ.values()):
        task.result()
    assert len(opened) == 2
    ran(second, 2, 3)
    assert [is_here for _, is_here in opened] == [False, False]
    assert not read_ahead._READ


def test_another_structure_drops_what_was_read(begun):
    first, _ = begun()
    ran(first, 2, 3)
    executables.remember()
    second, _ = begun()
    ran(second, 4)
    assert not read_ahead._READ
    ran(second, 3, 2)


def test_what_is_needed_later_stays(begun):
    first, _ = begun()
    ran(first, 2, 3)
    executables.remember()
    second, _ = begun()
    ran(second, 2, 4)
    assert len(read_ahead._READ) == 1
    ran(second, 3)


def test_other_code_reads_nothing_ahead(begun, monkeypatch):
    first, _ = begun()
    ran(first, 2)
    executables.remember()
    with monkeypatch.context() as other:
        other.setattr(executables, "_code", lambda: "another version")
        second, opened = begun()
        for task in list(read_ahead._READ.values()):
            task.result()
        assert not opened
        ran(second, 2)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xff\xfe", b"a\n../../secret\n/etc/passwd\n..", b"x\n" * 9],
)
def test_a_damaged_list_is_no_reason_to_fail(begun, folder, content):
    here = executables._here().encode()
    for text in (content, here + b"\n" + content):
        (folder / "last-run").write_bytes(text)
        function, _ = begun()
        ran(function, 2)
        executables.remember()


def test_a_damaged_executable_is_made_again(begun, folder):
    first, _ = begun()
    ran(first, 2)
    executables.remember()
    for path in folder.glob("powers-*"):
        path.write_bytes(b"cut short")
    second, _ = begun()
    ran(second, 2)
