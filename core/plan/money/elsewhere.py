r"""Spend elsewhere: what a channel makes us spend on mediators that cost money.

Clicks that television causes are paid for. With x a channel's own spend, g_d(x) what it
makes be spent on a mediator in draw d, and r the share of that demand which is bought
(1 as now), an amount of the plan is what the channel costs in all, expected:

    z(x) = x + r mean_d g_d(x)          outcome f_d(x) - (1 - r) through_d(x)

One-dimensional per channel and rising, so a curve of x is one of z on knots of its own,
budgets in z are cash to the cent, and solvers keep their bounds. Where media gets
dearer with volume or has another price, x buys the media u(x)
(`core.plan.response.price`) and g and f are of that: z(x) = x + r mean_d g_d(u(x)) is
still one-dimensional and rising.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.errors import PlanError
from core.estimate import estimate
from core.plan.limits.stated import Stated, stated
from core.plan.response.cubic import hermite
from core.plan.response.curves import Elsewhere, ResponseCurves
from core.plan.response.price import (
    at_best_frequency,
    best_frequencies,
    gammas_of,
    price_factors,
    priced,
    repriced,
    units,
    units_slope,
)
from core.text import listed, verb

#: Most knots, where own spend has no more: four times those of a stored curve.
_MOST = 244
#: Knots of a multiple that are nearer are one, but for the last digits.
_APART = 1e-9
#: Halvings that settle what own spend an amount holds.
_HALVINGS = 60


def bought_of(scenario: Mapping[str, Any] | Stated) -> dict[str, float]:
    """Shares of demand that a scenario's table buys, by mediator."""
    return {
        name: float(row.bought)
        for name, row in stated(scenario).mediator.items()
        if isinstance(row.bought, int | float) and not isinstance(row.bought, bool)
    }


def as_bought(
    curves: ResponseCurves, scenario: Mapping[str, Any] | Stated
) -> ResponseCurves:
    """Curves in the money of a plan: spend elsewhere, frequency, volume, other prices.

    Args:
        curves: At last year's prices, or in this money already.
        scenario: Its table.
    """
    by_period = curves.by_period
    ran = {} if by_period is None else dict(zip(curves.names, by_period.T, strict=True))
    prices = gammas_of(scenario), price_factors(scenario, ran)
    often = best_frequencies(scenario)
    return in_plan_money(curves, bought_of(scenario), often, prices)


def in_plan_money(
    curves: ResponseCurves,
    bought: Mapping[str, float],
    often: Collection[str],
    prices: tuple[Mapping[str, float], Mapping[str, float]],
) -> ResponseCurves:
    """Curves in the money of a plan: media is priced first, then what it causes paid.

    Args:
        curves: At last year's prices, which may pay already, or in this money.
        bought: Share of the demand that is bought, by mediator.
        often: Channels that are bought at their best frequency.
        prices: How much dearer channels get with volume, and what a unit costs over
            last year's.
    """
    gammas, factors = prices
    paid = paying(curves, bought) if curves.elsewhere is not None else None
    if paid is None or paid.gammas or paid.prices:
        curves = paying(repriced(priced(curves, gammas), factors), bought)
    else:
        before = paid.elsewhere.before
        dearer = repriced(priced(before, gammas), factors)
        is_same = dearer is before
        curves = paid if is_same else paying(dearer, paid.elsewhere.bought)
    return at_best_frequency(curves, often)


def paying(curves: ResponseCurves, bought: Mapping[str, float]) -> ResponseCurves:
    """Curves whose amounts pay for what channels make us spend on mediators.

    Args:
        curves: Of own spend, in the prices of the plan, or paying like this already.
        bought: Share of the demand that is bought, by mediator; others are not paid
            for.

    Returns:
        The same curves, unchanged, where nothing is bought.

    Raises:
        PlanError: A mediator is unknown or costs nothing, a share is none, or a
            channel saves more elsewhere than it costs.
    """
    if not bought or (
        curves.elsewhere is not None and curves.elsewhere.bought == dict(bought)
    ):
        return curves
    if curves.elsewhere is not None:
        raise ValueError("Curves pay for other shares already.")
    check_bought([each.mediator for each in curves.paid], bought)
    whole, lost = _whole(curves, bought)
    mean = whole.mean()
    today = curves.spend + _as_it_ran(curves, bought)
    knots = curves.spend[:, None] * curves.grid
    amounts = knots + mean.outcome_along(knots)[0]
    is_apart = np.diff(curves.grid) > _APART
    saves = (np.diff(amounts, axis=1)[:, is_apart] <= 0).any(axis=1)
    if saves.any():
        name = curves.names[int(saves.argmax())]
        raise PlanError(
            f"More spend on {name} saves more on {listed(list(bought))} than it costs.",
            hint="Leave [mediator] out, or look at the fit: such a channel is free.",
            where=name,
        )
    grid = _knots(curves.grid, amounts / today[:, None])
    own = _own(mean, grid * today[:, None])
    value, slope = _along(curves, own)
    loses = lost.value.any(axis=(0, 2))
    if loses.any():
        less = _along(_some(lost, loses), own[loses])
        value[:, loses] -= less[0]
        slope[:, loses] -= less[1]
    slope = slope * (today[:, None] / (1 + _along(mean, own)[1][0]))
    pays, spent = whole.value.any(axis=(0, 2)), np.zeros(value.shape)
    spent[:, pays] = _some(whole, pays).outcome_along(own[pays])
    largest = curves.spend * curves.highest_seen
    largest = (largest + mean.outcome(np.nan_to_num(largest))[0]) / today
    return replace(
        curves,
        spend=today,
        grid=grid,
        value=np.ascontiguousarray(value),
        slope=np.ascontiguousarray(slope),
        highest_seen=largest,
        elsewhere=Elsewhere(dict(bought), grid * today[:, None], own, spent, curves),
    )


def _knots(
    grid: Float[np.ndarray, " knot"], multiples: Float[np.ndarray, "channel knot"]
) -> Float[np.ndarray, " more"]:
    """Knots that all channels share: each one's own, or many where those are too many.

    Args:
        grid: Of own spend.
        multiples: What each channel costs in all at these, of what it costs today.
    """
    own = np.unique(np.round(multiples, 12))
    if len(own) <= max(_MOST, len(grid)):
        return own
    times = max(_MOST // len(grid), 1)
    parts = np.linspace(grid[:-1], grid[1:], times, endpoint=False)
    return np.append(parts.T.ravel(), grid[-1])


def check_bought(known: Sequence[str], bought: Mapping[str, float]) -> None:
    """Refuse a mediator that costs nothing, and a share that is none.

    Args:
        known: Mediators that cost money.
        bought: Share of the demand that is bought, by mediator.

    Raises:
        PlanError: There is one.
    """
    for name, share in bought.items():
        if name not in known:
            raise PlanError(
                f"There is no mediator {name} that costs money in this fit.",
                hint=f"It has {listed(list(known))}."
                if known
                else "Name what it cost in [[funnel]], fit again, or leave it out.",
                where=f"mediator.{name}",
            )
        if not 0 <= share <= 1:
            raise PlanError(
                f"The share of {name} that is bought is {share:g}, not from 0 to 1.",
                hint="Use 1 to buy all the demand that comes, as now.",
                where=f"mediator.{name}",
            )


def _whole(
    curves: ResponseCurves, bought: Mapping[str, float]
) -> tuple[ResponseCurves, ResponseCurves]:
    """What channels make be spent, as bought; what they lose by what is not bought."""
    multiple = curves.grid / _price(curves)[:, None]
    gamma = _gamma(curves)[:, None]
    media = _Media(
        units(multiple, gamma),
        units_slope(multiple, gamma) / _price(curves)[:, None],
    )
    spent, lost = _caused(curves, bought, media)
    return tuple(
        replace(curves, value=part[0], slope=part[1]) for part in (spent, lost)
    )


def _price(curves: ResponseCurves) -> Float[np.ndarray, " channel"]:
    return np.array(curves.prices) if curves.prices else np.ones(len(curves.names))


def _gamma(curves: ResponseCurves) -> Float[np.ndarray, " channel"]:
    return np.array(curves.gammas) if curves.gammas else np.zeros(len(curves.names))


def _as_it_ran(
    curves: ResponseCurves, bought: Mapping[str, float]
) -> Float[np.ndarray, " channel"]:
    """What the media that ran made be spent, as bought; on average."""
    ones = np.ones((len(curves.names), 1))
    spent, _ = _caused(curves, bought, _Media(ones, ones))
    return spent[0][:, :, 0].mean(axis=0)


class _Media(NamedTuple):
    """Media of each channel over what ran, and its slope in the multiple of spend."""

    multiple: Float[np.ndarray, "channel knot"]
    slope: Float[np.ndarray, "channel knot"]


def _caused(
    curves: ResponseCurves, bought: Mapping[str, float], media: _Media
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What channels make be spent, and what is lost by what is not bought, of media.

    Each with its slope; draw channel knot.
    """
    shape = (curves.n_draws, *media.multiple.shape)
    spent, lost = ([np.zeros(shape), np.zeros(shape)] for _ in range(2))
    for each in curves.paid:
        if each.mediator not in bought:
            continue
        share = bought[each.mediator]
        rows = [
            (curves.names.index(name), place)
            for place, name in enumerate(each.names)
            if name in curves.names
        ]
        for ours, theirs in rows:
            for part, sign, weight in (
                (each.induced, spent, share),
                (each.through, lost, 1 - share),
            ):
                ends = [side[:, theirs] for side in part]
                value, slope = _at(media.multiple[ours], each.grid, *ends)
                sign[0][:, ours] += weight * value
                sign[1][:, ours] += weight * slope * media.slope[ours]
    return spent, lost


def _at(
    grid: Float[np.ndarray, " knot"],
    own: Float[np.ndarray, " own"],
    value: Float[np.ndarray, "draw own"],
    slope: Float[np.ndarray, "draw own"],
) -> tuple[Float[np.ndarray, "draw knot"], Float[np.ndarray, "draw knot"]]:
    """A curve and its slope on another grid; on its own as it is."""
    if np.array_equal(grid, own):
        return value, slope
    at = np.searchsorted(own, grid, side="right").clip(1, len(own) - 1)
    width = own[at] - own[at - 1]
    ends = (value[:, at - 1], value[:, at], slope[:, at - 1], slope[:, at])
    inside = np.clip(grid, own[0], own[-1])
    height, rise = hermite((inside - own[at - 1]) / width, width, ends)
    return height + rise * (grid - inside), rise


def _own(
    mean: ResponseCurves, amounts: Float[np.ndarray, "channel knot"]
) -> Float[np.ndarray, "channel knot"]:
    """Own spend in what a channel costs in all, by halving."""
    low, high = np.zeros_like(amounts), np.maximum(amounts, 1e-9).copy()
    for _ in range(_HALVINGS):  # an own spend above the amount saves elsewhere
        short = high + mean.outcome_along(high)[0] < amounts
        if not short.any():
            break
        high = np.where(short, 2 * high, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = middle + mean.outcome_along(middle)[0] < amounts
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(amounts <= 0, 0.0, high)


def _along(
    curves: ResponseCurves, spend: Float[np.ndarray, "channel knot"]
) -> tuple[
    Float[np.ndarray, "draw channel knot"], Float[np.ndarray, "draw channel knot"]
]:
    """Outcome of each channel at spends of its own, and outcome per currency."""
    value, slope = curves.outcome_and_marginal(spend.T)
    return np.moveaxis(value, 1, 2), np.moveaxis(slope, 1, 2)


def _some(curves: ResponseCurves, mask: Bool[np.ndarray, " channel"]) -> ResponseCurves:
    """The curves of some channels, without what ran in each period."""
    return replace(
        curves,
        names=tuple(np.array(curves.names)[mask].tolist()),
        spend=curves.spend[mask],
        value=curves.value[:, mask],
        slope=curves.slope[:, mask],
        highest_seen=curves.highest_seen[mask],
        by_period=None,
    )


def own_and_elsewhere(
    curves: ResponseCurves, amounts: Float[np.ndarray, " channel"]
) -> tuple[Float[np.ndarray, " channel"], Float[np.ndarray, "draw channel"]]:
    """Own spend of channels, and what they make be spent elsewhere in each draw.

    The two add up to the amounts on average over draws. Beyond the last knot both go on
    along the last line.

    Args:
        curves: That pay.
        amounts: What channels cost in all; currency.
    """
    elsewhere = curves.elsewhere
    own, spent = np.array(amounts, float), np.zeros((curves.n_draws, len(amounts)))
    for i, amount in enumerate(amounts):
        if not elsewhere.spent[:, i].any():
            continue
        knots = elsewhere.amounts[i]
        at = np.searchsorted(knots, amount).clip(1, len(knots) - 1)
        share = max((amount - knots[at - 1]) / (knots[at] - knots[at - 1]), 0.0)
        own[i], each = (
            (1 - share) * values[..., at - 1] + share * values[..., at]
            for values in (elsewhere.own[i], elsewhere.spent[:, i])
        )
        spent[:, i] = each + (amount - own[i] - each.mean())
    return own, spent


def exactly_own(
    curves: ResponseCurves, amounts: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """Own spend of channels on average, between knots too; `own_and_elsewhere` is fast.

    Args:
        curves: That pay.
        amounts: What channels cost in all; currency.
    """
    return _own(_spent_on_average(curves), np.asarray(amounts)[:, None])[:, 0]


def in_all(
    curves: ResponseCurves, own: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """What channels cost in all, by their own spend; the inverse of `exactly_own`.

    Args:
        curves: That pay.
        own: Own spend of channels; currency.
    """
    return own + _spent_on_average(curves).outcome_along(own[:, None])[0, :, 0]


def _spent_on_average(curves: ResponseCurves) -> ResponseCurves:
    """What channels make be spent, by their own spend."""
    elsewhere = curves.elsewhere
    return _whole(elsewhere.before, elsewhere.bought)[0].mean()


def returns_beside(
    own: tuple[float, float],
    spent: Float[np.ndarray, " draw"],
    outcome: Float[np.ndarray, " draw"],
) -> dict[str, Any]:
    """A channel's own spend beside what it makes us spend; nothing where that is none.

    As fields of a line of a plan: a multiple is that of own spend, which is what media
    is bought with.

    Args:
        own: Today's and the plan's own spend.
        spent: What the plan makes us spend.
        outcome: Of the plan.
    """
    if not spent.any():
        return {}
    before, planned = own
    rois = {}
    if planned > 0:
        rois = {
            "roi_of_own": estimate(outcome / planned),
            "roi_with_induced": estimate(outcome / (planned + spent)),
        }
    multiple = planned / before if before > 0 else None
    return {"multiplier": multiple, "own": planned, "induced": estimate(spent), **rois}


def not_paid(curves: ResponseCurves, owners: Mapping[str, str] | None = None) -> str:
    """That channels make us spend on mediators, which a plan leaves out; or nothing.

    Args:
        curves: Of channels, or of cells.
        owners: The channel of each cell.
    """
    bought = {} if curves.elsewhere is None else curves.elsewhere.bought
    unpaid = [each for each in curves.paid if each.mediator not in bought]
    channels = [
        name if owners is None else owners[name]
        for name in curves.names
        if any(
            name in each.names and each.induced[0][:, each.names.index(name)].any()
            for each in unpaid
        )
    ]
    if not channels:
        return ""
    return left_out(list(dict.fromkeys(channels)), [each.mediator for each in unpaid])


def left_out(channels: Sequence[str], mediators: Sequence[str]) -> str:
    """That channels make us spend on mediators, which a plan does not pay.

    Args:
        channels: At least one.
        mediators: At least one.
    """
    return (
        f"{listed(channels)} also {verb(len(channels), 'make')} us spend on "
        f"{listed(mediators)}, which this plan does not pay: its amounts leave that "
        "out."
    )
