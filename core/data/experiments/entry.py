"""A lift test as `[[experiment]]` of project.toml has it, from the file to the fit."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from core.data.experiments.uncertainty import HIGHEST_SKEWNESS
from core.text.sentences import listed

#: What a lift test has, in the order of its table.
FIELDS = (
    "channel",
    "geos",
    "start",
    "end",
    "incremental_outcome",
    "standard_error",
)
#: What a lift test may have besides: channels that were changed with it, and the other
#: arm as a multiple of what ran or as an amount, the half-life of its weight, and how
#: much further its error reaches above than below.
OPTIONAL = ("together_with", "multiple", "amount", "half_life", "skewness")
#: Fields of each kind; the channel is a text.
DAYS, LISTS = ("start", "end"), ("geos", "together_with")
NUMBERS = tuple(
    key for key in FIELDS + OPTIONAL if key not in ("channel", *DAYS, *LISTS)
)


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A lift test of a channel, or of several; None or empty where nothing is said.

    A test compares what ran with another arm, in which the channels' media was a
    multiple of what ran, or had another cost. A table may leave anything out; the model
    takes complete ones.

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
        multiple: Media of the other arm over what ran: 0 or None for none, 0.5 for
            half.
        amount: Cost of the channel's media in the other arm, in all those geos and
            periods together, currency; instead of a multiple, where nothing ran.
        half_life: Weeks after its end until the test counts as half as many
            observations; always in full if None.
        skewness: How much further the truth may lie above the result than below: the
            standard error is 1 + skewness times as large above it, 1 - skewness times
            below; 0 or None for a Normal error.
    """

    channel: str | None = None
    geos: tuple[str, ...] = ()
    together_with: tuple[str, ...] = ()
    start: str | None = None
    end: str | None = None
    incremental_outcome: float | None = None
    standard_error: float | None = None
    multiple: float | None = None
    amount: float | None = None
    half_life: float | None = None
    skewness: float | None = None

    @property
    def channels(self) -> tuple[str, ...]:
        """Every channel that it says was changed."""
        return (*([self.channel] if self.channel else []), *self.together_with)

    @property
    def cells(self) -> tuple[object, ...]:
        """Channels, dates and geos, by which two tests are the same."""
        channels, geos = tuple(sorted(self.channels)), tuple(sorted(self.geos))
        return (channels, self.start, self.end, geos)

    def as_table(self) -> dict[str, Any]:
        """What it says, as a table of project.toml."""
        values = msgspec.to_builtins(self)
        lists = {key: list(each) for key, each in values.items() if type(each) is tuple}
        return values | lists


def number_faults(test: Entry, name: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the numbers of a test by themselves, and what to do about it.

    Args:
        test: A test, complete or not.
        name: What it is called.
    """
    error, outcome, skewness = (
        getattr(test, key)
        for key in ("standard_error", "incremental_outcome", "skewness")
    )
    if error is not None and not (math.isfinite(error) and error > 0):
        hint = "A 90 % interval is 3.29 standard errors wide."
        yield f"{name} has the standard error {error:g}; it must be above zero.", hint
    if outcome is not None and not math.isfinite(outcome):
        hint = "A negative one is fine."
        yield f"{name} has no number for its incremental outcome.", hint
    multiple, amount, half_life = test.multiple, test.amount, test.half_life
    if multiple is not None and not (math.isfinite(multiple) and 0 <= multiple != 1):
        hint = "Use 0 for no media, 0.5 for half, 1.5 for half as much again."
        yield f"{name} compares what ran with {multiple:g} times as much.", hint
    if amount is not None and not 0 <= amount < math.inf:
        hint = "Give money, zero or more."
        yield f"{name} has the amount {amount:g} in its other arm.", hint
    if amount is not None and test.together_with:
        hint = "Give the other arm as a multiple of what ran."
        yield f"{name} has one amount for {listed(test.channels)}.", hint
    if skewness is not None and not abs(skewness) <= HIGHEST_SKEWNESS:
        hint = (
            f"Give one from -{HIGHEST_SKEWNESS:g} to {HIGHEST_SKEWNESS:g}; empty is 0."
        )
        yield f"{name} has the skewness {skewness:g}.", hint
    if half_life is not None and not 0 < half_life < math.inf:
        hint = "Give weeks above zero, such as 52."
        yield f"{name} has a half-life of {half_life:g} weeks.", hint


def overlap(one: Entry, other: Entry) -> bool:
    """Whether two complete tests share a channel, a geo and a day."""
    geos, others = set(one.geos), set(other.geos)
    shares_geo = not geos or not others or bool(geos & others)
    shares_day = one.start <= other.end and other.start <= one.end
    return shares_geo and shares_day and bool({*one.channels} & {*other.channels})
