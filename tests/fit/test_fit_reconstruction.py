"""Random numbers that are drawn ahead are those that are drawn when they are needed."""

import numpy as np
import pytest

from core.fit import reconstruction
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.latents import n_dims
from tests.small_market import market, spec


@pytest.mark.parametrize("most", [10_000_000, 400])
def test_draws_are_the_same_whether_their_noise_is_there_already(monkeypatch, most):
    """All of it, or that of the first draws."""
    monkeypatch.setattr(reconstruction, "_MOST_AHEAD", most)
    model = build(market(n_geos=2, n_times=20), spec())
    settings = SamplerSettings(chains=2, warmup=50, draws=20, seed=3)
    dim = n_dims(model.structure.latents)
    position = np.random.default_rng(1).normal(0, 0.1, (2, 20, dim))
    made = reconstruction.Reconstruction(model, settings)
    before = made(position)
    made.draw_ahead()
    assert made(position).identical(before)
    one_chain = position.reshape(1, 40, dim)  # as of a preview: other places
    fresh = reconstruction.Reconstruction(model, settings)
    assert made(one_chain).identical(fresh(one_chain))
