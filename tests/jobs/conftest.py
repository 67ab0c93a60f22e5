from pathlib import Path

import pytest
from job_bench import PATIENCE, Bench

from core.jobs.standby import keeping


@pytest.fixture
def bench(request, tmp_path, monkeypatch):
    here = str(Path(__file__).parent)
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("MIXWRIGHT_TEST_WORKER", "fake_worker")
    monkeypatch.setenv("MIXWRIGHT_CANCEL_GRACE", "20")
    monkeypatch.setenv("MIXWRIGHT_MAX_RUNS", "1")
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.setenv("MIXWRIGHT_WARM_WORKER", "on")
    monkeypatch.setattr(keeping, "_PATIENCE", PATIENCE)
    made = Bench(tmp_path, monkeypatch)
    made.is_warm = getattr(request, "param", "cold") == "warm"
    yield made
    made.clean()
