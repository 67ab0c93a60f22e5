"""Leave-one-out: against the exact answer of a conjugate model, and its cells."""

from functools import partial

import jax
import numpy as np
import pytest
import scipy.stats

from core.analysis.checking.elpd import expected_sum
from core.analysis.checking.loo import (
    CELLS,
    leave_one_out,
    sample,
    scores,
)
from core.analysis.checking.pointwise import between_neighbours, scaled_means, sigmas
from core.analysis.learning.prior_draws import prior_draws
from core.fit.importance import highest_k
from core.model.build import build
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec


def conjugate(kpi: np.ndarray, prior_sd: float, n_draws: int, seed: int):
    """Log densities of draws of the mean, and the exact left-out log densities."""

    def posterior(values):
        precision = prior_sd**-2 + len(values)
        return values.sum() / precision, precision**-0.5

    middle, spread = posterior(kpi)
    theta = middle + spread * np.random.default_rng(seed).normal(size=n_draws)
    density = scipy.stats.norm.logpdf(kpi, theta[:, None])
    exact = []
    for i in range(len(kpi)):
        mean, sd = posterior(np.delete(kpi, i))
        exact.append(scipy.stats.norm.logpdf(kpi[i], mean, np.hypot(sd, 1.0)))
    return density, np.array(exact)


def test_it_is_the_exact_leave_one_out_of_a_conjugate_model():
    kpi = np.random.default_rng(1).normal(2.0, 1.0, 25)
    density, exact = conjugate(kpi, 3.0, 8000, 2)
    made = scores(density)
    np.testing.assert_allclose(made.loo, exact, atol=0.02)
    assert made.loo.sum() == pytest.approx(exact.sum(), abs=0.02)
    assert (made.lpd > made.loo).all()
    assert made.k.max() < highest_k(8000)


def test_a_cell_that_decides_the_posterior_has_a_heavy_tail():
    kpi = np.append(np.random.default_rng(1).normal(0.0, 1.0, 4), 30.0)
    density, _ = conjugate(kpi, 10.0, 2000, 3)
    assert scores(density).k[-1] > highest_k(2000)


def test_draws_too_few_for_a_tail_give_a_score_that_says_so():
    kpi = np.random.default_rng(1).normal(2.0, 1.0, 25)
    density, _ = conjugate(kpi, 3.0, 20, 2)
    made = scores(density)
    assert np.isfinite(made.loo).all()
    assert (made.lpd > made.loo).all()
    assert np.isinf(made.k).all()


@pytest.mark.parametrize(
    ("n", "limit"),
    [(1, -np.inf), (10, -np.inf), (11, 0.03975), (100, 0.5), (10**6, 0.7)],
)
def test_the_limit_of_k_is_lower_where_draws_are_few(n, limit):
    assert highest_k(n) == pytest.approx(limit, abs=1e-5)


def test_a_sample_of_the_cells_estimates_the_sum():
    kpi = np.random.default_rng(4).normal(2.0, 1.0, 60)
    density, exact = conjugate(kpi, 3.0, 4000, 5)
    chosen = np.arange(60) % 3 == 0
    part = scores(density, chosen)
    assert np.isnan(part.loo[~chosen]).all()
    total, error = expected_sum(part.lpd, part.loo)
    assert total == pytest.approx(exact.sum(), abs=0.2)
    whole, spread = expected_sum(*scores(density)[:2])
    assert whole == pytest.approx(exact.sum(), abs=0.05)
    assert spread == pytest.approx(np.sqrt(60) * exact.std(ddof=1), rel=0.02)
    assert error == pytest.approx(spread, rel=0.5)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_an_error_takes_two_cells(n):
    full = np.array([-1.0, -2.0, -3.0, np.nan])
    left_out = np.where(np.arange(4) < n, full - 0.5, np.nan)
    total, error = expected_sum(full, left_out)
    assert np.isfinite(total) == (n > 0) and np.isfinite(error) == (n > 1)


def test_the_error_of_a_sample_is_that_of_drawing_without_replacement():
    full = np.arange(10.0)
    left_out = np.where(full < 4, 5.0, np.nan)  # four of ten, whose scores are one
    _, error = expected_sum(full, left_out)
    spread = np.std([5.0, 4.0, 3.0, 2.0], ddof=1)
    assert error == pytest.approx(10 * spread * np.sqrt((1 - 4 / 10) / 4))


def test_the_sample_is_the_same_for_every_model():
    cells = np.arange(5 * CELLS)
    assert len(sample(cells)) == CELLS
    assert (sample(cells) == sample(cells)).all()
    assert len(sample(cells[:10])) == 10


def test_a_cell_of_noise_with_memory_is_told_by_its_neighbours():
    """Against the conditional of the Normal vector of each stretch of seen cells."""
    rng = np.random.default_rng(6)
    seen = np.array([1, 1, 1, 0, 1, 0, 1, 1, 1, 1], bool)
    run = np.array([0, 0, 0, 9, 1, 9, 2, 2, 2, 2])
    noise, rho = rng.normal(size=(2, 10)), np.array([0.7, -0.3])
    mean, share = between_neighbours(noise, seen, rho)
    for draw, r in enumerate(rho):
        for cell in np.flatnonzero(seen):
            others = np.flatnonzero((run == run[cell]) & (np.arange(10) != cell))
            across = r ** np.abs(others - cell)
            within = r ** np.abs(others[:, None] - others).astype(float)
            weight = np.linalg.solve(within, across) if len(others) else across
            assert mean[draw, cell] == pytest.approx(weight @ noise[draw, others])
            assert share[draw, cell] ** 2 == pytest.approx(1 - weight @ across)


def test_cells_held_out_take_no_part_and_densities_are_of_the_kpi():
    given = market()
    model = build(given, spec(holdout=(("g1", str(given.times[3])),)))
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 100, 3))
    draws = {name: np.asarray(value) for name, value in drawn.items() if value.size}
    means, sigma = scaled_means(model, draws), sigmas(model, draws)
    told, cells = leave_one_out(model, means, sigma)
    assert told["n"] == given.kpi.size - 1
    assert np.isnan(cells["lpd"].to_numpy()[1, 3])
    units = model.scale.std * given.population
    counted = (means + model.scale.mean / model.scale.std) * units[:, None]
    density = scipy.stats.norm.logpdf(
        given.kpi, counted, (sigma * units)[:, :, None]
    ).mean(axis=0)
    ours = cells["lpd"].to_numpy()
    seen = ~np.isnan(ours)
    assert (ours[seen] >= density[seen]).all()  # Jensen: log mean above mean log
    assert told["elpd"] < np.nansum(ours)
    assert told["warnings"]  # draws of the prior are no posterior
