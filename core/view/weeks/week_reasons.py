"""Why a plan of weeks is dark here and packed there: one sentence a channel.

Each reason is a number of the model or of the limits, not a story: how much of its
effect half of a usual week's media bring (less than half: bursts pay), how much comes
in later weeks, what media cost in the weeks that are used, and weeks that were booked
or stand at the highest spend so far.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core import text as fmt
from core.text.languages.language import say

#: A week with less than this share of the channel's busiest one is dark.
_DARK = 0.02
#: Weeks of a channel are even where they differ by less, as a share of their mean.
_EVEN = 0.1
#: Half of a usual week's media bring half of its effect, within this: a straight line.
_STRAIGHT = 0.03
#: Later weeks' share of the effect, and a difference in price, that are worth a word.
_CARRIED, _CHEAPER = 0.25, 0.05


class Timing(NamedTuple):
    """When a channel spends.

    Attributes:
        name: Of the channel.
        spend: By week, currency.
        booked: Weeks whose spend was settled before.
        highest: Most that a week has cost so far, currency.
        price: Cost of a unit of its media by week; NaN where nothing ran.
        shape: The channel's part of shapes.nc; None without one.
    """

    name: str
    spend: Float[np.ndarray, " week"]
    booked: Bool[np.ndarray, " week"]
    highest: float
    price: Float[np.ndarray, " week"]
    shape: xr.Dataset | None


def why(timing: Timing) -> str:
    """What a channel's weeks look like, and why; empty for one that spends nothing."""
    spend = timing.spend
    top = float(spend.max(initial=0.0))
    if top <= 0:
        return ""
    is_dark = spend < _DARK * top
    parts = [_response(timing.shape, is_even=_is_even(spend)), _carried(timing.shape)]
    parts += [_prices(timing), _limits(timing)]
    reasons = "; ".join(part for part in parts if part)
    pattern = _pattern(spend, is_dark)
    return (
        f"{fmt.named(f'{timing.name} {pattern}', reasons)}."
        if reasons
        else f"{timing.name} {pattern}."
    )


def _is_even(spend: np.ndarray) -> bool:
    return float(spend.std()) < _EVEN * float(spend.mean())


def _pattern(spend: np.ndarray, is_dark: np.ndarray) -> str:
    """`does not run in 12 of 52 weeks`."""
    if is_dark.any():
        of = fmt.count(len(spend), "week")
        n_dark = fmt.exact(int(is_dark.sum()), decimals=0)
        return say("does not run in {is_dark} of {of}", is_dark=n_dark, of=of)
    if _is_even(spend):
        return say("runs evenly")
    share = fmt.share(float(spend.max() / spend.mean()) - 1)
    return say("runs every week, its busiest {share} above its mean", share=share)


def _response(shape: xr.Dataset | None, *, is_even: bool) -> str:
    """Whether bursts pay: what half of a usual week's media bring."""
    half = None if shape is None else half_effect(shape)
    if half is None:
        return ""
    brings = say(
        "half of a week's media bring {half} of its effect", half=fmt.share(half)
    )
    if half < 0.5 - _STRAIGHT:
        return say("{brings}, so few strong weeks bring most", brings=brings)
    if half > 0.5 + _STRAIGHT and is_even:
        return say("{brings}, so steady weeks bring most", brings=brings)
    return ""


def half_effect(shape: xr.Dataset) -> float | None:
    """Share of a usual week's effect that half of its media bring; None if unknown.

    Args:
        shape: Of one channel: `media_grid` and `saturation` (point), `media_now`.
    """
    grid, effect = shape["media_grid"].to_numpy(), shape["saturation"].to_numpy()
    usual = float(shape["media_now"])
    is_known = np.isfinite(usual) and usual > 0 and np.isfinite(effect).all()
    if not is_known or usual > grid[-1]:
        return None
    whole = float(np.interp(usual, grid, effect))
    return float(np.interp(usual / 2, grid, effect)) / whole if whole > 0 else None


def _carried(shape: xr.Dataset | None) -> str:
    """How much of the effect comes in later weeks."""
    if shape is None:
        return ""
    weights = shape["adstock"].to_numpy()
    later = 1 - float(weights[0] / weights.sum()) if weights.sum() > 0 else 0.0
    if later < _CARRIED:
        return ""
    return say("{later} of the effect comes in later weeks", later=fmt.share(later))


def _prices(timing: Timing) -> str:
    """Whether the weeks that are used are those whose media are cheap."""
    is_known = np.isfinite(timing.price)
    money, used = timing.spend * is_known, np.where(is_known, timing.price, 0.0)
    if is_known.sum() < 2 or money.sum() <= 0:
        return ""
    paid = float((money * used).sum() / money.sum())
    usual = float(used.sum() / is_known.sum())
    cheaper = 1 - paid / usual if usual > 0 else 0.0
    if cheaper < _CHEAPER:
        return ""
    return say(
        "its money runs where a unit of media costs {cheaper} less",
        cheaper=fmt.share(cheaper),
    )


def _limits(timing: Timing) -> str:
    """Weeks that limits decide."""
    is_top = (timing.spend >= timing.highest * (1 - 1e-6)) & (timing.spend > 0)
    parts = []
    if timing.booked.any():
        weeks = fmt.count(int(timing.booked.sum()), "week")
        parts.append(say("{weeks} booked", weeks=weeks))
    if (is_top & ~timing.booked).any():
        weeks = fmt.count(int((is_top & ~timing.booked).sum()), "week")
        parts.append(say("{weeks} at or above its highest spend so far", weeks=weeks))
    return ", ".join(parts)
