"""What ran brings the same in a plan over channels, over geos and over weeks."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from core.data.ahead.horizon import plan_horizon
from core.data.input_data import Treatments
from core.jobs.tasks import horizon_run
from core.model.build import build
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.flighting import flight
from core.plan.geo_plan import geo_plan
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.response.geos import geo_response
from core.plan.scenario.scenario import scenario
from core.plan.scenario.weeks import week_request
from core.view import beside_words
from tests.plan.flight_market import market

N_DRAWS, PERIODS = 240, 6


@pytest.fixture(scope="module")
def fitted():
    """Two geos, channels of media and of reach at prices that move, and draws."""
    base = market(np.array([100.0, 40.0]), 3, n_geos=2).data
    rng = np.random.default_rng(1)
    shape = base.media.units.shape
    units = base.media.units * rng.uniform(0.5, 2.0, shape)
    price = np.linspace(0.5, 2.0, base.n_times)[None, :, None]
    reach = rng.uniform(1e3, 5e3, (2, base.n_times, 1))
    frequency = 1 + rng.uniform(0, 3, reach.shape)
    data = replace(
        base,
        media=Treatments(("a", "b"), units, spend=units * price),
        reach_frequency=Treatments(("r",), reach, frequency, 0.1 * price * reach),
    )
    kinds = {"a": "media", "b": "media", "r": "reach_frequency"}
    channels = tuple(ChannelSpec(name, kind) for name, kind in kinds.items())
    model = build(data, ModelSpec(channels, preset="meridian", knots=2, max_lag=3))
    draws = {}
    for suffix, n in (("m", 2), ("rf", 1)):
        size = (1, N_DRAWS, n)
        draws |= {
            f"alpha_{suffix}": rng.uniform(0.2, 0.8, size),
            f"ec_{suffix}": rng.uniform(0.5, 2.0, size),
            f"slope_{suffix}": np.full(size, 1.0),
            f"beta_g{suffix}": rng.lognormal(-2.0, 0.6, (1, N_DRAWS, 2, n)),
        }
    names = ("chain", "draw", "geo", "channel")
    return model, xr.Dataset(
        {
            name: (
                (*names[: value.ndim - 1], f"channel_{name}")
                if value.ndim < 4
                else (*names[:3], f"channel_{name}"),
                value,
            )
            for name, value in draws.items()
        }
    )


def test_one_today_over_channels_geos_and_weeks(fitted, monkeypatch):
    model, posterior = fitted
    monkeypatch.setattr(horizon_run, "GEO_DRAWS", 40)
    ahead = plan_horizon(model.data.times, PERIODS)
    views = horizon_run.curves_of(model, posterior, ahead)
    channels, by_geo = (
        view.assign_attrs(currency="EUR", outcome_unit="revenue")
        for view in views.values()
    )
    curves, cells = response_curves(channels), geo_response(by_geo)
    table = {"horizon": {"periods": PERIODS}}
    week = flight(
        model, posterior, week_request(table), currency="EUR", n_draws=30
    ).record
    today = {
        "channels": plan(curves, scenario(curves)).today,
        "geos": geo_plan(cells, scenario(curves)).record().today,
        "weeks": week.today,
    }
    one = today["channels"]
    for view, each in today.items():
        assert each.spend == pytest.approx(one.spend), view
        assert each.outcome.mean == pytest.approx(one.outcome.mean, rel=1e-5)
    then = week.today.at_plan_prices.mean
    assert abs(then / one.outcome.mean - 1) > 0.005
    change = week.outcome.planned.mean - then
    assert week.against_today.outcome.mean == pytest.approx(change)
    assert today["channels"].at_plan_prices is None
    said = beside_words.against_what_ran(week, week.units)
    assert week.units.show(then) in said
    assert week.units.show(one.outcome.mean) in said


def test_one_gain_over_channels_and_geos(fitted, monkeypatch):
    """The same spend gains the same, although geos have a sixth of the draws."""
    model, posterior = fitted
    monkeypatch.setattr(horizon_run, "GEO_DRAWS", 40)
    views = horizon_run.curves_of(model, posterior, None)
    channels, by_geo = (
        view.assign_attrs(currency="EUR", outcome_unit="revenue")
        for view in views.values()
    )
    curves, cells = response_curves(channels), geo_response(by_geo)
    for by in ([0.7, 1.3, 1.1], [0.13, 2.2, 1.62], [2.9, 0.0, 0.55]):
        spend = curves.spend * by
        cell = cells.curves.spend * np.array(by)[cells.channel]
        now = curves.outcome(curves.spend).sum(axis=1).mean()
        gain = curves.outcome(spend).sum(axis=1).mean() - now
        by_cell = cells.curves.outcome(cell).sum(axis=1).mean() - now
        assert by_cell == pytest.approx(gain, abs=1e-3 * abs(gain)), by
    best = plan(curves, scenario(curves))
    split = geo_plan(cells, scenario(curves)).record()
    kept = (split.outcome.channels or split.outcome.planned).mean
    gain = kept - split.today.outcome.mean
    assert gain == pytest.approx(best.gain.mean, rel=2e-3)
