r"""Best frequency: what reach and frequency channels bring when bought at it.

The same impressions may reach many people seldom or few often. Reach carries over
linearly, so at another frequency $f$ in every geo and period, with reach $r q / f$ for
reach $r$ and frequency $q$ that ran, a channel brings a multiple of what it brings at
any spend: the lift. The best frequency is that of the highest mean outcome.
"""

from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.analysis.ahead.planned_periods import PlannedPeriods
from core.analysis.incremental import over_draws
from core.analysis.multiples import response
from core.data.mapping import PAID
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.media.structure import GroupStructure, ModelArrays, Structure

#: Frequencies that are tried, and draws that choose among them.
_TRIED, _CHOOSING = 41, 200


class BestFrequency(NamedTuple):
    """The best frequency of each paid channel; NaN where it has none.

    Attributes:
        best: Exposures per person reached.
        ran: The same as it ran: impressions over reach.
        lift: Outcome at the best over that at the frequency that ran, by draw, and by
            geo where those are kept apart.
    """

    best: Float[np.ndarray, " channel"]
    ran: Float[np.ndarray, " channel"]
    lift: Float[np.ndarray, "draw channel *geo"]


@persistent(2)
def _outcomes(structure, by_geo, arrays, draws):
    one = jnp.ones(1, arrays.kpi.dtype)

    def of_draw(draw):
        return response(structure, arrays, draw, one, by_geo=by_geo)[0][..., 0]

    return over_draws(of_draw, draws)


def best_frequency(
    model: Model,
    draws: dict[str, np.ndarray],
    periods: PlannedPeriods,
    *,
    by_geo: bool = False,
) -> BestFrequency | None:
    """The best frequency of channels in a plan's periods.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        periods: Those of the plan.
        by_geo: Whether the lift is that of each geo; the frequency is one for all.

    Returns:
        None where no paid channel has reach and frequency.
    """
    paid = [group for group in model.structure.groups if group.kind in PAID]
    if not any(group.by_reach for group in paid):
        return None
    ran = _by_draw(periods, draws, by_geo=by_geo)
    best, usual, lift, place = [], [], [], 0
    for group in model.structure.groups:
        places = slice(place, place + group.n_channels)
        place += group.n_channels
        if group.kind not in PAID:
            continue
        chosen, at = np.full((2, group.n_channels), np.nan)
        more = np.ones((len(ran), group.n_channels, *ran.shape[2:]))
        if group.by_reach:
            chosen = _chosen(model, draws, periods, group, places)
            at = _ran(periods, group)
            often = _at(periods, group, chosen)
            there = _by_draw(often, draws, by_geo=by_geo)[:, places]
            now = ran[:, places]
            more = np.divide(there, now, out=more, where=now != 0)
        best.append(chosen)
        usual.append(at)
        lift.append(more)
    together = np.concatenate(lift, axis=1)
    return BestFrequency(*map(np.concatenate, (best, usual)), together)


def _chosen(
    model: Model,
    draws: dict[str, np.ndarray],
    periods: PlannedPeriods,
    group: GroupStructure,
    places: slice,
) -> Float[np.ndarray, " channel"]:
    """The frequency of the highest mean outcome of each channel of a group."""
    few = jax.tree.map(lambda each: each[:: max(1, len(each) // _CHOOSING)], draws)
    highest = getattr(model.data, group.kind).frequency.max(axis=(0, 1))
    grid = np.linspace(1.0, np.maximum(highest, 1.0), _TRIED, axis=1)
    means = [
        _by_draw(_at(periods, group, tried), few)[:, places].mean(axis=0)
        for tried in grid.T
    ]
    return grid[np.arange(len(grid)), np.argmax(means, axis=0)]


def _ran(
    periods: PlannedPeriods, group: GroupStructure
) -> Float[np.ndarray, " channel"]:
    """Impressions over reach of each channel of a group, as it ran."""
    media = periods.arrays.groups[group.suffix].media
    reach, frequency = (
        np.asarray(each, float) for each in (media.units, media.frequency)
    )
    total = reach.sum(axis=(1, 2))
    return (reach * frequency).sum(axis=(1, 2)) / np.maximum(total, 1e-12)


def _by_draw(
    periods: PlannedPeriods, draws: dict[str, np.ndarray], *, by_geo: bool = False
) -> np.ndarray:
    """Outcome of every channel at the media of the periods; draw channel, and geo."""
    structure, arrays = periods.structure, periods.arrays
    outcome = in_chunks(lambda some: _outcomes(structure, by_geo, arrays, some), draws)
    return np.asarray(outcome, np.float64)


def _at(
    periods: PlannedPeriods, group: GroupStructure, frequency: np.ndarray
) -> PlannedPeriods:
    """The same with a group's channels at one frequency each, impressions unchanged."""
    first = _first(periods.structure, group.suffix)
    frequencies = {first + place: float(each) for place, each in enumerate(frequency)}
    arrays = _often(periods.structure, periods.arrays, group.suffix, frequencies)
    return periods._replace(arrays=arrays)


def _often(
    structure: Structure,
    arrays: ModelArrays,
    suffix: str,
    frequencies: Mapping[int, float],
) -> ModelArrays:
    """Arrays with some channels of a reach group at one frequency each.

    Where a channel moves a mediator, it is reached as often in the mediator's model.

    Args:
        structure: Static.
        arrays: Data.
        suffix: Of the group.
        frequencies: Frequency by place among the channels that carry over.
    """
    first, numbers = _first(structure, suffix), arrays.groups[suffix]
    media = numbers.media
    places = [place - first for place in frequencies]
    ran, dtype = np.asarray(media.frequency), media.units.dtype
    frequency = ran.copy()
    frequency[places] = np.array(list(frequencies.values()))[:, None, None]
    changed = media._replace(
        units=jnp.asarray(media.units * ran / frequency, dtype),
        frequency=jnp.asarray(frequency, dtype),
    )
    mediators = []
    for link, theirs in zip(structure.mediators, arrays.mediators, strict=True):
        shared = dict(zip(link.ours, link.theirs, strict=True))
        moved = {
            shared[place]: each
            for place, each in frequencies.items()
            if place in shared
        }
        mediators.append(
            _often(link.structure, theirs, suffix, moved) if moved else theirs
        )
    groups = arrays.groups | {suffix: numbers._replace(media=changed)}
    return arrays._replace(groups=groups, mediators=tuple(mediators))


def _first(structure: Structure, suffix: str) -> int:
    """Place of a group's first channel among those that carry over."""
    before = 0
    for group in structure.groups:
        if group.suffix == suffix:
            break
        before += group.n_channels
    return before
