"""Block columns: which coefficients are in the linear block, in which order.

The block has two vectors: v, of coefficients that all geos have in common, and u, of
those of one geo. Their order is decided here once; designs, prior scales and the
coefficients that are drawn follow it.

    v   knots, linear terms, controls, non-media treatments, terms by cell
    u   the geo effect, deviations of controls and of non-media treatments, terms by geo
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float

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
