"""Shares: how a channel's money is divided over geos, other than a year earlier.

A geo has the share w of a channel's money that it had of its media, at one price. With
multiples m of these shares, the same in every week, a channel spends what it did:

    sum_g w_cg m_cg = 1
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.errors import MMMError, PlanError
from core.plan.limits.stated import StatedRow
from core.plan.response.horizon import WeekResponse
from core.plan.scenario.amounts import wrong
from core.text.numbers import percent
from core.toml.document import shown
from core.toml.table import amount_of

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


#: By how much shares may miss one: they are written with a digit after the point.
_ROUNDED = 0.005


def stated_shares(channels: Mapping[str, StatedRow]) -> dict[str, Any]:
    """What a scenario says of channels' geos, as it is written."""
    shares = {name: row.geos for name, row in channels.items()}
    return {name: stated for name, stated in shares.items() if stated is not None}


def multiples_stated(
    channels: Mapping[str, StatedRow],
    names: Sequence[str],
    geos: Sequence[str],
    usual: Float[np.ndarray, "channel geo"],
) -> Float[np.ndarray, "channel geo"] | None:
    """Multiples of usual shares that a scenario states; None where it states none.

    Args:
        channels: What a scenario says of channels.
        names: Channels of the fit.
        geos: Of the fit.
        usual: Shares of a year earlier; rows sum to one.

    Raises:
        PlanError: A geo is unknown or missing, shares are none or do not add up to one,
            or the channel has no media in a geo that is to have some.
    """
    stated = stated_shares(channels)
    if not stated:
        return None
    if len(geos) == 1:
        raise PlanError(
            "The fit is of one market: a channel's money cannot be divided over geos.",
            hint="Leave geos out of [channel], or fit data of several geos.",
            where=next(iter(stated)),
        )
    multiple = np.ones(usual.shape)
    for name, row in stated.items():
        if name not in names:
            raise PlanError(
                f"{name} has no media in the fit, so no shares of geos.",
                hint="Leave its geos out.",
                where=name,
            )
        place = list(names).index(name)
        planned = _shares(name, row, geos)
        if (planned > 0)[usual[place] <= 0].any():
            without = [
                geo
                for geo, share, ran in zip(geos, planned, usual[place], strict=True)
                if share > 0 and ran <= 0
            ]
            raise PlanError(
                f"{name} had no media in {without[0]} a year earlier, so that what it "
                "would bring there is not known.",
                hint="Set its share there to 0.",
                where=name,
            )
        multiple[place] = np.divide(
            planned, usual[place], out=np.ones(len(geos)), where=usual[place] > 0
        )
    return multiple


def _shares(name: str, row: Any, geos: Sequence[str]) -> Float[np.ndarray, " geo"]:
    """The shares of a channel in the order of geos; they sum to one."""
    if not isinstance(row, Mapping):
        raise wrong(
            f"geos of {name} must be a table of shares.",
            'Write geos = {North = "50 %", South = "50 %"}.',
        )
    unknown = [str(geo) for geo in row if geo not in geos]
    if unknown:
        raise wrong(
            f"There is no geo {unknown[0]} in the fit.", f"Geos: {', '.join(geos)}."
        )
    missing = [geo for geo in geos if geo not in row]
    if missing:
        raise wrong(
            f"geos of {name} do not say what {missing[0]} has.",
            "Name every geo, with 0 where the channel is to spend nothing.",
        )
    shares = np.array([_share(name, geo, row[geo]) for geo in geos])
    if abs(shares.sum() - 1) > _ROUNDED:
        raise wrong(
            f"The shares of geos of {name} add up to {percent(shares.sum())}.",
            "Let them add up to 100 %.",
        )
    return shares / shares.sum()


def _share(name: str, geo: str, value: Any) -> float:
    try:
        share = amount_of(value, 1.0)
    except MMMError:
        share = math.nan
    if not 0 <= share <= 1:
        raise wrong(
            f"{shown(value)} is not the share of {name} that {geo} has.",
            'Use a share such as "20 %".',
        )
    return share
