"""Terms: how a saved plan buys its media, period by period.

A price of single periods is found by their dates, so that a forecast which begins or
ends elsewhere than the plan has the right ones; a plan of the data's own periods, which
come again at no date, has one mean price.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float

from core.plan.money.where_spent import Spread
from core.plan.record.plan_record import PlanRecord
from core.plan.response.curves import Frequency
from core.plan.response.periods import Horizon
from core.plan.response.price import (
    best_frequencies,
    gammas_of,
    price_factors,
    prices_by_period,
    units,
)


@dataclass(frozen=True)
class Terms:
    """How media is bought.

    Attributes:
        gammas: How much dearer channels get with volume.
        prices: What a unit costs over last year's, one number or one per period.
        lifts: What channels bring at the frequency that they are bought at, or at the
            shares of geos that they have, over what they bring as they ran; by draw,
            and by period where they are not of all.
    """

    gammas: Mapping[str, float] = field(default_factory=dict)
    prices: Mapping[str, float | np.ndarray] = field(default_factory=dict)
    lifts: Mapping[str, np.ndarray] = field(default_factory=dict)

    def bought(
        self,
        names: Sequence[str],
        spend: Float[np.ndarray, "channel time"],
        usual: Float[np.ndarray, "channel time"],
    ) -> Float[np.ndarray, "channel time"]:
        """What would buy the same units at the prices of a year earlier.

        A period without spend then has the price of the mean one.

        Args:
            names: Channels.
            spend: At these terms.
            usual: Of a year earlier.
        """
        spend = spend / np.stack([self.price(name, spend.shape[1]) for name in names])
        gamma = np.array([[self.gammas.get(name, 0.0)] for name in names])
        if not gamma.any():
            return spend
        mean = usual.mean(axis=1, keepdims=True)
        typical = np.where(usual > 0, usual, np.where(mean > 0, mean, 1.0))
        return np.where(mean > 0, typical * units(spend / typical, gamma), spend)

    def price(self, name: str, n: int) -> Float[np.ndarray, " time"]:
        """What a unit of a channel costs over last year's, in the first n periods."""
        price = np.asarray(self.prices.get(name, 1.0), float)
        return np.broadcast_to(price if price.ndim == 0 else price[:n], n)

    def lifted(
        self,
        names: Sequence[str],
        brought: Float[np.ndarray, "draw channel time"],
        none: Float[np.ndarray, "draw channel time"],
    ) -> Float[np.ndarray, "draw channel time"]:
        """Outcome at the frequencies of these terms.

        Args:
            names: Channels.
            brought: Outcome at those that ran.
            none: That of no spend: what carries over from before stays as it is.
        """
        if not self.lifts:
            return brought
        lift = np.ones_like(brought)
        for place, name in enumerate(names):
            own = self.lifts.get(name, 1.0)
            lift[:, place] = own[:, None] if np.ndim(own) == 1 else own
        return none + lift * (brought - none)


#: At last year's prices and frequencies.
AS_RAN = Terms()


def terms_of(
    plan: PlanRecord,
    times: np.ndarray,
    frequencies: Sequence[Frequency] = (),
    n_draws: int = 0,
) -> Terms:
    """The terms of a plan in some periods.

    Args:
        plan: The plan.
        times: First days of the periods, datetime64; those outside of the plan have
            last year's prices.
        frequencies: Of channels with reach and frequency, by the plan's fit.
        n_draws: Draws that outcome is in.
    """
    prices: dict[str, float | np.ndarray] = dict(price_factors(plan.scenario))
    if not plan.horizon.as_fitted:
        place = places(plan.horizon, times)
        for name, listed in prices_by_period(plan.scenario).items():
            inside = (place >= 0) & (place < len(listed))
            at = np.clip(place, 0, len(listed) - 1)
            prices[name] = np.where(inside, np.array(listed)[at], 1.0)
    channels = best_frequencies(plan.scenario)
    often = {
        each.channel: each.lift for each in frequencies if each.channel in channels
    }
    lifts: dict[str, np.ndarray] = {}
    for name, lift in (*often.items(), *plan.lifts.items()):
        place = np.linspace(0, len(lift) - 1, n_draws).round().astype(int)
        # A channel with both brings each on top of the other.
        lifts[name] = lifts.get(name, 1.0) * np.asarray(lift)[place]
    return Terms(gammas_of(plan.scenario), prices, lifts)


def at_geos(
    terms: Terms,
    spread: Spread,
    inside: Bool[np.ndarray, " time"],
    went: Collection[str] = (),
) -> Terms:
    """Terms with what channels bring where their money goes by a plan, or went.

    Args:
        terms: How a plan buys media, without lifts by its geos.
        spread: Where money goes.
        inside: Which periods are the plan's.
        went: Channels whose money went there in the other periods, too.
    """
    lifts = {name: _in(lift, inside) for name, lift in terms.lifts.items()}
    for name, lift in spread.lift.items():
        where = np.ones_like(inside) if name in went else inside
        lifts[name] = lifts.get(name, 1.0) * _in(lift, where)
    return replace(terms, lifts=lifts)


def _in(
    lift: Float[np.ndarray, " draw"], inside: Bool[np.ndarray, " time"]
) -> Float[np.ndarray, "draw time"]:
    return np.where(inside, lift[:, None], 1.0)


def places(horizon: Horizon, times: np.ndarray) -> np.ndarray:
    """The place of each period in a plan, by its date; below zero before it.

    Args:
        horizon: Of the plan.
        times: First days of periods of the same length.
    """
    first, last = (np.datetime64(day, "D") for day in (horizon.start, horizon.end))
    since = (times.astype("datetime64[D]") - first).astype(float)
    if horizon.periods == 1:
        return np.where(since == 0, 0, -1)
    step = float((last - first).astype(float)) / (horizon.periods - 1)
    return np.rint(since / step).astype(int)
