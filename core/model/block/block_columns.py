"""Block columns: which coefficients are in the linear block, in which order.

The block has two vectors: v, of coefficients that all geos have in common, and u, of
those of one geo. Their order is decided here once; designs, prior scales and the
coefficients that are drawn follow it.

    v   knots, linear terms, controls, non-media treatments, terms by cell
    u   the geo effect, deviations of controls and of non-media treatments, terms by geo

What is integrated out: designs, priors and offset of the linear block.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float

from core.model.block.linear_block import Designs, LinearBlock, linear_block
from core.model.media.structure import ModelArrays, Structure, TermStructure
from core.model.terms.linear_terms import deviations

#: In NumPy while a model is built, in JAX inside its compiled functions.
Numbers = Float[np.ndarray, "*column"] | Float[Array, "*column"]

GEO_EFFECT = "tau_g_excl_baseline"
#: Effects of one geo whose prior scale is a spread over geos, and that spread.
SPREADS = {"gamma_gc_dev": "xi_c", "gamma_gn_dev": "xi_n"}


class BlockColumn(NamedTuple):
    """The columns of one latent.

    Attributes:
        name: The latent.
        columns: Its places in v or u.
        term: The linear term that its scale comes from; None for others.
    """

    name: str
    columns: slice
    term: TermStructure | None = None

    @property
    def size(self) -> int:
        """How many they are."""
        return self.columns.stop - self.columns.start


class BlockColumns(NamedTuple):
    """The columns of the block.

    Attributes:
        common: Of v.
        local: Of u.
    """

    common: tuple[BlockColumn, ...]
    local: tuple[BlockColumn, ...]


def block_columns(structure: Structure) -> BlockColumns:
    """The columns of what is integrated out."""
    common = (
        ("knot_values", None),
        *((deviations(term.name), term) for term in structure.shared_terms),
        ("gamma_c", None),
        ("gamma_n", None),
        *((deviations(term.name), term) for term in structure.cell_terms),
    )
    local = (
        (GEO_EFFECT, None),
        *((name, None) for name in SPREADS),
        *((deviations(term.name), term) for term in structure.geo_terms),
    )
    return BlockColumns(
        tuple(_placed(structure, common)), tuple(_placed(structure, local))
    )


def _placed(
    structure: Structure, named: Iterable[tuple[str, TermStructure | None]]
) -> Iterator[BlockColumn]:
    """Those that are integrated out, one after another."""
    start = 0
    for name, term in named:
        if structure.is_integrated(name):
            size = 1 if name == GEO_EFFECT else structure.latent(name).shape[-1]
            yield BlockColumn(name, slice(start, start + size), term)
            start += size


def prior_numbers(arrays: ModelArrays, column: BlockColumn) -> tuple[Numbers, Numbers]:
    """Prior mean and scale of the coefficients, before their term's or spread's.

    One number each where all coefficients have the same prior.
    """
    loc, scale, _, _, shift, _ = arrays.priors[column.name].T
    if column.name == GEO_EFFECT:
        loc, scale, shift = loc[:1], scale[:1], shift[:1]
    return loc + shift, scale


def block_of(structure: Structure, arrays: ModelArrays) -> LinearBlock:
    """Designs, prior precision and prior mean of what is integrated out."""
    cells = (structure.n_geos, structure.n_times)
    shared, by_geo = [np.zeros((cells[1], 0))], [np.zeros((*cells, 0))]
    precision, offset = [np.zeros(0)], np.zeros(cells)
    log_odds = np.zeros((0, 1))
    for column in block_columns(structure).common:
        design, (mean, scale) = _design(arrays, column), prior_numbers(arrays, column)
        if column.term is not None:
            term = arrays.baseline.terms[column.term.name]
            mean, log_odds = term.mean, term.log_odds
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
    return block._replace(log_odds=log_odds)


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
