"""Parts of a backtest: what the worker is told, and what it leaves behind."""

from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr

from core.analysis.learning.prior_draws import prior_draws
from core.jobs.resources import lane_of
from core.jobs.tasks import backtest_run
from core.jobs.worker import _WORK
from core.model.build import build
from core.model.reconstruct import posterior_variables
from core.project.comparing.backtests import new_backtest
from core.store.results import read_json
from core.store.run_about import about_of
from core.store.stored import read_object
from tests.charts import synthetic
from tests.pages import worlds
from tests.small_market import market, spec


@pytest.fixture
def parts(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return new_backtest(worlds.project(), folds=2, refresh=True)


def execute(part):
    backtest_run.execute(part, lambda told: None, lambda: False)
    return read_json(part, "part")


def test_a_study_is_an_origin_or_a_refit_each(parts):
    told = [read_object(part / "run.json") for part in parts]
    assert {one["kind"] for one in told} == {"backtest"} <= set(_WORK)
    assert [one["options"].get("origin") for one in told[:2]] == [140, 148]
    assert [one["options"].get("drop") for one in told[2:]] == [0, 4, 8, 12]
    assert len({one["options"]["study"] for one in told}) == 1
    assert told[0]["sampler"]["draws"] == 250
    assert lane_of(about_of(told[0])) in ("backtest", "gpu")


def test_an_origin(parts, monkeypatch):
    asked = []

    def fold(case, full, *given):
        asked.append((case.sampler.draws, full.n_times, *given))
        return synthetic.fold()

    monkeypatch.setattr(backtest_run, "fold", fold)
    assert len(execute(parts[0])["weeks"]) == 8
    assert asked == [(250, 156, 140, 8, True)]


def test_a_refit_has_roi_and_share_of_the_best_split(parts, monkeypatch):
    model = build(market(every_kind=True), spec(every_kind=True))
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 40, 3))
    posterior = xr.Dataset(
        {
            name: (
                ("chain", "draw", *(f"{name}_{i}" for i in range(value.ndim - 1))),
                np.asarray(value)[None],
            )
            for name, value in drawn.items()
            if value.size
        }
    )

    monkeypatch.setattr(backtest_run, "whole_until", lambda *_: (model, posterior))
    told = execute(parts[3])["channels"]
    assert set(told) == {"tv", "search", "video"}
    assert sum(one["share"]["mean"] for one in told.values()) == pytest.approx(1.0)
    assert all(one["share"]["sd"] >= 0 for one in told.values())
    assert told["tv"]["roi"]["lo"] < told["tv"]["roi"]["hi"]
