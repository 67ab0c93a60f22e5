"""Other media than what ran: off on some dates, at its least, at another frequency."""

import numpy as np

from core.analysis.incremental import MediaBySuffix
from core.model.build import Model
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
    seen = np.moveaxis(treatments.frequency, 2, 0)
    # Reach times frequency stays: who is reached more often are fewer people.
    units = _units(model, group) * seen / frequency
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
