"""What is integrated out: the columns of the linear block, their priors and order.

Columns that all geos share come first: knots, then linear terms. Then those that differ
between geos: controls, non-media treatments, terms by cell. Effects of one geo follow
its own order: tau, controls, non-media treatments, terms by geo.
"""

import numpy as np

from core.model.linear_block import Designs, LinearBlock, linear_block
from core.model.linear_terms import deviations
from core.model.structure import ModelArrays, Structure


def block_of(structure: Structure, arrays: ModelArrays) -> LinearBlock:
    """Designs, prior precision and prior mean of what is integrated out."""
    n_geos, n_times = structure.n_geos, structure.n_times
    baseline = arrays.baseline
    shared = np.zeros((n_times, 0))
    by_geo = [np.zeros((n_geos, n_times, 0))]
    precision = [np.zeros(0)]
    offset = np.zeros((n_geos, n_times))

    def normal(name: str, size: int) -> np.ndarray:
        rows = np.broadcast_to(
            arrays.priors[name], (size, arrays.priors[name].shape[1])
        )
        precision.append(1.0 / rows[:, 1] ** 2)
        return rows[:, 0] + rows[:, 4]

    if structure.is_integrated("knot_values"):
        shared = baseline.knot_weights.T
        offset = offset + shared @ normal("knot_values", shared.shape[1])
    for one in structure.shared_terms:
        term = baseline.terms[one.name]
        normal(deviations(one.name), len(term.mean))
        shared = np.concatenate([shared, term.design], axis=1)
        offset = offset + term.design @ term.mean
    non_media = np.zeros((n_geos, n_times, 0))
    if arrays.non_media is not None:
        non_media = np.moveaxis(arrays.non_media.scaled, 0, 2)
    for name, columns in (("gamma_c", baseline.controls), ("gamma_n", non_media)):
        if structure.is_integrated(name):
            by_geo.append(columns)
            offset = offset + columns @ normal(name, columns.shape[2])
    for one in structure.cell_terms:
        term = baseline.terms[one.name]
        normal(deviations(one.name), len(term.mean))
        by_geo.append(term.design)
        offset = offset + term.design @ term.mean
    local, local_scale, level = _local(structure, arrays, non_media)
    designs = Designs(shared, np.concatenate(by_geo, 2), local)
    return linear_block(
        designs,
        precision=np.concatenate(precision),
        offset=offset + level,
        local_scale=local_scale,
        is_seen=arrays.is_seen,
        unique_sigma=structure.unique_sigma,
        has_memory=structure.has_memory,
        n_noise=_n_noise(structure, arrays),
    )


def _n_noise(structure: Structure, arrays: ModelArrays) -> int:
    """Columns of the noise that geos have in common."""
    noise = [one.name for one in structure.shared_terms if one.is_noise]
    return sum(len(arrays.baseline.terms[name].mean) for name in noise)


def _local(structure: Structure, arrays: ModelArrays, non_media: np.ndarray):
    """Columns of the effects of one geo, their scales, and the geos' mean level."""
    baseline = arrays.baseline
    shape = (structure.n_geos, structure.n_times)
    level = np.zeros((shape[0], 1))
    local, local_scale = [np.zeros((*shape, 0))], [np.zeros((shape[0], 0))]
    if structure.is_integrated("tau_g_excl_baseline"):
        row = arrays.priors["tau_g_excl_baseline"][0]
        local.append(np.ones((*shape, 1)))
        local_scale.append((row[1] * baseline.tau_is_free)[:, None])
        level = ((row[0] + row[4]) * baseline.tau_is_free)[:, None]
    for name, columns in (
        ("gamma_gc_dev", baseline.controls),
        ("gamma_gn_dev", non_media),
    ):
        if structure.is_integrated(name):
            local.append(columns)
            local_scale.append(np.ones((shape[0], columns.shape[2])))
    for one in structure.geo_terms:
        design = baseline.terms[one.name].design
        local.append(np.broadcast_to(design, (shape[0], *design.shape)))
        local_scale.append(np.ones((shape[0], design.shape[1])))
    return np.concatenate(local, 2), np.concatenate(local_scale, 1), level
