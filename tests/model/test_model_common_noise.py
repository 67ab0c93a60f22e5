"""Noise that geos have in common: seen by the likelihood, no part of the baseline."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.ahead.future import future_model, future_mu_t
from core.analysis.checking.pointwise import scaled_means
from core.analysis.checking.residual import period_noise
from core.data.ahead.horizon import ahead
from core.model.build import build
from core.model.latents import n_dims
from core.model.noise import noise_of_shocks
from core.model.priors.prior import prior
from core.model.reconstruct import latents_of, posterior_variables
from core.model.spec import ModelSpec
from core.model.terms.linear_terms import linear_terms, noise_blocks
from tests.small_market import market, spec

WEEKS = np.datetime64("2022-01-03") + 7 * np.arange(20)
DAYS = np.datetime64("2022-01-05") + np.arange(20)


def names(options: ModelSpec, n_geos: int) -> list[str]:
    terms = linear_terms(options, WEEKS, n_geos=n_geos)
    return [one.structure.name for one in terms if one.structure.is_noise]


def test_structural_baselines_of_several_geos_have_it():
    assert names(ModelSpec(baseline="structural"), 2) == ["common"]
    assert names(ModelSpec(baseline="structural"), 1) == []
    assert names(ModelSpec(knots=3), 2) == []


def test_every_period_has_its_own_and_days_share_their_weeks():
    assert len(np.unique(noise_blocks(WEEKS, WEEKS))) == 20
    np.testing.assert_array_equal(np.unique(noise_blocks(DAYS, DAYS))[:2], [2714, 2715])
    _, sizes = np.unique(noise_blocks(DAYS, DAYS), return_counts=True)
    np.testing.assert_array_equal(sizes, [5, 7, 7, 1])  # from a Wednesday
    of_days = linear_terms(ModelSpec(baseline="structural"), DAYS, n_geos=2)
    (term,) = [one for one in of_days if one.structure.is_noise]
    np.testing.assert_array_equal(term.term.design.sum(axis=0), sizes)
    assert term.columns == ("2022-01-05", "2022-01-10", "2022-01-17", "2022-01-24")


def shocked(share: float):
    """Twelve geos that share shocks and nothing else; the model at its best guess.

    Args:
        share: Scale of the common noise, fixed; scaled KPI.
    """
    rng = np.random.default_rng(4)
    data = market(n_geos=12, n_times=104)
    shocks = 0.1 * rng.normal(size=104)
    kpi = 1 + shocks + 0.03 * rng.normal(size=(12, 104))
    fixed = {"xi_common": share, "xi_smooth": 0.5, "length_smooth": 0.15, "sigma": 0.3}
    options = spec(
        baseline="structural",
        priors=tuple(
            (name, prior("Deterministic", loc=value)) for name, value in fixed.items()
        ),
    )
    model = build(replace(data, kpi=data.population[:, None] * kpi), options)
    structure, arrays = model.structure, model.arrays
    position = jnp.zeros(n_dims(structure.latents))  # next to no treatments
    block = arrays.block
    noise = tuple(map(jnp.zeros, (block.precision.shape, block.local_scale.shape, ())))
    latents = latents_of(structure, arrays, position, noise)
    draw = posterior_variables(structure, arrays, latents)
    return model, {name: np.asarray(value)[None] for name, value in draw.items()}


def test_the_baseline_does_not_follow_shocks_nor_carry_them_on():
    strayed = {}
    for share in (0.0, 1.0):
        model, draws = shocked(share)
        future = future_model(model, ahead(model.data, 26))
        draw = {name: value[0] for name, value in draws.items()}
        mu = np.asarray(future_mu_t(*future, draw)) - draw["knot_values"][0]
        strayed[share] = np.abs(mu).mean()
    assert strayed[1.0] < 0.4 * strayed[0.0]


def test_it_is_in_the_mean_of_cells_and_not_in_mu_t():
    model, draws = shocked(1.0)
    mean = scaled_means(model, draws)[0]
    found = draws["gamma_common"][0]
    assert found.shape == (104,)
    seen = np.asarray(model.arrays.kpi).mean(axis=0)
    assert np.corrcoef(mean.mean(axis=0), seen)[0, 1] > 0.99
    cells = np.ones((1, len(found)))
    params = {"rho": jnp.asarray(draws["rho"][0])}
    carried = noise_of_shocks(jnp.asarray(cells), jnp.asarray(found), params)[0]
    assert np.corrcoef(draws["mu_t"][0] + carried, seen)[0, 1] > 0.99
    assert np.corrcoef(draws["mu_t"][0], seen)[0, 1] < 0.7


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_later_periods_have_a_noise_of_their_own(share):
    model, _ = shocked(share)
    draws = {"sigma": np.ones(4000), "xi_common": np.full(4000, share)}
    later = ahead(model.data, 3).times
    drawn = period_noise(model, draws, later, 1)
    assert drawn.shape == (4000, 3)
    np.testing.assert_allclose(drawn.std(axis=0), share, rtol=0.04)
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] if share else 0.0) < 0.05
    np.testing.assert_array_equal(drawn, period_noise(model, draws, later, 1))
