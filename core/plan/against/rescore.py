"""Rescore: an old plan by a new fit, why the answer differs, and what is known better.

The plan's spend is the same money; what it brings by the new fit differs for two
reasons that add up exactly: the curves answer differently at the same multiple of each
channel's spend (response: because of data, model, or both), and the same money is
another multiple because the spend behind the curves has changed (spend). Where both
data and model have changed, a third fit with one of the two changed tells them apart:
response is then a step from the old fit to it and a step from it to the new one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from msgspec import Struct

from core.dims import INTERVAL
from core.errors import PlanError
from core.estimate import Estimate, estimate, gain_of
from core.plan.response.curves import ResponseCurves


class Between(NamedTuple):
    """A fit on the way from the old one to the new one.

    Attributes:
        curves: Its curves.
        changed: What had changed by then: `data` or `model`.
    """

    curves: ResponseCurves
    changed: str


class RescoredLine(Struct, frozen=True, kw_only=True):
    """A channel of a plan by two fits, expected outcome."""

    name: str
    before: float
    after: float
    response: float
    spend: float


class Rescored(Struct, frozen=True, kw_only=True):
    """A plan by two fits.

    Attributes:
        before: Estimate of its outcome by the fit that it was made with.
        after: By the new fit.
        response: What the curves change, outcome.
        spend: What the spend behind them changes.
        cause: Why the curves differ: `data`, `model`, `data and model`, `simulation`.
        parts: `response` by cause; `data` and `model` apart where a fit between the
            two tells them apart.
        channels: The same per channel.
        gain: Estimate of the gain over last year's split by the new fit, with the
            probability that it is positive.
        is_repeated: Whether the new fit's data are shorter than a year, so that their
            periods stand for last year's.
        as_fitted: Whether the periods are the data's own.
    """

    before: Estimate
    after: Estimate
    response: float = 0.0
    spend: float = 0.0
    cause: str = ""
    parts: dict[str, float] = {}
    channels: tuple[RescoredLine, ...] = ()
    gain: Estimate
    is_repeated: bool = False
    as_fitted: bool = False


def rescored(
    money: Mapping[str, float],
    old: ResponseCurves,
    new: ResponseCurves,
    *,
    same_data: bool,
    same_model: bool,
    between: Between | None = None,
) -> Rescored:
    """Score a plan's spend by a new fit.

    Args:
        money: The plan's spend by channel, currency.
        old: Curves of the fit that it was made with.
        new: Curves of another fit.
        same_data: Whether both fits saw the same data.
        same_model: Whether both have the same definition.
        between: A fit with the data of one and the model of the other.

    Raises:
        PlanError: The fits have other channels than the plan.
    """
    fits = (old, new) if between is None else (old, new, between.curves)
    if any(set(curves.names) != set(money) for curves in fits):
        raise PlanError(
            "The plan has other channels than the fit.",
            hint="Plan again with the new fit.",
            where="plan",
        )
    spend = np.array([money[name] for name in old.names])
    moved = dict(zip(old.names, spend / old.spend, strict=True))
    for name in {name for curves in fits for name in curves.beliefs}:
        moved.pop(name)  # nothing multiplies a spend of 0: it is the same money
    fresh = _in_order(new, money, old.names)
    before, after = old.outcome(spend).mean(axis=0), fresh.mean(axis=0)
    same = _at_multiples(new, money, moved, old.names)
    response, shift = same - before, after - same
    cause = _cause(same_data=same_data, same_model=same_model)
    parts = {cause: float(response.sum())}
    if between is not None and not (same_data or same_model):
        there = _at_multiples(between.curves, money, moved, old.names)
        first = float((there - before).sum())
        other = "model" if between.changed == "data" else "data"
        parts = {between.changed: first, other: float(response.sum()) - first}
    total = float(new.spend.sum())
    scaled = new.spend * (spend.sum() / total)
    gain = fresh.sum(axis=1) - new.outcome(scaled).sum(axis=1)
    return Rescored(
        before=estimate(old.outcome(spend).sum(axis=1)),
        after=estimate(fresh.sum(axis=1)),
        response=float(response.sum()),
        spend=float(shift.sum()),
        cause=cause,
        parts=parts,
        channels=tuple(map(_line, old.names, before, after, response, shift)),
        gain=gain_of(gain),
        is_repeated=new.horizon.is_repeated,
        as_fitted=new.horizon.as_fitted,
    )


def _line(name: str, *numbers: np.floating) -> RescoredLine:
    before, after, response, spend = map(float, numbers)
    return RescoredLine(
        name=name, before=before, after=after, response=response, spend=spend
    )


def _in_order(
    curves: ResponseCurves, money: Mapping[str, float], names: tuple[str, ...]
) -> np.ndarray:
    """Outcome of spends by name; draw, then channels in the order of the names."""
    spend = np.array([money[name] for name in curves.names])
    return curves.outcome(spend)[:, [curves.names.index(name) for name in names]]


def _at_multiples(
    curves: ResponseCurves,
    money: Mapping[str, float],
    moved: dict[str, float],
    names: tuple[str, ...],
) -> np.ndarray:
    """Mean outcome of each channel at a multiple of the spend behind the curves.

    At its money where there is no such multiple.
    """
    own = dict(zip(curves.names, curves.spend.tolist(), strict=True))
    at = {name: moved[name] * own[name] for name in moved}
    return _in_order(curves, {**money, **at}, names).mean(axis=0)


def _cause(*, same_data: bool, same_model: bool) -> str:
    if same_data and same_model:
        return "simulation"
    return " and ".join(
        word for word, same in (("data", same_data), ("model", same_model)) if not same
    )


def narrowed(before: ResponseCurves, after: ResponseCurves) -> dict[str, float]:
    """Share by which the interval of each channel's return is narrower.

    Both fits are asked for the return of the same money per period, in the year after
    their data. Negative where an interval is wider.

    Args:
        before: Curves of the older fit's horizon.
        after: Of the newer fit's; channels that only one of them has are left out.
    """
    spend = dict(zip(before.names, before.spend.tolist(), strict=True))
    periods = before.horizon.periods
    longer = after.horizon.periods / periods if periods else 1.0
    then = np.array([longer * spend.get(name, 0.0) for name in after.names])
    was = dict(zip(before.names, _widths(before, before.spend), strict=True))
    now = dict(zip(after.names, _widths(after, then), strict=True))
    return {
        name: float(1 - now[name] / was[name])
        for name in before.names
        if name in now and was[name] > 0
    }


def _widths(
    curves: ResponseCurves, spend: Float[np.ndarray, " channel"]
) -> Float[np.ndarray, " channel"]:
    """Width of the interval of each channel's return."""
    lo, hi = np.quantile(
        curves.outcome(spend), [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=0
    )
    return (hi - lo) / np.maximum(spend, 1e-300)
