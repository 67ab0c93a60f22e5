"""The tests of a project: where each stands, what is next with it, what it needs."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from core.data.input_data import InputData
from core.experiments.kept import KeptTest
from core.experiments.life import (
    STATES,
    SpendOfTest,
    broken_by,
    geox_design,
    next_step,
    spend_of_test,
    state_of,
)
from core.experiments.panel import Panel, panel_of
from core.experiments.reading.geo_test import GeoTest
from core.project.lift_tests.lift_tests import delete_lift_test, lift_tests
from core.project.settings.definition import Project
from core.service.records.lift_test import ListedTest
from core.text import Units


def standing(
    project: Path, last: str = "", panel: Panel | None = None
) -> list[ListedTest]:
    """The tests of a project by state.

    Args:
        project: Its folder.
        last: The last period of its data, ISO; empty where that is not known.
        panel: What shows whether a test that runs was broken; None for not asking.

    Raises:
        WorkspaceError: The tests cannot be read.
    """
    today = str(date.today())
    tests = [
        ListedTest(
            test,
            state_of(test, today),
            next_step(test, today, last),
            () if panel is None else broken_by(panel, test),
        )
        for test in lift_tests(project)
    ]
    return sorted(tests, key=lambda each: STATES.index(each.state))


def awaiting(project: Path, test: GeoTest) -> str | None:
    """Identifier of the kept test that waits for the result of a test that was read.

    Args:
        project: Its folder.
        test: Of the read-out. The kept test has its channels and geos, and days in
            common with it.
    """
    for candidate in lift_tests(project):
        same = set(candidate.channels) == set(test.channels)
        same = same and set(candidate.geos) == set(test.treated)
        overlaps = candidate.start <= test.end and test.start <= candidate.end
        if same and overlaps and candidate.readout is None:
            return candidate.test_id
    return None


def breaches(tests: Sequence[KeptTest], data: InputData) -> list[tuple[KeptTest, str]]:
    """What data show that breaks tests that run: each test, and a sentence of it.

    Args:
        tests: Of a project.
        data: Its market.

    Raises:
        DataError: The data have no panel by geo and period.
    """
    panel = panel_of(data)
    return [(test, line) for test in tests for line in broken_by(panel, test)]


class Papers:
    """What carries a planned test out.

    Args:
        test: The test.
        panel: Of the project's data.
        project: What the brief says of the project.
        units: Words for its numbers.

    Attributes:
        spend: By channel, geo and week.

    Raises:
        SpecError: A channel of the test has no spend in the data.
    """

    def __init__(self, test: KeptTest, panel: Panel, project: Project, units: Units):
        self._test, self._panel = test, panel
        self._project, self._units = project, units
        self.spend: list[SpendOfTest] = spend_of_test(panel, test)

    def brief(self) -> str:
        """The brief for a media team, an HTML page."""
        from core.report.test_brief import brief  # draws, which others need not load

        return brief(self._test, self.spend, self._units, self._project)

    def geox(self) -> dict[str, Any]:
        """The design as Meridian GeoX loads it."""
        return geox_design(self._panel, self._test)
