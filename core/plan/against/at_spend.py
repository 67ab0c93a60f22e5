r"""At spend: the outcome that a forecast expects at the spend that there was.

In draw $d$ and period $t$ the forecast holds $y_{dt}$ under the media from a year
earlier, with its noise, and what each channel brings at multiples of it. At spend $a$

    y_dt(a) = y_dt + sum_c f_dct(a) - f_dct(x)

with $x$ the spend from a year earlier.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import xarray as xr
from jaxtyping import Float

from core.plan.against.actuals import by_period, covered, lags_of
from core.plan.against.carried import brought
from core.plan.against.terms import AS_RAN, Terms

#: Spend follows what was supposed where so little of it went elsewhere, as a share.
TOLERANCE = 0.1


def outcome_at(
    view: xr.Dataset,
    spend: Mapping[str, Float[np.ndarray, " time"]],
    decay: Mapping[str, Float[np.ndarray, " lag"]] = MappingProxyType({}),
    terms: Terms = AS_RAN,
) -> Float[np.ndarray, "draw time"]:
    """Outcome of the first periods of a forecast at other spend, noise included.

    Args:
        view: forecast.nc.
        spend: Of each paid channel in each of these periods; as a year earlier where
            it says nothing.
        decay: What of a channel's media carries over, by lag; at once by default.
        terms: How media is bought in these periods.

    Raises:
        PlanError: The forecast is shorter.
    """
    n = max((len(each) for each in spend.values()), default=view.sizes["time"])
    some = covered(view, n)
    names = tuple(str(name) for name in some["paid"].to_numpy())
    usual = by_period(some["spend"])
    spent = np.array([spend.get(*each) for each in zip(names, usual, strict=True)])
    lags = lags_of(names, decay)
    now, none, then = (
        brought(some.response, each, usual, lags)[0]
        for each in (usual, 0 * usual, terms.bought(names, spent, usual))
    )
    then = terms.lifted(names, then, none)
    return by_period(some["outcome"]) + (then - now).sum(axis=1)


def departure(
    supposed: Mapping[str, float], spent: Mapping[str, float]
) -> float | None:
    """Share of the money that was supposed to be spent that was spent otherwise.

    The sum over channels of what was spent more or less, over all that was supposed;
    None where nothing was.

    Args:
        supposed: Spend by channel.
        spent: What was spent by channel.
    """
    total = sum(supposed.values())
    if total <= 0:
        return None
    apart = sum(
        abs(spent.get(name, 0.0) - supposed.get(name, 0.0))
        for name in {*supposed, *spent}
    )
    return apart / total
