"""The work of a plan of weeks: from a fit's posterior to its result."""

import numpy as np
import pytest
import xarray as xr

from core.errors import PlanError, WorkspaceError
from core.jobs.tasks import flight_run
from core.model.terms.effectiveness import n_waves
from core.project.fits.derived import asked, derived, new_derived
from core.project.fits.runs import open_run
from core.store.results import open_dataset, read_json
from tests.pages import worlds


@pytest.fixture
def fit(tmp_path, monkeypatch):
    """A finished fit with a posterior of paid media."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    made = worlds.fit(worlds.project())
    rng = np.random.default_rng(0)
    dims, size = ("chain", "draw", "channel"), (1, 20, 4)
    times = worlds.table()["week"].to_numpy().astype("datetime64[D]")
    changes = rng.normal(size=(*size, n_waves(times)))
    posterior = xr.Dataset(
        {
            "alpha_m": (dims, rng.uniform(0.2, 0.7, size)),
            "ec_m": (dims, rng.uniform(0.5, 1.5, size)),
            "slope_m": (dims, np.ones(size)),
            "drift_m": ((*dims, "wave"), changes),
            "xi_drift": (dims[:2], np.full(size[:2], 0.1)),
            "beta_gm": (
                ("chain", "draw", "geo", "channel"),
                rng.uniform(0.1, 0.5, size)[:, :, None],
            ),
        }
    )
    monkeypatch.setattr(flight_run, "open_dataset", lambda *_: posterior)
    return made


def test_a_plan_of_weeks_is_written(fit):
    run = new_derived(fit, "flight", {"horizon": {"periods": 3}})
    said = []
    flight_run.execute(run, said.append, lambda: False)
    told, made = read_json(run, "flight"), open_dataset(run, "flight")
    assert told["run_id"] == fit.name
    assert (
        round(sum(sum(row["weeks"]) for row in told["channels"]), 2) == (told["budget"])
    )
    assert made["spend"].shape == (4, 3)
    assert told["bound"]["best_possible"] >= told["objective"]["planned"]
    assert {row["phase"] for row in said} >= {"climbing", "bounding", "saving"}
    assert open_run(run).kind == "flight"
    listed = derived(fit.parents[1], "flight", fit.name)
    assert [one.folder for one in listed] == [run]
    assert told["horizon"]["periods"] == 3 and told["today"]["spend"] > 0
    assert {row["channel"] for row in told["robustness"]} <= {
        "TV",
        "Search",
        "Social",
        "Print",
    }


def test_a_request_that_cannot_be_met_writes_nothing(fit):
    run = new_derived(fit, "flight", {"budget": -1, "horizon": {"periods": 3}})
    with pytest.raises(PlanError, match="The budget is −1"):
        flight_run.execute(run, lambda _: None, lambda: False)
    assert not (run / "result").exists()


def test_a_fit_that_is_gone_is_said(fit):
    run = new_derived(fit, "flight", {})
    (run / "asked.json").write_text("{}")
    with pytest.raises(WorkspaceError, match="is gone"):
        asked(run)


def test_draws_without_changes_of_effectiveness_are_refused(fit, monkeypatch):
    without = flight_run.open_dataset().drop_vars(["drift_m", "xi_drift"])
    monkeypatch.setattr(flight_run, "open_dataset", lambda *_: without)
    run = new_derived(fit, "flight", {"horizon": {"periods": 3}})
    with pytest.raises(WorkspaceError, match="earlier version") as refused:
        flight_run.execute(run, lambda _: None, lambda: False)
    assert "Fit the model again" in refused.value.hint
