"""Posterior: draws as labelled arrays, and their files.

NetCDF: datasets written as NetCDF-4 files, which are HDF5 files of a known layout.

Every axis is a dataset that is a dimension scale, attached to the variables along it:
its labels, or where it has none, a placeholder whose name says so. xarray and h5netcdf
write the same, but look every axis up anew for every variable: a fit's dozen files took
a second of processor time with them, and take three tenths with this.
"""

import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from xarray.conventions import cf_encoder, encode_dataset_coordinates

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


_TEXT = h5py.string_dtype()
#: Name of a scale without labels, as the format has it.
_NO_LABELS = "This is a netCDF dimension but not a netCDF variable. {:10d}"
#: Floats of which a variable may be compressed, beyond so many; told from so many.
_MANY, _SAMPLE = 1000, 2048
#: It is, where that leaves less than this share: the digits of draws are noise, of
#: which a fifth goes at most, and at four times the processor time of writing them.
_WORTH = 0.6
_COMPRESSED = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
#: The file is made in memory and written at once: HDF5 does not survive every disk that
#: fills up while it writes.
_IN_MEMORY = {"driver": "core", "backing_store": False, "block_size": 2**20}


def write_netcdf(dataset: xr.Dataset, path: Path) -> None:
    """Write a dataset, its larger floats compressed where that saves much.

    Args:
        dataset: Numbers, dates, texts and truth values.
        path: The file; replaced if there.

    Raises:
        ValueError: A name has a slash: it would stand in a group that nobody reads.
    """
    if slashed := [name for name in dataset.variables if "/" in str(name)]:
        raise ValueError(f"names in a NetCDF file have no slash: {slashed}")
    # What xarray does before it writes: dates as numbers, truth values as bytes.
    variables, attributes = cf_encoder(*encode_dataset_coordinates(dataset))
    with h5py.File(path, "w", track_order=True, **_IN_MEMORY) as file:
        datasets = {name: _written(file, name, v) for name, v in variables.items()}
        file.attrs.update(attributes)
        for number, (axis, size) in enumerate(dataset.sizes.items()):
            if axis in datasets:
                datasets[axis].make_scale(axis)
            else:
                datasets[axis] = file.create_dataset(axis, (size,), ">f4")
                datasets[axis].make_scale(_NO_LABELS.format(size))
            datasets[axis].attrs["_Netcdf4Dimid"] = np.int32(number)
        for name, variable in variables.items():
            for place, axis in enumerate(variable.dims):
                if axis != name:
                    datasets[name].dims[place].attach_scale(datasets[axis])
        file.flush()
        content = file.id.get_file_image()
    path.write_bytes(content)


def _written(file: h5py.File, name: Any, variable: xr.Variable) -> h5py.Dataset:
    """One variable, without its axes."""
    values, missing = variable.values, variable.attrs.get("_FillValue")
    options: dict[str, Any] = {} if missing is None else {"fillvalue": missing}
    if values.dtype.kind in "UO":
        values, options["dtype"] = values.astype(object), _TEXT
    if values.dtype.kind == "f" and values.size > _MANY and _pays(values):
        options |= _COMPRESSED
    dataset = file.create_dataset(name, data=values, **options)
    dataset.attrs.update(variable.attrs)
    if missing is not None:
        dataset.attrs["_FillValue"] = np.atleast_1d(missing)
    return dataset


def _pays(values: np.ndarray) -> bool:
    """Whether compressing floats saves much, told from those in the middle."""
    first = max(0, (values.size - _SAMPLE) // 2)
    some = values.flat[first : first + _SAMPLE]
    # As HDF5 does: the first bytes of all numbers, then their second ones.
    shuffled = some.view(np.uint8).reshape(len(some), -1).T.tobytes()
    return len(zlib.compress(shuffled, 1)) < _WORTH * len(shuffled)
