"""Chunks: a function of many draws is given a fixed number of them at a time.

So it is compiled once for any number of draws: for the preview and for the result,
for a run and for the same run with more draws.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

#: Draws at a time: a multiple of the batches that functions of draws work in, so that
#: no rest is compiled for itself, and small enough that 300, 500 or 1,000 draws fill
#: their last chunk almost up.
CHUNK = 128


def chunk_of(n: int) -> int:
    """Draws at a time, of so many; a whole chunk unless most of it would be empty."""
    return CHUNK if n > CHUNK // 8 else n


def in_chunks(function: Callable[[Any], Any], draws: Any) -> Any:
    """A function of draws, applied to them chunk by chunk.

    Args:
        function: Of a tree of arrays with draws first; gives such a tree.
        draws: Its argument.

    Returns:
        What the function gives for all draws at once, as NumPy arrays.
    """
    n = len(jax.tree.leaves(draws)[0])
    size = chunk_of(n)
    parts = [
        function(jax.tree.map(lambda leaf, at=at: _padded(leaf, at, size), draws))
        for at in range(0, n, size)
    ]
    return jax.tree.map(
        lambda *leaves: np.concatenate([np.asarray(leaf) for leaf in leaves])[:n],
        *parts,
    )


def _padded(leaf: Any, first: int, size: int) -> Any:
    """Rows from `first` on; the last one again and again where they run out."""
    chunk = leaf[first : first + size]
    # Filled up rather than cut: another shape would compile again.
    missing = size - len(chunk)
    if not missing:
        return chunk
    return np.concatenate([chunk, np.repeat(chunk[-1:], missing, axis=0)])
