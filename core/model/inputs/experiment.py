"""Experiments as data: what a lift test measured. Free of JAX."""

from dataclasses import dataclass

from core.data.experiments.entry import Entry, number_faults
from core.errors import SpecError


@dataclass(frozen=True)
class Experiment:
    """One lift test of a channel, or of several together.

    A test compares what ran with another arm, in which the channels' media was a
    multiple of what ran, or had another cost.

    Attributes:
        channel: The channel tested.
        start: First day of the test, ISO.
        end: Last day of the test, ISO; the test covers the periods that begin
            between the two.
        incremental_outcome: Outcome in those periods and geos in the arm with more
            media less outcome in the arm with less; outcome units.
        standard_error: Of that number, above zero.
        geos: Where it ran; everywhere if empty.
        together_with: Channels whose media was changed with it, in the same way.
        multiple: Media of the other arm over what ran: 0 for none, 0.5 for half.
        amount: Cost of the channel's media in the other arm, in all those geos and
            periods together, currency; instead of a multiple, where nothing ran.
        skewness: How much further the truth may lie above the result than below: the
            standard error is 1 + skewness times as large above it, 1 - skewness times
            below; 0 for a Normal error.
        half_life: Weeks after its end until the test counts as half as many
            observations; always in full if None.
    """

    channel: str
    start: str
    end: str
    incremental_outcome: float
    standard_error: float
    geos: tuple[str, ...] = ()
    together_with: tuple[str, ...] = ()
    multiple: float = 0.0
    amount: float | None = None
    half_life: float | None = None
    skewness: float = 0.0

    @property
    def channels(self) -> tuple[str, ...]:
        """Every channel whose media was changed."""
        return (self.channel, *self.together_with)

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            SpecError: The result is not a number, its error is not above zero, or the
                other arm is impossible.
        """
        name = f"The experiment on {self.channel} from {self.start}"
        for message, hint in number_faults(self, name):
            raise SpecError(message, hint=hint, where="experiment")


def experiment_of(entry: Entry) -> Experiment:
    """A complete entry as the model takes it.

    Raises:
        SpecError: Its result means nothing, such as a standard error of zero.
    """
    values = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return Experiment(
        **{name: each for name, each in values.items() if each is not None}
    )
