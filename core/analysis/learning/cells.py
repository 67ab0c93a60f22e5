"""Cells: what a draw says of every cell of the KPI, and how likely it finds them all.

Checks, evidence and forecasts read these numbers, so one compiled function makes them.
"""

from collections.abc import Mapping
from typing import NamedTuple

import jax
import numpy as np

from core.analysis.incremental import common_shocks, per_draw, scaled_expected_kpi
from core.analysis.learning.experiments import lifts_and_totals
from core.model.build import Model
from core.model.compiled.executables import PLAIN
from core.model.media.lift import lift_log_likelihood, with_mediated
from core.model.noise import noise_log_density, noise_of_shocks


class Cells(NamedTuple):
    """Of draws; scaled KPI.

    Attributes:
        expected: Expected KPI, without any noise; draw geo time.
        mean: What the noise of each geo is about: with the common noise; draw geo time.
        log_likelihood: Of the seen cells and of lift tests; draw.
    """

    expected: jax.Array
    mean: jax.Array
    log_likelihood: jax.Array


def of_cells(model: Model, draws: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """One of the attributes of `Cells`, in the model's precision and filled up.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        name: Of the attribute.
    """
    return model.filled.in_chunks(lambda *of: getattr(cells(*of), name), draws)


@per_draw(options=PLAIN)
def cells(structure, arrays, draw):
    """`Cells` of a chunk of draws."""
    expected = scaled_expected_kpi(structure, arrays, draw)
    common = common_shocks(structure, arrays, draw)
    noise = arrays.kpi - expected
    total = noise_log_density(structure, arrays.is_seen, noise, common, draw)
    if structure.lifts:
        lifts, _ = lifts_and_totals(structure, arrays, draw)
        lifts = with_mediated(structure, arrays, draw, list(lifts))
        total = total + lift_log_likelihood(lifts, arrays.lifts)
    mean = expected + noise_of_shocks(arrays.is_seen, common, draw)
    return Cells(expected, mean, total)
