"""Outcome at multiples of media, against the model's own media functions."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.incremental import treatment_outcome
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.multiples import response
from core.data.mapping import KINDS
from core.model.build import build
from core.model.media.group_arrays import media_arrays, scaled_units
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec

MULTIPLIERS = np.array([0.0, 0.3, 1.0, 2.5])
MODELS = {
    "slope of one": {"preset": "meridian"},
    "any slope": {"preset": "mixwright"},
    "one channel without saturation": {"channels": {"tv": {"saturation": "none"}}},
    "one channel that drifts": {"channels": {"tv": {"effectiveness": "drifting"}}},
    "saturation first": {"hill_before_adstock": True},
}


def _parted(data, runs):
    """The market with its media in some periods only."""
    kinds = {
        kind: replace(own, units=own.units * runs[:, None])
        for kind in KINDS[:-1]
        if (own := getattr(data, kind))
    }
    return replace(data, **kinds)


def _media(model, data):
    """Media of a market by group."""
    media = {}
    for group in model.structure.groups:
        own = getattr(data, group.kind)
        often = own.frequency
        media[group.suffix] = media_arrays(
            group,
            scaled_units(model.data, own),
            None if often is None else np.moveaxis(often, 2, 0),
            model.data.n_times,
            model.arrays.kpi.dtype,
        )
    return jax.tree.map(jnp.asarray, media)


@pytest.mark.parametrize("has_others", [False, True])
@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_the_response_is_that_of_so_much_media(options, has_others):
    """Channels that pause too, alone and beside media of other periods."""
    data = market(every_kind=not has_others, n_times=23)
    data = _parted(data, np.arange(23) % 11 > 1)
    model = build(data, spec(every_kind=not has_others, **options))
    runs = np.arange(23) > 8 if has_others else np.ones(23, bool)
    planned, others = _parted(data, runs), _parted(data, ~runs)
    structure, arrays = model.structure, model.arrays
    latents = {
        name: jnp.asarray(own[0]) for name, own in prior_draws(model, 1, 3).items()
    }
    draw = jax.jit(partial(posterior_variables, structure))(arrays, latents)
    weight = jnp.asarray(np.random.default_rng(0).uniform(size=data.kpi.shape))

    own, beside = _media(model, planned), _media(model, others)

    def outcome(k, by_geo):
        media = {
            # Frequency stays.
            key: jax.tree.map(
                lambda one, rest: k * one + rest, own[key], beside[key]
            )._replace(frequency=own[key].frequency)
            for key in own
        }
        whole = treatment_outcome(structure, arrays, draw, media) * weight
        return whole.sum(axis=2 if by_geo else (1, 2))

    def changing(k, by_geo):
        return jax.jvp(lambda k: outcome(k, by_geo), (k,), (1.0,))

    groups = {
        suffix: numbers._replace(media=own[suffix])
        for suffix, numbers in arrays.groups.items()
    }
    at = arrays._replace(groups=groups)
    grid, beside_or_none = jnp.asarray(MULTIPLIERS), beside if has_others else None
    for by_geo in (False, True):
        value, slope = jax.jit(
            lambda by_geo=by_geo: response(
                structure, at, draw, grid, weight, beside=beside_or_none, by_geo=by_geo
            )
        )()
        expected, change = jax.jit(
            lambda by_geo=by_geo: jax.lax.map(lambda k: changing(k, by_geo), grid)
        )()
        if has_others:
            expected = expected - expected[:1]
        near = {"rtol": 1e-8, "atol": 1e-8 * float(jnp.abs(value).max())}
        np.testing.assert_allclose(value, jnp.moveaxis(expected, 0, -1), **near)
        np.testing.assert_allclose(slope, jnp.moveaxis(change, 0, -1), **near)
