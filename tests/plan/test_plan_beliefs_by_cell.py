"""Channels without history over weeks and over geos: a belief, cell by cell."""

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.flighting import Flight, flight
from core.plan.geo_plan import geo_plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.belief import Belief, believed
from core.plan.response.geos import believed_in_geos, geo_response
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.scenario import scenario
from core.plan.scenario.weeks import week_request
from tests.plan import geo_market
from tests.plan.flight_market import market, posterior

N_DRAWS = 100


@pytest.fixture(scope="module", params=[1, 3])
def fitted(request):
    rng = np.random.default_rng(4)
    model = market(np.array([100.0, 60.0]), 2, n_geos=request.param)
    size = (N_DRAWS, 2)
    beta, alpha = rng.uniform(300, 500, size), rng.uniform(0.2, 0.6, size)
    joint = posterior(model, beta, alpha, rng.uniform(50, 90, size), np.ones(size))
    return model, joint


def table(**more):
    return {
        "horizon": {"periods": 6},
        "belief": {"Podcast": {"spend": 240.0, "roi": [2.0, 4.0]}},
        **more,
    }


def drawn(plan: Flight, name: str) -> np.ndarray:
    return plan.stored["outcome_channel"].sel(channel=name).to_numpy()


def test_even_weeks_have_the_roi_that_is_typed(fitted):
    model, joint = fitted
    even = {"a": [100.0] * 6, "b": [60.0] * 6, "Podcast": [40.0] * 6}
    plan = flight(model, joint, week_request(table(spend=even)))
    roi = drawn(plan, "Podcast") / 240
    np.testing.assert_allclose(np.quantile(roi, [0.05, 0.95]), [2, 4], rtol=0.03)
    # Concave: the same money in one week brings less.
    once = dict(even, Podcast=[240.0] + [0.0] * 5)
    burst = flight(model, joint, week_request(table(spend=once)))
    assert (drawn(burst, "Podcast") < drawn(plan, "Podcast")).all()
    # What was measured stays.
    alone = {"horizon": {"periods": 6}, "spend": {"a": even["a"], "b": even["b"]}}
    without = flight(model, joint, week_request(alone))
    for name in ("a", "b"):
        np.testing.assert_allclose(drawn(plan, name), drawn(without, name), rtol=1e-6)


def test_a_search_gives_it_money_within_its_limits_and_says_what_it_is(fitted):
    model, joint = fitted
    asked = table(budget=960.0, bounds=["50 %", "150 %"], within_seen=True)
    plan = flight(model, joint, week_request(asked)).record
    assert as_record(as_dict(plan)) == plan
    line = next(each for each in plan.channels if each.name == "Podcast")
    assert line.is_belief and line.multiplier is None and line.current == 0
    assert 0 < line.planned <= 240.01
    assert sum(each.planned for each in plan.channels) == pytest.approx(960, abs=0.006)
    assert any("never ran in this fit" in each for each in plan.reasons)
    assert 0 <= plan.bound.gap < 0.05
    asked["channel"] = {"Podcast": {"max": 100.0, "from": str(plan.weeks[3])}}
    later = flight(model, joint, week_request(asked)).record
    line = next(each for each in later.channels if each.name == "Podcast")
    assert sum(line.weeks[:3]) == 0 and 0 < line.planned <= 100.01


def test_what_was_measured_is_not_believed(fitted):
    model, joint = fitted
    with pytest.raises(PlanError, match="is a channel of this fit"):
        flight(model, joint, week_request({"belief": {"a": {"spend": 100.0}}}))
    priced = table(channel={"Podcast": {"price": 1.1}})
    with pytest.raises(PlanError, match="has no price"):
        flight(model, joint, week_request(priced))


def test_geos_together_bring_what_is_believed_of_the_channel():
    response = geo_response(geo_market.stored((3, 4), n_draws=200))
    belief = Belief("Podcast", 5e4, (0.8, 3.0))
    by_geo = believed_in_geos(response, [belief])
    share = response.in_geo @ response.curves.spend / response.curves.spend.sum()
    assert by_geo.channels[-1] == "Podcast"
    whole = believed(response.together(response.in_channel), [belief])
    for multiple in (0.3, 1.0, 2.0):
        own = by_geo.curves.spend.copy()
        own[-4:] = multiple * 5e4 * share
        alone = whole.spend.copy()
        alone[-1] = multiple * 5e4
        np.testing.assert_allclose(
            by_geo.curves.outcome(own)[:, -4:].sum(axis=1),
            whole.outcome(alone)[:, -1],
            rtol=1e-6,
        )
    np.testing.assert_allclose(
        by_geo.curves.outcome(1.37 * by_geo.curves.spend)[:, :12],
        response.curves.outcome(1.37 * response.curves.spend),
        rtol=1e-6,
    )


def test_a_plan_of_geos_gives_it_money_where_it_pays_and_keeps_to_its_limits():
    response = geo_response(geo_market.stored((2, 3), n_draws=100))
    spend = response.in_channel @ response.curves.spend
    whole = response.together(response.in_channel)
    from dataclasses import replace

    curves = replace(whole, names=response.channels)
    request = scenario(
        curves,
        beliefs=(Belief("Podcast", 4e4, (6.0, 9.0)),),
        budget=float(spend.sum()),
        supported=False,
    )
    plan = geo_plan(response, request, GeoRequest(), verdict="trustworthy").record()
    assert as_record(as_dict(plan)) == plan
    line = plan.channels[-1]
    assert line.name == "Podcast" and line.is_belief and line.multiplier is None
    assert 0 < line.planned <= 4e4 + 0.01
    cells = [each for each in plan.cells if each.channel == "Podcast"]
    assert len(cells) == 3 and all(each.current == 0 for each in cells)
    assert sum(each.planned for each in cells) == pytest.approx(line.planned, abs=0.01)
    assert any("never ran in this fit" in each for each in plan.reasons)
