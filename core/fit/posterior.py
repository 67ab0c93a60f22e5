"""Posterior: draws as labelled arrays, and their files."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from core.dims import CHAIN, DRAW
from core.errors import WorkspaceError
from core.fit.draws import Draws

#: The sampler statistics that are kept, by their names in ArviZ.
_STATS = ("diverging", "n_steps", "energy", "acceptance_rate")


def to_dataset(
    draws_by_name: dict[str, np.ndarray],
    dims: dict[str, tuple[str, ...]],
    coords: dict[str, Any],
    attrs: dict[str, Any],
) -> xr.Dataset:
    """Draws with dims chain, draw, and the parameter's own.

    Args:
        draws_by_name: Arrays; chain draw, then the parameter's own axes.
        dims: Names of those axes, by parameter; none for a scalar.
        coords: Labels by dim.
        attrs: Of the dataset.
    """
    first = next(iter(draws_by_name.values()))
    labels = {CHAIN: np.arange(first.shape[0]), DRAW: np.arange(first.shape[1])}
    variables = {
        name: ((CHAIN, DRAW, *dims.get(name, ())), values)
        for name, values in draws_by_name.items()
    }
    return xr.Dataset(variables, coords=labels | coords, attrs=attrs)


def sample_stats_dataset(draws: Draws) -> xr.Dataset:
    """The sampler's statistics: diverging, n_steps, energy, acceptance_rate, step_size.

    `lp` is the log density up to a constant.
    """
    by_name = {name: getattr(draws, name) for name in _STATS}
    dataset = to_dataset(by_name | {"lp": draws.log_density}, {}, {}, {})
    return dataset.assign(step_size=(CHAIN, draws.step_size))


def load_dataset(path: Path) -> xr.Dataset:
    """Read a dataset whole, and close its file.

    Raises:
        WorkspaceError: The file is missing or damaged.
    """
    try:
        with xr.open_dataset(path, engine="h5netcdf") as dataset:
            return dataset.load()
    except (OSError, ValueError, KeyError) as error:
        raise WorkspaceError(
            f"{path.name} is missing or damaged.",
            hint="Fit the model again.",
            where=str(path),
        ) from error
