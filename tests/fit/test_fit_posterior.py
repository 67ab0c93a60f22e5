"""Labelled draws and their files."""

import numpy as np
import pytest
import xarray as xr

from core.errors import WorkspaceError
from core.fit.draws import Draws
from core.fit.posterior import (
    load_dataset,
    sample_stats_dataset,
    to_dataset,
    write_netcdf,
)


@pytest.fixture
def posterior() -> xr.Dataset:
    rng = np.random.default_rng(0)
    draws = {"roi_m": rng.normal(size=(2, 600, 2)), "sigma": rng.normal(size=(2, 600))}
    dims = {"roi_m": ("media_channel",)}
    coords = {"media_channel": ["TV", "Suche, größer"]}
    return to_dataset(draws, dims, coords, {"seed": 3})


def test_to_dataset(posterior):
    assert posterior["roi_m"].dims == ("chain", "draw", "media_channel")
    assert posterior["sigma"].dims == ("chain", "draw")
    assert list(posterior["draw"].values[:3]) == [0, 1, 2]
    assert posterior.attrs == {"seed": 3}


def test_file_and_back(posterior, tmp_path):
    write_netcdf(posterior, tmp_path / "posterior.nc")
    xr.testing.assert_identical(load_dataset(tmp_path / "posterior.nc"), posterior)
    write_netcdf(posterior.isel(draw=slice(5)), tmp_path / "posterior.nc")
    assert load_dataset(tmp_path / "posterior.nc").sizes["draw"] == 5


@pytest.mark.parametrize("content", [b"", b"not netCDF", None])
def test_damaged_file_is_a_plain_message(posterior, tmp_path, content):
    path = tmp_path / "posterior.nc"
    write_netcdf(posterior, path)
    path.write_bytes(path.read_bytes()[:300] if content is None else content)
    with pytest.raises(WorkspaceError, match=r"posterior\.nc is missing or damaged"):
        load_dataset(path)
    with pytest.raises(WorkspaceError):
        load_dataset(tmp_path / "none.nc")


def test_sample_stats():
    shape = (2, 5)
    draws = Draws(
        position=np.zeros((*shape, 3)),
        log_density=np.full(shape, -1.0),
        energy=np.ones(shape),
        acceptance_rate=np.full(shape, 0.9),
        n_steps=np.full(shape, 7),
        diverging=np.zeros(shape, bool),
        step_size=np.array([0.4, 0.5]),
        metric_sd=np.ones(3),
    )
    stats = sample_stats_dataset(draws)
    assert stats["step_size"].dims == ("chain",)
    for name in ("diverging", "n_steps", "energy", "acceptance_rate", "lp"):
        assert stats[name].dims == ("chain", "draw")
