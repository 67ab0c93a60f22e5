"""The posterior as arrays: chains and draws in one axis, whatever order they are in."""

import numpy as np
import xarray as xr

from core.analysis.draws import flat_draws


def test_draws_are_flat_in_any_order_of_axes_and_thinned_alike():
    values = np.arange(2 * 5 * 3.0).reshape(2, 5, 3)
    posterior = xr.Dataset(
        {
            "roi_m": (("chain", "draw", "media_channel"), values),
            "turned": (("media_channel", "draw", "chain"), values.T),
            "sigma": (("chain", "draw"), values[..., 0]),
        }
    )
    flat = values.reshape(10, 3)
    for most, kept in ((None, slice(None)), (10, slice(None)), (4, [0, 3, 6, 9])):
        draws = flat_draws(posterior, most)
        assert draws["roi_m"].tolist() == flat[kept].tolist()
        assert draws["turned"].tolist() == flat[kept].tolist()
        assert draws["sigma"].tolist() == flat[kept, 0].tolist()
    assert flat_draws(xr.Dataset(coords={"chain": [0], "draw": [0]})) == {}
