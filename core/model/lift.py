r"""Lift tests in the likelihood: each is one more observation.

For a test of channel m in geos G and periods W, the model's own incremental outcome is

    I = sum_{g in G, t in W} beta_gm (m~_gt(x) - m~_gt(x off in G, W)) scale_gt

and the observed one is Normal around it with the test's standard error. Both arms
share the media before the test, so what carries over into the window cancels as far
as saturation lets it, and what carries over out of it is not counted: a test measures
its own window.
"""

from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.data.input_data import InputData
from core.model.experiment import Experiment
from core.model.group_arrays import media_arrays, scaled_units
from core.model.latents import Params
from core.model.structure import GroupArrays, GroupStructure, MediaArrays
from core.model.treatments import media_transformed

#: Parameters that the transformation of a channel takes.
STEMS = ("alpha", "theta", "lam", "k", "ec", "slope", "drift")


class LiftArrays(NamedTuple):
    """Numbers of one test.

    Attributes:
        off: The channel's media, switched off in the test; one channel.
        where: One in the test's cells, geo time.
        outcome: Observed incremental outcome.
        error: Its standard error.
    """

    off: MediaArrays
    where: jax.Array
    outcome: jax.Array
    error: jax.Array


def one_channel(group: GroupStructure, place: int) -> GroupStructure:
    """The options of one channel of a group, as a group of its own."""
    return replace(
        group,
        n_channels=1,
        adstock=group.adstock[place : place + 1],
        saturation=group.saturation[place : place + 1],
        drifts=group.drifts[place : place + 1],
    )


def lift_arrays(
    data: InputData, group: GroupStructure, place: int, test: Experiment, dtype
) -> LiftArrays:
    """Numbers of one test.

    Args:
        data: The market.
        group: The group of the channel tested.
        place: Its place in the group.
        test: What was measured.
        dtype: Floating point type.
    """
    treatments = getattr(data, group.kind)
    low, high = np.datetime64(test.start), np.datetime64(test.end)
    in_geos = np.array([not test.geos or geo in test.geos for geo in data.geos])
    dates = (data.media_times >= low) & (data.media_times <= high)
    periods = (data.times >= low) & (data.times <= high)
    units = scaled_units(data, treatments)[place : place + 1]
    off = np.where(in_geos[None, :, None] & dates[None, None, :], 0.0, units)
    frequency = None
    if treatments.frequency is not None:
        frequency = np.moveaxis(treatments.frequency, 2, 0)[place : place + 1]
    alone = one_channel(group, place)
    return LiftArrays(
        off=media_arrays(alone, off, frequency, data.n_times, dtype),
        where=(in_geos[:, None] & periods[None, :]).astype(float),
        outcome=np.array(float(test.incremental_outcome)),
        error=np.array(float(test.standard_error)),
    )


def lift(
    group: GroupStructure,
    place: int,
    test: LiftArrays,
    transformed: Float[Array, "channel geo time"],
    effects: Float[Array, "channel geo"],
    arrays: GroupArrays,
    params: Params,
    outcome_scale: Float[Array, "geo time"],
) -> Float[Array, ""]:
    """The model's incremental outcome of one test; outcome units.

    Args:
        group: The group of the channel tested.
        place: Its place in the group.
        test: Numbers of the test.
        transformed: The group's media after carryover and saturation, as it ran.
        effects: Effect of each channel of the group in each geo.
        arrays: Numbers of the group.
        params: Latents by name.
        outcome_scale: Outcome per unit of scaled KPI.
    """
    own = slice(place, place + 1)
    names = [f"{stem}_{group.suffix}" for stem in STEMS]
    alone = {name: params[name][own] for name in names if name in params}
    if "xi_drift" in params:
        alone["xi_drift"] = params["xi_drift"]
    without = media_transformed(
        one_channel(group, place),
        test.off,
        arrays._replace(window=arrays.window[own]),
        alone,
        transformed.shape[2],
    )[0]
    change = (transformed[place] - without) * effects[place][:, None]
    return (change * outcome_scale * test.where).sum()


def lift_log_likelihood(
    lifts: list[jax.Array], tests: tuple[LiftArrays, ...]
) -> float | Float[Array, ""]:
    """Log density of the observed results around the model's."""
    total = 0.0
    for modelled, test in zip(lifts, tests, strict=True):
        deviation = (test.outcome - modelled) / test.error
        total += -0.5 * deviation**2 - jnp.log(test.error) - 0.5 * np.log(2 * np.pi)
    return total
