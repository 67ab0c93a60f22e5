"""Expected time: by the fit before, with the iterations of this one."""

import json

import pytest

from core.project.fits import expected_time
from core.project.fits.expected_time import (
    WholeFit,
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


@pytest.fixture
def begun(monkeypatch):
    """Begins to tell of a fit: what is told, and a clock that a test sets."""
    reports, clock = [], [0.0]
    monkeypatch.setattr(expected_time.time, "monotonic", lambda: clock[0])

    def begin(run):
        return WholeFit(run, reports.append), reports, clock

    return begin


def test_the_time_left_has_the_results_in_it(begun, fitted):
    assert results_seconds(new_run(fitted)) == 5
    whole, reports, clock = begun(new_run(fitted))
    drawing = {"phase": "draws", "fraction": 0.1, "elapsed": 30.0}
    whole.sampling(drawing | {"eta": 6.0})
    whole.sampling(drawing | {"eta": None})
    for seconds, phase in ((37.0, "analysis"), (40.0, "curves"), (47.0, "saving")):
        clock[0] = seconds
        whole.results(phase)
    assert [report["eta"] for report in reports] == [11, None, 5, 2, 0]
    assert reports[-1]["phase"] == "saving" and reports[-1]["elapsed"] == 47


def test_a_first_fit_tells_the_results_from_what_compiling_took(begun, market):
    whole, reports, _ = begun(new_run(market))
    whole.sampling({"phase": "compiling", "fraction": 0.05, "eta": None})
    whole.sampling({"phase": "warmup", "eta": 50.0, "elapsed": 40.0})
    whole.sampling({"phase": "draws", "eta": 10.0, "elapsed": 80.0})
    left = [report["eta"] for report in reports]
    assert left[0] is None
    assert left[1:] == pytest.approx([50 + 0.35 * 40, 10 + 0.35 * 40])


def test_the_share_that_is_done_never_falls(begun, fitted):
    """However the time left rises and falls, or is not known for a while."""
    whole, reports, clock = begun(new_run(fitted))
    told = [(0.05, 1, None), (0.1, 10, 40.0), (0.1, 12, 90.0), (0.15, 20, None)]
    for own, passed, left in (*told, (0.2, 30, 60.0), (0.9, 80, 5.0)):
        whole.sampling({"fraction": own, "elapsed": passed, "eta": left})
    for clock[0], phase in ((86.0, "curves"), (95.0, "saving")):
        whole.results(phase)
    shares = [report["fraction"] for report in reports]
    assert shares == sorted(shares)
    assert shares[1] == pytest.approx(10 / 55) and 0.8 < shares[-1] < 1
