"""A lift test as `[[experiment]]` of project.toml has it, from the file to the fit."""

from typing import Any

import msgspec
from msgspec import Struct


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A lift test; None or empty where nothing is said, which a table may leave.

    What each field means says `core.model.inputs.experiment.Experiment`, which a
    complete entry becomes.
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
        said = msgspec.to_builtins(self)
        lists = {key: list(each) for key, each in said.items() if type(each) is tuple}
        return said | lists


def overlap(one: Entry, other: Entry) -> bool:
    """Whether two complete tests share a channel, a geo and a day."""
    geos, others = set(one.geos), set(other.geos)
    shares_geo = not geos or not others or bool(geos & others)
    shares_day = one.start <= other.end and other.start <= one.end
    return shares_geo and shares_day and bool({*one.channels} & {*other.channels})
