r"""Price index: what a unit of a channel's media cost over the years.

Where media is known by its spend alone, dearer years look like years of more media. An
index p of the price, stated by channel and period, takes that out:

    units_t = spend_t / p_t

is what a model sees; and a plan pays for the media of a year earlier what it costs now,
p_t over the price that the curve's spend was at.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from core.data.ahead.horizon import PlanHorizon, next_times, year_before
from core.data.input_data import InputData
from core.data.mapping import PriceIndex

#: What response curves call the prices of their periods.
PRICES = "horizon_prices"


def index_at(index: PriceIndex, times: np.ndarray) -> Float[np.ndarray, " time"]:
    """The index in periods: the last one stated by their first day, or the first.

    Args:
        index: Days, YYYY-MM-DD and rising, from which on a price holds.
        times: First days of the periods, datetime64[D].
    """
    days = np.array([day for day, _ in index], "datetime64[D]")
    place = np.searchsorted(days, times, side="right") - 1
    return np.array([price for _, price in index])[np.maximum(place, 0)]


def prices_ahead(data: InputData, horizon: PlanHorizon) -> dict[str, tuple[float, ...]]:
    """Price of each period of a plan over that of the period a year earlier.

    Args:
        data: The market.
        horizon: The periods of the plan.

    Returns:
        By channel with an index; those whose prices stay are left out.
    """
    earlier = data.times[year_before(data, horizon.skip + horizon.n)[horizon.skip :]]
    results = {
        name: index_at(index, horizon.times) / index_at(index, earlier)
        for name, index in data.price_index
    }
    return _that_differ(results)


def prices_of_weeks(
    data: InputData, skip: int, n: int, year: int
) -> dict[str, tuple[float, ...]]:
    """Price of each week of a plan over the mean price of the last year.

    Args:
        data: The market.
        skip: Periods between the data and the plan.
        n: Periods of the plan.
        year: Periods of a year.

    Returns:
        As `prices_ahead`.
    """
    times = next_times(data.times, skip + n)[skip:]
    results = {}
    for name, index in data.price_index:
        place = data.media.names.index(name)
        spend = data.media.spend[:, :, place].sum(axis=0)
        lately = spend.copy()
        lately[: max(len(spend) - year, 0)] = 0.0
        spend = lately if lately.any() else spend
        bought = (spend / index_at(index, data.times)).sum()
        mean = spend.sum() / bought if bought > 0 else 1.0
        results[name] = index_at(index, times) / mean
    return _that_differ(results)


def _that_differ(
    prices: Mapping[str, Float[np.ndarray, " period"]],
) -> dict[str, tuple[float, ...]]:
    return {
        name: tuple(listed.tolist())
        for name, listed in prices.items()
        if np.abs(listed - 1.0).max() > 1e-12
    }
