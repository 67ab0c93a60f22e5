r"""The price of media: more of it at a time costs more a unit.

What a channel buys grows with its spend x as

    units(x) / units(today) = (x / today)^(1 - gamma),   0 <= gamma < 1

so that its price per unit grows with the power gamma of what is bought for, and today's
spend buys today's units. Below a hundredth of today's spend the price is constant: no
medium is free. Outcome in money is the outcome of these units; units rise and bend
down, so a concave outcome stays concave, and a piecewise cubic one is one again on
knots of its own.

A price other than last year's (fees, VAT, another rate of exchange) is a factor p of
what every unit costs: spend x buys what x / p bought.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from core.dims import INTERVAL
from core.plan.limits.asked import Over
from core.plan.limits.buying import BEST
from core.plan.limits.stated import Stated, held, part, stated
from core.plan.response.curves import Frequency, ResponseCurves
from core.text import estimate, ratio
from core.text import listed as listed_words

#: Keys of a channel that say what its media cost.
_PRICES = ("frequency", "gamma", "price")
#: Share of today's spend below which the price is constant.
CHEAPEST = 0.01
#: Knots from there to a multiple from which the grid itself is fine enough, and how
#: close two of them are to the kink.
_KNOTS, _TOP, _KINK = 64, 3.0, 1e-3


def units(multiple: np.ndarray | float, gamma: np.ndarray | float) -> np.ndarray:
    """Multiple of today's units that a multiple of today's spend buys; broadcast."""
    gamma = np.asarray(gamma, float)
    return np.asarray(multiple * np.maximum(multiple, CHEAPEST) ** -gamma)


def units_slope(multiple: np.ndarray | float, gamma: np.ndarray | float) -> np.ndarray:
    """Derivative of `units`; at the kink that of the dearer side."""
    gamma = np.asarray(gamma, float)
    rate = np.maximum(multiple, CHEAPEST) ** -gamma
    return np.where(multiple < CHEAPEST, rate, (1 - gamma) * rate)


def gammas_of(scenario: Mapping[str, Any] | Stated) -> dict[str, float]:
    """The gammas of a scenario's table, by channel; those above zero."""
    return {
        name: float(row.gamma)
        for name, row in stated(scenario).channel.items()
        if isinstance(row.gamma, int | float) and row.gamma > 0
    }


def price_factors(
    scenario: Mapping[str, Any] | Stated,
    ran: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> dict[str, float]:
    """The prices of a scenario's table over last year's, by channel; those not 1.

    Args:
        scenario: The table.
        ran: Spend of each of its periods a year earlier, which prices by period are
            averaged over; of channels that are not named they are their mean.
    """
    prices = {name: float(listed[0]) for name, listed in _prices(scenario).items()}
    for name, listed in prices_by_period(scenario).items():
        weight = ran.get(name, np.ones(len(listed)))
        is_known = len(weight) == len(listed) and weight.any()
        prices[name] = float(np.average(listed, weights=weight if is_known else None))
    return {name: price for name, price in prices.items() if price != 1.0}


def prices_by_period(
    scenario: Mapping[str, Any] | Stated,
) -> dict[str, tuple[float, ...]]:
    """The prices of a scenario's table that differ by period, by channel."""
    return {name: each for name, each in _prices(scenario).items() if len(each) > 1}


def _prices(scenario: Mapping[str, Any] | Stated) -> dict[str, tuple[float, ...]]:
    """Prices by channel, as they are stated: one, or one for each period."""
    prices = {}
    for name, row in stated(scenario).channel.items():
        price = row.price
        listed = tuple(price) if isinstance(price, list | tuple) else (price,)
        if listed and all(isinstance(x, int | float) and x > 0 for x in listed):
            prices[name] = tuple(map(float, listed))
    return prices


def at_indexed_prices(
    scenario: Mapping[str, Any], prices: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    """A scenario's table with the prices of price indexes where it states none.

    Args:
        scenario: The table.
        prices: By channel: of each period over last year's.
    """
    rows = scenario.get("channel")
    rows = {} if rows is None else rows
    if not prices or not isinstance(rows, Mapping):
        return dict(scenario)
    named = {name: rows.get(name, {}) for name in prices}
    priced = {
        name: {"price": list(prices[name]), **row}
        for name, row in named.items()
        if isinstance(row, Mapping)
    }
    return {**scenario, "channel": {**rows, **priced}}


def indexed_note(
    scenario: Mapping[str, Any] | Stated, prices: Mapping[str, Sequence[float]]
) -> str:
    """That a plan pays what price indexes say, where it does; or nothing.

    Args:
        scenario: Its table.
        prices: See `at_indexed_prices`.
    """
    stated_prices = _prices(scenario)
    paid = {
        name: float(np.mean(listed))
        for name, listed in prices.items()
        if stated_prices.get(name) == tuple(listed)
    }
    if not paid:
        return ""
    each = listed_words([f"{name} {ratio(price)}" for name, price in paid.items()])
    return f"Prices follow the price index, over last year's: {each}."


def price_rows(scenario: Mapping[str, Any], *more: str) -> dict[str, dict[str, Any]]:
    """All of it as rows of channels: what is kept where amounts are set.

    Args:
        scenario: The table.
        more: Other keys that are kept.
    """
    rows = {
        name: {key: held(row)[key] for key in (*_PRICES, *more) if key in held(row)}
        for name, row in part(scenario, "channel").items()
    }
    return {name: row for name, row in rows.items() if row}


#: What a scenario says beside its limits and what is searched for.
_BESIDE_LIMITS = ("objective", "horizon", "discount", "belief", "mediator")


def evaluated(
    scenario: Mapping[str, Any], over: Over, spend: Mapping[str, Any]
) -> dict[str, Any]:
    """A scenario whose amounts are settled, at the prices that they are bought at.

    Args:
        scenario: The table; its limits, and what it searches for, are left out.
        over: What the amounts are of.
        spend: By channel; by geo and channel; for weeks a list by channel.
    """
    table = {key: scenario[key] for key in _BESIDE_LIMITS if key in scenario}
    if over == "channels":
        prices = price_rows(scenario)
        money = {name: float(amount) for name, amount in spend.items()}
        rows = {name: {"lock": money[name]} | prices.get(name, {}) for name in money}
        return table | {"budget": math.fsum(money.values()), "channel": rows}
    weeks = part(scenario, "weeks")
    weeks = {key: weeks[key] for key in ("value", "after") if key in weeks}
    if over == "weeks":
        rows = {"channel": price_rows(scenario, "geos"), "weeks": weeks}
        table |= {key: row for key, row in rows.items() if row}
        return table | {"spend": {name: list(row) for name, row in spend.items()}}
    rows = price_rows(scenario)
    table |= {"channel": rows} if rows else {}
    return table | {"geos": {"spend": {geo: dict(row) for geo, row in spend.items()}}}


def best_frequencies(scenario: Mapping[str, Any] | Stated) -> tuple[str, ...]:
    """Channels of a scenario's table that are bought at their best frequency."""
    return tuple(
        name for name, row in stated(scenario).channel.items() if row.frequency == BEST
    )


def at_best_frequency(
    curves: ResponseCurves, channels: Collection[str]
) -> ResponseCurves:
    """Curves of channels that reach people as often as pays most.

    Args:
        curves: At the frequency that ran, or at the best already.
        channels: Those that are; one without reach and frequency stays as it is.
    """
    lifts = {each.channel: each.lift for each in curves.frequencies}
    names = tuple(name for name in curves.names if name in channels and name in lifts)
    if names == curves.at_best or not names:
        return curves
    if curves.at_best:
        raise ValueError("Curves are at the best frequency of other channels.")
    one = np.ones(curves.n_draws)
    lift = np.stack(
        [lifts[name] if name in names else one for name in curves.names], axis=1
    )[:, :, None]
    return replace(
        curves, value=curves.value * lift, slope=curves.slope * lift, at_best=names
    )


def frequency_notes(bought: Iterable[Frequency]) -> list[str]:
    """What buying at the best frequency brings, a sentence for each such channel.

    Args:
        bought: The channels of a plan that are bought at it.
    """
    tail = (1 - INTERVAL) / 2
    notes = []
    for each in bought:
        more = each.lift - 1
        lo, hi = np.quantile(more, [tail, 1 - tail])
        gained = {"mean": float(more.mean()), "lo": float(lo), "hi": float(hi)}
        notes.append(
            f"{each.channel} is planned at its best frequency, {ratio(each.best)} "
            f"exposures per person reached instead of {ratio(each.ran)}: the same "
            f"spend then brings {estimate(gained, 'share', signed=True)}."
        )
    return notes


def repriced(
    curves: ResponseCurves, prices: Mapping[str, float] | Float[np.ndarray, " channel"]
) -> ResponseCurves:
    """Curves in money that buys at other prices than last year's.

    Exact: a cubic whose axis is stretched is one on stretched knots.

    Args:
        curves: At last year's prices, or at these already.
        prices: Of a unit over last year's, by channel; or of every one.

    Returns:
        The same curves, unchanged, where every price is 1.
    """
    price = _by_channel(prices, curves.names, 1.0)
    factors = () if (price == 1.0).all() else tuple(price.tolist())
    if factors == curves.prices or not factors:
        return curves
    if curves.prices:
        raise ValueError("Curves are at other prices already.")
    grid = np.unique(np.concatenate([each * curves.grid for each in {1.0, *factors}]))
    return replace(
        curves.on_grid(grid, grid[:, None] / price, 1 / price), prices=factors
    )


def _by_channel(
    numbers: Mapping[str, float] | np.ndarray, names: Sequence[str], usual: float
) -> Float[np.ndarray, " channel"]:
    """A number of every channel in the order of the names."""
    if isinstance(numbers, Mapping):
        numbers = [numbers.get(name, usual) for name in names]
    return np.asarray(numbers, float)


def priced(
    curves: ResponseCurves, gammas: Mapping[str, float] | Float[np.ndarray, " channel"]
) -> ResponseCurves:
    """Curves in money whose price rises with volume.

    Args:
        curves: At one price, or priced like this already.
        gammas: By channel, those that are not named at one price; or of every one.

    Returns:
        The same curves, unchanged, where every gamma is zero.
    """
    gamma = _by_channel(gammas, curves.names, 0.0)
    exponents = tuple(gamma.tolist()) if gamma.any() else ()
    if exponents == curves.gammas or not exponents:
        return curves
    if curves.gammas:
        raise ValueError("Curves that are priced already have other gammas.")
    # A cubic has no kink: the one at the cheapest price lies between two knots.
    kink = CHEAPEST * np.array([1 - _KINK, 1 + _KINK])
    rising = np.geomspace(kink[1], min(curves.grid[-1], _TOP), _KNOTS)
    grid = np.unique(np.concatenate([curves.grid, kink, rising]))
    multiples = grid[:, None]
    bought, rise = units(multiples, gamma), units_slope(multiples, gamma)
    return replace(curves.on_grid(grid, bought, rise), gammas=exponents)
