"""Curves of geos brought to those of the market, whose means are over more draws.

Curves of geos afford fewer draws than those of channels. The accident of which draws
were kept would make a plan over geos gain something else than the same plan over
channels; so at every multiple of the spend the geos together bring, on average over
their draws, what the channel does on average over all of its draws. With B the mean of
the few and A that of the many, curves are multiplied by r = A / B, a function of the
multiple x: f becomes r f, and f' becomes r f' + r' f with r' = (A' - r B') / B.
"""

from collections.abc import Iterator

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.analysis.draws import is_accident
from core.analysis.response.by_way import MEDIATOR
from core.dims import CHANNEL, DRAW, GEO

_AXES = (DRAW, CHANNEL, "spend_multiplier")


def levelled(by_geo: xr.Dataset, curves: xr.Dataset) -> xr.Dataset:
    """Curves of geos whose sum has the mean of the market's curves at every multiple.

    Args:
        by_geo: See `geo_curves`.
        curves: See `response_curves`, of more draws; its grid has that of `by_geo`.

    Returns:
        `by_geo` with levelled `incremental_outcome` and `slope`, and with what comes
        by way of mediators levelled likewise. A channel is left as
        it is where the means are too far apart for that to be an accident.
    """
    changed = dict(_levelled(by_geo, curves, "incremental_outcome", "slope"))
    for way in ("through", "induced"):
        parts = [
            xr.Dataset(dict(_levelled(*views, way, f"{way}_slope")))
            for views in _by_mediator(by_geo, curves)
        ]
        if parts:
            joined = xr.concat(parts, by_geo[MEDIATOR])
            changed |= {
                str(name): each.transpose(*by_geo[name].dims)
                for name, each in joined.items()
            }
    return by_geo.assign(changed)


def _by_mediator(*views: xr.Dataset) -> list[tuple[xr.Dataset, ...]]:
    """The views of each mediator; none of a model without."""
    if MEDIATOR not in views[0].dims:
        return []
    mediators = views[0][MEDIATOR].values
    return [tuple(view.sel({MEDIATOR: each}) for view in views) for each in mediators]


def _levelled(
    by_geo: xr.Dataset, curves: xr.Dataset, of: str, slope_of: str
) -> Iterator[tuple[str, xr.DataArray]]:
    """One quantity of geos and its slope, brought to the level of the market's."""
    grid = by_geo["spend_multiplier"].values
    few, many = (
        tuple(
            view[name].transpose(*_AXES).values.astype(float).mean(axis=0)
            for name in (of, slope_of)
        )
        for view in (
            by_geo[[of, slope_of]].sum(GEO),
            curves.sel(spend_multiplier=grid, method="nearest"),
        )
    )
    ratio, change = _ratio(grid, few, many)
    dims = (CHANNEL, "spend_multiplier")
    value, slope = by_geo[of], by_geo[slope_of]
    at_zero = value == 0  # and a slope that is infinite there stays so
    by, more = (xr.DataArray(array, dims=dims) for array in (ratio, change))
    grown = slope * by + xr.where(at_zero, 0.0, value * more)
    turned = np.sign(grown) * np.sign(slope) < 0  # as good as flat before
    grown = xr.where(turned, 0.0, grown)
    yield of, (value * by).transpose(*value.dims).astype(value.dtype)
    yield slope_of, grown.transpose(*slope.dims).astype(slope.dtype)


def _ratio(
    grid: Float[np.ndarray, " knot"],
    few: tuple[Float[np.ndarray, "channel knot"], ...],
    many: tuple[Float[np.ndarray, "channel knot"], ...],
) -> tuple[Float[np.ndarray, "channel knot"], Float[np.ndarray, "channel knot"]]:
    """R of the module's docstring and its derivative; at no spend r is that beside."""
    less, more = few[0], many[0]
    spends = (grid > 0) & (less != 0)
    ratio = np.divide(more, less, out=np.ones_like(more), where=spends)
    ratio[:, grid <= 0] = ratio[:, grid > 0][:, :1]
    drift = many[1] - ratio * few[1]
    is_known = spends & np.isfinite(drift)
    change = np.divide(drift, less, out=np.zeros_like(more), where=is_known)
    is_ours = is_accident(ratio).all(axis=1, keepdims=True)
    return np.where(is_ours, ratio, 1.0), np.where(is_ours, change, 0.0)
