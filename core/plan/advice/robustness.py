"""Robustness: how much hidden demand would turn the advice.

A fit can take demand for an effect: search is bought when people look for the product
anyway. If a share s of what channel c seems to bring would have come without it, draw
d's gain from the plan is

    gain_d(s) = sum_c' [ f_dc'(plan) - f_dc'(today) ] - s [ f_dc(plan) - f_dc(today) ]

The smallest s at which the advice is another is the channel's turning share. Nothing is
planned anew: the question is whether this plan still is worth following.
"""

from collections.abc import Callable, Collection

import numpy as np
from jaxtyping import Bool, Float

from core.estimate import gain_of
from core.plan.advice.parts import Turn
from core.plan.advice.rule import MATERIAL, Budgeted, Profit, is_supported
from core.plan.limits.cents import difference
from core.plan.response.periods import Horizon
from core.plan.scenario.measure import Measure, measure_of

#: Shares that are tried before bisection, so that the first turn is found.
_TRIED = 10
#: Halvings of the stretch in which the advice turns: a share to 0.1 %.
_HALVINGS = 7
#: Changes in spend below this share of a channel's money do not matter to a plan.
MOVED = 0.005


def turns(
    names: tuple[str, ...],
    spend: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    outcome: tuple[
        Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]
    ],
    measure: Measure,
    *,
    cost: float = 0.0,
    material: float = MATERIAL,
    followers: Collection[str] = (),
) -> tuple[Turn, ...]:
    """The turning share of every channel whose spend moves, the smallest first.

    Args:
        names: Channels.
        spend: What the plan is compared with, and the plan; currency.
        outcome: Incremental outcome of the same two. In units of profit where the plan
            makes a profit large.
        measure: What the plan makes large.
        cost: What the plan spends more; only where outcome is profit before media.
        material: Least growth worth changing for.
        followers: See `raised`.
    """
    before, after = spend
    moves = np.abs(after - before) > MOVED * np.maximum(before, 1e-9)
    if not moves.any():
        return ()
    shares = turning_shares(
        outcome[0], outcome[1], measure, moves=moves, cost=cost, material=material
    )
    turning = [
        Turn(str(name), None if np.isnan(share) else float(share), name in followers)
        for name, share in zip(np.array(names)[moves], shares, strict=True)
    ]
    return tuple(sorted(turning, key=lambda t: 2.0 if t.share is None else t.share))


def raised(
    names: tuple[str, ...],
    spend: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    untested: Collection[str],
) -> frozenset[str]:
    """Channels that follow demand, have no lift test, and would spend more.

    Args:
        names: Channels.
        spend: What the plan is compared with, and the plan; currency.
        untested: Channels that probably follow demand and have no lift test.
    """
    before, after = spend
    is_more = after > before * (1 + MOVED)
    return frozenset(np.array(names)[is_more].tolist()) & frozenset(untested)


#: Spend of channels, currency, and what it brings, profit before media.
Side = tuple[Float[np.ndarray, " channel"], Float[np.ndarray, "draw channel"]]


def profit_over(
    names: tuple[str, ...],
    spend: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    outcome: tuple[
        Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]
    ],
    over: str,
    cost: float | None = None,
    *,
    untested: Collection[str] = (),
) -> Profit:
    """What a plan does to profit.

    Args:
        names: Channels.
        spend: What the plan is compared with, and the plan; currency.
        outcome: Of the same two, profit before media.
        over: What it is compared with, in words.
        cost: What the plan costs more, where it pays for more than its spend.
        untested: See `raised`.
    """
    if cost is None:
        cost = float(spend[1].sum() - spend[0].sum())
    measure = measure_of("mean")
    turning = turns(
        names,
        spend,
        outcome,
        measure,
        cost=cost,
        material=0.0,
        followers=raised(names, spend, untested),
    )
    before, after = (each.sum(axis=1) for each in outcome)
    return Profit(gain_of(difference(after - cost, before)), over, turning)


def budgeted(
    names: tuple[str, ...],
    horizon: Horizon,
    *,
    today: Side,
    same_split: Side | None,
    planned: Side,
    alone: Side,
    untested: Collection[str] = (),
    cost: float | None = None,
) -> Budgeted:
    """What a budget other than that of the spend that ran does to profit.

    Args:
        names: Channels.
        horizon: The plan's periods.
        today: The spend that ran.
        same_split: The split that the plan is compared with; None for none of this
            budget.
        planned: The plan.
        alone: Its own split at the budget that ran.
        untested: See `raised`.
        cost: See `profit_over`.
    """

    def against(before: Side, after: Side, over: str) -> Profit:
        spend, outcome = zip(before, after, strict=True)
        return profit_over(names, spend, outcome, over, cost, untested=untested)

    return Budgeted(
        against(today, planned, horizon.as_it_ran),
        against(alone, planned, horizon.budget_that_ran),
        same_split and against(today, same_split, horizon.as_it_ran),
    )


def turning_shares(
    before: Float[np.ndarray, "draw channel"],
    after: Float[np.ndarray, "draw channel"],
    measure: Measure,
    *,
    moves: Bool[np.ndarray, " channel"],
    cost: float = 0.0,
    material: float = MATERIAL,
) -> Float[np.ndarray, " moved"]:
    """Share of each moved channel at which the advice turns; NaN where it never does.

    Args:
        before: Outcome of what the plan is compared with.
        after: Outcome of the plan.
        measure: What the plan makes large.
        moves: Channels to ask about.
        cost: See `turns`.
        material: Least growth worth changing for.
    """
    whole = before.sum(axis=1)[:, None], after.sum(axis=1)[:, None]
    part = before[:, moves], after[:, moves]

    def stands(share: np.ndarray) -> np.ndarray:
        old, new = (all_ - share * own for all_, own in zip(whole, part, strict=True))
        growth = measure.growth(old, new) - cost
        gain = new - old - cost
        return is_supported(gain, growth, old.mean(axis=0), material=material)

    return first_turn(stands, int(moves.sum()))


def first_turn(
    stands: Callable[[Float[np.ndarray, " case"]], Bool[np.ndarray, " case"]],
    n: int,
    most: float = 1.0,
) -> Float[np.ndarray, " case"]:
    """Where the advice first is another, in each of n cases; NaN where nowhere.

    Args:
        stands: Whether a change is supported at a place of each case; zero is as it is.
        n: How many cases.
        most: The last place that is tried.
    """
    first = stands(np.zeros(n))
    low, high = np.zeros(n), np.full(n, np.nan)
    for place in np.linspace(0.0, most, _TRIED + 1)[1:]:
        is_open = np.isnan(high)
        if not is_open.any():
            break
        turned = stands(np.full(n, place)) != first
        high = np.where(is_open & turned, place, high)
        low = np.where(is_open & ~turned, place, low)
    for _ in range(_HALVINGS):
        middle = (low + np.where(np.isnan(high), low, high)) / 2
        turned = stands(middle) != first
        high = np.where(turned & ~np.isnan(high), middle, high)
        low = np.where(turned, low, middle)
    return high
