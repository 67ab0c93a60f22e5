"""Rule: whether the draws say that a plan is worth changing to.

A split is worth changing to when three things hold: the chance that it beats what it is
compared with is at least 80 %, it gains on average, and what it is meant to make large
grows by at least 0.5 % of that outcome (`advise`). The advice on the split is `change`
when the fit is trustworthy, too, and when all that still holds if a tenth of what any
one channel seems to bring would have come anyway. `test` says that a lift test comes
first, of a fit that is trustworthy: the warnings of any other come before a test. That
is so where the gain rests on a channel that follows demand (`resting`), over channels,
geos and weeks alike, and where a test would settle what the draws leave open
(`core.plan.advice.judge`). Otherwise it is `keep`, with the reason.

A budget other than that of the spend that ran is a question of its own: `change` when
the fit is trustworthy and profit likely grows by the budget, a tenth of hidden demand
or not, and without resting on a channel that follows demand: from what ran in the split
that it is compared with where that stays, else in the split of the plan, both from what
ran and from the same split at the budget that ran, so that what the split gains does
not pay for a budget that loses. The advice on the plan is the more careful one of the
two (`settled`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.estimate import Estimate
from core.plan.advice.parts import Recommendation, Turn
from core.text import listed, percent, probability, sentence
from core.text.languages.language import marked, say, say_count

#: Least probability that a plan beats what it is compared with, for a change.
PROBABLE = 0.8
#: Least gain worth changing for, as a share of the outcome that it is compared with.
MATERIAL = 0.005
#: Hidden demand that a change must survive: the share of what any one channel that the
#: plan moves seems to bring which may have come anyway.
SURVIVED = 0.1
#: The same of a channel that follows demand, has no lift test and gets more money: the
#: gain rests on it if the advice turns at this share of its outcome, or below.
RESTS = 0.5


class Advice(NamedTuple):
    """`change`, `test` or `keep`, and why.

    Attributes:
        advice: On the plan as a whole.
        reasons: Why.
        split: On its split; None until it is settled.
        budget: On its budget; None where that is no question.
    """

    advice: str
    reasons: tuple[str, ...]
    split: Recommendation | None = None
    budget: Recommendation | None = None

    @property
    def is_change(self) -> bool:
        """Whether to follow the plan."""
        return self.advice == "change"


def is_supported(
    gain: Float[np.ndarray, "draw ..."],
    growth: Float[np.ndarray, "..."] | float,
    outcome: Float[np.ndarray, "..."] | float,
    *,
    material: float = MATERIAL,
) -> Bool[np.ndarray, "..."] | np.bool:
    """Whether the draws support a change, in any number of cases at once.

    Args:
        gain: Outcome of the plan minus that of what it is compared with.
        growth: Growth of the objective (the mean gain, or of a quantile).
        outcome: Mean outcome of what it is compared with.
        material: Least growth worth changing for, as a share of that outcome.
    """
    is_likely = (gain > 0).mean(axis=0) >= PROBABLE
    return is_likely & (gain.mean(axis=0) > 0) & (growth >= material * np.abs(outcome))


def advise(
    gain: Float[np.ndarray, " draw"],
    growth: float,
    outcome: float,
    *,
    over: str,
    verdict: str | None = None,
    material: float = MATERIAL,
) -> Advice:
    """Whether the plan is worth changing for, in words.

    Args:
        gain: See `is_supported`.
        growth: See `is_supported`.
        outcome: See `is_supported`.
        over: What the plan is compared with, in words.
        verdict: The fit's: a `failed` one supports no change, and what a doubtful one
            says is said with that reserve.
        material: See `is_supported`.
    """
    against = []
    if verdict == "failed":
        against.append(say("the fit failed its checks, so it supports no change"))
    chance = float((gain > 0).mean())
    if not gain.any():
        against.append(say("it is the same as {over}: nothing changes", over=over))
    elif chance < PROBABLE:
        against.append(
            say(
                "it beats {over} with a probability of {chance} only, less "
                "than {least}",
                over=over,
                chance=probability(chance),
                least=probability(PROBABLE),
            )
        )
    if gain.any() and gain.mean() <= 0:
        against.append(say("it gains nothing on average"))
    elif gain.any() and growth < material * abs(outcome):
        share = growth / abs(outcome) if outcome else 0.0
        against.append(
            say(
                "it would gain {share} over {over}, less than {material}\u00a0%",
                share=percent(share, decimals=2),
                over=over,
                material=f"{100 * material:g}",
            )
        )
    if against:
        return Advice("keep", tuple(sentence(reason) for reason in against))
    places = {"over": over, "chance": probability(chance)}
    text = (
        say(
            "if the fit were right, it would beat {over} with a probability of "
            "{chance}",
            **places,
        )
        if _doubts(verdict)
        else say("it beats {over} with a probability of {chance}", **places)
    )
    return Advice("change", (sentence(text),))


class Profit(NamedTuple):
    """What a plan does to profit.

    Attributes:
        gain: Of profit over what it is compared with.
        over: That, in words.
        turns: How much hidden demand in a channel turns whether it likely grows.
    """

    gain: Estimate
    over: str
    turns: tuple[Turn, ...] = ()


class Budgeted(NamedTuple):
    """What a budget other than that of the spend that ran does to profit.

    Attributes:
        planned: The plan, over the spend that ran.
        alone: The plan, over its own split at the budget that ran.
        same_split: The budget in the split that the plan is compared with, over the
            spend that ran; None where no such split has this budget.
    """

    planned: Profit
    alone: Profit
    same_split: Profit | None


def settled(
    advice: Advice,
    *,
    verdict: str | None = None,
    turns: Sequence[Turn] = (),
    budgeted: Budgeted | None = None,
) -> Advice:
    """The advice on a plan: on its split and its budget, and the more careful of both.

    One rule for plans of channels, geos and weeks.

    Args:
        advice: On the split, as the draws have it.
        verdict: The fit's: only a trustworthy one, or none, supports change or test.
        turns: How much hidden demand turns the advice on the split.
        budgeted: What the budget does to profit; None where it is that of the spend
            that ran, where the outcome is no money, or where a goal was set.
    """
    split = Recommendation(advice.advice, advice.reasons)
    against = [] if advice.advice == "keep" else _doubts(verdict)
    against += _frail(turns) if advice.is_change else []
    if against:
        reasons = tuple(sentence(reason) for reason in against)
        split = Recommendation("keep", (*reasons, *advice.reasons))
    elif advice.is_change and resting(turns):
        split = Recommendation("test", (_resting(turns), *advice.reasons))
    budget = None
    if (
        budgeted is not None
        and budgeted.same_split is not None
        and split.advice != "change"
    ):
        pairs = ((budgeted.same_split, _NOT_IN_SPLIT_THAT_STAYS),)
        budget = _of_budget(pairs, _IN_SPLIT_THAT_STAYS, verdict)
    elif budgeted is not None:
        pairs = ((budgeted.planned, _NOT_IN_PLAN), (budgeted.alone, _NOT_ALONE))
        budget = _of_budget(pairs, _ALONE, verdict)
    if budget is None or budget.advice == "change" or split.advice == "keep":
        return Advice(split.advice, split.reasons, split, budget)
    return Advice("keep", (*budget.reasons, *split.reasons), split, budget)


#: That profit grows by a budget: in the plan's split over the budget that ran, and in
#: the split that stays.
_ALONE = marked(
    "in the planned split, profit is higher than at {over} with a probability of {odds}"
)
_IN_SPLIT_THAT_STAYS = marked(
    "in the split that stays, profit is above that of {over} with a probability of "
    "{odds}"
)
#: That it is not likely to, and that it does not on average; in the plan over what ran,
#: too.
_NOT_IN_PLAN = (
    marked(
        "profit is above that of {over} with a probability of {odds} only, less than "
        "{least}"
    ),
    marked(
        "profit is above that of {over} with a probability of {odds}, but not on "
        "average"
    ),
)
_NOT_ALONE = (
    marked(
        "in the planned split, profit is higher than at {over} with a probability of "
        "{odds} only, less than {least}"
    ),
    marked(
        "in the planned split, profit is higher than at {over} with a probability of "
        "{odds}, but not on average"
    ),
)
_NOT_IN_SPLIT_THAT_STAYS = (
    marked(
        "in the split that stays, profit is above that of {over} with a probability "
        "of {odds} only, less than {least}"
    ),
    marked(
        "in the split that stays, profit is above that of {over} with a probability "
        "of {odds}, but not on average"
    ),
)


def _of_budget(
    profits: Sequence[tuple[Profit, tuple[str, str]]], grows: str, verdict: str | None
) -> Recommendation:
    """Whether to spend the budget of the plan instead of what ran.

    Args:
        profits: What must grow, and how it is said that one does not.
        grows: What is said if all do, of the last.
        verdict: The fit's.
    """
    against = [reason for each in profits if (reason := _no_growth(*each))][:1]
    if not against:
        turns = [turn for profit, _ in profits for turn in profit.turns]
        against = [*_doubts(verdict), *_frail(turns)]
        against += [_resting(turns)] if not against and resting(turns) else []
    if against:
        return Recommendation("keep", tuple(sentence(each) for each in against))
    profit, _ = profits[-1]
    text = say(grows, over=profit.over, odds=_odds(profit))
    return Recommendation("change", (sentence(text),))


def _no_growth(profit: Profit, words: tuple[str, str]) -> str:
    """That profit is not likely to grow, or not on average; empty where it is."""
    unlikely, not_on_average = words
    places = {"over": profit.over, "odds": _odds(profit)}
    if profit.gain.probability_positive < PROBABLE:
        return say(unlikely, least=probability(PROBABLE), **places)
    if profit.gain.mean <= 0:
        return say(not_on_average, **places)
    return ""


def _odds(profit: Profit) -> str:
    return probability(profit.gain.probability_positive)


def _doubts(verdict: str | None) -> list[str]:
    """What the fit has against any change."""
    if verdict in (None, "trustworthy"):
        return []
    return [
        say(
            "the fit is {verdict}: resolve its warnings before you move budget",
            verdict=verdict,
        )
    ]


def _frail(turns: Sequence[Turn]) -> list[str]:
    """What hidden demand has against a change."""
    frail = [turn for turn in turns if is_frail(turn)]
    if not frail:
        return []
    return [
        say(
            "it would not be worth it if {share} of what {channel} "
            "seems to bring would have come anyway",
            share=percent(SURVIVED),
            channel=frail[0].channel,
        )
    ]


def is_frail(turn: Turn) -> bool:
    """Whether less hidden demand than a change must survive turns the advice."""
    return turn.share is not None and turn.share < SURVIVED - _BISECTED


def resting(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Channels that follow demand and that a gain rests on, the first to turn first."""
    return tuple(
        turn.channel
        for turn in turns
        if turn.follows_demand and turn.share is not None and turn.share <= RESTS
    )


def _resting(turns: Sequence[Turn]) -> str:
    """That the gain rests on channels that follow demand, a sentence."""
    names = tuple(dict.fromkeys(resting(turns)))
    return say_count(
        len(names),
        "The gain rests on {names}, which probably follows demand and has no "
        "lift test: what it seems to bring may have come anyway.",
        "The gain rests on {names}, which probably follow demand and have no "
        "lift test: what it seems to bring may have come anyway.",
        names=listed(names, limit=len(names)),
    )


#: A turning share is known to this (`core.plan.advice.robustness`).
_BISECTED = 1e-3
