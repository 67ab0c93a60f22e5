"""A shelf of stored views: what finished fits are made of, written and read once.

Writing one dataset as NetCDF takes 70 ms of processor time, reading it 40, and a fit
has a dozen: that was most of what a test of a command took.
"""

import hashlib
import io
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import xarray as xr

_shelf: dict[bytes, bytes] = {}
_read: dict[bytes, xr.Dataset] = {}
_open = xr.open_dataset


def stored(view: Callable[..., xr.Dataset], *arguments, **options) -> bytes:
    """The file of what a function of `tests.charts.synthetic` makes of its arguments.

    Args:
        view: Makes the same of the same arguments every time.
        arguments: Of it.
        options: Of it.
    """
    if "<locals>" in view.__qualname__:  # a test's own, which may make anything
        return _file(view(*arguments, **options))
    called = (view.__module__, view.__qualname__, arguments, sorted(options.items()))
    key = pickle.dumps(called)
    if key not in _shelf:
        _shelf[key] = _file(view(*arguments, **options))
    return _shelf[key]


def _file(dataset: xr.Dataset) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "view.nc"
        dataset.to_netcdf(path, engine="h5netcdf")
        return path.read_bytes()


def open_dataset(source, **options) -> xr.Dataset:
    """`xarray.open_dataset`, which parses the bytes of a stored view once a process."""
    if not isinstance(source, io.BytesIO):
        return _open(source, **options)
    content = source.getvalue()
    key = hashlib.sha256(content).digest()
    if key not in _read and len(content) > 2**22:
        return _open(source, **options)
    if key not in _read:
        with _open(source, **options) as dataset:
            _read[key] = dataset.load()
    return _read[key].copy(deep=True)
