"""Lesson: what the weeks of a plan are expected to tell, channel by channel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from core.analysis.following import indicators
from core.analysis.learning.drift_or_saturation import factors
from core.model.build import Model
from core.plan.record.teaching import Apart, Changed, Learned
from core.plan.response.felt import Felt
from core.plan.teaching.knowledge import Knowledge, Reading
from core.plan.teaching.stakes import Stakes

Spend = Float[np.ndarray, "channel week"]
Read = Callable[[Float[np.ndarray, "draw quantity"]], Reading]

#: A belief is open between this probability and its complement.
_OPEN = 0.05
#: A week differs by more than this share of the channel's mean week.
_DIFFERS = 0.1
#: A week with less than this share of the channel's busiest one is dark.
_DARK = 0.02
#: Share of a variance that is worth a word.
_WORD = 0.005


@dataclass(frozen=True)
class Both:
    """The plan that only earns and the one that teaches, and what is known of them.

    Attributes:
        model: The fit's.
        draws: All posterior variables.
        knowledge: Of the plan's weeks, over these draws.
        stakes: Of the next plan, over these draws.
        earning: How the weeks of the plan that only earns are read for quantities.
        teaching: How the plan's are.
    """

    model: Model
    draws: Mapping[str, np.ndarray]
    knowledge: Knowledge
    stakes: Stakes
    earning: Read
    teaching: Read

    def told(
        self, quantities: Float[np.ndarray, "draw quantity"]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Share of each quantity's variance that either plan tells; in this order."""
        if not quantities.shape[1]:
            return np.zeros(0), np.zeros(0)
        return self.earning(quantities).share, self.teaching(quantities).share


def learned(both: Both) -> tuple[Learned, ...]:
    """What is learned about each channel of the next plan."""
    curves = both.stakes.curves
    earning, teaching = both.told(curves.outcome(both.stakes.plan))
    more = {"return": dict(zip(curves.names, teaching - earning, strict=True))}
    for what, by_channel in _shapes(both.knowledge).items():
        few, many = both.told(np.column_stack(list(by_channel.values())))
        more[what] = dict(zip(by_channel, many - few, strict=True))
    return tuple(
        Learned(
            channel=name,
            earning=_narrower(earning[place]),
            teaching=_narrower(teaching[place]),
            most=_most({what: gain.get(name, 0.0) for what, gain in more.items()}),
        )
        for place, name in enumerate(curves.names)
    )


def _shapes(knowledge: Knowledge) -> dict[str, dict[str, np.ndarray]]:
    """Carryover and half-saturation of each channel that has them, by draw."""
    shapes: dict[str, dict[str, np.ndarray]] = {"carryover": {}, "saturation": {}}
    names, first = knowledge.response.names, 0
    for part, group in zip(
        knowledge.parts, knowledge.response.structure.groups, strict=True
    ):
        own = names[first : first + group.n_channels]
        first += group.n_channels
        if not isinstance(part, Felt):
            continue
        for place, name in enumerate(own):
            now = np.asarray(part.weights[place, :, 0], np.float64)
            shapes["carryover"][name] = 1 - now
            half = np.asarray(part.log_ec[place, :, 0, 0], np.float64)
            shapes["saturation"][name] = half
    return {what: rows for what, rows in shapes.items() if rows}


def _most(
    gains: dict[str, float],
) -> Literal["carryover", "saturation", "return", ""]:
    best = max(gains, key=gains.__getitem__)
    return best if gains[best] > _WORD else ""


def _narrower(share: float) -> float:
    """By which share an interval narrows as this share of a variance is told."""
    return float(1 - np.sqrt(1 - share))


def apart(both: Both) -> tuple[Apart, ...]:
    """Explanations that are open now, and how far they come apart."""
    drifts = factors(both.model, both.draws)
    questions = [
        ("drift", name, np.abs(one.drift) > np.abs(one.saturation))
        for name, one in drifts.items()
    ]
    n = len(both.stakes.pull)
    questions += [
        ("demand", name, np.broadcast_to(present, n))
        for name, present in indicators(both.model, both.draws).items()
    ]
    questions = [
        (question, name, is_so.astype(float))
        for question, name, is_so in questions
        if is_so.std() > 0 and _OPEN < is_so.mean() < 1 - _OPEN
    ]
    quantities = np.column_stack(
        [is_so for *_, is_so in questions] or [np.zeros((n, 0))]
    )
    shares = zip(*both.told(quantities), strict=True)
    return tuple(
        Apart(
            channel=name,
            question=question,
            now=_on_the_truth(is_so.mean(), 0.0),
            earning=_on_the_truth(is_so.mean(), few),
            teaching=_on_the_truth(is_so.mean(), many),
        )
        for (question, name, is_so), (few, many) in zip(questions, shares, strict=True)
    )


def _on_the_truth(odds: float, share: float) -> float:
    r"""Expected probability of what is true, once a share of the variance is told.

    With q the probability after the weeks it is $E[q^2 + (1 - q)^2]$, which is
    $1 - 2 E[q (1 - q)]$.
    """
    return float(1 - 2 * odds * (1 - odds) * (1 - share))


def changed(
    names: tuple[str, ...], weeks: np.ndarray, earning: Spend, teaching: Spend
) -> tuple[Changed, ...]:
    """Stretches of weeks in which channels spend otherwise.

    Args:
        names: Channels.
        weeks: First days of the weeks, datetime64[D].
        earning: The plan that only earns.
        teaching: The plan.
    """
    results = []
    for name, before, after in zip(names, earning, teaching, strict=True):
        differs = np.abs(after - before) > _DIFFERS * max(before.mean(), after.mean())
        is_dark = (after < _DARK * after.max(initial=0.0)) & differs
        kind = np.where(is_dark, 1, np.where(after < before, 2, 3)) * differs
        edges = np.flatnonzero(np.diff(kind, prepend=-1, append=-1))
        for first, stop in zip(edges[:-1], edges[1:], strict=True):
            if kind[first]:
                results.append(
                    Changed(
                        channel=name,
                        first=str(weeks[first])[:10],
                        last=str(weeks[stop - 1])[:10],
                        weeks=int(stop - first),
                        kind=("", "dark", "less", "more")[kind[first]],
                        spend=float((after - before)[first:stop].sum()),
                    )
                )
    return tuple(results)
