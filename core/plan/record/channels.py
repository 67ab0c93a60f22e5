"""Channels of a plan: what each spends, what that brings, and the odds."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from msgspec.structs import replace

from core.estimate import Estimate, estimate, estimates
from core.plan.limits.cents import step
from core.plan.money.elsewhere import not_paid, own_and_elsewhere, returns_beside
from core.plan.record.parts import Line, Pair
from core.plan.response.curves import Frequency, ResponseCurves
from core.plan.response.price import frequency_notes, indexed_note
from core.plan.scenario.scenario import Scenario
from core.plan.solve.dispatch import Best

Splits = tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]
Responses = tuple[Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]]


def channel_lines(
    curves: ResponseCurves,
    scenario: Scenario,
    splits: Splits,
    responses: tuple[Responses, Responses],
    best: Best,
) -> tuple[Line, ...]:
    """Every channel of a plan.

    Args:
        curves: All draws.
        scenario: With its budget.
        splits: What the plan is compared with, and the plan.
        responses: Outcome and marginal outcome of each of the two.
        best: Limits in whole cents, and each draw's own best split.
    """
    by_name = {each.name: each for each in scenario.channels}
    comparison, planned = splits
    cent = float(step(scenario.budget))
    up = probability_up(best.own.spend, curves.spend, cent)
    is_beyond, grid = curves.beyond_seen(planned), curves.beyond_grid(planned)
    outcome, mroi = zip(*[map(estimates, pair) for pair in responses], strict=True)
    lines = tuple(
        Line(
            name=name,
            current=0.0 if name in curves.beliefs else float(curves.spend[i]),
            comparison=0.0 if name in curves.beliefs else float(comparison[i]),
            planned=float(planned[i]),
            multiplier=(
                None if name in curves.beliefs else float(planned[i] / curves.spend[i])
            ),
            is_belief=name in curves.beliefs,
            low=float(best.domain.low[i]),
            high=float(best.domain.high[i]),
            locked=by_name[name].locked is not None,
            may_be_off=by_name[name].may_be_off,
            step=by_name[name].step,
            probability_up=float(up[i]),
            beyond_seen=bool(is_beyond[i]),
            beyond_grid=bool(grid[i]),
            outcome=Pair(outcome[0][i], outcome[1][i]),
            mroi=Pair(mroi[0][i], mroi[1][i]),
        )
        for i, name in enumerate(curves.names)
    )
    if curves.elsewhere is None:
        return lines
    return _with_elsewhere(lines, curves, planned, responses[1][0])


def cash_of(
    curves: ResponseCurves, planned: Float[np.ndarray, " cell"]
) -> Estimate | None:
    """What a plan costs in all, by draw, currency; None where that is its own spend."""
    if curves.elsewhere is None:
        return None
    own, spent = own_and_elsewhere(curves, planned)
    return estimate(own.sum() + spent.sum(axis=1))


def notes_of(
    curves: ResponseCurves,
    scenario: Scenario,
    request: Mapping[str, Any],
    bought: Iterable[Frequency],
    owners: Mapping[str, str] | None = None,
) -> list[str]:
    """Words on channels that began lately, never ran or cost more than is paid.

    Args:
        curves: Of channels, or of cells.
        scenario: With channels without history.
        request: The request, in the words of a scenario file.
        bought: How often a person is reached.
        owners: The channel of each cell.
    """
    names = dict.fromkeys(curves.names if owners is None else owners.values())
    fitted = [name for name in names if name not in curves.beliefs]
    notes = (
        curves.horizon.note,
        not_paid(curves, owners),
        indexed_note(request, dict(curves.indexed)),
        *frequency_notes(bought),
        *(belief.note(fitted) for belief in scenario.beliefs),
    )
    return [note for note in notes if note]


def _with_elsewhere(
    lines: tuple[Line, ...],
    curves: ResponseCurves,
    planned: Float[np.ndarray, " channel"],
    outcome: Float[np.ndarray, "draw channel"],
) -> tuple[Line, ...]:
    """Lines with own spend, what is spent on mediators, and both returns."""
    own, spent = own_and_elsewhere(curves, planned)
    ran = curves.elsewhere.before.spend
    beside = (
        returns_beside((float(ran[i]), float(own[i])), spent[:, i], outcome[:, i])
        for i in range(len(lines))
    )
    return tuple(
        replace(line, **fields) for line, fields in zip(lines, beside, strict=True)
    )


def probability_up(
    own: Float[np.ndarray, "draw channel"],
    current: Float[np.ndarray, " channel"],
    step: float,
) -> Float[np.ndarray, " channel"]:
    """Share of draws whose own best plan gives a channel more than it has now.

    A draw that would leave the channel where it is counts half for each side, so a
    locked channel has 0.5, as has one about which the data say nothing.

    Args:
        own: Each draw's best spend, see `own_plans`.
        current: Spend to compare with.
        step: Differences below this are none.
    """
    more, less = own > current + step, own < current - step
    return (more.mean(axis=0) + 1.0 - less.mean(axis=0)) / 2
