"""Which coordinates of the sampler's vector belong to which geo."""

import jax.numpy as jnp
import numpy as np
import pytest

from core.data.assemble import assemble
from core.data.simulate import simulate_market
from core.model.build import build
from core.model.latents import constrain, n_dims, of_geos
from core.model.spec import ChannelSpec, ModelSpec


def model(n_geos: int, **options):
    market = simulate_market(3, n_geos=n_geos, n_times=60)
    data = assemble(market.frame, market.mapping)
    channels = tuple(ChannelSpec(name) for name in data.media.names)
    return build(data, ModelSpec(channels, **options), precision="float64")


@pytest.mark.parametrize("own_sigma", [False, True])
def test_a_geo_has_its_own_deviations_and_sigma(own_sigma):
    built = model(4, unique_sigma_for_each_geo=own_sigma)
    latents, priors = built.structure.latents, built.arrays.priors
    groups = of_geos(latents)
    assert groups.shape == (4, 6 + own_sigma)
    assert len(np.unique(groups)) == groups.size
    start = np.zeros(n_dims(latents))
    before, _ = constrain(latents, jnp.asarray(start), priors)
    for geo, places in enumerate(groups):
        moved = start.copy()
        moved[places] = 0.5
        after, _ = constrain(latents, jnp.asarray(moved), priors)
        for name, value in after.items():
            differs = np.asarray(value) != np.asarray(before[name])
            if name == "beta_gm_dev" or (own_sigma and name == "sigma"):
                assert differs[geo].all() and not np.delete(differs, geo, 0).any()
            else:
                assert not differs.any()


def test_a_national_market_has_no_geos():
    assert of_geos(model(1).structure.latents) is None
