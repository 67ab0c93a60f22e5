"""Designs of tests that somebody edits: scored at once by what a fit says of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import xarray as xr

from core.data.input_data import InputData
from core.estimate import Estimate
from core.experiments.design.candidate import Design
from core.experiments.design.edited import Edited, edited
from core.experiments.design.market import expected_effect, market_of
from core.experiments.design.ranking import rank
from core.experiments.life import planned_test
from core.experiments.panel import panel_of
from core.experiments.reading.readout import Readout
from core.service.experiments.lift_tests import plan_test
from core.service.records.fit import Run
from core.service.runs import open_dataset


class Tested:
    """What a fit says of tests of a project's data.

    Args:
        data: The data, which may have more periods than the fit has seen.
        fit: A finished fit.
        read: Opens a view of it.

    Raises:
        WorkspaceError: A result is damaged.
        DataError: The data have no panel by geo and period.
    """

    def __init__(
        self,
        data: InputData,
        fit: Run,
        open_view: Callable[[Path, str], xr.Dataset] = open_dataset,
    ):
        by_geo = None if data.is_national else open_view(fit.folder, "geo_curves")
        views = open_view(fit.folder, "curves"), by_geo, open_view(fit.folder, "shapes")
        self._market = market_of(panel_of(data), *views)

    def rank(
        self, channels: Sequence[str], on_progress: Callable[[float], None]
    ) -> tuple[Design, ...]:
        """Tests by what their answers are worth, the best first.

        Args:
            channels: To test; every paid one where none is named.
            on_progress: Told the share that is done.

        Raises:
            SpecError: There is no such channel, or no design is feasible.
        """
        return rank(self._market, channels, on_progress=on_progress)

    def score(self, design: Design, geos: Sequence[str]) -> Edited:
        """A design with other treated geos: its balance, error and value.

        Raises:
            SpecError: No geo is treated, or fewer than two are left to compare with.
        """
        return edited(self._market, design, tuple(geos))

    def expect(self, readout: Readout) -> Estimate | None:
        """What the model expects of a test that was read, in outcome units.

        None where spend of its channels is not known to have changed.
        """
        return expected_effect(self._market, readout)


def plan_design(project: Path, design: Design, name: str) -> str:
    """Keep a design as a planned test, with what the newest fit expects of it.

    Args:
        project: Its folder.
        design: The design.
        name: Of the test.

    Returns:
        Its identifier.

    Raises:
        WorkspaceError: The project cannot be written.
    """
    return plan_test(project, planned_test(design, name))
