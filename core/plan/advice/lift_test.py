"""Lift test: which channel to test before a plan is followed, and why.

A test comes first in two cases. The plan's gain rests on a channel that is bought after
demand and has no lift test: its spend rises, and the rule would no longer support the
plan if half of what it seems to bring, or less, would have come anyway. Or the draws do
not support the plan, although it gains on average, and one channel's exact response
would be worth at least as much to it as the least gain worth changing for.
"""

import numpy as np
from jaxtyping import Float

from core.plan.advice.information import worth_within
from core.plan.advice.parts import LiftTest, Turn
from core.plan.advice.robustness import MOVED, RESTS
from core.plan.advice.rule import MATERIAL, Advice
from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.text import listed
from core.text.languages.language import say, say_count

#: Channels that a test of an undecided plan is looked for among: those that move most.
_TRIED = 3
#: Draws that its worth is worked out from: enough for a choice, at each new plan.
_DRAWS = 150


def rests_on(
    names: tuple[str, ...], holds: np.ndarray, turns: tuple[Turn, ...]
) -> tuple[str, ...]:
    """Channels that follow demand untested and that the plan rests on.

    Args:
        names: Channels.
        holds: Whether each follows demand, has no test and would spend more.
        turns: The plan's turning shares.
    """
    raised = {name for name, is_raised in zip(names, holds, strict=True) if is_raised}
    return tuple(
        turn.channel
        for turn in turns
        if turn.channel in raised and turn.share is not None and turn.share <= RESTS
    )


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
    worth = worth_within(curves, limits, domain.budgets[0], names, most_draws=_DRAWS)
    name = max(worth, key=lambda each: worth[each].outcome)
    return name, worth[name]


def testing_first(advice: Advice, test: LiftTest, followers: tuple[str, ...]) -> Advice:
    """The advice to test, the channel that follows demand before everything else.

    Args:
        advice: What the rule says.
        test: What to test.
        followers: Channels that the gain rests on.
    """
    if test.why == "follows demand":
        first = (
            say_count(
                len(followers),
                "The gain rests on {names}, which probably follows demand and has no "
                "lift test: what it seems to bring may have come anyway.",
                "The gain rests on {names}, which probably follow demand and have no "
                "lift test: what it seems to bring may have come anyway.",
                names=listed(followers, limit=len(followers)),
            ),
        )
    else:
        first = ()
    last = (say("A lift test of {channel} would settle it.", channel=test.channel),)
    return Advice("test", first + advice.reasons + last)
