"""Files as xarray and h5netcdf write them, only faster."""

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from core.disk import is_disk_full
from core.fit.posterior import load_dataset, write_netcdf


@pytest.fixture
def everything() -> xr.Dataset:
    """Every kind of variable, coordinate, axis and attribute that results have."""
    rng = np.random.default_rng(0)
    many = rng.normal(size=(40, 3, 20)).astype(np.float32)
    many[0, 0, 0] = np.nan
    return xr.Dataset(
        {
            "many": (("draw", "channel", "multiple"), many),
            "diverging": ("draw", rng.random(40) < 0.5),
            "count": ("draw", rng.integers(0, 9, 40)),
            "small": ((), 1.5),
            "kind": ("channel", ["paid", "organic", "größer, – später"]),
            "nothing": (("none", "channel"), np.zeros((0, 3))),
            "bare": ("unlabelled", np.arange(5, dtype=np.int8)),
            "both": (("unlabelled", "again"), np.zeros((5, 5))),
        },
        coords={
            "draw": np.arange(40),
            "channel": ["TV", "Suche", "Ünïcode ☕"],
            "time": pd.date_range("2024-01-01", periods=6, freq="7D").to_numpy(
                "M8[ns]"
            ),
            "spend": ("channel", [1.0, np.nan, 3.0]),
            "label": (("channel", "again"), np.ones((3, 5))),
        },
        attrs={
            "currency": "",
            "kpi_name": "Verkäufe",
            "has_value": 1,
            "rate": 0.25,
            **{f"more_{number}": number for number in range(12)},
        },
    )


def test_what_is_read_is_what_was_written(everything, tmp_path):
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    write_netcdf(everything, ours)
    everything.to_netcdf(theirs, engine="h5netcdf")
    read = load_dataset(ours)
    xr.testing.assert_identical(read, everything)
    expected = load_dataset(theirs)
    xr.testing.assert_identical(read, expected)
    assert list(read.variables) == list(expected.variables)
    for name, variable in expected.variables.items():
        assert read[name].dtype == variable.dtype
        assert {**read[name].attrs} == {**variable.attrs}


def test_every_axis_is_a_scale(everything, tmp_path):
    write_netcdf(everything, tmp_path / "all.nc")
    with h5py.File(tmp_path / "all.nc") as file:
        for name, variable in everything.variables.items():
            for place, axis in enumerate(variable.dims):
                if axis != name:
                    assert file[name].dims[place][0] == file[axis]
        assert all(file[axis].is_scale for axis in everything.sizes)
        numbers = sorted(file[axis].attrs["_Netcdf4Dimid"] for axis in everything.sizes)
        assert numbers == list(range(len(everything.sizes)))
    write_netcdf(everything[["small"]], tmp_path / "all.nc")
    assert set(load_dataset(tmp_path / "all.nc").data_vars) == {"small"}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", [900, 1100, 5000])
def test_large_floats_are_compressed_where_that_saves_much(kind, size, tmp_path):
    """Digits of draws are noise; steps, blanks and singles as doubles are not."""
    rng = np.random.default_rng(size)
    draws = rng.normal(size=size)
    families = {
        "draws": draws,
        "positive": np.exp(draws),
        "constant": np.full(size, 3.7),
        "steps": np.round(draws),
        "blank": np.where(np.arange(size) % 8 == 0, draws, np.nan),
        "single": draws.astype(np.float32),
    }
    views = {name: ("draw", values.astype(kind)) for name, values in families.items()}
    write_netcdf(xr.Dataset(views), tmp_path / "all.nc")
    with h5py.File(tmp_path / "all.nc") as file:
        compressed = {name for name in families if file[name].compression}
    worth = {"constant", "steps", "blank", *["single"] * (kind is np.float64)}
    assert compressed == (worth if size > 1000 else set())
    xr.testing.assert_identical(load_dataset(tmp_path / "all.nc"), xr.Dataset(views))


def test_a_full_disk_is_an_error_like_any_other(everything):
    with pytest.raises(OSError) as raised:
        write_netcdf(everything, Path("/dev/full"))
    assert is_disk_full(raised.value)


def test_a_name_with_a_slash_is_refused_before_anything_is_written(tmp_path):
    data = xr.Dataset({"cost/sale": ("channel", [1.0])}, {"channel": ["TV"]})
    with pytest.raises(ValueError, match="cost/sale"):
        write_netcdf(data, tmp_path / "x.nc")
    assert not (tmp_path / "x.nc").exists()
