"""Outcome of spend per week and channel, per posterior draw.

The outcome is that of `core.analysis.incremental.treatment_outcome`; only the media is
the plan's.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import over_draws, treatment_outcome
from core.model.compiled.executables import persistent
from core.model.media.group_arrays import media_arrays
from core.model.media.structure import MediaArrays
from core.plan.response.envelope import bends
from core.plan.response.horizon import Bought, WeekResponse


def media_of(
    structure, bought: dict[str, Bought], spend: Float[Array, "channel week"], dtype
) -> dict[str, MediaArrays]:
    """Media before, in and after a plan, by group suffix."""
    media, first = {}, 0
    for group in structure.groups:
        channels = bought[group.suffix]
        of_group = spend[first : first + group.n_channels, None, :]
        first += group.n_channels
        units = channels.per_money * of_group.astype(dtype)
        units = jnp.concatenate([channels.before, units, channels.after], axis=2)
        media[group.suffix] = media_arrays(
            group, units, channels.frequency, structure.n_times, dtype
        )
    return media


def _media_that_ran(
    structure, bought: dict[str, Bought], dtype
) -> dict[str, MediaArrays]:
    """Media before, in and after a plan as it ran a year earlier, by group suffix."""
    media = {}
    for group in structure.groups:
        channels = bought[group.suffix]
        units = jnp.concatenate([channels.before, channels.ran, channels.after], axis=2)
        media[group.suffix] = media_arrays(
            group, units, channels.frequency_ran, structure.n_times, dtype
        )
    return media


@persistent()
def _outcomes(structure, arrays, bought, draws, spend):
    dtype = arrays.kpi.dtype
    if spend is None:
        media = _media_that_ran(structure, bought, dtype)
    else:
        media = media_of(structure, bought, spend, dtype)

    def of_draw(draw):
        return treatment_outcome(structure, arrays, draw, media).sum(axis=1)

    return over_draws(of_draw, draws)


def outcomes(
    response: WeekResponse,
    draws: dict[str, np.ndarray],
    spend: Float[np.ndarray, "c w"] | None,
) -> Float[np.ndarray, "draw channel time"]:
    """Outcome per draw, channel and period, those after the plan included.

    Args:
        response: That of the weeks.
        draws: Joint posterior draws.
        spend: Of the plan; None for the media as it ran a year earlier, at the price of
            each week.
    """
    if spend is not None:
        spend = response.at_one_price(spend)
    brought = _outcomes(
        response.structure, response.arrays, response.bought, draws, spend
    )
    return np.asarray(brought, np.float64)


def not_of_the_plan(
    response: WeekResponse, draws: dict[str, np.ndarray], none: Float[np.ndarray, "c w"]
) -> Float[np.ndarray, " draw"]:
    """Outcome in the plan and after it that comes without it, of media around it."""
    return outcomes(response, draws, none).sum(axis=(1, 2))


@persistent()
def all_bends(structure, arrays, bought, draws, low, high):
    """Where the draws' ceilings between two spends are lines."""
    dtype = arrays.kpi.dtype
    ends = (media_of(structure, bought, spend, dtype) for spend in (low, high))
    least, most = ends

    def of_draw(draw):
        return bends(structure, arrays, draw, least, most)

    return jax.vmap(of_draw)(draws)
