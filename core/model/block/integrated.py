"""What is integrated out: designs, priors and offset of the linear block."""

import numpy as np

from core.model.block.block_columns import (
    GEO_EFFECT,
    BlockColumn,
    block_columns,
    prior_numbers,
)
from core.model.block.linear_block import Designs, LinearBlock, linear_block
from core.model.media.structure import ModelArrays, Structure


def block_of(structure: Structure, arrays: ModelArrays) -> LinearBlock:
    """Designs, prior precision and prior mean of what is integrated out."""
    cells = (structure.n_geos, structure.n_times)
    shared, by_geo = [np.zeros((cells[1], 0))], [np.zeros((*cells, 0))]
    precision, offset = [np.zeros(0)], np.zeros(cells)
    log_odds = [np.zeros(0)]
    for column in block_columns(structure).common:
        design, (mean, scale) = _design(arrays, column), prior_numbers(arrays, column)
        if column.term is not None:
            mean = arrays.baseline.terms[column.term.name].mean
            log_odds.append(arrays.baseline.terms[column.term.name].log_odds)
        (by_geo if design.ndim == 3 else shared).append(design)
        # Of unit scale where a term's scale is sampled: that one multiplies the
        # columns.
        precision.append(np.broadcast_to(1.0 / scale**2, column.size))
        offset = offset + design @ np.broadcast_to(mean, column.size)
    local, local_scale, level = _local(structure, arrays)
    designs = Designs(np.concatenate(shared, 1), np.concatenate(by_geo, 2), local)
    block = linear_block(
        designs,
        precision=np.concatenate(precision),
        offset=offset + level,
        local_scale=local_scale,
        is_seen=arrays.is_seen,
        unique_sigma=structure.unique_sigma,
        has_memory=structure.has_memory,
        n_noise=_n_noise(structure, arrays),
    )
    return block._replace(log_odds=np.concatenate(log_odds))


def _design(arrays: ModelArrays, column: BlockColumn) -> np.ndarray:
    """Columns of coefficients: time column, or geo time column where geos differ."""
    if column.term is not None:
        return arrays.baseline.terms[column.term.name].design
    if column.name == "knot_values":
        return arrays.baseline.knot_weights.T
    if column.name in ("gamma_c", "gamma_gc_dev"):
        return arrays.baseline.controls
    return np.moveaxis(arrays.non_media.scaled, 0, 2)


def _n_noise(structure: Structure, arrays: ModelArrays) -> int:
    """Columns of the noise that geos have in common."""
    noise = [term.name for term in structure.shared_terms if term.is_noise]
    return sum(len(arrays.baseline.terms[name].mean) for name in noise)


def _local(structure: Structure, arrays: ModelArrays):
    """Columns of the effects of one geo, their scales, and the geos' mean level."""
    n_geos, n_times = structure.n_geos, structure.n_times
    level = np.zeros((n_geos, 1))
    local, local_scale = [np.zeros((n_geos, n_times, 0))], [np.zeros((n_geos, 0))]
    for column in block_columns(structure).local:
        if column.name == GEO_EFFECT:
            mean, scale = prior_numbers(arrays, column)
            is_free = arrays.baseline.tau_is_free[:, None]
            # The baseline geo keeps its column with scale zero: all geos have the same
            # shapes.
            level, spread = mean * is_free, scale * is_free
            design = np.ones((n_times, 1))
        else:
            design, spread = _design(arrays, column), np.ones((n_geos, column.size))
        local.append(np.broadcast_to(design, (n_geos, n_times, column.size)))
        local_scale.append(spread)
    return np.concatenate(local, 2), np.concatenate(local_scale, 1), level
