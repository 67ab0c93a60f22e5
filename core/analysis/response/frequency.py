"""Optimal frequency: how often to reach the same people, for the same impressions.

Other media than what ran: off on some dates, at its least, at another frequency.
"""

import math

import numpy as np
import xarray as xr

from core.analysis.incremental import MediaBySuffix, over_draws, treatment_outcome
from core.analysis.record.sections import OptimalFrequency as Optimum
from core.dims import CHANNEL, DRAW
from core.estimate import estimate, extended, interval
from core.model.build import Model
from core.model.compiled.executables import persistent
from core.model.media.group_arrays import media_arrays, scaled_units
from core.model.media.structure import GroupStructure
from core.model.mediation.mediators import prefix


def least_media(model: Model) -> MediaBySuffix:
    """All media at the least that ran in any period of the KPI, of each geo its own."""
    n_times = model.data.n_times
    media = {}
    for group in model.structure.groups:
        units = _units(model, group)
        least = units[:, :, -n_times:].min(axis=2, keepdims=True)
        constant = np.broadcast_to(least, units.shape)
        media[group.suffix] = _arrays(model, group, constant)
    return media


def media_at_frequency(
    model: Model, group: GroupStructure, frequency: float
) -> MediaBySuffix:
    """A reach group at one frequency in every geo and period, impressions unchanged.

    In the models of its mediators as well.

    Args:
        model: The model.
        group: The reach-and-frequency group.
        frequency: Average exposures per person reached.
    """
    treatments = getattr(model.data, group.kind)
    actual = np.moveaxis(treatments.frequency, 2, 0)
    # Reach times frequency stays: who is reached more often are fewer people.
    units = _units(model, group) * actual / frequency
    constant = np.full_like(units, frequency)
    media = {group.suffix: _arrays(model, group, units, constant)}
    for place, other in enumerate(model.mediators):
        for theirs in other.structure.groups:
            if theirs.suffix == group.suffix:
                moved = media_at_frequency(other, theirs, frequency)
                media |= {prefix(place) + key: each for key, each in moved.items()}
    return media


def _units(model: Model, group: GroupStructure) -> np.ndarray:
    return scaled_units(model.data, getattr(model.data, group.kind))


def _arrays(
    model: Model,
    group: GroupStructure,
    units: np.ndarray,
    frequency: np.ndarray | None = None,
):
    if group.by_reach and frequency is None:
        treatments = getattr(model.data, group.kind)
        frequency = np.moveaxis(treatments.frequency, 2, 0)
    dtype = model.arrays.kpi.dtype
    return media_arrays(group, units, frequency, model.data.n_times, dtype)


#: Step of the grid of frequencies, as in Meridian.
STEP = 0.1
#: Most points of the grid of the view model; beyond, its step is a multiple.
MOST_POINTS = 100


@persistent(2)
def _outcomes(structure, suffix, arrays, draws, media):
    start = 0
    for group in structure.groups:
        if group.suffix == suffix:
            break
        start += group.n_channels
    places = slice(start, start + group.n_channels)

    def of_draw(draw):
        outcome = treatment_outcome(structure, arrays, draw, media)
        return outcome[places].sum(axis=(1, 2))

    return over_draws(of_draw, draws)


def frequencies(model: Model, draws: dict[str, np.ndarray]) -> xr.Dataset | None:
    """Outcome of every channel that has a frequency, paid or not, over frequencies.

    Impressions and spend stay what they were; frequency is the same in every geo and
    period.

    Args:
        model: The model.
        draws: Posterior variables, draws first.

    Returns:
        None without such channels. Dims channel, frequency (exposures per person
        reached, from one up to the largest seen in the channel's group; NaN beyond):
        `outcome` and `outcome_ci` in outcome units. Per channel `best`, the frequency
        of the highest mean outcome, and as coordinates `current`, the average
        frequency that ran, `highest_seen` and `spend` (NaN where unpaid).
        `best_of_draw` has dims draw, channel.
    """
    parts = [
        _of_group(model, draws, group)
        for group in model.structure.groups
        if group.by_reach
    ]
    return xr.concat(parts, CHANNEL, join="outer") if parts else None


def frequency_summary(view: xr.Dataset | None) -> dict[str, Optimum]:
    """Optimal frequency by channel: the estimate over draws, `best` and `current`."""
    if view is None:
        return {}
    return {
        str(name): extended(
            Optimum,
            estimate(view["best_of_draw"].sel(channel=name).to_numpy()),
            **{key: float(view[key].sel(channel=name)) for key in ("best", "current")},
        )
        for name in view[CHANNEL].to_numpy()
    }


def _of_group(
    model: Model, draws: dict[str, np.ndarray], group: GroupStructure
) -> xr.Dataset:
    treatments = getattr(model.data, group.kind)
    ran, frequency = (
        part[:, -model.data.n_times :]
        for part in (treatments.units, treatments.frequency)
    )
    reached = np.maximum(ran.sum(axis=(0, 1)), 1e-12)
    spend = np.full(group.n_channels, np.nan)
    if treatments.spend is not None:
        spend = treatments.spend.sum(axis=(0, 1))
    grid = _grid(float(treatments.frequency.max()))
    outcomes = _over_grid(model, draws, group, grid)
    mean = outcomes.mean(axis=0).T
    dims = (CHANNEL, "frequency")
    return xr.Dataset(
        {
            "outcome": (dims, mean),
            "outcome_ci": ((*dims, "ci"), np.swapaxes(interval(outcomes), 0, 1)),
            "best": (CHANNEL, grid[mean.argmax(axis=1)]),
            "best_of_draw": ((DRAW, CHANNEL), grid[outcomes.argmax(axis=1)]),
        },
        coords={
            CHANNEL: list(treatments.names),
            "frequency": grid,
            "ci": ["lo", "hi"],
            "current": (CHANNEL, (ran * frequency).sum(axis=(0, 1)) / reached),
            "highest_seen": (CHANNEL, treatments.frequency.max(axis=(0, 1))),
            "spend": (CHANNEL, spend),
        },
    )


def _grid(highest: float) -> np.ndarray:
    """From one up to below the largest frequency, on multiples of the step."""
    # Rounded first: 0.1 is no binary number, and 1.3 would have one point more or less.
    last = max(0, math.ceil(round((highest - 1) / STEP, 9)) - 1)
    stride = max(1, math.ceil(last / MOST_POINTS))
    return np.round(1 + STEP * np.arange(0, last + 1, stride), 10)


def _over_grid(
    model: Model, draws: dict[str, np.ndarray], group: GroupStructure, grid: np.ndarray
) -> np.ndarray:
    """Outcome of a group's channels at each frequency; draw grid channel."""
    outcomes = [
        np.asarray(
            _outcomes(
                model.structure,
                group.suffix,
                model.arrays,
                draws,
                media_at_frequency(model, group, float(frequency)),
            ),
            np.float64,
        )
        for frequency in grid
    ]
    return np.stack(outcomes, axis=1)
