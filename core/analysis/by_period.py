"""By period: what was expected and what every part of it was, of each draw.

Weeks, years, sources and what tells drift from saturation all read these numbers, so
one compiled function makes them.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.analysis.incremental import (
    expected_outcome,
    incremental_outcome,
    on_cores,
)
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN, persistent
from core.model.density import by_geo as added_by_geo
from core.model.latents import Params
from core.model.media.structure import ModelArrays, Structure

#: Parts of the baseline beside the trend, and the linear terms that they are made of.
PARTS: Mapping[str, tuple[str, ...]] = {
    "Season": ("fourier", "weekday", "recurring", "fourier_g"),
    "Events": ("holidays", "events"),
    "Controls": (),
    "Demand": ("demand",),
}


class ByPeriod(NamedTuple):
    """Outcome per period; outcome units, in the model's precision.

    Attributes:
        expected: Expected outcome; draw geo time.
        added: What each treatment added, all geos; draw channel time.
        parts: Parts of the baseline beside the trend, all geos; draw part time.
    """

    expected: np.ndarray
    added: np.ndarray
    parts: np.ndarray


def by_period(model: Model, draws: Mapping[str, np.ndarray]) -> ByPeriod:
    """Outcome of each period.

    Args:
        model: The model.
        draws: Posterior variables, draws first; some hundreds are enough.
    """
    found = in_chunks(lambda some: _of_chunk(model, some), model.filled.of(draws))
    return model.filled.cut(found)


def outcome_by_period(model: Model, draws: Mapping[str, np.ndarray]) -> np.ndarray:
    """What each treatment that carries over brought, all geos; draw channel time.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    added = in_chunks(lambda some: _of_chunk(model, some).added, model.filled.of(draws))
    return carrying(model, model.filled.cut(added))


def carrying(model: Model, added: np.ndarray) -> Float[np.ndarray, "draw channel time"]:
    """The channels that carry over, of all treatments; in double precision."""
    n = sum(group.n_channels for group in model.structure.groups)
    return added[:, :n].astype(np.float64)


def _of_chunk(model: Model, draws: Mapping[str, Any]) -> ByPeriod:
    """Of the periods that the model is filled up to."""
    dtype = model.arrays.kpi.dtype
    zero = np.asarray(model.scale.mean / model.scale.std, dtype)
    structure, arrays, _ = model.filled
    return _by_period(structure, arrays._replace(block=None), draws, zero)


@persistent(options=PLAIN)
def _by_period(structure, arrays, draws, kpi_zero):
    def of_draw(draw):
        return ByPeriod(
            expected_outcome(structure, arrays, draw, kpi_zero),
            incremental_outcome(structure, arrays, draw).sum(axis=1),
            baseline_parts(structure, arrays, draw),
        )

    return on_cores(of_draw, draws)


def baseline_parts(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "part time"]:
    """Outcome of season, events, controls and demand, summed over geos."""
    nothing = jnp.zeros_like(arrays.kpi)
    parts = dict.fromkeys(PARTS, nothing)
    for term in structure.terms:
        part = next((p for p, names in PARTS.items() if term.name in names), None)
        if part is None:
            continue
        numbers, gamma = arrays.baseline.terms[term.name], draw[f"gamma_{term.name}"]
        if term in structure.shared_terms:
            added = jnp.broadcast_to((numbers.design @ gamma)[None, :], nothing.shape)
        else:
            added = added_by_geo(term, numbers, gamma)
        parts[part] = parts[part] + added
    if structure.n_controls:
        controls = arrays.baseline.controls
        parts["Controls"] = jnp.einsum("gtc,gc->gt", controls, draw["gamma_gc"])
    scale = arrays.outcome_scale
    return jnp.stack([(parts[part] * scale).sum(axis=0) for part in PARTS])
