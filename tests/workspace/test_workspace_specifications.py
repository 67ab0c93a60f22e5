"""Specifications side by side: scores of the same cells, backtests, judgements."""

import json

import pytest

from core.errors import WorkspaceError
from core.project.comparing.backtests import (
    backtest_of,
    list_backtests,
    read_backtest,
)
from core.project.comparing.records import (
    Backtested,
    Checked,
    Convergence,
    Elpd,
    Score,
    Specification,
)
from core.project.comparing.specifications import compare_specifications, judged
from core.project.fits.runs import open_run
from core.project.settings.project_data import replace_data
from tests.pages import worlds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return worlds.project()


def with_knots(folder) -> None:
    path = folder / "project.toml"
    path.write_text(path.read_text().replace("[model]", "[model]\nknots = 30"))


def test_what_fits_better_and_cannot_forecast_looks_like_it(folder):
    worlds.backtest(folder)
    able = worlds.fit(folder)
    with_knots(folder)
    told = compare_specifications(
        [open_run(able), open_run(worlds.fit(folder, better=0.5))]
    )
    structural, knots = told.rows
    assert structural.difference.elpd == pytest.approx(-0.5 * 156)
    assert structural.difference.se == pytest.approx(0.0, abs=1e-6)
    assert knots.difference == Elpd(0.0, 0.0)
    assert (structural.fit, structural.forecast) == ("worse", "best")
    assert (knots.fit, knots.forecast) == ("best", "cannot")
    assert "cannot forecast" in knots.verdict
    assert structural.backtest.skill["seasonal_naive"] == pytest.approx(0.8)
    assert knots.backtest is None
    assert structural.options["knots"] != knots.options["knots"]
    assert structural.roi["TV"].lo < structural.roi["TV"].hi


def test_other_data_and_old_fits_have_no_score(folder):
    first = open_run(worlds.fit(folder))
    replace_data(folder, worlds.table(seed=2))
    told = compare_specifications([first, open_run(worlds.fit(folder))])
    assert told.rows[1].loo is None
    assert told.rows[1].fit == "unknown"
    assert (told.rows[0].fit, told.rows[0].difference) == ("alone", None)
    assert told.rows[0].verdict.startswith("Its fit has no other score")
    assert "other data have none" in told.remarks[0]
    with pytest.raises(WorkspaceError, match="One fit"):
        compare_specifications([first])


def test_a_backtest_is_of_its_own_specification(folder):
    made = worlds.backtest(folder)
    run = open_run(worlds.fit(folder))
    assert backtest_of(folder, run).horizon == 8
    (study,) = list_backtests(folder)
    assert [part.folder.name for part in study.runs] == [one.name for one in made]
    told = read_backtest(study)
    assert told.model.wmape == pytest.approx(0.02)
    assert told.refresh.drops == (0, 4, 8, 12)
    assert told.refresh.channels[0].moved == 0
    with_knots(folder)
    assert backtest_of(folder, open_run(worlds.fit(folder))) is None


def test_a_backtest_by_another_version_is_of_another_model(folder):
    made = worlds.backtest(folder)
    run = open_run(worlds.fit(folder))
    assert backtest_of(folder, run) is not None
    for part in made:
        about = json.loads((part / "run.json").read_text())
        about["versions"]["mixwright"] = "0.0.1"
        (part / "run.json").write_text(json.dumps(about))
    assert backtest_of(folder, run) is None


def row(**changed):
    given = {
        "name": "A",
        "run": "",
        "run_id": "",
        "options": {},
        "convergence": Convergence("trustworthy", 1.0),
        "loo": score(-10.0, n_bad_k=0),
        "difference": Elpd(0.0, 0.0),
        "is_structural": True,
        "check": Checked(),
        "backtest": backtested(0.03, 0.5),
        "roi": {},
    }
    return Specification(**given | changed)


def score(elpd, n_bad_k):
    return Score(elpd, 1.0, n=100, n_bad_k=n_bad_k, n_smoothed=100)


def backtested(wmape, skill=None):
    against = {} if skill is None else {"seasonal_naive": skill}
    return Backtested(
        wmape=wmape,
        coverage_90=0.9,
        skill=against,
        horizon=8,
        origins=("2024-01-01",),
        created="",
    )


@pytest.mark.parametrize(
    ("changed", "fit", "forecast", "says"),
    [
        ({}, "best", "best", "Fits best and forecasts best"),
        ({"difference": Elpd(-3.0, 0.1)}, "same", "best", "as well as"),
        ({"difference": Elpd(-30.0, 20.0)}, "same", "best", "as well as"),
        ({"difference": Elpd(-30.0, 9.0)}, "worse", "best", "worse but"),
        ({"loo": score(-1.0, n_bad_k=40)}, "doubtful", "best", "flatters"),
        (
            {"backtest": backtested(0.09, -0.5)},
            *("best", "cannot", "last year's values forecast better"),
        ),
        ({"backtest": None}, "best", "untested", "run a backtest"),
        ({"is_structural": False}, "best", "cannot", "explains the past only"),
        ({"convergence": Convergence("failed", 2.0)}, "best", "best", "not converged"),
    ],
)
def test_judgements(changed, fit, forecast, says):
    given = row(**changed)
    told = judged(given, [given, row(backtest=backtested(0.05))])
    assert (told.fit, told.forecast) == (fit, forecast)
    assert says in told.verdict


def test_a_worse_forecast_is_said_after_a_good_fit():
    worse = row(backtest=backtested(0.06, 0.1))
    told = judged(worse, [row(), worse])
    assert told.verdict.startswith("Fits best but forecasts worse")
