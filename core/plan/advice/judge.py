"""Judge: the advice on a split, how much hidden demand turns it, what to test first.

A test comes first in two cases. The plan's gain rests on a channel that is bought after
demand and has no lift test: its spend rises, and the rule would no longer support the
plan if half of what it seems to bring, or less, would have come anyway. Or the draws do
not support the plan, although it gains on average, and one channel's exact response
would be worth at least as much to it as the least gain worth changing for.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.plan.advice.hidden import turning_correlations
from core.plan.advice.information import worth_within
from core.plan.advice.parts import Correlated, LiftTest, Turn
from core.plan.advice.robustness import MOVED, raised, turns
from core.plan.advice.rule import MATERIAL, Advice, advise, resting, settled
from core.plan.limits.cents import difference, is_another
from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.find import Find
from core.plan.scenario.measure import Measure
from core.text.languages.language import say

#: Least chance of a gain at which a test may settle what the draws leave open.
_OPEN = 0.5


class Judged(NamedTuple):
    """What the draws say about a split.

    Attributes:
        advice: Whether to change.
        turns: How much hidden demand in each moved channel turns the advice.
        followers: Untested channels that follow demand and that a change rests on.
        is_failed: Whether the fit supports no change at all.
        hidden: How much hidden demand behind a mediator and the KPI turns the advice.
        test: The lift test that comes first, or that would settle it.
    """

    advice: Advice
    turns: tuple[Turn, ...]
    followers: tuple[str, ...] = ()
    is_failed: bool = False
    hidden: tuple[Correlated, ...] = ()
    test: LiftTest | None = None


class Contest(NamedTuple):
    """A split beside what it is compared with, in the unit that decides.

    Attributes:
        spend: What it is compared with, and the split; currency.
        outcome: Outcome of both; profit before media where profit decides.
        over: What it is compared with, in words.
        cost: What the split spends more, where profit decides.
        margin: What a unit of outcome counts.
    """

    spend: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]]
    outcome: tuple[Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]]
    over: str
    cost: float = 0.0
    margin: float = 1.0


def contest(
    curves: ResponseCurves,
    splits: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    outcomes: tuple[
        Float[np.ndarray, "draw channel"], Float[np.ndarray, "draw channel"]
    ],
    find: Find | None,
) -> Contest:
    """What decides: the split at its budget, or today's profit where that is sought.

    Args:
        curves: All draws.
        splits: The same split at the plan's budget, and the plan.
        outcomes: Of the two.
        find: What the budget was found for.
    """
    today, planned = curves.spend, splits[1]
    if find is None or find.kind != "profit":
        is_scaled = is_another(float(planned.sum()), float(today.sum()))
        return Contest(splits, outcomes, curves.horizon.compared(is_scaled=is_scaled))
    before, after = curves.outcome(today), outcomes[1]
    return Contest(
        (today, planned),
        (find.margin * before, find.margin * after),
        curves.horizon.as_it_ran,
        float(planned.sum() - today.sum()),
        find.margin,
    )


def judged(
    curves: ResponseCurves,
    pair: Contest,
    measure: Measure,
    *,
    verdict: str | None = None,
) -> Judged:
    """The advice on a split, without a test.

    Args:
        curves: All draws.
        pair: The split and what it is compared with.
        measure: What the plan makes large.
        verdict: The fit's verdict.
    """
    old, new = (each.sum(axis=1) for each in pair.outcome)
    gain = difference(new - pair.cost, old)
    level = float(old.mean())
    advice = advise(
        gain,
        float(measure.growth(old, new)) - pair.cost,
        level,
        verdict=verdict,
        over=pair.over,
    )
    robustness = turns(
        curves.names,
        pair.spend,
        pair.outcome,
        measure,
        cost=pair.cost,
        followers=raised(curves.names, pair.spend, curves.untested),
    )
    advice = settled(advice, turns=robustness)
    followers = resting(robustness) if advice.advice == "test" else ()
    hidden = turning_correlations(
        curves,
        pair.spend,
        pair.outcome,
        measure,
        margin=pair.margin,
        cost=pair.cost,
    )
    return Judged(advice, robustness, followers, verdict == "failed", hidden)


def with_test(
    judgement: Judged,
    curves: ResponseCurves,
    domain: Polytope,
    pair: Contest,
    *,
    held: tuple[str, ...] = (),
) -> Judged:
    """A judgement with the lift test that comes first, or that would settle it.

    Args:
        judgement: Of a split.
        curves: All draws.
        domain: Limits of the plan.
        pair: The split and what it is compared with.
        held: Channels that the split does not raise because they follow demand.
    """
    advice, followers = judgement.advice, judgement.followers
    if held and advice.is_change:
        return judgement._replace(test=follower_test(curves, domain, held))
    if followers:
        test = follower_test(curves, domain, followers)
        return judgement._replace(advice=testing_first(advice, test), test=test)
    old, new = (each.sum(axis=1) for each in pair.outcome)
    gain = new - old - pair.cost
    is_open = gain.mean() > 0 and (gain > 0).mean() >= _OPEN
    if advice.is_change or judgement.is_failed or not is_open:
        return judgement
    test = settling_test(curves, domain, pair.spend, float(old.mean()))
    if test is None:
        return judgement
    return judgement._replace(advice=testing_first(advice, test), test=test)


#: Channels that a test of an undecided plan is looked for among: those that move most.
_TRIED = 3


def follower_test(
    curves: ResponseCurves, domain: Polytope, followers: tuple[str, ...]
) -> LiftTest:
    """The test of the channel that follows demand whose response is worth most."""
    name, worth = _most_worth(curves, domain, followers)
    return LiftTest(name, say("follows demand"), worth.outcome, worth.moved)


def settling_test(
    curves: ResponseCurves,
    domain: Polytope,
    splits: tuple[Float[np.ndarray, " channel"], Float[np.ndarray, " channel"]],
    outcome: float,
) -> LiftTest | None:
    """The test that would settle a plan which gains on average; None without one.

    Args:
        curves: All draws.
        domain: Limits of the plan.
        splits: What the plan is compared with, and the plan.
        outcome: Mean outcome of what it is compared with.
    """
    moved = np.abs(splits[1] - splits[0])
    order = np.argsort(-moved)[:_TRIED]
    names = [curves.names[i] for i in order if moved[i] > MOVED * splits[0][i]]
    if not names:
        return None
    name, worth = _most_worth(curves, domain, tuple(names))
    if worth.outcome < MATERIAL * abs(outcome):
        return None
    return LiftTest(name, "undecided", worth.outcome, worth.moved)


def _most_worth(curves: ResponseCurves, domain: Polytope, names: tuple[str, ...]):
    limits = domain.floor, domain.high
    worth = worth_within(curves, limits, domain.budgets[0], names)
    name = max(worth, key=lambda each: worth[each].outcome)
    return name, worth[name]


def testing_first(advice: Advice, test: LiftTest) -> Advice:
    """The advice to test, after the reasons why.

    Args:
        advice: What the rule says.
        test: What to test.
    """
    last = say("A lift test of {channel} would settle it.", channel=test.channel)
    return Advice("test", (*advice.reasons, last))
