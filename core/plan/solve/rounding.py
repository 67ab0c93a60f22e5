"""Rounding: splits in whole steps and whole cents that keep to joint limits.

Small integer programs: one point per channel for those that may be off or are bought
in steps; one cent up or down, rarely more, for the rest.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from core.plan.limits.cells import Cells
from core.plan.limits.polytope import Polytope
from core.plan.limits.program import cheapest
from core.plan.solve.column_generation import Points, one_each

#: Steps down and up that a cell may go, the fewest first.
_REACHES = ((0.0, 1.0), (1.0, 1.0), (100.0, 100.0), (np.inf, np.inf))
#: Part of a step by which limits in whole steps may seem to be missed.
_SLACK = 1e-3


def whole_split(
    domain: Polytope, points: Points
) -> Float[np.ndarray, " channel"] | None:
    """The best split of points, one point per channel that may be off or has steps.

    Other channels may lie between two points. None where no choice meets the limits.
    """
    # SciPy only where a program is solved: see core.plan.limits.program.
    from scipy.optimize import LinearConstraint, milp

    n_channels = len(domain.low)
    money = float(np.abs(points.spend).max()) or 1.0
    outcome = float(np.abs(points.outcome).max()) or 1.0
    sums = domain.matrix[:, points.channel] * (points.spend / money)
    least, most = (end / money for end in (domain.rows.least, domain.rows.most))
    is_exact = (domain.step > 0)[points.channel] | (
        domain.off[points.channel] & (points.spend == 0)
    )
    solved = milp(
        -points.outcome / outcome,
        integrality=is_exact.astype(int),
        bounds=(0, 1),
        constraints=[
            LinearConstraint(one_each(points.channel), 1, 1),
            LinearConstraint(sums, least - 1e-10, most + 1e-10),
        ],
        options={"mip_rel_gap": 1e-7, "node_limit": 2000},
    )
    if solved.x is None:
        return None
    spend = np.bincount(points.channel, solved.x * points.spend, minlength=n_channels)
    # HiGHS takes 0.9999996 for one: such points are spent as they are, without that
    # error.
    chosen = (solved.x > 0.5) & (
        (domain.step > 0)[points.channel] | (points.spend == 0)
    )
    spend[points.channel[chosen]] = points.spend[chosen]
    return spend


def in_whole_steps(
    spend: Float[np.ndarray, " cell"], limits: Polytope, size: float
) -> Float[np.ndarray, " cell"] | None:
    """Spend in whole steps within limits, next to a spend that keeps to them.

    None where no whole steps near the spend keep to the limits. What is off stays off,
    and what is bought in steps stays as it is.

    Args:
        spend: Spend within the limits.
        limits: Their amounts in whole steps where they are money.
        size: Currency per step.
    """
    is_stepped = limits.step > 0
    limits, exact = limits.around(spend).over(size), spend / size
    # Limits that are whole steps may lie a rounding error beside them.
    low, high = np.floor(limits.low + 1e-6), np.ceil(limits.high - 1e-6)
    is_fixed = is_stepped | (limits.low == limits.high)
    fixed = np.round(np.where(is_stepped, exact, limits.low))
    low, high = np.where(is_fixed, fixed, low), np.where(is_fixed, fixed, high)
    base = np.floor(exact + 1e-6)
    part = exact - base
    base = np.clip(base, low, high)
    ends = {"least": limits.rows.least - _SLACK, "most": limits.rows.most + _SLACK}
    limits = replace(limits, rows=replace(limits.rows, **ends))
    for down, up in _REACHES:
        floor, ceiling = np.maximum(low, base - down), np.minimum(high, base + up)
        moves = replace(limits, low=floor, high=ceiling).split_at(base)
        # Cheaper the nearer the step is, and never free: few cells move, and not far.
        cost = np.concatenate([1.5 - part, 0.5 + part])
        solved = cheapest(moves, cost, unit=1.0, is_integer=True)
        if solved is not None:
            rises, falls = np.split(np.round(solved.spend), 2)
            digits = max(2, round(-np.log10(size)))
            return np.round((base + rises - falls) * size, digits)
    return None


def cells_in_whole_steps(
    cells: Cells, spend: Float[np.ndarray, "channel column"], size: float
) -> Float[np.ndarray, "channel column"]:
    """The same for channels and weeks, whose limits are met to less than a step.

    Sums of channels and weeks are a transportation problem, whose vertices are whole
    where its limits are. Limits of change are not: spend is first moved to where they
    are kept with room for a step up or down in every cell, and then left out.

    Args:
        cells: Limits.
        spend: Spend within the limits, or next to it; it stays where nothing is found.
        size: Currency per step.
    """
    limits = cells.polytope
    if cells.spare:
        total = float(np.round(spend.sum() / size) * size)
        total = float(np.clip(total, *limits.budgets))
        limits = limits.with_budget(total, total)
    joint, near = limits.rows, spend.ravel()
    is_change = np.bincount(joint.row, joint.weight < 0, minlength=joint.n) > 0
    if is_change.any():
        near = _with_room(limits, near, size, is_change)
        joint = joint.kept(~is_change)
    least = np.floor(joint.least / size + 1e-6) * size
    most = np.ceil(joint.most / size - 1e-6) * size
    least[0] = most[0] = np.round(limits.budgets[1] / size) * size
    limits = replace(limits, rows=replace(joint, least=least, most=most))
    whole = in_whole_steps(near, limits, size)
    return spend if whole is None else whole.reshape(spend.shape)


def _with_room(
    limits: Polytope, spend: np.ndarray, size: float, is_change: np.ndarray
) -> np.ndarray:
    """The nearest spend whose changes still fit when each cell moves by a step."""
    joint = limits.rows
    moved = np.bincount(joint.row, np.abs(joint.weight), minlength=joint.n) * is_change
    for steps in (1.0, 0.0, -1e-3):
        tight = replace(joint, most=joint.most - steps * size * moved)
        moves = replace(limits, rows=tight).split_at(spend)
        solved = cheapest(moves, np.ones(2 * len(spend)), unit=size)
        if solved is not None:
            rises, falls = np.split(solved.spend, 2)
            return spend + rises - falls
    return spend
