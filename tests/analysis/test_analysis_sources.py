"""Sources: the baseline in parts, against its terms added up by hand."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.by_period import PARTS, baseline_parts
from core.analysis.incremental import baseline_outcome
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.weeks import TREND, sources, weeks
from core.model.build import build
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec


@pytest.fixture(scope="module")
def drawn():
    given = market(n_geos=3, n_times=60)
    model = build(given, spec(baseline="structural", preset="mixwright", seasonality=2))
    variables = partial(posterior_variables, model.structure, model.arrays)
    made = jax.jit(jax.vmap(variables))(prior_draws(model, 12, 3))
    return model, {name: np.asarray(value) for name, value in made.items()}


def test_parts_are_what_their_terms_add(drawn):
    model, draws = drawn
    one = {name: jnp.asarray(value[2]) for name, value in draws.items()}
    made = np.asarray(baseline_parts(model.structure, model.arrays, one))
    by_name = dict(zip(PARTS, made, strict=True))
    terms, scale = model.arrays.baseline.terms, np.asarray(model.arrays.outcome_scale)
    wave = np.asarray(terms["fourier"].design) @ one["gamma_fourier"]
    season = (
        wave[None] + one["gamma_fourier_g"] @ np.asarray(terms["fourier_g"].design).T
    )
    np.testing.assert_allclose(by_name["Season"], (season * scale).sum(0), rtol=1e-6)
    controls = np.asarray(model.arrays.baseline.controls)
    added = np.einsum("gtc,gc->gt", controls, one["gamma_gc"])
    np.testing.assert_allclose(by_name["Controls"], (added * scale).sum(0), rtol=1e-6)
    assert not by_name["Events"].any()


def test_parts_with_the_trend_are_the_baseline(drawn):
    model, draws = drawn
    _, made = weeks(model, {k: v for k, v in draws.items() if v.size})
    zero = model.scale.mean / model.scale.std
    whole = [
        float(
            baseline_outcome(
                model.structure,
                model.arrays,
                {name: jnp.asarray(value[i]) for name, value in draws.items()},
                zero,
            ).sum()
        )
        for i in range(12)
    ]
    total = made["baseline"].sum(["part", "stretch"])
    np.testing.assert_allclose(total, whole, rtol=1e-6)
    assert list(made["part"].values) == [TREND, "Season", "Controls", "Demand"]
    assert made["spend"].sel(channel="price").isnull().all()
    spent = float(model.data.media.spend.sum())
    assert float(made["spend"].sel(channel="tv").sum()) == pytest.approx(spent)


def test_of_many_draws_some_are_kept(drawn):
    model, _ = drawn
    n, shape = 600, (600, len(PARTS), 60)
    made = sources(model, np.ones((n, 60)), np.zeros(shape), np.ones((n, 60, 2)))
    assert made.sizes["draw"] == 500
    assert list(made["part"].values) == [TREND]
