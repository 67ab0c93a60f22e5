"""The posterior as one NetCDF file, in ArviZ's groups: `arviz.from_netcdf` opens it."""

from pathlib import Path

import xarray as xr

from core.store.results import open_dataset


def posterior_netcdf(run: Path) -> bytes:
    """Every draw of a fit, the sampler's statistics, and what was observed.

    Groups: `posterior` (dims chain, draw, and the parameter's own; names in
    docs/model.md), `sample_stats`, `observed_data` (outcome per period, by geo where
    there are several).

    Args:
        run: The run's folder.

    Raises:
        WorkspaceError: The run has no result, or it is damaged.
    """
    weeks = open_dataset(run, "weeks")
    actual = weeks["actual_geo" if "actual_geo" in weeks else "actual"]
    groups = {
        "posterior": open_dataset(run, "posterior"),
        "sample_stats": open_dataset(run, "sample_stats"),
        "observed_data": xr.Dataset({"outcome": actual.drop_attrs()}),
    }
    # In memory: HDF5 ends the process where a disk is full.
    return bytes(xr.DataTree.from_dict(groups).to_netcdf(engine="h5netcdf"))
