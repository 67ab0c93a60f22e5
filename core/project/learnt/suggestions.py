"""Suggestions: what other projects suggest for the priors of one, as records."""

from dataclasses import dataclass

from core.errors import SpecError
from core.model.priors.pooling.pooled import Pooled
from core.model.priors.prior import Prior
from core.model.spec import PriorKind
from core.project.learnt.sources import Source


@dataclass(frozen=True)
class Now:
    """The prior that a channel has now.

    Attributes:
        kind: What it is on.
        prior: The prior.
        is_default: Whether nobody has set it.
    """

    kind: PriorKind
    prior: Prior
    is_default: bool


@dataclass(frozen=True)
class Suggestion:
    """What other projects suggest for a channel.

    Attributes:
        channel: The channel.
        kind: Name of its kind.
        now: Its prior as it is.
        pooled: The suggestion, on its ROI; None where there is none.
        sources: What is in it, in the order of the weights of `pooled`.
        reason: Why there is none; empty where there is one.
    """

    channel: str
    kind: str
    now: Now
    pooled: Pooled | None = None
    sources: tuple[Source, ...] = ()
    reason: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether the channel has this prior."""
        suggested = None if self.pooled is None else self.pooled.prior
        return self.now.kind == "roi" and suggested == self.now.prior


@dataclass(frozen=True)
class Suggestions:
    """What other projects suggest.

    Attributes:
        channels: By paid channel.
        left_out: Sources that do not count, with why.
    """

    channels: tuple[Suggestion, ...]
    left_out: tuple[Source, ...]

    def of(self, channel: str) -> Suggestion:
        """That of a channel.

        Raises:
            SpecError: There is no such paid channel.
        """
        for each in self.channels:
            if each.channel == channel:
                return each
        names = ", ".join(each.channel for each in self.channels) or "none"
        raise SpecError(
            f"There is no paid channel {channel}.",
            hint=f"Paid channels: {names}.",
            where=channel,
        )
