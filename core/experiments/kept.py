"""Kept tests: tests as the workspace keeps them, one record from idea to model.

What is stored is what somebody did (planned it, read it, gave it to the model). The
names of attributes are the keys of lift_tests.json.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from core.data.experiments.entry import Entry
from core.errors import WorkspaceError, converted
from core.estimate import Estimate
from core.experiments.design.record import Design
from core.experiments.reading.checks import Check


class Series(Struct, frozen=True):
    """Outcome of the treated geos by period, and their counterfactual."""

    time: tuple[str, ...]
    observed: tuple[float, ...]
    counterfactual: tuple[float, ...]


class Cumulative(Struct, frozen=True):
    """Effect up to each period of the test, with its 90 % interval, KPI."""

    time: tuple[str, ...]
    mean: tuple[float, ...]
    lo: tuple[float, ...]
    hi: tuple[float, ...]


class ReadoutRecord(Struct, frozen=True, kw_only=True):
    """What a test did, as it is kept and printed; see `reading.readout.Readout`.

    Attributes:
        treated: Treated geos.
        start: First day.
        end: Last day.
        channels: Tested.
        unit: Of the KPI.
        lift: Effect as a share of the counterfactual.
        incremental: Effect in KPI.
        iroas: Effect per unit of money; None where no known channel's changed.
        p: Share of placebos with an effect as large.
        checks: What speaks for and against it.
        spend_change: By channel, currency.
        cumulative: Effect up to each period.
        series: What it was read from.
        controls: Weight of each control geo.
        placebos: How many there were.
        ridge: Of the counterfactual; None for an infinite one.
        interval: Mass of the intervals.
    """

    treated: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    channels: tuple[str, ...] = ()
    unit: str = ""
    lift: Estimate | None = None
    incremental: Estimate | None = None
    iroas: Estimate | None = None
    p: float | None = None
    checks: tuple[Check, ...] = ()
    spend_change: dict[str, float] = {}
    cumulative: Cumulative | None = None
    series: Series | None = None
    controls: dict[str, float] = {}
    placebos: int | None = None
    ridge: float | None = None
    interval: float | None = None


class KeptTest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A test of a project.

    Attributes:
        created: When it was kept, ISO UTC.
        name: Its name.
        channels: Tested.
        kind: `dark`, `dim` or `heavy-up`; empty of an idea.
        multiple: Of usual spend.
        geos: Treated; empty for everywhere.
        start: First day, ISO; empty of an idea.
        end: Last day.
        design: What was known when it was planned.
        readout: What it did.
        entry: Its result as `[[experiment]]` has it.
        in_model: Whether the model was given that.
        test_id: Its identifier; empty before it is kept.
    """

    created: str = ""
    name: str
    channels: tuple[str, ...] = ()
    kind: str = ""
    multiple: float | None = None
    geos: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    design: Design | None = None
    readout: ReadoutRecord | None = None
    entry: Entry | None = None
    in_model: bool = False
    test_id: str = ""

    @property
    def is_dated(self) -> bool:
        """Whether it is known when it runs, and what is tested."""
        return bool(self.start and self.end and self.channels)


def as_kept(content: Mapping[str, Any]) -> KeptTest:
    """A test of what the workspace keeps.

    Raises:
        WorkspaceError: It is none; the message names the place.
    """
    fault = ("This is not a test", "Delete it and plan it again.", "test")
    return converted(content, KeptTest, WorkspaceError, *fault)


def as_dict(test: KeptTest) -> dict[str, Any]:
    """The test as the workspace keeps it; whatever is planned says where."""
    kept = msgspec.to_builtins(test)
    return kept | {"geos": list(test.geos)} if test.is_dated else kept
