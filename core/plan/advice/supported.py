"""Supported: the part of a change that the draws support, where all of it is not.

Two things keep the best plan from being advised. Its gain may rest on a channel that is
bought after demand and has no lift test: the rule would not support the plan if half of
what the channel seems to bring, or less, would have come anyway. Then the best plan
that does not raise it takes its place. Or it may gain too rarely: a smaller step in the
same direction gains in more draws, as curves bend down, so the largest step
x(t) = today + t (best - today) that the rule supports takes its place.

Which rule to take was measured on markets of known truth, see docs/planning.md.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.errors import PlanError
from core.plan.advice.parts import Turn
from core.plan.advice.robustness import raised
from core.plan.advice.rule import RESTS, SURVIVED, is_supported
from core.plan.limits.channels import ChannelLimits
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure
from core.plan.scenario.scenario import Scenario
from core.plan.solve.dispatch import Best, best_plan, whole_cents
from core.text import listed, percent, probability
from core.text.languages.language import say, say_count

#: Steps towards the best plan that are tried, and halvings after them.
_TRIED, _HALVINGS = 8, 6
#: Steps that a step is shortened by, so that rounding to cents keeps it supported.
_SHORTER = 0.999
#: A step below this is none.
_LEAST = 0.01


class SupportedPart(NamedTuple):
    """A split that the draws support.

    Attributes:
        spend: Currency, in whole cents.
        step: Share of the way from last year's split to the best plan; 1 for all of it.
        followers: Channels that follow demand without a test and are not raised for it.
        turn: The hidden demand that keeps all of the way from being supported; None
            where the draws do without it.
    """

    spend: Float[np.ndarray, " channel"]
    step: float
    followers: tuple[str, ...]
    turn: Turn | None = None

    def reasons(self, chance: float, over: str) -> list[str]:
        """Why this plan is not the best one.

        Args:
            chance: Probability that the best plan beats what it is compared with.
            over: What that is, in words.
        """
        lines = []
        if self.followers:
            lines.append(
                say_count(
                    len(self.followers),
                    "The best plan rests on {names}, which probably follows demand and "
                    "has no lift test: this plan does not raise it. Test it before you "
                    "spend more.",
                    "The best plan rests on {names}, which probably follow demand and "
                    "have no lift test: this plan does not raise them. Test them "
                    "before you spend more.",
                    names=listed(self.followers, limit=len(self.followers)),
                )
            )
        if self.step < 1 and self.turn is not None and self.turn.share is not None:
            lines.append(
                say(
                    "This plan goes {step} of the way to the best one: all of it would "
                    "not be worth it if {share} of what {channel} seems to bring would "
                    "have come anyway.",
                    step=probability(self.step),
                    share=percent(self.turn.share, decimals=0),
                    channel=self.turn.channel,
                )
            )
        elif self.step < 1:
            lines.append(
                say(
                    "This plan goes {step} of the way to the best one: all of it "
                    "would beat {over} with a probability of {chance} only.",
                    step=probability(self.step),
                    over=over,
                    chance=probability(chance),
                )
            )
        return lines


def _raised(
    curves: ResponseCurves,
    comparison: Float[np.ndarray, " channel"],
    planned: Float[np.ndarray, " channel"],
) -> Bool[np.ndarray, " channel"]:
    """Whether each channel follows demand, has no lift test, and would spend more."""
    names = raised(curves.names, (comparison, planned), curves.untested)
    return np.isin(curves.names, list(names))


def supported_plan(
    curves: ResponseCurves,
    scenario: Scenario,
    measure: Measure,
    best: Best,
    comparison: Float[np.ndarray, " channel"],
) -> SupportedPart | None:
    """The split that the draws support beside the best plan; None where there is none.

    Of the steps towards the best plan, and towards the best that raises no channel
    which follows demand untested, the one with the largest expected gain.

    Args:
        curves: All draws.
        scenario: With its budget.
        measure: What the plan makes large.
        best: The best plan.
        comparison: The same split at the plan's budget.
    """
    before = curves.outcome(comparison)
    holds = _raised(curves, comparison, best.spend)
    ends = [(best, ())]
    if holds.any():
        followers = tuple(str(name) for name in np.array(curves.names)[holds])
        ends.append((_not_raised(curves, scenario, measure, comparison), followers))

    def hidden(spend: np.ndarray) -> np.ndarray:
        return np.where(_raised(curves, comparison, spend), RESTS, SURVIVED)

    def survived(spend: np.ndarray) -> np.ndarray:
        return _survived(before, curves.outcome(spend), measure, hidden(spend))

    parts = []
    for end, followers in ends:
        if end is None:
            continue
        step = _step(end, comparison, lambda spend: bool(survived(spend).all()))
        if step is not None:
            turn = _turn(curves.names, hidden(end.spend), survived(end.spend))
            parts.append(SupportedPart(*step, followers, turn))
    if not parts:
        return None
    return max(
        parts, key=lambda part: float(curves.outcome(part.spend).sum(axis=1).mean())
    )


def _survived(
    before: Float[np.ndarray, "draw channel"],
    after: Float[np.ndarray, "draw channel"],
    measure: Measure,
    hidden: Float[np.ndarray, " channel"],
) -> Bool[np.ndarray, " case"]:
    """Whether the rule supports a split as it is, and if a share of each was demand."""
    share = np.concatenate([np.ones((1, before.shape[1])), 1 - np.diag(hidden)])
    old, new = (np.einsum("dc,sc->ds", each, share) for each in (before, after))
    growth = measure.growth(old, new)
    return np.asarray(is_supported(new - old, growth, old.mean(axis=0)))


def _turn(
    names: tuple[str, ...],
    hidden: Float[np.ndarray, " channel"],
    survived: Bool[np.ndarray, " case"],
) -> Turn | None:
    """The first channel whose demand turns a split that is supported without it."""
    if not survived[0] or survived.all():
        return None
    at = int(np.argmin(survived[1:]))
    return Turn(str(names[at]), float(hidden[at]))


def _step(
    end: Best,
    comparison: Float[np.ndarray, " channel"],
    stands: Callable[[np.ndarray], bool],
) -> tuple[Float[np.ndarray, " channel"], float] | None:
    """The largest step towards a plan that stands, in cents; None where none does."""
    if stands(end.spend):
        return end.spend, 1.0
    if not _is_on_the_way(end, comparison):
        return None
    way = end.spend - comparison
    share = _SHORTER * _largest(lambda share: stands(comparison + share * way))
    spend = whole_cents(comparison + share * way, end.domain)
    if share < _LEAST or spend is None or not stands(spend):
        return None
    return spend, share


def _not_raised(
    curves: ResponseCurves,
    scenario: Scenario,
    measure: Measure,
    comparison: Float[np.ndarray, " channel"],
) -> Best | None:
    """The best plan that spends no more on any channel that follows demand untested."""
    top = dict(zip(curves.names, comparison.tolist(), strict=True))
    untested = curves.untested

    def kept(limits: ChannelLimits) -> ChannelLimits:
        is_free = limits.locked is None and limits.name in untested
        if not is_free or limits.high <= top[limits.name]:
            return limits
        return replace(limits, high=max(limits.low, top[limits.name]))

    capped = replace(scenario, channels=tuple(map(kept, scenario.channels)))
    try:
        capped.check(curves.names)
    except PlanError:
        return None
    return best_plan(curves, capped, measure)


def _is_on_the_way(best: Best, comparison: Float[np.ndarray, " channel"]) -> bool:
    """Whether every step from last year's split to the best one keeps to the limits."""
    domain = best.domain
    slack = 1e-6 * float(comparison.sum())
    is_inside = (comparison >= domain.floor - slack) & (
        comparison <= domain.high + slack
    )
    return bool(domain.is_whole and is_inside.all() and domain.keeps(comparison, slack))


def _largest(stands: Callable[[float], bool]) -> float:
    """The largest share of the way that stands; 0 where none does."""
    tried = np.arange(_TRIED - 1, 0, -1) / _TRIED
    low = next((share for share in tried if stands(share)), 0.0)
    high = low + 1 / _TRIED
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if stands(middle) else (low, middle)
    return float(low)
