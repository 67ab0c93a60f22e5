import json
import os

import pytest
from workspace_market import table

from core.errors import AccessError, WorkspaceError
from core.jobs.executor import submit, submit_all
from core.jobs.operation.openmetrics import openmetrics
from core.jobs.operation.overview import overview
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.history.timeline import timeline
from core.project.settings.project_data import replace_data
from core.store.locks import hold
from core.store.run_state import write_state
from core.team import audit
from core.team.quota import room_for_run


def test_a_run_too_many_is_refused_and_says_what_to_do(market, home):
    (home / "access.toml").write_text("[quota]\nruns = 2\n")
    runs = [new_run(market) for _ in range(3)]
    handles = [hold(run / "lock") for run in runs[:2]]
    room_for_run(runs[1])
    with pytest.raises(AccessError, match="2 runs that wait or work") as caught:
        room_for_run(runs[2])
    assert "access.toml" in caught.value.hint
    assert audit.entries(market)[-1].why == "quota"
    os.close(handles[0])
    room_for_run(runs[2])


def test_a_backtest_counts_as_one_run(market, home):
    (home / "access.toml").write_text("[quota]\nruns = 1\n")
    parts = [new_run(market, options={"study": "a"}) for _ in range(3)]
    for part in parts:
        room_for_run(part)
        assert hold(part / "lock")
    other = new_run(market)
    with pytest.raises(AccessError):
        room_for_run(other)
    assert json.loads((parts[0] / "run.json").read_text())["options"]["study"] == "a"


def test_a_project_whose_disk_is_used_up_takes_no_more(market, home):
    (home / "access.toml").write_text("[quota]\ndisk_gb = 0.000001\n")
    before = sorted(path.name for path in market.rglob("*"))
    for attempt in (
        lambda: new_run(market),
        lambda: replace_data(market, table(30)),
    ):
        with pytest.raises(AccessError, match="quota is"):
            attempt()
    assert sorted(path.name for path in market.rglob("*")) == before
    assert [e.why for e in audit.entries(market)[-2:]] == ["quota", "quota"]


def test_without_quotas_nothing_is_counted(market, home):
    run = new_run(market)
    assert hold(run / "lock")
    room_for_run(new_run(market))


@pytest.mark.parametrize("many", [False, True])
def test_a_run_refused_is_neither_lost_nor_a_failure(market, home, many):
    """Also long after: a run that was never submitted passes for lost in seconds."""
    (home / "access.toml").write_text("[quota]\nruns = 1\n")
    busy, refused, other = (new_run(market) for _ in range(3))
    assert hold(busy / "lock")
    write_state(busy, "running")
    if many:
        assert set(submit_all([refused, other])) == {refused, other}
    else:
        for run in (refused, other):
            with pytest.raises(AccessError):
                submit(run)
    for run in (refused, other):
        state = json.loads((run / "state.json").read_text()) | {"since": "2020-01-01"}
        (run / "state.json").write_text(json.dumps(state))
        status = open_run(run).status
        assert status.state == "cancelled"
        assert "quota is 1" in status.message
        assert "access.toml" in status.hint
    said = [event.text for event in timeline(market) if event.kind == "fit"]
    assert not any("lost" in text for text in said)
    assert sum("quota is 1" in text for text in said) == 2
    assert "failures{" not in openmetrics(overview())


def test_a_run_that_no_cluster_takes_is_not_lost(market, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_DASK_SCHEDULER", "tcp://127.0.0.1:9")
    monkeypatch.setattr("core.jobs.cluster.check", _no_cluster)
    run = new_run(market)
    with pytest.raises(WorkspaceError):
        submit(run)
    assert json.loads((run / "state.json").read_text())["state"] == "cancelled"


def _no_cluster():
    raise WorkspaceError("There is no cluster.")
