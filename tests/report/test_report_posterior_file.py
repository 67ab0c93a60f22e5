"""The posterior's file, opened as analysts open it."""

import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from core.report.posterior_file import posterior_netcdf
from core.store.results import open_dataset, write_result
from tests.charts import synthetic


@pytest.fixture
def run(tmp_path):
    """A run with draws, as far as the file goes."""
    rng = np.random.default_rng(1)
    axes = {"chain": np.arange(2), "draw": np.arange(30)}
    posterior = xr.Dataset(
        {
            "alpha_m": (
                ("chain", "draw", "media_channel"),
                rng.uniform(size=(2, 30, 2)).astype("float32"),
            ),
            "sigma": (("chain", "draw"), rng.uniform(size=(2, 30))),
        },
        coords=axes | {"media_channel": ["TV", "Kino & Café"]},
        attrs={"currency": "EUR", "n_times": 156},
    )
    stats = xr.Dataset(
        {"diverging": (("chain", "draw"), np.zeros((2, 30), bool))}, coords=axes
    )
    made = tmp_path / "20240102-030405-0a1b2c3d"
    made.mkdir()
    with write_result(made) as result:
        views = {"posterior": posterior, "sample_stats": stats}
        views["weeks"] = synthetic.weeks(geos=("North", "South"))
        for name, view in views.items():
            view.to_netcdf(result / f"{name}.nc", engine="h5netcdf")
    return made


def test_arviz_opens_it(run, tmp_path):
    path = tmp_path / "posterior.nc"
    path.write_bytes(posterior_netcdf(run))
    code = f"""
import arviz
data = arviz.from_netcdf({str(path)!r})
print(sorted(data.groups()))
print(data.posterior["alpha_m"].dims, data.posterior["media_channel"].values.tolist())
print(data.observed_data["outcome"].dims)
print(arviz.rhat(data)["alpha_m"].shape, int(data.sample_stats["diverging"].sum()))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    groups, draws, observed, numbers = done.stdout.splitlines()
    assert groups == "['observed_data', 'posterior', 'sample_stats']"
    assert draws == "('chain', 'draw', 'media_channel') ['TV', 'Kino & Café']"
    assert observed == "('geo', 'time')"
    assert numbers == "(2,) 0"


def test_it_holds_the_draws_as_they_are(run, tmp_path):
    path = tmp_path / "posterior.nc"
    path.write_bytes(posterior_netcdf(run))
    with xr.open_dataset(path, group="posterior", engine="h5netcdf") as posterior:
        xr.testing.assert_identical(posterior.load(), open_dataset(run, "posterior"))
