from pathlib import Path

import pytest
from job_bench import Bench


@pytest.fixture
def bench(tmp_path, monkeypatch):
    here = str(Path(__file__).parent)
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "fake_worker")
    monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "20")
    monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "1")
    monkeypatch.setenv("PYTHONPATH", here)
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.clean()
