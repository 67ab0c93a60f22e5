"""What a plan's periods bring in all: the forecast's draws, moved along responses."""

import numpy as np
import pytest

from core.plan.against.planned_forecast import (
    in_all,
    multiples,
    multiples_in_all,
    plan_total,
    planned_total,
)
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
