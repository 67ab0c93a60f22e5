"""Forecasts with a plan: how many periods, and what is refused."""

import pytest

from core.errors import PlanError
from core.plan.response.periods import Horizon
from core.project.fits.runs import open_run
from core.service import forecasts
from tests.pages import worlds
from tests.plan.records import line, record


@pytest.fixture
def fit(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return open_run(worlds.fit(worlds.project()))


def test_a_forecast_goes_to_the_end_of_a_plan_that_begins_later(fit):
    horizon = Horizon("2024-01-29", "2024-02-19", 4, as_fitted=False)
    plan = record(line("TV", 200.0, 100.0), horizon=horizon)
    n, multiples, _ = forecasts._of_plan(fit, plan, None)
    assert n == 8 and multiples["TV"] > 1.0
    with pytest.raises(PlanError, match="after these periods") as caught:
        forecasts._of_plan(fit, plan, 4)
    assert "actuals" not in caught.value.message + caught.value.hint


def test_a_plan_of_the_next_periods_has_as_many(fit):
    horizon = Horizon("2024-01-01", "2024-03-25", 13, as_fitted=False)
    plan = record(line("TV", 200.0, 100.0), horizon=horizon)
    assert forecasts._of_plan(fit, plan, None)[0] == 13
    assert forecasts._of_plan(fit, plan, 2)[0] == 2
