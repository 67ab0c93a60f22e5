"""Shares: how a channel's money is divided over geos, other than a year earlier.

A geo has the share w of a channel's money that it had of its media, at one price. With
multiples m of these shares, the same in every week, a channel spends what it did:

    sum_g w_cg m_cg = 1
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.plan.response.horizon import WeekResponse

Multiple = Float[np.ndarray, "channel geo"]


def shares_of(
    response: WeekResponse, population: Float[np.ndarray, " geo"]
) -> Float[np.ndarray, "channel geo"]:
    """Share of each channel's money that each geo has; rows sum to one."""
    rows = [
        np.asarray(response.bought[group.suffix].per_money[:, :, 0], np.float64)
        for group in response.structure.groups
    ]
    units = np.concatenate(rows) * population
    return units / np.maximum(units.sum(axis=1, keepdims=True), 1e-300)


def divided(response: WeekResponse, multiple: Multiple) -> WeekResponse:
    """The same weeks where geos have multiples of their shares.

    Args:
        response: That of the weeks, of a model without mediators.
        multiple: Of the shares.
    """
    bought, first = dict(response.bought), 0
    for group in response.structure.groups:
        own = multiple[first : first + group.n_channels, :, None]
        first += group.n_channels
        part = bought[group.suffix]
        per_money = part.per_money * jnp.asarray(own, part.per_money.dtype)
        bought[group.suffix] = part._replace(per_money=per_money)
    return response._replace(bought=bought)
