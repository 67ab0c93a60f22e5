"""Forked readers are readers: bounded, apart, and of the caller's environment."""

import os

import pandas as pd
import pytest

from core.data.files import isolated, load
from core.data.files.isolated import load_table, read_apart
from core.errors import SchemaError

TABLE = b"week,TV\n2024-01-01,1\n2024-01-08,2\n"


@pytest.fixture
def forked(monkeypatch):
    """The processes that were asked to read."""
    readers = []

    def noted(folder, started=isolated.started):
        readers.append(started(folder))
        return readers[-1]

    monkeypatch.setattr(isolated, "started", noted)
    return readers


def test_a_table_comes_back_from_another_process(forked):
    expected = load.load_table(TABLE, "s.csv")
    for _ in range(2):
        pd.testing.assert_frame_equal(load_table(TABLE, "s.csv"), expected)
    first, second = forked
    assert len({first.pid, second.pid, os.getpid()}) == 3
    assert type(first).__name__ == "Reader"
    assert (first.returncode, second.returncode) == (0, 0)


def test_its_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(isolated, "READ_MEMORY", 200 * 1024**2)
    names = ",".join(f"c{i}" for i in range(90)).encode() + b"\n"
    data = names + (b",".join([b"0.12345678"] * 90) + b"\n") * 40_000
    with pytest.raises(SchemaError, match="0.2 GB of memory"):
        load_table(data, "wide.csv")


def test_what_it_does_not_know_is_said_and_logged(caplog):
    with pytest.raises(SchemaError, match="s.csv cannot be read"):
        read_apart("core.data.files.load.no_such_function", TABLE, "s.csv")
    assert "no_such_function" in caplog.text


def test_it_can_be_stopped(forked):
    class Stopped(Exception):
        pass

    def stop(look):
        raise Stopped

    names = ",".join(f"c{i}" for i in range(90)).encode() + b"\n"
    data = names + (b",".join([b"0.12345678"] * 90) + b"\n") * 40_000
    with pytest.raises(Stopped):
        load_table(data, "wide.csv", watch=stop)
    assert forked[0].returncode == -9
