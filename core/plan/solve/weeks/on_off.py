r"""On and off: weeks that pause or spend at least an amount, and channels in steps.

The spends allowed are then in parts, one for each choice of weeks that run. Within one
the limits are convex again, and the plan of weeks is found as ever; the choice is
searched for. Starts are the choices nearest to the best plan of the relaxed limits
and to bursts that follow it: a week runs where what the relaxed plan has spent since
the last burst reaches the burst's size. The best of them is improved by moves of single
weeks (one more, one less, one elsewhere) while that helps.

The bound is that of the relaxed limits, which hold every choice: nothing allowed is
better. So the gap also holds what pausing itself costs, and may be wide where the
least of a week is far above what its channel would spend.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool

from core.errors import PlanError
from core.plan.limits.cells import Cells
from core.plan.limits.program import can_be_met
from core.plan.solve.weeks.projected_gradient import Climbed, Objective, climb
from core.plan.solve.weeks.projection import Spend, nearest
from core.plan.solve.weeks.starts import units_of

#: Sizes of bursts, in multiples of the least of a week.
_BURSTS = (1.0, 1.5, 2.5, 4.0)
#: Evaluations of an ascent from a choice and after a move; most moves tried.
_CHOICE, _MOVE, _MOVES = 30, 12, 60
#: Seconds and share of the optimum at which the nearest choice is near enough.
_SECONDS, _NEAR = 3.0, 1e-2

On = Bool[np.ndarray, "channel column"]


def fixed_to(cells: Cells, on: On) -> Cells:
    """The convex limits of one choice of weeks that run."""
    off = np.zeros_like(on) if cells.off is None else cells.off
    dark = off & ~on
    low, high = (np.where(dark, 0.0, end) for end in (cells.low, cells.high))
    change = cells.change
    if change is not None:
        # Next to a week that pauses no change is limited.
        change = replace(change, free=change.free | dark[:, :-1] | dark[:, 1:])
        change = None if change.free.all() else change
    return replace(cells, low=low, high=high, change=change, off=None, step=None)


def runs(cells: Cells, spend: Spend) -> On:
    """Which cells run in a plan."""
    if cells.off is None:
        return np.ones(spend.shape, bool)
    return ~cells.off | (spend > 0.5 * cells.low) & (spend > 0)


def best_choice(objective: Objective, cells: Cells, plan: Spend) -> Spend:
    """The best plan found among all choices.

    Args:
        objective: Value and gradient.
        cells: Limits, not convex.
        plan: The best one of the relaxed limits.

    Raises:
        PlanError: No choice that keeps to the limits was found.
    """
    visited: set[bytes] = set()
    best: tuple[Climbed, On] | None = None
    for goal in (plan, *bursts(cells, plan)):
        on = runs(cells, goal)
        if not can_be_met(fixed_to(cells, on).polytope):
            near = nearest_allowed(cells, goal)
            if near is None:
                continue
            on = runs(cells, near)
        if on.tobytes() in visited:
            continue
        visited.add(on.tobytes())
        tried = _climbed(objective, cells, on, goal, _CHOICE)
        if tried is not None and (best is None or tried.value > best[0].value):
            best = tried, on
    if best is None:
        raise PlanError(
            "No choice of weeks that pause keeps to all limits together.",
            hint="Lower the least spend of a week, or widen the limits of a channel.",
            where="weeks",
        )
    climbed, on = (
        best if cells.off is None else _moved(objective, cells, *best, visited)
    )
    if cells.step is None:
        return climbed.spend
    return _in_steps(objective, cells, on, climbed.spend)


def bursts(cells: Cells, plan: Spend) -> Iterator[Spend]:
    """Plans that spend what another does in bursts of some sizes."""
    if cells.off is None:
        return
    for size in _BURSTS:
        each = np.maximum(size * cells.low, 1e-9)
        so_far = np.cumsum(np.where(cells.off, plan, 0.0) / each, axis=1)
        due = np.floor(so_far + 0.5)
        starts = np.diff(due, axis=1, prepend=0.0) > 0
        yield np.where(cells.off, starts * each, plan)


def _climbed(
    objective: Objective, cells: Cells, on: On, start: Spend, most: int
) -> Climbed | None:
    """The best plan of a choice; None where it keeps to no limits."""
    limits = fixed_to(cells, on)
    if not can_be_met(limits.polytope):
        return None
    begin = nearest(limits, start, units_of(limits))
    return climb(objective, limits, begin, most=most, tolerance=1e-6)


def _moved(
    objective: Objective, cells: Cells, best: Climbed, on: On, visited: set[bytes]
) -> tuple[Climbed, On]:
    """A choice after moves of single weeks, as long as one helps."""
    moves, is_better = _MOVES, True
    while is_better and moves > 0:
        is_better = False
        for other in _neighbours(cells, on, best):
            if other.tobytes() in visited:
                continue
            visited.add(other.tobytes())
            tried = _climbed(objective, cells, other, best.spend, _MOVE)
            moves -= 1
            if tried is not None and tried.value > best.value * (1 + 1e-7):
                best, on, is_better = tried, other, True
                break
            if moves <= 0:
                break
    return best, on


def _neighbours(cells: Cells, on: On, at: Climbed) -> Iterator[On]:
    """Choices in which one week differs or runs elsewhere, or all of a channel do.

    A week that runs at its least and whose next unit brings little is best left out;
    a dark one whose first unit would bring much is best added.
    """
    price = float(np.median(at.slope[at.spend > 0])) if at.spend.any() else 0.0
    gain = np.where(cells.off, at.slope - price, 0.0)
    channels = np.flatnonzero(cells.off.any(axis=1))
    channels = channels[np.argsort(-np.ptp(gain[channels], axis=1), kind="stable")]
    for channel in channels.tolist():
        free = cells.off[channel]
        out = _first(np.flatnonzero(free & on[channel]), gain[channel])
        into = _first(np.flatnonzero(free & ~on[channel]), -gain[channel])
        for pair in ((w, v) for w in out[:2] for v in into[:3]):
            yield _flipped(on, channel, pair)
        for week in out[:3]:
            yield _flipped(on, channel, (week,))
        for week in into[:3]:
            yield _flipped(on, channel, (week,))
        for week in np.flatnonzero(free & on[channel]).tolist():
            for other in (week - 1, week + 1):
                if 0 <= other < len(free) and free[other] and not on[channel, other]:
                    yield _flipped(on, channel, (week, other))
        own = on[channel, free]
        for pattern in (np.roll(own, 1), np.roll(own, -1), own[::-1]):
            other = on.copy()
            other[channel, free] = pattern
            yield other


def _first(weeks: np.ndarray, rank: np.ndarray) -> list[int]:
    return weeks[np.argsort(rank[weeks], kind="stable")].tolist()


def _flipped(on: On, channel: int, weeks: tuple[int, ...]) -> On:
    other = on.copy()
    other[channel, list(weeks)] ^= True
    return other


def _in_steps(objective: Objective, cells: Cells, on: On, plan: Spend) -> Spend:
    """The nearest plan in whole steps, and what is free beside it at its best."""
    near = nearest_allowed(replace(fixed_to(cells, on), step=cells.step), plan)
    near = nearest_allowed(cells, plan) if near is None else near
    if near is None:
        raise PlanError(
            "No plan of weeks in whole steps keeps to all limits together.",
            hint="Choose smaller steps, or let a channel without steps take the rest.",
            where="step",
        )
    return climb(
        objective, around(cells, near), near, most=_CHOICE, tolerance=1e-6
    ).spend


def around(cells: Cells, plan: Spend) -> Cells:
    """The convex limits of a plan's own choice, with what it buys in steps decided."""
    limits = fixed_to(cells, runs(cells, plan))
    if cells.step is None:
        return limits
    stepped = cells.step > 0
    low, high = (np.where(stepped, plan, end) for end in (limits.low, limits.high))
    return replace(limits, low=low, high=high)


def nearest_allowed(cells: Cells, goal: Spend) -> Spend | None:
    """A plan within the limits that is near to a goal; None where there is none.

        min  sum |x - goal|    low on <= x <= high on,   x = step k,   on 0 or 1

    A limit of change counts where both of its weeks run.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, diags_array, eye_array, hstack, vstack

    unit = cells.budget / goal.size
    limits = cells.polytope.over(unit)
    n, ask = goal.size, goal.ravel() / unit
    each, none = eye_array(n, format="csr"), csr_array((n, n))
    stepped = limits.step > 0
    joint = limits.rows
    far = np.full(n, np.inf)
    blocks = [
        (hstack([limits.sparse, csr_array((joint.n, 3 * n))]), joint.least, joint.most),
        (hstack([each, -diags_array(limits.low), none, none]), np.zeros(n), far),
        (hstack([each, -diags_array(limits.high), none, none]), -far, np.zeros(n)),
        (hstack([each, none, none, each]), ask, far),
        (hstack([each, none, none, -each]), -far, ask),
        (
            hstack([each, none, -diags_array(limits.step), none]).tocsr()[stepped],
            np.zeros(stepped.sum()),
            np.zeros(stepped.sum()),
        ),
        *_changes(cells, unit),
    ]
    rows = vstack([block for block, _, _ in blocks], format="csr")
    least, most = (np.concatenate([b[side] for b in blocks]) for side in (1, 2))
    size = np.where(stepped, limits.step, 1.0)
    # A few steps around the goal: among all of them HiGHS would run out of time.
    floor = np.maximum(np.floor(ask / size) - 3, 0.0) * stepped
    ceiling = (np.ceil(ask / size) + 4) * stepped
    low = np.concatenate([np.zeros(n), ~limits.off, floor, np.zeros(n)])
    high = np.concatenate([limits.high, np.ones(n), ceiling, far])
    whole = np.concatenate([np.zeros(n), limits.off, stepped, np.zeros(n)])
    solved = milp(
        np.concatenate([np.zeros(3 * n), np.ones(n)]),
        integrality=whole.astype(int),
        bounds=Bounds(low, high),
        constraints=LinearConstraint(rows, least, most),
        options={"time_limit": _SECONDS, "mip_rel_gap": _NEAR},
    )
    if solved.x is None:
        return None
    spend = solved.x[:n]
    on = np.round(solved.x[n : 2 * n])
    # Solvers leave a billionth in weeks that are off.
    spend = np.where(limits.off, np.where(on > 0, spend, 0.0), spend)
    return (np.where(stepped, np.round(spend / size) * size, spend) * unit).reshape(
        goal.shape
    )


def _changes(cells: Cells, unit: float) -> list[tuple[Any, np.ndarray, np.ndarray]]:
    """Limits of change that pausing frees, as rows: spend, then whether it runs."""
    from scipy.sparse import csr_array

    if cells.change is None or cells.off is None:
        return []
    change, other = cells.change, cells.relaxed.change
    freed = ~change.free if other is None else ~change.free & other.free
    channel, pair = np.nonzero(freed)
    n, width = cells.low.size, cells.low.shape[1]
    week = channel * width + pair
    room, ones = change.room[channel, pair] / unit, np.ones(len(week))
    rise, fall = change.rise[channel, 0], change.fall[channel, 0]
    top = cells.high.ravel() / unit
    blocks = []
    for more, less, weights in (
        (week + 1, week, (ones, rise)),  # x_t - rise x_t-1 <= m
        (week, week + 1, (fall, ones)),  # fall x_t-1 - x_t <= m
    ):
        reach = weights[0] * top[more]  # of the one where the other pauses
        places = np.concatenate([more, less, less + n])
        values = np.concatenate([weights[0], -weights[1], reach])
        entries = (values, (np.tile(np.arange(len(week)), 3), places))
        matrix = csr_array(entries, shape=(len(week), 4 * n))
        blocks.append((matrix, np.full(len(week), -np.inf), room + reach))
    return blocks
