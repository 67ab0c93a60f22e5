"""The keeper of runs on a cluster says what kept it from sending them."""

import os

import pytest

from core.jobs import keeper
from core.store.locks import hold
from core.store.run_state import CLUSTER_LOCK, read_status, write_state


def test_an_address_that_is_none_is_said(tmp_path, monkeypatch):
    def keep(runs):
        raise ValueError("missing port number in address 'nowhere'")

    write_state(tmp_path, "queued")
    lock = hold(tmp_path / CLUSTER_LOCK)
    monkeypatch.setattr(keeper, "keep", keep)
    with pytest.raises(ValueError, match="port"):
        keeper.main([f"{lock}={tmp_path}"])
    os.close(lock)
    status = read_status(tmp_path)
    assert (status.state, "missing port" in status.message) == ("failed", True)
