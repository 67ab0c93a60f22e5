"""Media that is off in some periods, or at another frequency with its reach kept."""

import numpy as np

from core.analysis.incremental import MediaBySuffix
from core.model.build import Model
from core.model.media.group_arrays import media_arrays, scaled_units
from core.model.media.structure import GroupStructure


def media_without(model: Model, dates: np.ndarray) -> MediaBySuffix:
    """All media, switched off in the periods given."""
    media = {}
    for group in model.structure.groups:
        treatments = getattr(model.data, group.kind)
        units = scaled_units(model.data, treatments) * ~np.asarray(dates, dtype=bool)
        media[group.suffix] = _arrays(model, group, units)
    return media


def media_times_frequency(
    model: Model, group: GroupStructure, multiplier: float
) -> MediaBySuffix:
    """A reach group with its frequency multiplied and its reach as it was."""
    units = scaled_units(model.data, getattr(model.data, group.kind))
    return {group.suffix: _arrays(model, group, units, multiplier)}


def _arrays(model, group, units, multiplier=1.0):
    frequency = None
    if group.by_reach:
        seen = getattr(model.data, group.kind).frequency
        frequency = np.moveaxis(seen, 2, 0) * multiplier
    dtype = model.arrays.kpi.dtype
    return media_arrays(group, units, frequency, model.data.n_times, dtype)
