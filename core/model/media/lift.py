r"""Lift tests in the likelihood: each is one more observation.

For a test of channels M in geos G and periods W, the model's own incremental outcome is

    I = s sum_{m in M, g in G, t in W} beta_gm (m~_gtm(x) - m~_gtm(x')) scale_gt

with x' the media of the other arm: x outside of G and W, and a multiple of it, or what
an amount buys, inside. s is -1 where the other arm has more media. The observed result
is Normal around I, or skewed (core/model/media/result.py), with the test's standard
error, which grows with the test's age where
it has a half-life: half as many observations, so sqrt(2) times the error. Both arms
share the media before the test, so what carries over into the window cancels as far
as saturation lets it, and what carries over out of it is not counted: a test measures
its own window.

A channel that works through a mediator has its result in part by way of it. What the
test changed of the mediator is known from the mediator's own fit, by draw; the
likelihood of the result is its mean over these draws, which is exact as far as they
are the mediator's posterior:

    p(result | a) = 1/S sum_s p(result | I(a) + k(a) . M_s)

with M_s the media that the test caused in draw s of the other fit and k(a) what a unit
of it brings within the test.
"""

from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.data.experiments.entry import Entry
from core.data.input_data import InputData
from core.model.latents import Params
from core.model.media.carried import per_mediator
from core.model.media.group_arrays import media_arrays, scaled_units
from core.model.media.result import Result
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    MediaArrays,
    ModelArrays,
    Structure,
)
from core.model.media.treatments import media_transformed
from core.model.spec import CARRYOVER

#: Parameters that the transformation of a channel takes.
STEMS = (*CARRYOVER, "ec", "slope", "drift")


class ByWay(NamedTuple):
    """What a test changed of mediators, in draws of their models.

    Attributes:
        cells: The test's, places among geo x time.
        media: Scaled media that more media of the test caused in these cells, of each
            mediator; draw cell.
    """

    cells: jax.Array
    media: tuple[jax.Array, ...]


class LiftArrays(NamedTuple):
    """Numbers of one test.

    Attributes:
        others: Media of the other arm, of each channel tested.
        sign: One; minus one where the other arm has more media.
        where: One in the test's cells, geo time.
        result: Observed incremental outcome with its error.
        by_way: What it changed of mediators; None where it changed none.
    """

    others: tuple[MediaArrays, ...]
    sign: jax.Array
    where: jax.Array
    result: Result
    by_way: ByWay | None = None


def one_channel(group: GroupStructure, place: int) -> GroupStructure:
    """The options of one channel of a group, as a group of its own."""
    return replace(
        group,
        n_channels=1,
        adstock=group.adstock[place : place + 1],
        saturation=group.saturation[place : place + 1],
        drifts=group.drifts[place : place + 1],
    )


class Tested(NamedTuple):
    """A channel of a test.

    Attributes:
        which: The test.
        part: The channel among those of the test.
        place: The channel in its group.
    """

    which: int
    part: int
    place: int


def tested_in(group: GroupStructure, structure: Structure) -> list[Tested]:
    """What is tested of the channels of a group."""
    return [
        Tested(which, part, place)
        for which, channels in enumerate(structure.lifts)
        for part, (suffix, place) in enumerate(channels)
        if suffix == group.suffix
    ]


def lift_arrays(
    data: InputData,
    places: tuple[tuple[GroupStructure, int], ...],
    test: Entry,
    dtype,
) -> LiftArrays:
    """Numbers of one test.

    Args:
        data: The market.
        places: Group and place in it of each channel tested.
        test: What was measured.
        dtype: Floating point type.
    """
    low, high = np.datetime64(test.start), np.datetime64(test.end)
    in_geos = np.array([not test.geos or geo in test.geos for geo in data.geos])
    dates = (data.media_times >= low) & (data.media_times <= high)
    periods = (data.times >= low) & (data.times <= high)
    cells = in_geos[:, None] & dates[None, :]
    arms = [other_arm(data, group, place, test, cells) for group, place in places]
    others = tuple(
        media_arrays(one_channel(group, place), units, frequency, data.n_times, dtype)
        for (group, place), (units, frequency, _) in zip(places, arms, strict=True)
    )
    age = (data.times[-1] - high).astype("timedelta64[D]").astype(float) / 7
    # Evidence halves with age as if half the geos had been tested: the error grows with
    # the root.
    halvings = 0.0 if test.half_life is None else max(age, 0.0) / test.half_life
    return LiftArrays(
        others=others,
        sign=np.array(-1.0 if all(more for *_, more in arms) else 1.0),
        where=(in_geos[:, None] & periods[None, :]).astype(float),
        result=Result(
            np.array(float(test.incremental_outcome)),
            np.array(float(test.standard_error) * 2 ** (halvings / 2)),
            np.array(float(test.skewness or 0.0)),
        ),
    )


def other_arm(
    data: InputData,
    group: GroupStructure,
    place: int,
    test: Entry,
    cells: np.ndarray,
) -> tuple[np.ndarray, np.ndarray | None, bool]:
    """Media of the arm that did not run.

    An amount buys media at the channel's mean price, spread over the test's periods
    evenly and over its geos as their media of all other periods is.

    Returns:
        Scaled units and frequency (None unless by reach), channel geo media_time, and
        whether there is more media than ran.
    """
    treatments = getattr(data, group.kind)
    units = scaled_units(data, treatments)[place : place + 1]
    frequency = None
    if treatments.frequency is not None:
        frequency = np.moveaxis(treatments.frequency, 2, 0)[place : place + 1]
    if test.amount is None:
        multiple = test.multiple or 0.0
        other = np.where(cells[None], multiple * units, units)
        return other, frequency, multiple > 1
    raw = treatments.units[:, :, place]
    spent = float(treatments.spend[:, :, place].sum())
    n_units = test.amount * raw[:, -data.n_times :].sum() / spent
    usual = np.where(cells, 0.0, raw).sum(axis=1) * cells.any(axis=1)
    # By the geos' usual media: equal amounts would flood small geos.
    bought = n_units * usual / usual.sum() / cells.any(axis=0).sum()
    other = np.where(cells, bought[:, None], raw)
    # Back to scaled units by the ratio seen in cells with media: the scale of a geo
    # does not change over time.
    scale = np.divide(units[0], raw, out=np.zeros_like(raw), where=raw > 0).max(axis=1)
    if frequency is not None:
        ran = np.where(frequency > 0, frequency, np.nan)
        frequency = np.where(cells[None], np.nanmean(ran), frequency)
    is_more = n_units > raw[cells].sum()
    return other[None] * scale[:, None], frequency, bool(is_more)


def lift(
    group: GroupStructure,
    tested: Tested,
    test: LiftArrays,
    transformed: Float[Array, "channel geo time"],
    effects: Float[Array, "channel geo"],
    arrays: GroupArrays,
    params: Params,
    outcome_scale: Float[Array, "geo time"],
) -> Float[Array, "geo time"]:
    """What one channel's test changed in each cell, in and after it; outcome units.

    Of the arm with more media against the other.

    Args:
        group: The group of the channel tested.
        tested: The channel.
        test: Numbers of the test.
        transformed: The group's media after carryover and saturation, as it ran.
        effects: Effect of each channel of the group in each geo.
        arrays: Numbers of the group.
        params: Latents by name.
        outcome_scale: Outcome per unit of scaled KPI.
    """
    place = tested.place
    own = slice(place, place + 1)
    names = [f"{stem}_{group.suffix}" for stem in STEMS]
    # Only the tested channel is transformed again: a test changes no other one's media.
    alone = {name: params[name][own] for name in names if name in params}
    if "xi_drift" in params:
        alone["xi_drift"] = params["xi_drift"]
    numbers = arrays._replace(window=arrays.window[own], typical=arrays.typical[own])
    if arrays.change is not None:
        numbers = numbers._replace(change=arrays.change[own])
    without = media_transformed(
        one_channel(group, place),
        test.others[tested.part],
        numbers,
        alone,
        transformed.shape[2],
    )[0]
    change = (transformed[place] - without) * effects[place][:, None]
    return test.sign * change * outcome_scale


def with_mediated(
    structure: Structure,
    arrays: ModelArrays,
    params: Params,
    lifts: list[jax.Array],
) -> list[Float[Array, "*draw"]]:
    """The results of tests together with what came by way of mediators.

    Args:
        structure: Static.
        arrays: Data.
        params: Parameters, with the effects of the mediators' group.
        lifts: Results by this model alone.

    Returns:
        One number per test; one per draw of the mediators' models where it moved one.
    """
    total = []
    for own, test in zip(lifts, arrays.lifts, strict=True):
        by_way = test.by_way
        for place, link in enumerate(structure.tested if by_way else ()):
            worth = per_mediator(structure, link, arrays, params, test.where)
            own = own + by_way.media[place] @ worth.ravel()[by_way.cells]
        total.append(own)
    return total


def lift_log_densities(
    lifts: list[jax.Array], tests: tuple[LiftArrays, ...]
) -> float | Float[Array, "*draw"]:
    """Log density of the observed results around the model's.

    Per draw of the mediators' models where a test moved one.
    """
    total = 0.0
    for modelled, test in zip(lifts, tests, strict=True):
        total += test.result.log_density(modelled, jnp)
    return total


def lift_log_likelihood(
    lifts: list[jax.Array], tests: tuple[LiftArrays, ...]
) -> float | Float[Array, ""]:
    """The same, its density averaged over the draws of the mediators' models."""
    each = lift_log_densities(lifts, tests)
    if jnp.ndim(each) == 0:
        return each
    return jax.nn.logsumexp(each) - jnp.log(len(each))
