"""The Hill curve at points that can be checked by hand, and its gradients."""

import jax
import jax.numpy as jnp
import numpy as np

from core.model.media.saturation import hill, saturate


def curve(x, ec, slope, **options):
    media = jnp.asarray(x)[None, None, :]
    return hill(media, jnp.array([ec]), jnp.array([slope]), **options)[0, 0]


def test_zero_media_gives_zero_and_half_saturation_gives_half():
    np.testing.assert_allclose(curve([0.0, 0.7], 0.7, 2.3), [0.0, 0.5])


def test_slope_one_is_x_over_x_plus_ec():
    x = np.linspace(0, 5, 11)
    expected = x / (x + 1.3)
    np.testing.assert_allclose(curve(x, 1.3, 1.0), expected, rtol=1e-12)
    np.testing.assert_allclose(curve(x, 1.3, 1.0, slope_is_one=True), expected)


def test_gradients_are_finite_where_there_is_no_media():
    def total(slope):
        return curve([0.0, 0.5, 2.0], 1.0, slope).sum()

    assert np.isfinite(jax.grad(total)(2.5))


def test_gradients_are_finite_at_the_end_of_carryover_in_single_precision():
    """Media that has all but faded away, under steep and flat curves."""
    with jax.enable_x64(False):
        x = jnp.asarray([0.0, 1e-42, 1e-38, 1e-30, 1e-18, 1e-9, 1.0], np.float32)

        def total(x, ec, slope):
            return hill(x[None, None, :], ec[None], slope[None]).sum()

        for slope in (0.3, 1.0, 2.5, 6.0):
            given = (x, jnp.float32(1.7), jnp.float32(slope))
            for slopes in jax.grad(total, argnums=(0, 1, 2))(*given):
                assert np.isfinite(slopes).all(), (slope, slopes)


def test_channels_without_saturation_are_lines():
    media = jnp.array([[[0.5, 3.0]], [[0.5, 3.0]]])
    both = saturate(("hill", "none"), media, jnp.ones(2), jnp.ones(2))
    np.testing.assert_allclose(both[0, 0], [1 / 3, 0.75])
    np.testing.assert_allclose(both[1, 0], [0.5, 3.0])
