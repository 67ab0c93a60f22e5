"""What a plan's periods bring in all: the forecast's draws, moved along responses."""

import numpy as np
import pytest

from core.analysis.ahead.outlook import outlook
from core.plan.against.planned_forecast import (
    in_all,
    multiples,
    multiples_in_all,
    plan_total,
    planned_forecast,
    planned_total,
)
from core.plan.against.planned_spend import planned_spend
from core.plan.against.terms import Terms
from core.plan.response.curves import Frequency
from core.plan.response.periods import Horizon
from tests.charts import synthetic
from tests.plan.records import line, record


@pytest.fixture(scope="module")
def view():
    return synthetic.forecast()


def days(view):
    return view["time"].to_numpy().astype("datetime64[D]").astype(str)


def of(view, first, last):
    start, end = days(view)[[first, last]]
    return Horizon(start, end, last - first + 1, as_fitted=False)


def test_as_a_year_before_the_total_is_the_forecasts_own(view):
    whole = in_all(view, of(view, 3, 9))
    wanted = view["outcome"].isel(time=slice(3, 10)).sum("time").to_numpy()
    np.testing.assert_allclose(planned_total(whole, {}), wanted, rtol=1e-6)
    assert float(whole["year_before"]) == pytest.approx(
        float(view["year_before"].isel(time=slice(3, 10)).sum())
    )


def test_a_stored_multiple_is_met_exactly(view):
    whole = in_all(view, of(view, 0, 7))
    name, some = str(view["paid"].to_numpy()[0]), view.isel(time=slice(0, 8))
    response = some["response"].sel(paid=name).sum("time")
    change = response.sel(multiplier=2.0) - response.sel(multiplier=1.0)
    moved = planned_total(whole, {name: 2.0}) - planned_total(whole, {})
    np.testing.assert_allclose(moved, change.to_numpy(), rtol=1e-4)


def test_periods_that_are_not_forecast_have_no_total(view):
    own = Horizon("2021-01-04", "2023-12-25", 156, as_fitted=True)
    late = Horizon(days(view)[1], "2099-01-05", 60, as_fitted=False)
    assert in_all(view, own) is None and in_all(view, late) is None


def test_a_plan_counts_in_its_own_periods_only(view):
    name = str(view["paid"].to_numpy()[0])
    plan = record(line(name, 200.0, 100.0), horizon=of(view, 4, 9))
    usual = view["spend"].sel(paid=name).to_numpy()[:8]
    by = multiples(plan, view, 8)
    assert by[name] == pytest.approx((usual.sum() + usual[4:].sum()) / usual.sum())


def test_a_channel_that_is_off_brings_nothing_and_dearer_media_less(view):
    whole, names = in_all(view, of(view, 0, 7)), view["paid"].to_numpy().astype(str)
    lines = line(names[0], 0.0, 100.0), line(names[1], 100.0, 100.0)
    dear = {"channel": {names[1]: {"price": 1.25}}}
    plan = record(*lines, horizon=of(view, 0, 7), scenario=dear)
    by = multiples_in_all(plan, whole)
    assert by == {names[0]: 0.0, names[1]: pytest.approx(0.8)}
    off = planned_total(whole, by) - planned_total(whole, by | {names[0]: 1.0})
    response = whole["response"].sel(paid=names[0])
    lost = response.sel(multiplier=0.0) - response.sel(multiplier=1.0)
    np.testing.assert_allclose(off, lost.to_numpy(), rtol=1e-4)


def test_the_best_frequency_counts_for_the_odds_of_a_goal(view):
    """Of what spend adds, not of what carries over from before."""
    periods, name = of(view, 0, 7), str(view["paid"].to_numpy()[0])
    whole, response = in_all(view, periods), view["response"].sel(paid=name)
    lift = np.linspace(1.1, 1.4, view.sizes["draw"])
    often = {"channel": {name: {"frequency": "best"}}}
    plan = record(line(name, 200.0, 100.0), horizon=periods, scenario=often)
    known = (Frequency(name, 2.0, 3.0, lift),)
    more = plan_total(plan, view, whole, known) - planned_total(whole, {name: 2.0})
    some = response.isel(time=slice(0, 8)).sum("time")
    added = (some.sel(multiplier=2.0) - some.sel(multiplier=0.0)).to_numpy()
    np.testing.assert_allclose(more, (lift - 1) * added, rtol=1e-3)


def test_channels_without_history_count_for_the_odds_of_a_goal(view):
    periods, name = of(view, 0, 7), str(view["paid"].to_numpy()[0])
    whole = in_all(view, periods)
    new = line("Podcast", 1e5, 0.0, is_belief=True)
    scenario = {"belief": {"Podcast": {"spend": 1e5, "roi": [2.0, 4.0]}}}
    plan = record(line(name, 100.0, 100.0), new, horizon=periods, scenario=scenario)
    more = plan_total(plan, view, whole) - whole["outcome"].to_numpy()
    assert np.quantile(more, [0.05, 0.95]) == pytest.approx([2e5, 4e5], rel=0.03)


NEW = {"belief": {"Podcast": {"spend": 1e5, "roi": [2.0, 4.0]}}}


def podcast(name, horizon, **more):
    new = line("Podcast", 1e5, 0.0, is_belief=True, **more)
    return record(line(name, 100.0, 100.0), new, horizon=horizon, scenario=NEW)


def test_a_forecast_with_a_plan_has_its_channels_without_history(view):
    name = str(view["paid"].to_numpy()[0])
    plan = podcast(name, of(view, 2, 5))
    with_plan = planned_forecast(plan, view, 8)
    names = with_plan["channel"].to_numpy().tolist()
    assert names == [*view["channel"].to_numpy().tolist(), "Podcast"]
    brings = with_plan["contribution"].sel(channel="Podcast")
    more = with_plan["outcome"] - view["outcome"].isel(time=slice(8))
    np.testing.assert_allclose(more, brings.transpose(*more.dims), atol=0.2)
    by_period = brings.mean("draw").to_numpy()
    assert by_period[[0, 1, 6, 7]].tolist() == [0.0] * 4
    assert by_period[2:6] == pytest.approx([by_period[2]] * 4) and by_period[2] > 0
    whole = in_all(view, plan.horizon)
    same = plan_total(plan, view, whole) - whole["outcome"].to_numpy()
    np.testing.assert_allclose(brings.sum("time"), same, rtol=1e-5)
    cut = planned_forecast(plan, view, 4)["contribution"].sel(channel="Podcast")
    np.testing.assert_allclose(cut, brings.isel(time=slice(4)))
    parts = {part.name: part.mean for part in outlook(with_plan).parts}
    assert parts["Podcast"] == pytest.approx(by_period.sum())


def test_a_forecast_with_a_plan_buys_at_its_frequency_in_its_periods(view):
    name = str(view["paid"].to_numpy()[0])
    often = {"channel": {name: {"frequency": "best"}}}
    lines = line(name, 100.0, 100.0)
    plan = record(lines, horizon=of(view, 2, 5), scenario=often)
    lift = np.linspace(1.1, 1.4, view.sizes["draw"])
    with_plan = planned_forecast(plan, view, 8, Terms(lifts={name: lift}))
    some, response = view.isel(time=slice(8)), view["response"].sel(paid=name)
    media = response.sel(multiplier=1.0) - response.sel(multiplier=0.0)
    more = (with_plan["outcome"] - some["outcome"]).transpose("draw", "time")
    wanted = (lift[:, None] - 1) * media.transpose("draw", "time").to_numpy()[:, :8]
    wanted[:, [0, 1, 6, 7]] = 0.0
    np.testing.assert_allclose(more, wanted, rtol=1e-3, atol=0.5)
    assert "kpi" not in with_plan


def test_a_channel_that_a_newer_fit_knows_has_the_plans_spend(view):
    first, name = map(str, view["paid"].to_numpy()[:2])
    new = line(name, 1e5, 0.0, is_belief=True)
    plan = record(line(first, 100.0, 100.0), new, horizon=of(view, 2, 5))
    spend = planned_spend(plan, view, 8)[name]
    assert spend[2:6].tolist() == [2.5e4] * 4
    usual = view["spend"].sel(paid=name).to_numpy()
    assert spend[:2] == pytest.approx(usual[:2])
    names = planned_forecast(plan, view, 8)["channel"].to_numpy().tolist()
    assert names == view["channel"].to_numpy().tolist()
