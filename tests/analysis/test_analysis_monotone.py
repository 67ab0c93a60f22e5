"""Monotone cubics are those of SciPy, without SciPy."""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from core.analysis.ahead.monotone import Monotone

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
