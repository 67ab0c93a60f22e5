"""The sampler's vector: what belongs to which geo, and effects with their spread."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.data.assemble import assemble
from core.data.simulate import simulate_market
from core.model.build import build
from core.model.latents import constrain, log_prior, n_dims, of_geos, spread_by
from core.model.media.treatments import deviation_errors, media_and_effects
from core.model.spec import ChannelSpec, ModelSpec


def model(n_geos: int, **options):
    market = simulate_market(3, n_geos=n_geos, n_times=60)
    data = assemble(market.frame, market.mapping)
    channels = tuple(ChannelSpec(name) for name in data.media.names)
    return build(data, ModelSpec(channels, **options), precision="float64")


def values_of(latents):
    """`constrain` of these latents, compiled."""
    return jax.jit(partial(constrain, latents))


@pytest.mark.parametrize("own_sigma", [False, True])
def test_a_geo_has_its_own_deviations_and_sigma(own_sigma):
    built = model(4, unique_sigma_for_each_geo=own_sigma)
    latents, arrays = built.structure.latents, built.arrays
    groups = of_geos(latents)
    assert groups.shape == (4, 6 + own_sigma)
    assert len(np.unique(groups)) == groups.size
    start = np.zeros(n_dims(latents))
    values = values_of(latents)
    before, _ = values(jnp.asarray(start), arrays.priors, arrays.errors)
    for geo, places in enumerate(groups):
        moved = start.copy()
        moved[places] = 0.5
        after, _ = values(jnp.asarray(moved), arrays.priors, arrays.errors)
        for name, value in after.items():
            differs = np.asarray(value) != np.asarray(before[name])
            if name == "beta_gm_dev" or (own_sigma and name == "sigma"):
                assert differs[geo].all() and not np.delete(differs, geo, 0).any()
            else:
                assert not differs.any()


def test_a_national_market_has_no_geos():
    built = model(1, effectiveness="drifting")
    assert of_geos(built.structure.latents) is None
    # Waves have levels, too.
    assert spread_by(built.structure.latents, built.arrays) is None


def test_deviations_are_spread_by_the_channel_s_own(regional):
    latents, arrays = regional.structure.latents, regional.arrays
    by, known = spread_by(latents, arrays)
    start, is_spread = np.zeros(n_dims(latents)), by != np.arange(len(by))
    assert is_spread.sum() == 4 * 6  # geos and channels
    scale, errors = arrays.priors["eta_m"][:, 0], arrays.errors["beta_gm_dev"]
    expected = np.broadcast_to(np.asarray(scale / errors), (4, 6))
    np.testing.assert_allclose(np.sort(known[is_spread]), np.sort(expected.ravel()))
    values = values_of(latents)
    for spread in np.unique(by[is_spread]):
        moved = start.copy()
        moved[spread], moved[is_spread & (by == spread)] = 1.0, 1.0
        after, _ = values(jnp.asarray(moved), arrays.priors, arrays.errors)
        raised = np.asarray(after["eta_m"]) > np.median(after["eta_m"])
        assert raised.sum() == 1
        np.testing.assert_array_equal(
            np.asarray(after["beta_gm_dev"]) > 0, np.broadcast_to(raised, (4, 6))
        )


@pytest.fixture(scope="module")
def regional():
    """A market whose effects move with their spread, over geos and over the years."""
    return model(4, effectiveness="drifting")


@pytest.fixture(scope="module")
def first(regional):
    """Its parameters where the sampler's vector is zero."""
    latents, arrays = regional.structure.latents, regional.arrays
    start = jnp.zeros(n_dims(latents))
    return values_of(latents)(start, arrays.priors, arrays.errors)[0]


@pytest.fixture(scope="module")
def media_of(regional):
    """Its media and effects at some parameters, compiled."""
    (group,) = regional.structure.groups
    return jax.jit(partial(media_and_effects, regional.structure, group))


@pytest.fixture(scope="module")
def errors_of(regional):
    """`deviation_errors` of its structure, compiled."""
    return jax.jit(partial(deviation_errors, regional.structure))


@pytest.mark.parametrize(("n_geos", "effects"), [(1, "log_normal"), (4, "normal")])
def test_national_and_normal_effects_do_not_move_with_a_spread(n_geos, effects):
    market = model(n_geos, media_effects=effects, effectiveness="drifting")
    spreads = {latent.spread for latent in market.structure.latents}
    assert spreads == {"", "xi_drift"}


def test_effects_that_move_with_their_spread_have_the_same_prior(regional):
    """The log density of a position is the prior's plus that of the map."""
    latents, arrays = regional.structure.latents, regional.arrays
    assert [latent.spread for latent in latents if latent.spread] == [
        "eta_m",
        "xi_drift",
    ]
    moving = [latent.name for latent in latents if latent.n_free]

    sampled = tuple(latent for latent in latents if latent.n_free)

    @jax.jit
    def parts(position):
        """The log density, that of the prior, and the slopes of the map."""

        def flat(position):
            of, density = constrain(latents, position, arrays.priors, arrays.errors)
            together = jnp.concatenate([of[name].reshape(-1) for name in moving])
            return together, (of, density)

        slopes, (of, density) = jax.jacobian(flat, has_aux=True)(position)
        return density, sum(log_prior(sampled, of, arrays.priors).values()), slopes

    rng = np.random.default_rng(3)
    for _ in range(3):
        density, prior, slopes = parts(jnp.asarray(rng.normal(size=n_dims(latents))))
        _, of_map = np.linalg.slogdet(slopes)
        np.testing.assert_allclose(density, prior + of_map, rtol=1e-9)


def test_geos_are_known_as_well_as_a_regression_of_their_weeks_says(
    regional, first, media_of, errors_of
):
    arrays = regional.arrays
    media, effects = media_of(arrays, first)
    added = np.asarray(effects[:, :, None] * media)
    weeks = np.asarray(arrays.kpi)
    seen = np.ones_like(weeks)
    seen[0, 10:20] = 0.0
    known = []
    for geo in range(4):
        is_seen = seen[geo] > 0
        steps = np.diff(weeks[geo])[is_seen[1:] & is_seen[:-1]]
        noise = np.median(np.abs(steps)) / 0.6745 / np.sqrt(2)
        away = added[:, geo, is_seen]
        away = away - away.mean(axis=1, keepdims=True)
        known.append(noise / np.sqrt((away**2).sum(axis=1)))
    expected = np.exp2(np.round(np.log2(2.0 * np.median(known, axis=0))))
    expected = np.maximum(expected, 0.3)
    assert (expected > 0.3).any()
    arrays = arrays._replace(is_seen=jnp.asarray(seen))
    found = errors_of(arrays, first)["beta_gm_dev"]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_changes_of_effectiveness_are_known_as_well_as_what_they_change(
    regional, first, media_of
):
    """As a regression of all geos on what each wave moves, where the return is one."""
    arrays = regional.arrays
    media, effects = media_of(arrays, first)
    steps = np.diff(arrays.kpi, axis=1)
    noise = np.median(np.abs(steps), axis=1) / 0.6745 / np.sqrt(2)
    own = arrays.groups["m"]
    changing = np.asarray(own.change)[:, None, None] * effects[:, :, None] * media
    moved = changing[:, None] * np.asarray(own.drift).T[:, None]
    squares = ((moved - moved.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    error = 1.4 / np.sqrt((squares / noise**2).sum(axis=-1))
    level = np.asarray(first["roi_m"])[:, None]
    expected = np.exp2(np.round(np.log2(error * level)))
    assert len(np.unique(expected)) > 2
    np.testing.assert_allclose(arrays.errors["drift_m"], expected, rtol=1e-6)


def test_a_channel_without_media_is_not_known_at_all(regional, first, errors_of):
    arrays = regional.arrays
    nothing = arrays._replace(kpi=jnp.zeros_like(arrays.kpi))
    assert (errors_of(nothing, first)["beta_gm_dev"] == 0.3).all()
    group = arrays.groups["m"]
    none = group.media._replace(lags=group.media.lags.at[0].set(0.0))
    groups = {"m": group._replace(media=none)}
    errors = errors_of(arrays._replace(groups=groups), first)
    for name in ("beta_gm_dev", "drift_m"):
        assert (errors[name][0] > 100).all() and np.isfinite(errors[name]).all()
