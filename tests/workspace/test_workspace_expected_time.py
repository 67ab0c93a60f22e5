"""Expected time: by the fit before, with the iterations of this one."""

import json

import pytest

from core.project.fits.expected_time import (
    WithResults,
    expected_seconds,
    results_seconds,
)
from core.project.fits.run_inputs import new_run
from core.store.results import write_result
from core.store.run_state import write_state


@pytest.fixture
def fitted(market):
    """A fit that took 60 s, 40 of them for 4 chains of 200 iterations."""
    run = new_run(market, sampler={"chains": 4, "warmup": 100, "draws": 100})
    seconds = {"total": 60.0, "compile": 15.0, "warmup": 30.0, "draws": 10.0}
    seconds["results"] = 5.0
    with write_result(run) as result:
        (result / "fit.json").write_text(json.dumps({"seconds": seconds}))
    write_state(run, "done")
    return market


def test_it_is_the_time_of_the_fit_before(fitted):
    run = new_run(fitted, sampler={"chains": 4, "warmup": 100, "draws": 100})
    assert expected_seconds(run) == pytest.approx(60)


def test_twice_the_iterations_take_twice_their_time(fitted):
    run = new_run(fitted, sampler={"chains": 4, "warmup": 100, "draws": 300})
    assert expected_seconds(run) == pytest.approx(100)


def test_without_a_fit_nobody_knows(market):
    assert expected_seconds(new_run(market)) is None
    assert results_seconds(new_run(market)) is None


def test_the_time_left_has_the_results_in_it(fitted):
    assert results_seconds(new_run(fitted)) == 5
    with_results = WithResults(new_run(fitted))
    assert with_results({"phase": "draws", "eta": 6.0, "elapsed": 30.0})["eta"] == 11
    assert with_results({"eta": None}) == {"eta": None}


def test_a_first_fit_tells_the_results_from_what_compiling_took(market):
    with_results = WithResults(new_run(market))
    assert with_results({"phase": "compiling", "eta": None})["eta"] is None
    first = with_results({"phase": "warmup", "eta": 50.0, "elapsed": 40.0})
    assert first["eta"] == pytest.approx(50 + 0.35 * 40)
    later = with_results({"phase": "draws", "eta": 10.0, "elapsed": 80.0})
    assert later["eta"] == pytest.approx(10 + 0.35 * 40)
