"""Saturation: the more media runs, the less the next exposure adds."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.compiled.fusion import along
from core.model.spec import Saturation


def hill(
    media: Float[Array, "channel geo time"],
    ec: Float[Array, " channel"],
    slope: Float[Array, " channel"],
    *,
    slope_is_one: bool = False,
) -> Float[Array, "channel geo time"]:
    r"""Hill curve $x^s / (x^s + ec^s)$.

    Args:
        media: Scaled media per capita, or average frequency, at least zero.
        ec: Half-saturation: media at which the curve is one half.
        slope: Steepness $s$; above one the curve is S-shaped.
        slope_is_one: Skip the powers, because every slope is one.

    Returns:
        In [0, 1). Zero media gives zero.
    """
    shape = media.shape[1:]
    half = _of_cells(ec, shape)
    if slope_is_one:
        return _half_saturated(media, half)
    # Two `where`s: the power's gradient is not finite at zero media. The logistic
    # form: at the end of carryover x can be so small that (ec / x)^s is infinite, and
    # the gradient of 1 / (1 + (ec / x)^s) no number.
    is_on = media > jnp.finfo(media.dtype).tiny
    x = jnp.where(is_on, media, 1.0)
    log_ratio = jnp.log(x) - _of_cells(jnp.log(ec), shape)
    steepness = _of_cells(slope, shape)
    return jnp.where(is_on, jax.nn.sigmoid(steepness * log_ratio), 0.0)


@jax.custom_jvp
def _half_saturated(x: jax.Array, ec: jax.Array) -> jax.Array:
    return x / (x + ec)


@_half_saturated.defjvp
def _slope(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    # As one quotient of what is above zero: the rule for quotients takes the difference
    # of two, each of which is divided for every cell.
    (x, ec), (of_x, of_ec) = primals, tangents
    square = 1.0 / (x + ec) ** 2
    return x / (x + ec), ec * square * of_x - x * square * of_ec


def _of_cells(
    x: Float[Array, " channel"], shape: tuple[int, int]
) -> Float[Array, "channel geo time"]:
    """A number of each channel, for all its cells."""
    n_geos, n_times = shape
    return along(jnp.broadcast_to(x[:, None], (len(x), n_geos)), n_times)


def saturate(
    kinds: tuple[Saturation, ...],
    media: Float[Array, "channel geo time"],
    ec: Float[Array, " channel"],
    slope: Float[Array, " channel"],
    *,
    slope_is_one: bool = False,
) -> Float[Array, "channel geo time"]:
    """Hill for the channels that saturate, the media itself for those that do not."""
    if all(kind == "none" for kind in kinds):
        return media
    curve = hill(media, ec, slope, slope_is_one=slope_is_one)
    if all(kind == "hill" for kind in kinds):
        return curve
    saturates = jnp.array([kind == "hill" for kind in kinds])
    return jnp.where(saturates[:, None, None], curve, media)
