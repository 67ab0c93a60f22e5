"""Parts of an advice: what to do and why, what would turn it, what it waits for."""

from typing import Literal

from msgspec import Struct


class Turn(Struct, frozen=True):
    """How much hidden demand in a channel turns the advice.

    Attributes:
        channel: The channel.
        share: Of what it seems to bring; None where no share turns the advice.
        follows_demand: Whether it probably follows demand, has no lift test and would
            get more money.
    """

    channel: str
    share: float | None
    follows_demand: bool = False


class Correlated(Struct, frozen=True):
    """How far hidden demand must correlate two fits' errors to turn the advice.

    Attributes:
        mediator: The KPI of the one fit, a mediator in the other.
        correlation: None where no correlation turns it.
        kpi: Name of the KPI of the one project that has this mediator, where a plan is
            of several; empty for the plan's own.
    """

    mediator: str
    correlation: float | None
    kpi: str = ""


class Recommendation(Struct, frozen=True):
    """What to do about one thing, such as the split or the budget, and why."""

    advice: Literal["change", "test", "keep"]
    reasons: tuple[str, ...]


class LiftTest(Struct, frozen=True):
    """A lift test that the plan waits for.

    Attributes:
        channel: To test.
        why: `follows demand`, or `undecided` where the draws are.
        worth: Expected gain from knowing the channel's response exactly, outcome.
        moved: Share of the budget that the plan would then move, expected.
    """

    channel: str
    why: Literal["follows demand", "undecided"]
    worth: float
    moved: float
