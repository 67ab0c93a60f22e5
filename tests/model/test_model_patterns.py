"""Columns that may be absent: summed over every pattern, drawn with the block."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from core.analysis.learning.prior_draws import prior_draws
from core.data.input_data import Treatments
from core.model.block.block_draw import conditional_draw
from core.model.block.collapsed import collapsed_log_likelihood
from core.model.block.memory import n_runs, shock_share, shocks_of
from core.model.block.patterns import log_masses, mixture, presence_of
from core.model.block.triangular import gram_of_root
from core.model.build import build
from core.model.density import block_given, column_scale, local_scale, residual
from core.model.latents import constrain, n_dims
from core.model.noise import rho_of, shock_g
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.demand import MOST_OPEN, PRESENT, TERM, usual_level
from tests.small_market import market

HOLDOUT = tuple(("g0", str(np.datetime64("2024-01-01") + 7 * i)) for i in (0, 4, 9))
density = jax.jit(collapsed_log_likelihood)
OPTIONS = {
    "default": {},
    "sigma of each geo": {"unique_sigma_for_each_geo": True},
    "independent noise": {"autocorrelation": False},
    "every part by geo": {"varies_by_geo": ("trend", "season", "smooth")},
}
NONE = jnp.zeros((0, 1))
CHANCES = {"tv": 0.3, "search": 0.8, "video": 0.55}


def built(*, n_geos: int, chances=CHANCES, **options):
    """A market in which spend of three channels may follow demand."""
    data = market(n_geos=n_geos, n_times=60, every_kind=True)
    kinds = {"tv": "media", "search": "media", "video": "reach_frequency"}
    kinds |= {"blog": "organic_media", "price": "non_media"}
    channels = tuple(
        ChannelSpec(name, kind, follows_demand=chances.get(name, "auto"))
        for name, kind in kinds.items()
    )
    holdout = HOLDOUT if n_geos > 1 else ()
    return build(
        data, ModelSpec(channels, smooth=8, max_lag=3, holdout=holdout, **options)
    )


def numbers_of(model, seed: int = 5):
    """Parameters at a random point, and what the collapsed likelihood is given."""
    structure, arrays = model.structure, model.arrays
    rng = np.random.default_rng(seed)
    position = jnp.asarray(0.3 * rng.normal(size=n_dims(structure.latents)))

    @jax.jit
    def numbers(position, arrays):
        params, _ = constrain(structure.latents, position, arrays.priors, arrays.errors)
        return params, (
            residual(structure, arrays, params),
            shock_g(structure, params),
            local_scale(structure, arrays, params),
            column_scale(structure, arrays, params),
            rho_of(params),
        )

    return numbers(position, arrays)


@jax.jit
def value_and_slopes(block, *given):
    """The collapsed likelihood, with its slopes along all that it is given."""
    return jax.value_and_grad(collapsed_log_likelihood, (1, 2, 3, 4, 5))(block, *given)


def by_enumeration(block, residual_, sigma, local, scale, rho):
    """The same with each pattern's columns in the block, one pattern after another."""
    (n, width), plain = block.log_odds.shape, block._replace(log_odds=NONE)
    masses, slopes = [], []
    for present in presence_of(n):
        columns = np.repeat(present, width)
        of_scale = np.append(np.ones(len(scale) - len(columns)), columns)
        given = residual_, sigma, local, scale * of_scale, rho
        value, found = value_and_slopes(plain, *given)
        odds = (2 * present - 1) * np.asarray(block.log_odds)[:, 0]
        masses.append(float(value) - np.logaddexp(0.0, -odds).sum())
        slopes.append([*found[:3], found[3] * of_scale, found[4]])
    shares = np.exp(masses - logsumexp(masses))
    mixed = [
        sum(share * slope for share, slope in zip(shares, one, strict=True))
        for one in zip(*slopes, strict=True)
        if one[0] is not None
    ]
    return logsumexp(masses), mixed


@pytest.mark.parametrize("n_geos", [1, 3])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_the_density_is_the_sum_over_patterns(options, n_geos):
    model = built(n_geos=n_geos, **options)
    block = model.arrays.block
    assert len(block.log_odds) == 3
    _, given = numbers_of(model)
    # Strong enough that some patterns matter and some do not.
    given = (given[0], given[1], given[2], given[3] * 1.5, given[4])
    ours, slopes = value_and_slopes(block, *given)
    theirs, expected = by_enumeration(block, *given)
    slopes = [slope for slope in slopes if slope is not None]
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)
    for place, (slope, wanted) in enumerate(zip(slopes, expected, strict=True)):
        slope, wanted = np.asarray(slope), np.asarray(wanted)
        if place == 1:  # one scale of all geos, where they share it
            slope, wanted = slope.sum(), wanted.sum()
        np.testing.assert_allclose(slope, wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("n_geos", [1, 3])
def test_a_probability_of_one_or_none_is_the_model_with_or_without(n_geos):
    with_all = built(n_geos=n_geos)
    _, given = numbers_of(with_all)
    block = with_all.arrays.block
    plain, n = block._replace(log_odds=NONE), block.log_odds.size
    for odds, scale in ((60.0, given[3]), (-60.0, given[3].at[-n:].set(0.0))):
        sure = block._replace(log_odds=jnp.full_like(block.log_odds, odds))
        expected = density(plain, *given[:3], scale, given[4])
        np.testing.assert_allclose(density(sure, *given), expected, rtol=1e-11)


@pytest.mark.parametrize(("n_candidates", "width"), [(1, 1), (5, 1), (1, 2), (4, 2)])
def test_masses_and_moments_are_those_of_every_submatrix(n_candidates, width):
    n = n_candidates * width
    rng = np.random.default_rng(n_candidates)
    half = rng.normal(size=(n, n))
    precision = np.eye(n) + half @ half.T
    pull, odds = 2.0 * rng.normal(size=n), rng.normal(size=n_candidates)
    patterns = np.repeat(presence_of(n_candidates), width, axis=1)
    masses, means, squares = [], [], []
    for present in patterns.astype(bool):
        at = np.ix_(present, present)
        covariance = np.linalg.inv(precision[at])
        mean = covariance @ pull[present]
        log_det = np.linalg.slogdet(precision[at])[1]
        quadratic = 0.5 * pull[present] @ mean
        of_odds = odds[present[::width]].sum()
        masses.append(of_odds - 0.5 * log_det + quadratic)
        full, second = np.zeros(n), np.zeros((n, n))
        full[present] = mean
        second[at] = covariance + np.outer(mean, mean)
        means.append(full)
        squares.append(second)
    odds = np.repeat(odds[:, None], width, axis=1)
    given = map(jnp.asarray, (precision, pull, odds))
    ours = jax.jit(log_masses)(*given)
    np.testing.assert_allclose(ours, masses, rtol=1e-10)
    share = np.exp(masses - logsumexp(masses))
    root = np.linalg.inv(np.linalg.cholesky(precision))
    mean = np.linalg.solve(precision, pull)
    mixed = jax.jit(mixture)(jnp.asarray(root), jnp.asarray(mean), jnp.asarray(odds))
    np.testing.assert_allclose(mixed.presence, share @ patterns, rtol=1e-9)
    expected = share @ np.array(means)
    np.testing.assert_allclose(root.T @ mixed.shift, expected - mean, atol=1e-9)
    covariance = np.einsum("s,sij->ij", share, squares) - np.outer(expected, expected)
    spread = np.asarray(mixed.root @ root)
    np.testing.assert_allclose(spread.T @ spread, covariance, atol=1e-9)


def test_single_precision_keeps_a_column_that_is_surely_not_there():
    n = 3
    root = jnp.asarray(np.diag([0.05, 1.0, 1e-3]), jnp.float32)
    mean = jnp.asarray([0.0, 0.0, 4.0], jnp.float32)
    odds = jnp.asarray([[-30.0], [-30.0], [5.0]], jnp.float32)
    mixed = jax.jit(mixture)(root, mean, odds)
    assert all(np.isfinite(np.asarray(leaf)).all() for leaf in mixed)
    np.testing.assert_allclose(mixed.presence, [0, 0, 1], atol=1e-6)
    assert mixed.root.shape == (n, n)


@pytest.mark.parametrize("n_geos", [1, 3])
def test_patterns_and_coefficients_are_drawn_from_their_posterior(n_geos):
    model = built(n_geos=n_geos)
    structure, arrays = model.structure, model.arrays
    params, given = numbers_of(model)
    block = jax.jit(partial(block_given, structure))(arrays, params)
    rng = np.random.default_rng(2)
    shapes = block.precision.shape, block.local_scale.shape
    normal = [jnp.asarray(rng.normal(size=shape)) for shape in shapes]

    def drawn(share):
        return conditional_draw(block, given[0], given[1], given[2], (*normal, share))

    shares = jnp.asarray((np.arange(4000) + 0.5) / 4000)
    draws = jax.jit(jax.vmap(drawn))(shares)
    seen, odds_of = np.asarray(draws.present), np.asarray(arrays.block.log_odds)
    width = odds_of.shape[1]
    absent = np.repeat(seen, width, axis=1) == 0
    assert not np.asarray(draws.shared)[:, -odds_of.size :][absent].any()
    total = density(arrays.block, *given)
    plain = arrays.block._replace(log_odds=NONE)
    for present in presence_of(3):
        columns = np.repeat(present, width)
        own = given[3] * np.append(np.ones(len(given[3]) - len(columns)), columns)
        odds = np.where(present > 0, 1, -1) * odds_of[:, 0]
        prior = -np.logaddexp(0.0, -odds).sum()
        log_p = density(plain, *given[:3], own, given[4])
        chance = float(np.exp(log_p + prior - total))
        assert (seen == present).all(axis=1).mean() == pytest.approx(chance, abs=1e-3)
        here = np.flatnonzero((seen == present).all(axis=1))
        if not len(here):
            continue
        # The identity of the block: prior and likelihood over what is drawn.
        one = jax.tree.map(lambda leaf, at=here[0]: np.asarray(leaf)[at], draws)
        log_joint = _log_joint_of_block(block, given, one, columns) + prior
        np.testing.assert_allclose(log_joint - one.log_density, total, rtol=1e-9)


def _log_joint_of_block(block, given, draw, present) -> float:
    """Log prior of v and u where they are free, and log likelihood given them."""
    residual_, sigma, local, _, rho = given
    v, u = draw.shared, draw.local
    is_there = np.append(np.ones(len(v) - len(present)), present) > 0
    prior = multivariate_normal(cov=np.diag(1 / np.asarray(block.precision)[is_there]))
    total = prior.logpdf(v[is_there])
    free = np.asarray(local) > 0
    z = np.where(free, u / np.where(free, local, 1), 0)
    total += (-0.5 * z**2 - np.log(np.where(free, local, 1)))[free].sum()
    total -= 0.5 * np.log(2 * np.pi) * free.sum()
    return total + float(_log_likelihood_of_cells(block, residual_, sigma, v, u, rho))


@jax.jit
def _log_likelihood_of_cells(block, residual_, sigma, v, u, rho):
    n_shared, n_shocks = block.shared.shape[1], block.shocks.shape[1]
    shared, shocks, by_geo = jnp.split(v, [n_shared, n_shared + n_shocks])
    seen = block.is_seen
    explained = (block.shared @ shared)[None]
    explained = explained + (block.by_geo * by_geo[:, None]).sum(axis=1)
    explained = explained + (block.local * u[:, :, None]).sum(axis=1)
    own = shocks_of(residual_ - explained, seen, rho)
    own = own - (block.shocks @ shocks)[None] * seen
    scale = sigma[:, None]
    cells = -0.5 * (own / scale) ** 2 - jnp.log(scale) - 0.5 * jnp.log(2 * jnp.pi)
    return (cells * seen).sum() + n_runs(seen) * jnp.log(shock_share(rho))


def test_data_and_probabilities_compile_nothing():
    first, second = (
        built(n_geos=1),
        built(n_geos=1, chances={"tv": 0.6} | {"search": 0.2, "video": 0.9}),
    )
    assert first.structure == second.structure
    odds = [np.asarray(model.arrays.block.log_odds) for model in (first, second)]
    assert odds[0].shape == odds[1].shape and (odds[0] != odds[1]).all()


def test_prior_draws_have_as_many_followers_as_the_prior_says():
    model = built(n_geos=1)
    drawn = prior_draws(model, 4000, 1)
    np.testing.assert_allclose(
        drawn[PRESENT].mean(axis=0), list(CHANCES.values()), atol=0.03
    )
    width = model.arrays.block.log_odds.shape[1]
    absent = np.repeat(drawn[PRESENT], width, axis=1) == 0
    assert not drawn[f"gamma_{TERM}_dev"][absent].any()


def test_further_channels_have_the_prior_mean_and_variance():
    n, data = MOST_OPEN + 3, market(n_geos=1, n_times=60)
    rng = np.random.default_rng(1)
    spend = np.exp(0.5 * rng.standard_normal((1, 60, n)))
    names = tuple(f"channel {i}" for i in range(n))
    media = Treatments(names, spend, spend=spend)
    chances = np.linspace(0.02, 0.45, n)
    channels = tuple(
        ChannelSpec(name, follows_demand=float(chance))
        for name, chance in zip(names, chances, strict=True)
    )
    channels += (ChannelSpec("price", "non_media"),)
    model = build(replace(data, media=media), ModelSpec(channels))
    columns = [one.column for one in model.demand]
    assert columns == ["shrunk"] * 3 + ["open"] * MOST_OPEN
    (term,) = [one for one in model.terms if one.structure.name == TERM]
    assert term.columns[:9:3] == names[:3]
    revealed = term.term.design / usual_level(data)[:, :, None]
    scale = revealed.std(axis=(0, 1))[::3]
    np.testing.assert_allclose(scale[:3], np.sqrt(chances[:3]), rtol=0.02)
    np.testing.assert_allclose(scale[3:], 1.0, rtol=0.02)


@pytest.mark.parametrize(("size", "n_full"), [(20, 6), (62, 18), (40, 30)])
def test_a_root_times_itself_is_what_its_halves_say(size, n_full):
    root = np.tril(np.random.default_rng(size).normal(size=(size, size)))
    root[-n_full:] += 1.0  # candidates' rows are full
    ours = gram_of_root(jnp.asarray(root), n_full)
    np.testing.assert_allclose(ours, root.T @ root, atol=1e-12)
