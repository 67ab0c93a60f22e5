"""Teaching: what a plan of weeks costs this year so that the next one knows more.

Shares of geos are the same in every week. A channel of which none are listed spends in
each geo the share of its money that it spent there a year earlier.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from core.plan.record.parts import Cell, Estimate


class Learned(Struct, frozen=True, kw_only=True):
    """What the plan's weeks are expected to tell about a channel.

    Attributes:
        channel: Its name.
        earning: Share by which the interval of its return narrows with the plan that
            only earns.
        teaching: The same with this plan.
        most: What this plan tells more of than the other: `carryover`, `saturation` or
            `return`; empty where it tells no more.
    """

    channel: str
    earning: float
    teaching: float
    most: Literal["carryover", "saturation", "return", ""]


class Apart(Struct, frozen=True, kw_only=True):
    """Two explanations of a channel, and how far they are expected to come apart.

    Each number is the probability that whoever knows the weeks gives to the one that
    is true, on average: one half is a guess, one is certainty.

    Attributes:
        channel: Its name.
        question: `drift`, whether its effectiveness or its place on the curve changed
            its return more; `demand`, whether its spend follows demand.
        now: Before the plan.
        earning: After the plan that only earns.
        teaching: After this plan.
    """

    channel: str
    question: Literal["drift", "demand"]
    now: float
    earning: float
    teaching: float


class Changed(Struct, frozen=True, kw_only=True):
    """Consecutive weeks in which a channel spends other than in the plan that earns.

    Attributes:
        channel: Its name.
        first: First day of the first week, YYYY-MM-DD.
        last: First day of the last one.
        weeks: How many they are.
        kind: `dark`, `less` or `more`.
        spend: By how much, currency.
    """

    channel: str
    first: str
    last: str
    weeks: int
    kind: Literal["dark", "less", "more"]
    spend: float


class Share(Struct, frozen=True, kw_only=True):
    """Share of a channel's money that a geo has, the same in every week of the plan.

    Attributes:
        channel: Its name.
        geo: Its name.
        usual: Last year's, at one price.
        planned: The plan's.
    """

    channel: str
    geo: str
    usual: float
    planned: float


class Teaching(Struct, frozen=True, kw_only=True):
    """A plan that earns and teaches, beside the one that only earns.

    Attributes:
        is_other: Whether it is another plan; none within the cost was worth it if not.
        cost: Outcome of the plan that only earns over this one's.
        limit: Largest expected cost that was allowed, outcome.
        share: The same as a share of the outcome of the plan that only earns.
        later: What the later horizons are expected to gain from this plan's weeks more
            than from those of the plan that only earns, outcome.
        horizons: Later horizons that use it.
        counted: What they count together, with discount and what knowledge decays.
        certainty: What knowing every response exactly would bring in them, outcome.
        bound: No plan within the limits earns and teaches more than this together.
        total: What this plan does, by the same measure.
        channels: What is learned about each.
        apart: Explanations that the data cannot tell apart.
        changes: Weeks that differ.
        earning: Weekly spend of the plan that only earns, by channel.
        seed: Of signs and places.
        spread: How far a geo's share of a channel's money could differ, as a share of
            itself; zero where geos stay as they were and are read all together.
    """

    is_other: bool
    cost: Estimate
    limit: float
    share: float
    later: Estimate
    horizons: int
    counted: float
    certainty: float
    bound: float
    total: float
    channels: tuple[Learned, ...]
    apart: tuple[Apart, ...]
    changes: tuple[Changed, ...]
    earning: dict[str, tuple[float, ...]]
    seed: int
    spread: float = 0.0


def shares_of_cells(
    cells: Sequence[Cell], channels: Collection[str]
) -> tuple[Share, ...]:
    """Shares of channels in a plan of geos.

    Args:
        cells: Of the plan.
        channels: Those that divide their money otherwise than last year.
    """
    ran, spent = Counter[str](), Counter[str]()
    for cell in cells:
        ran[cell.channel] += cell.current
        spent[cell.channel] += cell.planned
    return tuple(
        Share(
            channel=cell.channel,
            geo=cell.geo,
            usual=cell.current / ran[cell.channel],
            planned=cell.planned / spent[cell.channel],
        )
        for cell in cells
        if cell.channel in channels and ran[cell.channel] and spent[cell.channel]
    )


def planned_shares(shares: Iterable[Share]) -> dict[str, dict[str, float]]:
    """The plan's shares by channel and geo."""
    return _by_channel((share, share.planned) for share in shares)


def times_usual(shares: Iterable[Share]) -> dict[str, dict[str, float]]:
    """By how much each geo's share is multiplied, by channel and geo."""
    return _by_channel(
        (share, share.planned / share.usual) for share in shares if share.usual > 0
    )


def _by_channel(
    numbers: Iterable[tuple[Share, float]],
) -> dict[str, dict[str, float]]:
    by_channel: dict[str, dict[str, float]] = {}
    for share, number in numbers:
        by_channel.setdefault(share.channel, {})[share.geo] = number
    return by_channel
