"""Records of lift tests, for faces."""

from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins

from core.data.experiments.entry import DAYS, FIELDS, LISTS, NUMBERS, OPTIONAL, Entry
from core.data.experiments.experiment_checks import is_complete
from core.experiments.kept import KeptTest, as_dict
from core.experiments.life import SpendOfTest, State
from core.experiments.reading.record import ReadoutRecord
from core.project.lift_tests.tested_fits import LiftTestEffect
from core.text import Units


@dataclass(frozen=True)
class ListedTest:
    """A test of a project as it stands.

    Attributes:
        test: As it is kept.
        state: Where it stands.
        next: What to do with it now.
        broken: What the data show that breaks it.
        did: What it did, where the newest fit has seen it.
    """

    test: KeptTest
    state: State
    next: str
    broken: tuple[str, ...]
    did: LiftTestEffect | None = None

    def as_dict(self) -> dict[str, Any]:
        """As `tests list --json` prints it."""
        about = {"state": self.state, "next": self.next, "broken": list(self.broken)}
        did = None if self.did is None else to_builtins(self.did)
        return as_dict(self.test) | about | {"did": did}


@dataclass(frozen=True)
class Listing:
    """The tests of a project.

    Attributes:
        tests: By state.
        did: What the tests in the newest fit did.
        units: Of the fit.
    """

    tests: list[ListedTest]
    did: list[LiftTestEffect]
    units: Units

    def as_dict(self) -> dict[str, Any]:
        """As `tests list --json` prints it."""
        tests = [each.as_dict() for each in self.tests]
        return {"tests": tests, "did": to_builtins(self.did)}
