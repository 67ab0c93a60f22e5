r"""Price: what a unit of media costs, and how much dearer more of it gets.

Within a channel, over periods (and geos),

    log(spend / units) = gamma log(spend) + level + trend + season + noise

so that units grow with the power 1 - gamma of spend. The level is a geo's own; trend
and season are what changes prices without the channel's doing. Errors allow for noise
that all geos share and that lasts some periods (Driscoll and Kraay, 1998).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from core.data.ahead.horizon import periods_per_year
from core.data.input_data import InputData
from core.data.mapping import PAID
from core.text import count

#: Periods with spend that a price needs, and least spread of log spend: fewer, or less,
#: say nothing about volume.
LEAST_PERIODS, _LEAST_SPREAD = 20, 0.1
#: Prices that differ by less than this share are one price.
_ONE_PRICE = 1e-3
_OVER_INDEX = "Its units are its money over its price index."
#: The largest gamma that a plan takes; units that depend on spend less than that say
#: hardly more than that they are not what the spend bought.
_LARGEST = 0.9
#: Half the width of a 90 % interval, in standard errors.
_Z = 1.645


@dataclass(frozen=True)
class Price:
    """How a channel's price depends on how much is bought.

    Attributes:
        channel: Its name.
        gamma: Elasticity of the price with respect to spend; None where the data do
            not say.
        error: Its standard error; None as `gamma`.
        periods: Periods with spend and units.
        is_money: Whether units are money: one price in every period.
        reason: Why there is no gamma; empty where there is one.
    """

    channel: str
    gamma: float | None = None
    error: float | None = None
    periods: int = 0
    is_money: bool = False
    reason: str = ""

    @property
    def suggestion(self) -> float | None:
        """What a plan may take: no medium is cheaper the more of it is bought.

        None where units hardly rise with spend: that is no price.
        """
        if self.gamma is None or self.gamma > _LARGEST:
            return None
        return round(max(self.gamma, 0.0), 3)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 90 %."""
        if self.gamma is None or self.error is None:
            return None
        return self.gamma - _Z * self.error, self.gamma + _Z * self.error


def prices(data: InputData) -> tuple[Price, ...]:
    """How the price of every channel with spend depends on its volume.

    Args:
        data: What a model was, or will be, fitted on.
    """
    season = periods_per_year(data.times)
    results = []
    for kind in PAID:
        treatments = getattr(data, kind)
        for place, name in enumerate(treatments.names if treatments else ()):
            units = treatments.exposures[:, -data.n_times :, place]
            if name in dict(data.price_index):
                n = int((treatments.spend[..., place] > 0).any(axis=0).sum())
                results.append(
                    Price(name, periods=n, is_money=True, reason=_OVER_INDEX)
                )
                continue
            results.append(price(name, treatments.spend[..., place], units, season))
    return tuple(results)


def price(
    channel: str,
    spend: Float[np.ndarray, "geo time"],
    units: Float[np.ndarray, "geo time"],
    season: float,
) -> Price:
    """How one channel's price depends on its volume.

    Args:
        channel: Its name.
        spend: Currency.
        units: What it bought: impressions, clicks.
        season: Periods of a year.
    """
    bought = (spend > 0) & (units > 0) & np.isfinite(spend) & np.isfinite(units)
    n = int(bought.any(axis=0).sum())
    if not n:
        return Price(channel, reason="It has no period with both spend and units.")
    log_spend = np.log(np.where(bought, spend, 1.0))
    log_price = log_spend - np.log(np.where(bought, units, 1.0))
    level = np.median(log_price[bought])
    if np.abs(log_price[bought] - level).max() < _ONE_PRICE:
        reason = "Its units are its money: one price in every period."
        return Price(channel, periods=n, is_money=True, reason=reason)
    if n < LEAST_PERIODS:
        reason = (
            f"It ran in {count(n, 'period')}; a price by volume takes {LEAST_PERIODS}."
        )
        return Price(channel, periods=n, reason=reason)
    others = _others(bought, season)
    x, y = (_left(values, bought, others) for values in (log_spend, log_price))
    if x[bought].std() < _LEAST_SPREAD:
        reason = "Its spend hardly varies beyond level, trend and season."
        return Price(channel, periods=n, reason=reason)
    gamma = float((x * y).sum() / (x * x).sum())
    residual = np.where(bought, y - gamma * x, 0.0)
    scores = (x * residual).sum(axis=0)
    rows, columns = int(bought.sum()), others.shape[1] + 1
    error = np.sqrt(_lasting(scores) * rows / max(rows - columns, 1)) / (x * x).sum()
    return Price(channel, gamma, float(error), n)


def _others(
    bought: Bool[np.ndarray, "geo time"], season: float
) -> Float[np.ndarray, "row other"]:
    """Level of each geo, trend, and season of what was bought."""
    geo, time = np.nonzero(bought)
    geos, of_geo = np.unique(geo, return_inverse=True)
    columns = [np.eye(len(geos))[of_geo]]
    span = np.ptp(time) + 1
    columns.append(((time - time.mean()) / span)[:, None])
    if season > 4 and span >= season:
        turn = 2 * np.pi * np.outer(time, (1, 2)) / season
        columns += [np.sin(turn), np.cos(turn)]
    return np.column_stack(columns)


def _left(
    values: Float[np.ndarray, "geo time"],
    bought: Bool[np.ndarray, "geo time"],
    others: Float[np.ndarray, "row other"],
) -> Float[np.ndarray, "geo time"]:
    """What the others leave of values; 0 where nothing was bought."""
    rows = values[bought]
    residual = np.zeros(values.shape)
    residual[bought] = rows - others @ np.linalg.lstsq(others, rows, rcond=None)[0]
    return residual


def _lasting(scores: Float[np.ndarray, " time"]) -> float:
    """Variance of a sum of scores that are correlated over time (Newey and West)."""
    n = len(scores)
    most = int(np.floor(4 * (n / 100) ** (2 / 9)))
    total = float(scores @ scores)
    for lag in range(1, min(most, n - 1) + 1):
        weight = 1 - lag / (most + 1)
        total += 2 * weight * float(scores[lag:] @ scores[:-lag])
    return max(total, 1e-300)
