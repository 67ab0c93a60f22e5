"""A second fit of a shape asks JAX for nothing: neither a trace nor a compilation."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from test_jobs_fit_run import QUICK, a_project

from core.model.spec import ModelSpec
from core.project.fits.run_inputs import new_run
from core.project.settings.project import load_project, save_project

_WORKER = """
import json, sys
from pathlib import Path

from core.jobs import worker
from core.store.run_about import read_about

run = Path(sys.argv[1])
about = read_about(run)
worker.set_up(about)
worker.imported(worker.module_of(about))  # BlackJAX takes a logarithm
import jax

asked = []


def hear(event, duration, **told):
    if event.startswith("/jax/core/compile"):
        asked.append(str(told.get("fun_name")))


jax.monitoring.register_event_duration_secs_listener(hear)
assert worker.main([str(run)]) == 0
print(json.dumps(asked))
"""


@pytest.mark.slow
def test_a_second_fit_traces_and_compiles_nothing(tmp_path, monkeypatch):
    """Of the default model, which also has a forecast and terms of many scales."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    project = a_project("Second")
    of_now = load_project(project)
    spec = ModelSpec(channels=of_now.spec.channels)
    save_project(project, replace(of_now, spec=spec))

    def asked_for(seed: int) -> list[str]:
        run = new_run(
            project, sampler=vars(QUICK) | {"precision": "float32", "seed": seed}
        )
        done = subprocess.run(
            [sys.executable, "-c", _WORKER, str(run)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    assert "jit(block)" in asked_for(1)
    assert asked_for(2) == []
    (last,) = tmp_path.rglob("last-run")  # what the second one has read ahead
    assert any(name.startswith("block-") for name in last.read_text().splitlines())
