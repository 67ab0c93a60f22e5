import errno
import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from workspace_market import simple, table

from core.data.experiments.entry import Entry
from core.errors import SpecError, WorkspaceError
from core.fit.settings import SamplerSettings
from core.model.priors.prior import prior
from core.project.fits import runs
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import (
    delete_run,
    latest_fit,
    list_runs,
    open_run,
    out_of_date,
)
from core.project.plans.plans import list_plans, load_plan, save_plan
from core.project.settings.project import load_project, save_project
from core.project.settings.project_data import replace_data
from core.store import run_state
from core.store.atomic import explain
from core.store.locks import hold
from core.store.places import new_id
from core.store.results import open_dataset, read_json, write_result
from core.store.run_about import read_about
from core.store.run_state import (
    read_status,
    reserve_last_word,
    write_state,
)
from tests.plan.records import record


@pytest.fixture
def done(market):
    """A finished fit with a small result."""
    import xarray as xr

    run = new_run(market)
    with write_result(run) as folder:
        (folder / "fit.json").write_text('{"seed": 1}')
        values = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("draw", "channel"))
        dataset = xr.Dataset({"roi": values}, coords={"channel": ["a", "b", "c"]})
        dataset.to_netcdf(folder / "channels.nc", engine="h5netcdf")
    write_state(run, "done", rc=0)
    return run


def test_new_run_freezes_the_inputs(market):
    run = new_run(market, sampler={"draws": 20, "seed": 7})
    about = json.loads((run / "run.json").read_text())
    assert about["run_id"] == run.name
    assert (about["kind"], about["project"], about["seed"]) == ("fit", "Market", 7)
    assert about["sampler"]["draws"] == 20
    assert {"mixwright", "python", "jax", "numpy"} <= set(about["versions"])
    assert all(about["versions"].values())
    assert (run / "data.parquet").read_bytes() == (market / "data.parquet").read_bytes()
    frozen = load_project(run)
    assert frozen.sampler == SamplerSettings(draws=20, seed=7)
    assert frozen.spec == load_project(market).spec
    assert load_project(market).sampler.draws == 1000
    assert read_status(run).state == "queued"


def test_new_run_of_a_csv_freezes_parquet(market):
    project = replace(load_project(market), file="data.csv")
    table().to_csv(market / "data.csv", index=False)
    save_project(market, project)
    run = new_run(market)
    assert load_project(run).file == "data.parquet"
    assert (run / "data.parquet").read_bytes().startswith(b"PAR1")
    assert out_of_date(run, market) == []


def test_impossible_settings_leave_nothing_behind(market):
    with pytest.raises(SpecError, match="draws must be between"):
        new_run(market, sampler={"draws": 1})
    test = {"channel": "TV", "start": "2024-01-01", "end": "2024-02-01"}
    test |= {"incremental_outcome": 5.0, "standard_error": 0.0}
    project = replace(simple(), experiments=(Entry(**test),))
    with pytest.raises(SpecError, match="standard error 0; it must be above zero"):
        new_run(market, project=project)
    (market / "data.parquet").unlink()
    with pytest.raises(WorkspaceError, match="has no data"):
        new_run(market)
    assert list_runs(market) == []


def test_runs_are_listed_newest_first(market):
    runs = [new_run(market), new_run(market, "prior"), new_run(market)]
    (market / "runs" / "notes").mkdir()
    assert [run.folder for run in list_runs(market)] == runs[::-1]
    assert [run.folder for run in list_runs(market, "prior")] == [runs[1]]
    assert latest_fit(market) is None


def test_a_list_shows_a_run_that_has_ended_as_it_is_now(done, market):
    assert [run.status.state for run in list_runs(market)] == ["done"]
    (again,) = list_runs(market)
    assert again is list_runs(market)[0]  # read once
    write_state(done, "killed", signal=9)
    assert [run.status.state for run in list_runs(market)] == ["killed"]
    write_state(done, "running")  # and nobody holds its lock
    assert [run.status.state for run in list_runs(market)] == ["done"]
    (done / "run.json").write_text("{")
    assert [run.status.state for run in list_runs(market)] == ["failed"]


def test_damaged_run_is_listed_as_failed(market):
    run = new_run(market)
    (run / "run.json").write_text('{"run_id": ')
    (listed,) = list_runs(market)
    assert listed.status.state == "failed"
    assert "run.json" in listed.status.message
    with pytest.raises(WorkspaceError, match="is damaged"):
        open_run(run)
    with pytest.raises(WorkspaceError, match="is not a run"):
        open_run(market)


def test_a_run_that_goes_while_it_is_opened_is_no_run(market, monkeypatch):
    run = new_run(market)

    def then_deleted(folder):
        about = read_about(folder)
        shutil.rmtree(folder)
        return about

    monkeypatch.setattr(runs, "read_about", then_deleted)
    with pytest.raises(WorkspaceError, match="is not a run"):
        open_run(run)


def test_status_of_a_run_that_was_never_started(market):
    run = new_run(market)
    state = json.loads((run / "state.json").read_text())
    for since in ("2020-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00", "x", None):
        (run / "state.json").write_text(json.dumps(state | {"since": since}))
        status = read_status(run)
        assert (status.state, status.message) == ("lost", "The run was never started.")


def test_status_of_a_run_whose_submitter_ended_with_its_lock_in_hand(market):
    run = new_run(market)
    (run / "lock").touch()
    status = read_status(run)
    assert (status.state, status.message) == ("lost", "The run was never started.")
    (run / "checkpoint").mkdir()  # it had worked before, and was queued again
    assert "without a message" in read_status(run).message


@pytest.mark.parametrize("content", ["", "{", "[]", '{"state": "odd"}', "\xff\xfe"])
def test_damaged_state_of_a_run_that_nobody_holds(market, content):
    run = new_run(market)
    (run / "lock").touch()
    (run / "state.json").write_bytes(content.encode("latin-1"))
    (run / "progress.json").write_bytes(content.encode("latin-1"))
    assert read_status(run).state == "lost"


def test_damaged_state_of_a_finished_run(done):
    (done / "state.json").write_text('{"state": "do')
    assert read_status(done).state == "done"


def test_results_are_read_back(done, market):
    assert read_json(done, "fit") == read_json(done, "fit.json") == {"seed": 1}
    dataset = open_dataset(done, "channels")
    assert dataset.roi.sel(channel="b").values.tolist() == [1.0, 4.0]
    assert latest_fit(market).folder == done


@pytest.mark.parametrize("name", ["fit.json", "channels.nc", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "missing"])
def test_damaged_result_says_so(done, name, damage):
    path = done / "result" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x80
    if damage == "missing":
        path.unlink()
    else:
        half = len(content) // 2
        kept = {"flip": content, "cut": content[:half], "empty": b""}
        path.write_bytes(kept[damage])
    read = open_dataset if name == "channels.nc" else read_json
    with pytest.raises(WorkspaceError, match="damaged result") as caught:
        read(done, "fit" if name == "manifest.json" else name)
    assert "Fit again" in caught.value.hint


def test_half_written_result_is_no_result(market):
    run = new_run(market)
    with pytest.raises(ZeroDivisionError), write_result(run) as folder:
        (folder / "fit.json").write_text("{}")
        raise ZeroDivisionError
    assert not (run / "result").exists()
    assert not (run / "result.tmp").exists()
    (run / "result.tmp").mkdir()  # a crash in the middle
    with pytest.raises(WorkspaceError, match="has no result"):
        read_json(run, "fit")
    with write_result(run) as folder:
        (folder / "fit.json").write_text("{}")
    assert read_json(run, "fit") == {}


@pytest.mark.parametrize("name", ["../run", "a/b", "", "Fit", "fit.json/.."])
def test_result_names_are_checked(done, name):
    with pytest.raises(WorkspaceError, match="is not the name of a result"):
        read_json(done, name)


def test_result_of_another_kind(done):
    with pytest.raises(WorkspaceError, match=r"has no prior\.json"):
        read_json(done, "prior")


def test_up_to_date_whatever_the_sampler(done, market):
    project = load_project(market)
    assert out_of_date(done, market) == []
    sampler = SamplerSettings(draws=50)
    save_project(market, replace(project, currency="USD", name="M", sampler=sampler))
    assert out_of_date(done, market) == []


def test_out_of_date_says_why(done, market):
    project = load_project(market)
    channel = project.spec.channels[0]

    def reasons(**changes):
        return out_of_date(done, market, replace(project, **changes))

    def spec(**changes):
        return replace(project.spec, **changes)

    changed = replace(channel, prior=prior("LogNormal", loc=0.0, scale=1.0))
    assert reasons(spec=spec(channels=(changed,))) == ["priors changed"]
    assert reasons(spec=spec(knots=5)) == ["model options changed"]
    longer = replace(channel, max_lag=2)
    assert reasons(spec=spec(channels=(longer,))) == ["model options changed"]
    assert reasons(mapping=replace(project.mapping, kpi="tv")) == [
        "the column mapping changed"
    ]
    assert reasons(spec=spec(channels=())) == ["the channels changed"]
    replace_data(market, table(30))
    assert reasons(spec=spec(knots=5)) == ["the data changed", "model options changed"]


def test_plans_are_kept_as_they_are(market):
    assert list_plans(market) == []
    first = save_plan(market, record(name="Q3", run_id=new_id())).plan_id
    second = save_plan(market, record(name="Q4")).plan_id
    plan = load_plan(market, first)
    assert (plan.name, plan.plan_id) == ("Q3", first)
    assert [plan.plan_id for plan in list_plans(market)] == [second, first]


@pytest.mark.parametrize("damage", ["flip", "cut", "list"])
def test_damaged_plan_says_so(market, damage):
    plan_id = save_plan(market, record(name="Q3")).plan_id
    path = market / "plans" / f"{plan_id}.json"
    text = path.read_text()
    damaged = {"flip": text.replace("Q3", "Q4"), "cut": text[:30], "list": "[1]"}
    path.write_text(damaged[damage])
    with pytest.raises(WorkspaceError, match="is damaged"):
        load_plan(market, plan_id)
    assert list_plans(market) == []


def test_plan_names_are_checked(market):
    with pytest.raises(WorkspaceError, match="is not the name of a plan"):
        load_plan(market, "../project")
    with pytest.raises(WorkspaceError, match="There is no plan"):
        load_plan(market, new_id())


def test_run_behind_a_plan_is_not_deleted(done, market, home):
    save_plan(market, record(name="Q3", run_id=done.name))
    with pytest.raises(WorkspaceError, match="Q3 was planned with this fit"):
        delete_run(market, done.name)
    other = new_run(market)
    with pytest.raises(WorkspaceError, match="is not finished"):
        delete_run(market, other.name)
    write_state(other, "failed")
    delete_run(market, other.name)
    assert [run.folder for run in list_runs(market)] == [done]
    assert len(list((home / "trash").iterdir())) == 1


def test_a_run_that_is_deleted_while_runs_are_listed_is_left_out(market, monkeypatch):
    first, second = new_run(market), new_run(market)

    def read(folder):
        about = read_about(folder)
        shutil.rmtree(first, ignore_errors=True)
        return about

    monkeypatch.setattr(runs, "read_about", read)
    assert [run.folder for run in list_runs(market)] == [second]


def test_a_run_that_is_resumed_is_not_deleted(market):
    run = new_run(market)
    write_state(run, "failed")
    lock = hold(run / "lock")  # whoever resumes it takes this first
    try:
        with pytest.raises(WorkspaceError, match="is not finished"):
            delete_run(market, run.name)
    finally:
        os.close(lock)
    assert run.is_dir()


def test_room_for_the_last_word_is_kept_for_it(market, monkeypatch):
    def full(path, value):
        error = OSError(errno.ENOSPC, "No space left on device")
        raise explain(error, path) from error

    run = new_run(market)
    reserve_last_word(run)
    monkeypatch.setattr(run_state, "write_json", full)
    with pytest.raises(WorkspaceError, match="The disk is full"):
        write_state(run, "running")
    write_state(run, "failed", message="The disk is full.")
    assert read_status(run).state == "failed"


def test_a_plan_whose_fit_was_deleted_meanwhile_is_refused(done, market, home):
    plan = record(name="Q3", run=str(done), run_id=done.name)
    delete_run(market, done.name)
    with pytest.raises(WorkspaceError, match="was deleted meanwhile"):
        save_plan(market, plan)
    assert list_plans(market) == []


def test_a_plan_saved_while_its_fit_is_deleted_has_its_fit_or_is_not_saved(
    done, market, home
):
    """Both at once, many times: whoever is first decides."""
    outcomes = set()
    for n in range(12):
        run = done.with_name(f"20240101-0000{n:02d}-00000000")
        shutil.copytree(done, run)
        plan = record(name=f"Plan {n}", run=str(run), run_id=run.name)
        start = threading.Barrier(2)

        def delete(run=run, start=start):
            start.wait()
            delete_run(market, run.name)

        def save(plan=plan, start=start):
            start.wait()
            save_plan(market, plan)

        with ThreadPoolExecutor(2) as both:
            tries = [both.submit(delete), both.submit(save)]
            errors = [each.exception() for each in tries]
        assert sum(error is None for error in errors) == 1, errors
        assert run.exists() == (errors[1] is None)
        outcomes.add(run.exists())
    kept = {plan.run_id for plan in list_plans(market)}
    assert kept == {run.name for run in (market / "runs").iterdir()} - {done.name}
