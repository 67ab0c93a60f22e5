"""Response by geo: geos add up to the market, and each is its own counterfactual."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.incremental import treatment_outcome
from core.analysis.response.curves import GEO_MULTIPLIERS, geo_curves, response_curves
from core.data.input_data import Treatments
from core.model.build import build
from core.model.spec import ChannelSpec, ModelSpec
from tests.plan.flight_market import market

N_DRAWS = 3


@pytest.fixture(scope="module")
def fitted():
    """A market of two geos with media and reach, and draws of its parameters."""
    base = market(np.array([100.0, 40.0]), 3, n_geos=2).data
    rng = np.random.default_rng(1)
    units = base.media.units * rng.uniform(0.5, 2.0, base.media.units.shape)
    reach = rng.uniform(1e3, 5e3, (2, base.n_times, 1))
    data = replace(
        base,
        media=Treatments(("a", "b"), units, spend=units.copy()),
        reach_frequency=Treatments(
            ("r",), reach, 1 + rng.uniform(0, 3, reach.shape), 0.1 * reach
        ),
    )
    kinds = {"a": "media", "b": "media", "r": "reach_frequency"}
    channels = tuple(ChannelSpec(name, kind) for name, kind in kinds.items())
    model = build(data, ModelSpec(channels, preset="meridian", knots=2, max_lag=3))
    draws = {}
    for suffix, n in (("m", 2), ("rf", 1)):
        draws |= {
            f"alpha_{suffix}": rng.uniform(0.2, 0.8, (N_DRAWS, n)),
            f"ec_{suffix}": rng.uniform(0.5, 2.0, (N_DRAWS, n)),
            f"slope_{suffix}": rng.uniform(0.8, 3.0, (N_DRAWS, n)),
            f"beta_g{suffix}": rng.uniform(0.1, 1.0, (N_DRAWS, 2, n)),
        }
    return model, draws


def test_geos_add_up_to_the_market(fitted):
    by_geo, whole = geo_curves(*fitted), response_curves(*fitted)
    assert by_geo["incremental_outcome"].dims == (
        "draw",
        "channel",
        "geo",
        "spend_multiplier",
    )
    assert by_geo["incremental_outcome"].dtype == np.float32
    same = whole.sel(spend_multiplier=GEO_MULTIPLIERS, method="nearest")
    np.testing.assert_allclose(
        same["spend_multiplier"], GEO_MULTIPLIERS, rtol=0, atol=1e-12
    )
    for name in ("incremental_outcome", "slope"):
        np.testing.assert_allclose(
            by_geo[name].sum("geo").values, same[name].values, rtol=1e-5
        )
    np.testing.assert_allclose(by_geo["spend"].sum("geo"), whole["spend"])
    assert list(by_geo["channel"].values) == list(whole["channel"].values)


def test_a_cell_is_the_outcome_of_that_geo(fitted):
    model, draws = fitted
    made = geo_curves(model, draws)
    first = {name: jnp.asarray(rows[0]) for name, rows in draws.items()}
    outcome = jax.jit(partial(treatment_outcome, model.structure, model.arrays))
    as_it_was = outcome(first).sum(axis=2)
    now = made["incremental_outcome"].sel(spend_multiplier=1.0)[0]
    np.testing.assert_allclose(now.values, as_it_was, rtol=1e-5)


def test_reach_scales_and_frequency_holds(fitted):
    value = geo_curves(*fitted)["incremental_outcome"].sel(channel="r").values
    np.testing.assert_allclose(
        value, value[..., [9]] * GEO_MULTIPLIERS, rtol=1e-5, atol=1e-6
    )


def test_slopes_are_those_of_the_values(fitted):
    made = geo_curves(*fitted)
    value, slope = made["incremental_outcome"].values, made["slope"].values
    grid = GEO_MULTIPLIERS[9:]  # evenly enough from 1 on
    rise = np.gradient(value[..., 9:].astype(float), grid, axis=-1)[..., 1:-1]
    np.testing.assert_allclose(slope[..., 10:-1], rise, rtol=0.1, atol=1.0)


def test_the_dearest_period_of_each_geo_is_known(fitted):
    model, draws = fitted
    made = geo_curves(model, draws)
    spend = model.data.media.spend
    expected = (spend.max(axis=1) / spend.mean(axis=1)).T
    np.testing.assert_allclose(made["max_multiplier_seen"].values[:2], expected)
