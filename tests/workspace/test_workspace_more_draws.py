import json

import pytest

from core.errors import SpecError, WorkspaceError
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import out_of_date
from core.project.settings.project import load_project
from core.project.settings.project_data import replace_data
from core.service.fits import can_go_on, with_more_draws
from core.store.results import write_result
from core.store.run_state import read_status, write_state
from tests.workspace.workspace_market import table


@pytest.fixture
def finished(market):
    run = new_run(market, sampler={"draws": 40, "seed": 3})
    with write_result(run) as folder:
        (folder / "fit.json").write_text("{}")
    (run / "checkpoint").mkdir()
    (run / "checkpoint/state.npz").write_bytes(b"state")
    (run / "checkpoint/rows-1-0.npz").write_bytes(b"rows")
    write_state(run, "done", rc=0)
    return run


def test_a_new_run_continues_a_finished_one(finished, market):
    before = {p: p.read_bytes() for p in finished.rglob("*") if p.is_file()}
    replace_data(market, table(n_times=30))
    made = with_more_draws(finished, 100)
    assert made != finished and made.parent == finished.parent
    old, new = (json.loads((run / "run.json").read_text()) for run in (finished, made))
    assert new["continues"] == finished.name
    assert new["sampler"] == old["sampler"] | {"draws": 100}
    assert new["data_sha256"] == old["data_sha256"]
    assert (made / "data.parquet").read_bytes() == before[finished / "data.parquet"]
    assert load_project(made).sampler.draws == 100
    assert (made / "checkpoint/rows-1-0.npz").read_bytes() == b"rows"
    assert read_status(made).state == "queued"
    assert {p: p.read_bytes() for p in before} == before
    assert out_of_date(made, market) == ["the data changed"]


def test_draws_that_are_there_already(finished):
    with pytest.raises(SpecError, match="has 40 draws per chain already"):
        with_more_draws(finished, 40)
    assert len(list(finished.parent.iterdir())) == 1


def test_a_run_without_checkpoint_cannot_go_on(finished):
    (finished / "checkpoint/state.npz").unlink()
    assert not can_go_on(finished)
    with pytest.raises(WorkspaceError, match="checkpoint is missing"):
        with_more_draws(finished, 100)
