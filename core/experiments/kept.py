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
from core.experiments.design.record import Design
from core.experiments.reading.record import ReadoutRecord


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
    record = msgspec.to_builtins(test)
    return record | {"geos": list(test.geos)} if test.is_dated else record
