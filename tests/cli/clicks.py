"""A fit whose TV makes clicks be bought, a mediator that costs money."""

import hashlib
import json

import numpy as np
import xarray as xr


def with_clicks(run, share=0.25, name="horizon_curves.nc"):
    """TV of a fit makes clicks be bought: a share of its own spend, which bring 0.1."""
    path = run / "result" / name
    with xr.open_dataset(path) as file:
        curves = file.load()
    spent = 0 * curves["incremental_outcome"]
    slope = xr.ones_like(spent)
    size = share * curves["spend"].where(curves["channel"] == "TV", 0.0)
    noise = xr.DataArray(np.linspace(0.8, 1.2, curves.sizes["draw"]), dims="draw")
    rise = (slope * size * noise).transpose(*spent.dims)
    rows = {"induced": rise * curves["spend_multiplier"], "induced_slope": rise}
    rows |= {"through": 0.1 * rows["induced"], "through_slope": 0.1 * rise}
    dims = ("draw", "mediator", "channel", "spend_multiplier")
    curves = curves.assign_coords(mediator=["Clicks"]).assign(
        {
            name: (dims, each.transpose(*spent.dims).values[:, None])
            for name, each in rows.items()
        }
        | {"mediator_k": (dims[:2], np.ones((curves.sizes["draw"], 1)))}
    )
    kept(path, curves)


def kept(path, curves):
    """Stored curves with their hash in the manifest."""
    curves.to_netcdf(path)
    _listed(path)


def written(path, text):
    """A stored text, likewise."""
    path.write_text(text)
    _listed(path)


def _listed(path):
    manifest = path.with_name("manifest.json")
    known = json.loads(manifest.read_text())
    known["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(known))
