"""Response curves of a horizon: against the outcome of its weeks, week by week."""

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.analysis.response.curves import geo_curves, response_curves
from core.data.ahead.horizon import plan_horizon
from core.plan.flighting import media_draws
from core.plan.response.horizon import horizon
from core.plan.response.weeks import outcomes
from tests.plan.flight_market import market, posterior

WEEKLY = np.array([100.0, 300.0, 200.0])
MULTIPLES = (0.0, 0.5, 1.0, 2.0)


def made(slope, n_geos=1):
    rng = np.random.default_rng(3)
    model, size = market(WEEKLY, max_lag=3, n_geos=n_geos), (6, 3)
    draws = posterior(
        model,
        rng.uniform(300, 900, size),
        rng.uniform(0.2, 0.8, size),
        WEEKLY * rng.uniform(0.5, 2, size),
        np.full(size, slope),
    )
    return model, flat_draws(draws)


@pytest.mark.parametrize("slope", [1.0, 2.5])
@pytest.mark.parametrize(("n", "start"), [(4, None), (6, "2024-04-09")])
def test_a_multiple_brings_what_its_weeks_bring(slope, n, start):
    """Carryover into the plan and after it, of its own and of the media around it."""
    model, draws = made(slope)
    ahead = plan_horizon(model.data.times, n, start)
    curves = response_curves(model, draws, ahead)
    weeks = horizon(model, ahead.n, skip=ahead.skip)
    some = media_draws(weeks, draws)
    none = outcomes(weeks, some, np.zeros_like(weeks.usual))
    for multiple in MULTIPLES:
        brought = outcomes(weeks, some, multiple * weeks.usual) - none
        curve = curves["incremental_outcome"].sel(
            spend_multiplier=multiple, method="nearest"
        )
        np.testing.assert_allclose(curve, brought.sum(axis=2), rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(curves["spend"], n * WEEKLY)
    assert curves.attrs["horizon_start"] == ahead.start
    last = np.datetime64(ahead.start) + 7 * (n - 1)
    assert curves.attrs["horizon_end"] == str(last)
    assert curves.attrs["horizon_periods"] == n and not curves.attrs["as_fitted"]


def test_the_slope_is_that_of_the_curve():
    model, draws = made(2.0)
    curves = response_curves(model, draws, plan_horizon(model.data.times, 5))
    value = curves["incremental_outcome"].to_numpy()
    step = float(np.diff(curves["spend_multiplier"])[0])
    between = (value[..., 2:] - value[..., :-2]) / (2 * step)
    np.testing.assert_allclose(
        curves["slope"].to_numpy()[..., 1:-1], between, rtol=0.02, atol=0.5
    )


def test_geos_add_up_to_the_market():
    model, draws = made(1.5, n_geos=3)
    ahead = plan_horizon(model.data.times, 4)
    whole = response_curves(model, draws, ahead)
    by_geo = geo_curves(model, draws, ahead)
    for multiple in MULTIPLES:
        pick = {"spend_multiplier": multiple, "method": "nearest"}
        np.testing.assert_allclose(
            by_geo["incremental_outcome"].sel(**pick).sum("geo"),
            whole["incremental_outcome"].sel(**pick),
            rtol=1e-4,
            atol=1e-2,
        )
    np.testing.assert_allclose(by_geo["spend"].sum("geo"), whole["spend"])


def test_the_datas_own_periods_are_said():
    model, draws = made(1.0)
    curves = response_curves(model, draws)
    assert curves.attrs["as_fitted"] and curves.attrs["horizon_periods"] == 12
