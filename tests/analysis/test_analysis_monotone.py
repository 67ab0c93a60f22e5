"""Monotone cubics are those of SciPy, without SciPy."""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from core.analysis.ahead.monotone import Monotone
from core.analysis.ahead.outlook import replanned
from tests.charts import synthetic

RNG = np.random.default_rng(0)
CURVES = {
    "any": RNG.normal(size=(7, 5, 3)),
    "rising": np.cumsum(RNG.gamma(1.0, 1.0, (7, 5, 3)), axis=0),
    "flat in places": np.round(RNG.normal(size=(7, 5, 3))),
    "two points": RNG.normal(size=(2, 4)),
    "three points": RNG.normal(size=(3, 40)),
}


@pytest.mark.parametrize("value", CURVES.values(), ids=CURVES.keys())
def test_value_and_derivative_are_those_of_scipy(value):
    grid = np.cumsum(RNG.gamma(2.0, 1.0, len(value)))
    at = np.concatenate([grid, RNG.uniform(grid[0], grid[-1], 50)])
    ours, theirs = Monotone(grid, value), PchipInterpolator(grid, value)
    np.testing.assert_allclose(ours(at), theirs(at), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        ours.derivative(at), theirs.derivative()(at), rtol=1e-8, atol=1e-9
    )


def test_each_curve_at_a_place_of_its_own_is_what_it_is_there_among_all():
    grid, value = np.array([0.0, 0.5, 2.0]), RNG.normal(size=(3, 4, 6))
    at = np.array([-1.0, 0.5, 1.7, 5.0])
    curves = Monotone(grid, value)
    own = np.arange(4)
    expected = curves.along(at)[own, own]
    np.testing.assert_allclose(curves.along_each(at), expected, rtol=1e-12)


def test_a_forecast_of_more_media_than_is_stored_goes_on_along_the_tangent():
    """A cubic beyond its last point falls into the depths: 6 times TV brought less."""
    view = synthetic.forecast()
    at = [
        replanned(view, {"TV": by})["contribution"].sel(channel="TV").to_numpy()
        for by in (2.9999, 3.0, 6.0)
    ]
    slope = (at[1] - at[0]) / 1e-4
    np.testing.assert_allclose(at[2], at[1] + 3 * slope, rtol=1e-2)
