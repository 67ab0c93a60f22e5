r"""Geo search: how geos' shares of channels' money may differ so that they tell more.

    max_m  F(x, m) + n G(x, m)    within  sum_g w_cg m_cg = 1,  |m_cg - 1| <= s,
                                          F(x, m) >= F* - c

for the weeks x of a plan, w the usual shares of geos and s the spread that is allowed.
The unknowns are amounts of money by channel and geo, so that limits, projection and
ascent are those of plans. Channels that are bought by reach, that never ran or that a
planned test is of keep their shares. And, for the certificate, with p_cgw what a unit
of money adds to the draws' mean ceiling U at weeks y, p_cw = sum_g w_cg p_cgw and
P_cw = max_m sum_g w_cg m_cg p_cgw,

    F(x, m) <= U(y) - sum_cw p_cw y_cw + max_x sum_cw P_cw x_cw    for all x and m
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from core.model.compiled.executables import persistent
from core.plan.limits.cells import Cells
from core.plan.response.felt import Felt
from core.plan.response.horizon import WeekResponse
from core.plan.solve.weeks.bound import best_linear
from core.plan.solve.weeks.objective import Objective
from core.plan.solve.weeks.projected_gradient import climb
from core.plan.solve.weeks.projection import nearest
from core.plan.solve.weeks.starts import units_of
from core.plan.teaching.by_geo import KnowledgeByGeo, brought_by_cell
from core.plan.teaching.patterns import signs
from core.plan.teaching.search import Goal, within_cost
from core.plan.teaching.shares import Multiple

Spend = Float[np.ndarray, "channel week"]
Money = Float[np.ndarray, "channel geo"]

#: Designs that are tried and climbed from, evaluations of each ascent, and growth at
#: which one ends.
_DESIGNS, _BEST, _CLIMB, _FLAT = 6, 2, 12, 1e-5
#: Evaluations that look for the highest point of the ceiling.
_NEAR, _EXACT = 60, 10
#: Share by which a channel's money may be off, to have room for rounding.
_ROUNDING = 1e-9


class Spread(NamedTuple):
    """What geos may differ by.

    Attributes:
        shares: Of a channel's money, by geo; rows sum to one.
        most: How far a share may differ, as a share of itself.
        free: Channels whose geos may differ.
    """

    shares: Float[np.ndarray, "channel geo"]
    most: float
    free: np.ndarray

    def multiple(self, money: Money) -> Multiple:
        """Multiples of the shares that amounts are."""
        usual = money.sum(axis=1, keepdims=True) * self.shares
        return np.divide(money, usual, out=np.ones_like(money), where=usual > 0)


def spread_of(
    response: WeekResponse,
    shares: Float[np.ndarray, "channel geo"],
    most: float,
    fixed: Collection[str] = (),
) -> Spread:
    """What geos may differ by, where some channels keep their shares.

    Args:
        response: That of the weeks.
        shares: Usual ones.
        most: How far a share may differ.
        fixed: Names of the channels that keep theirs.
    """
    by_reach = [
        [group.by_reach] * group.n_channels for group in response.structure.groups
    ]
    free = ~np.array(sum(by_reach, [])) & ((shares > 0).sum(axis=1) > 1)
    return Spread(shares, most, free & ~np.isin(response.names, list(fixed)))


def limits_of(spread: Spread, spend: Spend, geos: Sequence[str], names) -> Cells:
    """What each channel may spend in each geo, of its money in a plan of weeks."""
    total = spend.sum(axis=1)
    usual = total[:, None] * spread.shares
    room = np.where(spread.free[:, None], spread.most, 0.0)
    return Cells(
        names=tuple(names),
        columns=tuple(geos),
        low=usual * (1 - room),
        high=usual * (1 + room),
        least=total * (1 - _ROUNDING),
        most=total * (1 + _ROUNDING),
        column_most=np.full(len(geos), np.inf),
        budget=float(total.sum()),
        spare=_ROUNDING * float(total.sum()),
    )


class Earned:
    """What a plan of weeks brings at multiples of geos' shares, over that at ones."""

    def __init__(self, objective: Objective, spend: Spend):
        at = objective.horizon.at_one_price(spend)
        self.spend = jnp.asarray(at, jnp.float32)
        self.structure = objective.horizon.structure
        self.parts = tuple(
            part if isinstance(part, Felt) else None for part in objective.parts
        )
        shape = len(spend), self.structure.n_geos
        self.usual = 0.0
        self.usual = self(np.ones(shape))[0]

    def __call__(self, multiple: Multiple) -> tuple[float, Multiple]:
        """The difference and its gradient, in single precision."""
        at = jnp.asarray(multiple, jnp.float32)
        value, slope = _brought(self.structure, self.parts, self.spend, at)
        slope = np.nan_to_num(np.asarray(slope, np.float64))
        return float(value) - self.usual, slope


@persistent()
def _brought(structure, parts, spend, multiple):
    def of(multiple):
        cells = brought_by_cell(structure, parts, spend, multiple)
        return sum(each.sum(axis=(0, 2, 3)).mean() for each in cells)

    return jax.value_and_grad(of)(multiple)


def divisions(
    spread: Spread,
    spend: Spend,
    knowledge: KnowledgeByGeo,
    goal: tuple[Objective, float, float, float],
    seed: int,
) -> list[Multiple]:
    """Multiples of geos' shares that may earn and teach most, within their cost.

    Args:
        spread: What geos may differ by.
        spend: Weekly, of all geos together.
        knowledge: What the weeks of geos tell.
        goal: F of all geos, n, the least F may be and c, as in `Goal`.
        seed: Of the signs.
    """
    objective, later, most, cost = goal
    response = knowledge.knowledge.response
    geos = tuple(map(str, range(spread.shares.shape[1])))
    cells = limits_of(spread, spend, geos, response.names)
    usual = spend.sum(axis=1, keepdims=True) * spread.shares
    earned, before = Earned(objective, spend), objective(spend)[0]

    def per_money(value: float, slope: Multiple) -> tuple[float, Money]:
        return value, np.divide(slope, usual, out=np.zeros_like(slope), where=usual > 0)

    def earns(money: Money) -> tuple[float, Money]:
        value, slope = earned(spread.multiple(money))
        return per_money(before + value, slope)

    def teaches(money: Money) -> tuple[float, Money]:
        return per_money(*knowledge(spend, spread.multiple(money)))

    both = Goal(earns, teaches, later, most, cost)
    unit = units_of(cells)
    designs = [nearest(cells, each, unit) for each in _designs(spread, usual, seed)]
    designs.sort(key=lambda money: -both(money)[0])
    ends = [
        climb(both, cells, start, most=_CLIMB, tolerance=_FLAT).spend
        for start in (*designs[:_BEST], usual)
    ]
    return [spread.multiple(within_cost(both, usual, end)) for end in ends]


def _designs(spread: Spread, usual: Money, seed: int) -> Iterator[Money]:
    """Geos well above and below their shares, by signs that no two channels share."""
    rng = np.random.default_rng([seed, 33])
    for _ in range(_DESIGNS):
        moved = 1 + spread.most * signs(usual.shape, 1, rng)
        yield usual * np.where(spread.free[:, None], moved, 1.0)


def bound_of(objective: Objective, cells: Cells, spread: Spread, start: Spend) -> float:
    """No plan within the limits, however its geos differ, brings more than this.

    Args:
        objective: The mean of the draws.
        cells: Convex limits of weeks.
        spread: What geos may differ by.
        start: A plan within the limits.
    """
    response, most = objective.horizon, spread.most
    low, high = (1 - most) * cells.low, (1 + most) * cells.high
    if response.is_dearer:  # a multiple of spend buys less than that of its units
        low, high = (
            0 * low,
            high * (1 + most) ** (response.gamma / (1 - response.gamma))[:, None],
        )
    objective.bend(low, high)
    near = climb(
        objective.near_ceiling, cells, start, most=_NEAR, tolerance=_FLAT
    ).spend
    top = climb(objective.ceiling, cells, near, most=_EXACT).spend
    value, slope = objective.ceiling(top)
    units = response.at_one_price(top)
    per_money = np.ones_like(top)
    if response.is_dearer:
        per_money = response.units_per_money(top)
    by_geo = objective.ceiling_by_geo(top)
    extra = np.stack(
        [
            most * _apart(row, shares) if is_free else np.zeros(top.shape[1])
            for row, shares, is_free in zip(
                by_geo, spread.shares, spread.free, strict=True
            )
        ]
    )
    steepest = slope + extra * per_money
    farthest = best_linear(cells, steepest)
    rise = float((extra * units).sum() + (steepest * (farthest - top)).sum())
    return value + max(rise, 0.0) + 1e-9 * abs(value)


def _apart(
    row: Float[np.ndarray, "geo week"], shares: Float[np.ndarray, " geo"]
) -> Float[np.ndarray, " week"]:
    """The most that sum_g t_g row_g is for sum_g w_g t_g = 0 and |t_g| <= 1.

    sum_g w_g |row_g / w_g - middle|, least for a median of these by weight.
    """
    runs = shares > 0
    rate = row[runs] / shares[runs, None]
    far = np.abs(rate[None] - rate[:, None])
    return np.einsum("g,mgw->mw", shares[runs], far).min(axis=0)
