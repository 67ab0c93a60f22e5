"""Experiments as data: what a lift test measured. Free of JAX."""

import math
from dataclasses import dataclass

from core.errors import SpecError


@dataclass(frozen=True)
class Experiment:
    """One lift test of one channel.

    Attributes:
        channel: The channel tested.
        start: First day of the test, ISO.
        end: Last day of the test, ISO; the test covers the periods that begin
            between the two.
        incremental_outcome: Outcome in those periods and geos with the channel's
            media of those periods less outcome without it; outcome units.
        standard_error: Of that number, above zero.
        geos: Where it ran; everywhere if empty.
    """

    channel: str
    start: str
    end: str
    incremental_outcome: float
    standard_error: float
    geos: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            SpecError: The result is not a number or its error is not above zero.
        """
        if not math.isfinite(self.incremental_outcome):
            raise SpecError(
                f"The experiment on {self.channel} from {self.start} has no result.",
                hint="Give its incremental outcome; a negative one is fine.",
                where="experiment",
            )
        if not (math.isfinite(self.standard_error) and self.standard_error > 0):
            raise SpecError(
                f"The experiment on {self.channel} from {self.start} needs a standard "
                "error above zero.",
                hint="A 90 % interval is 3.29 standard errors wide.",
                where="experiment",
            )
