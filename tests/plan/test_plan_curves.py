import numpy as np
import pytest
from synthetic import GRID, curves_dataset, random_dataset

from core.errors import PlanError, WorkspaceError
from core.plan.response.curves import response_curves


def test_between_knots_the_curve_is_the_cubic_through_them():
    stored = random_dataset(0, n_channels=1, n_draws=1)
    stored["incremental_outcome"].values[0, 0] = GRID**3 - 2 * GRID**2
    stored["slope"].values[0, 0] = 3 * GRID**2 - 4 * GRID
    curves = response_curves(stored)
    multiplier = np.array([0.013, 0.5, 1.234, 2.99])
    spend = (multiplier * curves.spend)[:, None]
    wanted = multiplier**3 - 2 * multiplier**2
    np.testing.assert_allclose(curves.outcome(spend)[0, :, 0], wanted, atol=1e-12)
    slope = (3 * multiplier**2 - 4 * multiplier) / curves.spend
    np.testing.assert_allclose(curves.marginal(spend)[0, :, 0], slope, rtol=1e-9)


def test_hill_curve_is_followed_closely():
    stored = curves_dataset([[5.0]], [[0.7]], [[1.8]], [200.0])
    curves = response_curves(stored)
    m = np.linspace(0, 3, 501)
    wanted = 5 * m**1.8 / (m**1.8 + 0.7**1.8)
    got = curves.outcome((m * 200.0)[:, None])[0, :, 0]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-3)
    away = m > 0.05
    np.testing.assert_allclose(got[away], wanted[away], rtol=0, atol=5e-5)


def test_mean_of_the_curves_is_the_curve_of_the_mean():
    curves = response_curves(random_dataset(1, n_channels=3))
    spend = curves.spend * np.array([0.33, 1.21, 3.4])
    np.testing.assert_allclose(
        curves.mean().outcome(spend)[0], curves.outcome(spend).mean(axis=0)
    )


def test_beyond_the_grid_it_goes_on_along_its_tangent_and_says_so():
    curves = response_curves(random_dataset(2, n_channels=2, n_draws=5))
    edge = 3 * curves.spend
    further = edge + 1000.0
    wanted = curves.outcome(edge) + 1000.0 * curves.marginal(edge)
    np.testing.assert_allclose(curves.outcome(further), wanted)
    assert curves.beyond_grid(further).all()
    assert not curves.beyond_grid(edge).any()
    assert curves.beyond_seen(2.1 * curves.spend).all()
    assert not curves.beyond_seen(1.9 * curves.spend).any()


def test_part_of_a_curve_is_the_same_curve():
    curves = response_curves(random_dataset(3, n_channels=2, n_draws=1, s_shaped=True))
    part = curves.within(0.41 * curves.spend, 3.5 * curves.spend)
    assert (np.diff(part.x, axis=1) >= 0).all()
    np.testing.assert_allclose(part.x[:, 0], 0.41 * curves.spend)
    np.testing.assert_allclose(part.x[:, -1], 3.5 * curves.spend)
    np.testing.assert_allclose(part.y.T, curves.outcome(part.x.T)[0])


@pytest.mark.parametrize("hill", [0.4, 0.8])
@pytest.mark.parametrize("steep", [1e9, 1e15])
def test_a_start_that_is_all_but_vertical_does_not_shoot_over(hill, steep):
    """Media carried in leaves a trace at zero, where the slope is finite and huge."""
    beta, size = np.array([[2e6, 1e6]]), (1, 2)
    stored = curves_dataset(beta, np.ones(size), np.full(size, hill), beta[0] / 2)
    stored["slope"].values[..., 0] = steep * stored["incremental_outcome"].values.max()
    curves = response_curves(stored)
    for share in np.linspace(0, float(curves.grid[1]), 21):
        value = curves.outcome(share * curves.spend)[0]
        low, high = curves.value[0, :, 0], curves.value[0, :, 1]
        assert (low - 1e-6 <= value).all() and (value <= high + 1e-6).all()


def test_gentle_starts_are_left_as_they_are():
    for hill in (1.0, 2.0, 3.5):
        beta, size = np.array([[2e6, 1e6]]), (1, 2)
        stored = curves_dataset(beta, np.ones(size), np.full(size, hill), beta[0] / 2)
        order = ("draw", "channel", "spend_multiplier")
        wanted = stored["slope"].transpose(*order).values
        np.testing.assert_array_equal(response_curves(stored).slope, wanted)


def test_a_vertical_start_becomes_the_steepest_that_bends_down():
    stored = curves_dataset([[5.0]], [[0.7]], [[0.6]], [200.0])
    assert not np.isfinite(stored["slope"].values).all()
    curves = response_curves(stored)
    m = np.linspace(0, 0.05, 200)[:, None]
    value = curves.outcome(m * 200.0)[0, :, 0]
    assert np.isfinite(value).all()
    assert (np.diff(value) > 0).all()
    assert (np.diff(value, 2) < 1e-12).all()


def test_channels_without_spend_are_left_out():
    stored = random_dataset(4, n_channels=3)
    stored["spend"].values[1] = 0.0
    curves = response_curves(stored)
    assert curves.names == ("Channel0", "Channel2")
    assert curves.value.shape[1] == 2
    stored["spend"].values[:] = 0.0
    with pytest.raises(PlanError, match="No channel has spend"):
        response_curves(stored)


def test_damaged_curves_are_refused():
    stored = random_dataset(5, n_channels=2)
    with pytest.raises(WorkspaceError, match="no slope"):
        response_curves(stored.drop_vars("slope"))
    stored["incremental_outcome"].values[0, 0, 0] = np.nan
    with pytest.raises(WorkspaceError, match="not numbers"):
        response_curves(stored)


def test_totals_and_channels_alone_are_the_outcome():
    curves = response_curves(random_dataset(2, n_channels=5, n_draws=37))
    rng = np.random.default_rng(0)
    spend = rng.uniform(0.0, 4.0, (900, 5)) * curves.spend
    outcome = curves.outcome(spend)
    assert curves.total(spend) == pytest.approx(outcome.sum(axis=-1))
    alone = curves.outcome_along(spend[:7].T)
    assert np.moveaxis(alone, 2, 1) == pytest.approx(outcome[:, :7])


def test_channels_that_follow_demand_and_have_no_lift_test_are_untested():
    stored = random_dataset(1, n_channels=3)
    assert not response_curves(stored).untested
    marks = {"follows_demand": [0.6, 1.0, 0.4], "lift_tests": [0, 2, 0]}
    marked = stored.assign_coords({key: ("channel", row) for key, row in marks.items()})
    curves = response_curves(marked)
    assert curves.follows == curves.names[:2]
    assert curves.tested == curves.names[1:2]
    assert curves.untested == {curves.names[0]}
