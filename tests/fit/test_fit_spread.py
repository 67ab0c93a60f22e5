"""Coordinates that another one spreads: narrowed by it, of the same distribution."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fit_densities import quick

from core.fit.chains import coordinates
from core.fit.chains.chains import Chains
from core.fit.chains.coordinates import of_positions, to_position, to_z, unscaled
from core.fit.chains.kernel import Metric
from core.fit.convergence import effective_sizes
from core.fit.draws import SamplingStopped
from core.fit.fit import sample
from core.fit.sampling.adaptation import known_by
from core.fit.sampling.warm_start import read_warm_start
from core.model.priors import families
from core.model.priors.prior import prior

#: Two spreads, and five effects of each.
N, BY = 12, np.array([0, 1, *[0] * 5, *[1] * 5], np.int32)
IS_SPREAD = BY != np.arange(N)
#: Positions allow for nothing.
SPREAD = BY, np.zeros(N)
GROUPS = np.arange(2, N).reshape(2, 5).T


def effects(x, args):
    """Effects of scale |log(1 + exp(x))|, seen with an error that differs by spread."""
    spread = jnp.repeat(jax.nn.softplus(x[:2]), 5)
    seen = (args["seen"] - spread * x[2:]) / jnp.repeat(args["error"], 5)
    return -0.5 * jnp.sum(x**2) - 0.5 * jnp.sum(seen**2)


def effects_args(error=(0.05, 5.0)):
    seen = np.random.default_rng(4).normal(size=10) * 0.5
    return {"seen": seen, "error": np.array(error)}


def a_metric(groups=None) -> Metric:
    rng = np.random.default_rng(0)
    assumed, known = np.where(IS_SPREAD, rng.uniform(0.2, 9.0, (2, N)), 0.0)
    plain = unscaled(N, groups, (BY, assumed))
    root = np.eye(len(plain.scale)) + 0.2 * rng.normal(size=plain.scale.shape)
    across = 0.2 * rng.normal(size=plain.across.shape)
    centre = rng.normal(size=N)
    return plain._replace(centre=centre, scale=root, across=across, known=known)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_narrowed_coordinates_there_and_back_with_their_density(monkeypatch, groups):
    monkeypatch.setattr(coordinates, "DENSE_LIMIT", N if groups is None else N - 1)
    metric, args = a_metric(groups), effects_args()
    z = np.random.default_rng(1).normal(size=(2, 3, N))
    position = to_position(z, metric)
    np.testing.assert_allclose(to_z(position, metric), z, atol=1e-9)
    chains = Chains(effects, args, N, quick(), groups, (metric.spread, metric.assumed))
    value, slope = chains.gradients(z[0], metric)
    in_position = np.array([effects(x, args) for x in position[0]])
    step = 1e-5 * np.eye(N)
    straight = metric._replace(known=metric.assumed)
    _, of_scale = np.linalg.slogdet((to_position(step, straight) - metric.centre) * 1e5)
    kept = of_positions(value, z[0], metric)
    np.testing.assert_allclose(kept, in_position, atol=1e-9)
    for row in range(3):
        ahead, behind = (to_position(z[0, row] + s * step, metric) for s in (1, -1))
        _, of_map = np.linalg.slogdet((ahead - behind) / 2e-5)
        there = in_position[row] + of_map - of_scale
        np.testing.assert_allclose(value[row], there, atol=1e-6)
        sides = [chains.gradients(z[0, row] + s * step, metric)[0] for s in (1, -1)]
        rise = (sides[0] - sides[1]) / 2e-5
        np.testing.assert_allclose(rise, slope[row], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("assumed", [0.0, 1.0, 16.0])
def test_what_data_know_is_narrowed_and_what_they_do_not_is_not(assumed):
    """Whatever the positions allow for already."""
    rng = np.random.default_rng(0)
    spread, deviation = (
        rng.uniform(0.1, 2.0, (4, 300, 2)),
        rng.normal(size=(4, 300, 10)),
    )
    # Of the second spread known as they are for an error of a quarter.
    deviation[..., 5:] /= np.sqrt(1 + (spread[..., 1:] / 0.25) ** 2)
    kept = deviation * np.sqrt(1 + (assumed * np.repeat(spread, 5, axis=2)) ** 2)
    metric = unscaled(N, None, (BY, np.where(IS_SPREAD, assumed, 0.0)))
    known = known_by(np.concatenate([spread, kept], axis=2), metric)
    assert not known[:2].any() and (known[2:7] <= 0.25).all()
    assert np.unique(known[7:]).size == 1 and 2.8 <= known[7] <= 5.7


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Draws with narrowing and without, and the checkpoint of the first."""
    folder = tmp_path_factory.mktemp("checkpoint")
    settings, args = quick(draws=2000), effects_args((0.2, 5.0))
    with_it = sample(effects, args, N, settings, spread=SPREAD, checkpoint=folder)
    return with_it, sample(effects, args, N, settings), folder


def test_draws_are_of_the_same_distribution(fitted):
    """Quantiles of each spread are those of its marginal density on a grid."""
    with_it, without, _ = fitted
    args, at = effects_args((0.2, 5.0)), np.linspace(-6, 6, 4001)
    for which in range(2):
        seen = args["seen"][5 * which : 5 * which + 5]
        variance = np.log1p(np.exp(at)) ** 2 + args["error"][which] ** 2
        density = -0.5 * (seen**2).sum() / variance - 2.5 * np.log(variance)
        mass = np.cumsum(np.exp(density - 0.5 * at**2 - np.max(density)))
        below = np.interp(with_it.position[..., which], at, mass / mass[-1])
        assert below.mean() == pytest.approx(0.5, abs=0.02)
        assert (below < 0.1).mean() == pytest.approx(0.1, abs=0.015)
        assert (below > 0.9).mean() == pytest.approx(0.1, abs=0.015)
    moments = [
        (x.mean((0, 1)), x.std((0, 1))) for x in (with_it.position, without.position)
    ]
    np.testing.assert_allclose(*moments, atol=0.08)


def test_the_log_density_that_is_kept_is_that_of_positions(fitted):
    with_it, _, folder = fitted
    warm = read_warm_start(folder)
    of = jax.vmap(jax.vmap(partial(effects, args=effects_args((0.2, 5.0)))))
    assert warm.metric.known[2:7].max() > 0.5
    np.testing.assert_allclose(warm.position, with_it.position)
    for draws in (with_it, warm):
        away = draws.log_density - np.asarray(of(jnp.asarray(draws.position)))
        np.testing.assert_allclose(away, 0, atol=1e-8)


def test_a_fit_goes_on_in_its_coordinates(tmp_path, fitted):
    with_it, _, folder = fitted
    args, settings = effects_args((0.2, 5.0)), quick(draws=2000)
    told = {"spread": SPREAD, "checkpoint": tmp_path}
    rounds = iter(range(10**6))
    with pytest.raises(SamplingStopped):
        stop = partial(lambda: next(rounds) > 0)
        sample(effects, args, N, settings, should_stop=stop, **told)
    resumed = sample(effects, args, N, settings, resume=True, **told)
    np.testing.assert_array_equal(resumed.position, with_it.position)
    warm = sample(
        effects, args, N, settings, spread=SPREAD, warm=read_warm_start(folder)
    )
    assert warm.n_warmup < with_it.n_warmup
    np.testing.assert_allclose(
        warm.position.mean((0, 1)), with_it.position.mean((0, 1)), atol=0.08
    )


def half_normal_effects(x, args):
    """As `effects`, of spreads with a half-Normal prior on the model's real line."""
    row, at = args["row"], x[:2]
    spread = jnp.repeat(families.to_support("HalfNormal", row, at), 5)
    seen = (args["seen"] - spread * x[2:]) / jnp.repeat(args["error"], 5)
    before = families.log_density("HalfNormal", row, at).sum()
    return before - 0.5 * jnp.sum(x[2:] ** 2) - 0.5 * jnp.sum(seen**2)


@pytest.mark.parametrize(("groups", "times"), [(None, 1.3), (GROUPS, 2.0)])
def test_spreads_of_known_effects_mix(monkeypatch, groups, times):
    """Effective draws of five runs, as one run's are four times another's by chance.

    A matrix knows some of how effects narrow; groups know nothing of it.
    """
    monkeypatch.setattr(coordinates, "DENSE_LIMIT", N if groups is None else N - 1)
    row = families.numbers([prior("HalfNormal", scale=1.0)])[0]
    args = effects_args((0.05, 0.3)) | {"row": row}

    def sizes(spread, seed) -> np.ndarray:
        settings = quick(seed=seed)
        draws = sample(
            half_normal_effects, args, N, settings, groups=groups, spread=spread
        )
        assert spread is None or not draws.diverging.any()
        return effective_sizes(np.moveaxis(draws.position, 2, 0)[:2])

    with_it, without = (
        sum(sizes(spread, seed) for seed in range(5)) for spread in (SPREAD, None)
    )
    assert (with_it > times * without).all(), (with_it, without)
