"""The smooth term's covariance is the squared exponential; its scale has a slope."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model.spec import ModelSpec
from core.model.terms.linear_terms import linear_terms
from core.model.terms.smooth import basis, spectral_scale, standard_time

TIMES = np.datetime64("2022-01-03") + 7 * np.arange(156)


def covariance(length):
    """Of the basis, and of the kernel that it stands for."""
    design, omega = basis(TIMES, TIMES, 25)
    scale = spectral_scale(jnp.asarray(omega), jnp.asarray(0.7), jnp.asarray(length))
    columns = design * np.asarray(scale)
    x = standard_time(TIMES, TIMES)
    return columns @ columns.T, 0.49 * np.exp(-0.5 * ((x[:, None] - x) / length) ** 2)


@pytest.mark.parametrize("length", [0.15, 0.2, 0.3])
def test_covariance_is_the_squared_exponential_within_the_data(length):
    ours, kernel = covariance(length)
    np.testing.assert_allclose(ours, kernel, atol=0.01)


def test_long_lengths_see_the_end_of_the_domain_only_near_it():
    ours, kernel = covariance(0.6)
    inside = slice(40, None)  # half a half span from the nearer end
    np.testing.assert_allclose(ours[inside, inside], kernel[inside, inside], atol=0.01)
    assert (np.diag(ours) > 0.7 * np.diag(kernel)).all()


def test_later_dates_continue_the_same_functions():
    later = TIMES[-1] + 7 * np.arange(1, 53)
    both = np.concatenate([TIMES, later])
    together, _ = basis(both, TIMES, 25)
    np.testing.assert_array_equal(together[:156], basis(TIMES, TIMES, 25)[0])
    np.testing.assert_array_equal(together[156:], basis(later, TIMES, 25)[0])
    design, omega = basis(later, TIMES, 25)
    scale = spectral_scale(jnp.asarray(omega), jnp.asarray(1.0), jnp.asarray(0.3))
    variance = ((design * np.asarray(scale)) ** 2).sum(axis=1)
    np.testing.assert_allclose(variance, 1.0, atol=0.03)  # a year ahead: the prior's


def test_short_histories_get_a_basis_that_fits_them():
    times = TIMES[:30]
    design, omega = basis(times, times, 25)
    assert len(omega) == design.shape[1] < 60
    assert np.isfinite(design).all()


def test_scale_has_the_slope_of_its_equation():
    omega = jnp.linspace(0.5, 20, 9)
    step = 1e-5

    def total(length):
        return spectral_scale(omega, jnp.asarray(0.5), jnp.asarray(length)).sum()

    numeric = (total(0.3 + step) - total(0.3 - step)) / (2 * step)
    np.testing.assert_allclose(jax.grad(total)(0.3), numeric, rtol=1e-5)


def test_geos_have_a_smooth_deviation_of_their_own_where_asked():
    options = ModelSpec(baseline="structural", varies_by_geo=("smooth",))
    terms = {one.structure.name: one for one in linear_terms(options, TIMES, n_geos=3)}
    own, shared = terms["smooth_g"], terms["smooth"]
    assert own.structure.by_geo and own.structure.is_smooth
    assert {"trend_g", "fourier_g"}.isdisjoint(terms)
    n = len(own.columns)
    assert n < len(shared.columns)
    np.testing.assert_array_equal(own.term.design, shared.term.design[:, :n])
    national = linear_terms(options, TIMES, n_geos=1)
    assert "smooth_g" not in [one.structure.name for one in national]


def test_terms_at_the_datas_own_dates_are_the_terms():
    options = ModelSpec(baseline="structural", holidays="DE", recurring=True)
    terms = linear_terms(options, TIMES, n_geos=3)
    again = linear_terms(options, TIMES, n_geos=3, at=TIMES.copy())
    assert [one.structure.name for one in terms] == [
        *("trend", "fourier", "smooth", "recurring", "holidays"),
        *("common", "trend_g", "fourier_g"),
    ]
    for one, other in zip(terms, again, strict=True):
        assert one.columns == other.columns
        np.testing.assert_array_equal(one.term.design, other.term.design)
        assert one.term.design.shape == (156, len(one.columns))


@pytest.mark.parametrize(
    ("step", "names"),
    [
        (1, ("trend", "weekday", "smooth")),  # forty days: no season to be seen
        (7, ("trend", "smooth")),
        (14, ("trend", "fourier", "smooth")),
        (30, ("trend", "fourier", "smooth")),
    ],
)
def test_daily_weekly_and_monthly_data_have_their_terms(step, names):
    times = np.datetime64("2022-01-01") + step * np.arange(40)
    terms = linear_terms(ModelSpec(), times, n_geos=1)
    assert tuple(one.structure.name for one in terms) == names


def test_knots_have_no_terms():
    assert linear_terms(ModelSpec(preset="meridian"), TIMES, n_geos=5) == ()
    assert linear_terms(ModelSpec(knots=10), TIMES, n_geos=1) == ()
