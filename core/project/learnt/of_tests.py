"""What lift tests say of ROI where no fit has seen them yet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.data.assemble import assemble
from core.data.experiments.entry import Entry
from core.data.files.isolated import kept_table
from core.data.input_data import InputData
from core.errors import MMMError
from core.experiments.panel import panel_of
from core.model.priors.pooling.learnt import NOTHING, Learnt, divided
from core.project.learnt.of_fit import Outcome, Return, by_day
from core.project.settings.definition import Project
from core.project.settings.project import data_file
from core.text import date
from core.text.languages.language import marked

#: ROI over which a result is weighed: log ROI, and a range as wide as anyone doubts.
_GRID = np.linspace(-6.0, 5.0, 1101)
_AROUND = Learnt(0.2, 1.5)
_TOGETHER = marked("it tested several channels together")
_PART = marked("it compares two levels of spend: its ROI is of the difference")
_NO_SPEND = marked("nothing was spent in its geos and dates")


@dataclass(frozen=True)
class OfTable:
    """What a project's table says of its market.

    Attributes:
        is_money: Whether its outcome is money, so that an ROI is a plain number.
        outcome: Of each period, by which a market is known again.
    """

    is_money: bool
    outcome: Outcome


def of_table(folder: Path, project: Project) -> OfTable:
    """What a project's table says of its market.

    Args:
        folder: The project's.
        project: What project.toml says.

    Raises:
        MMMError: It cannot be read.
    """
    data = assemble(kept_table(data_file(folder, project)), project.mapping)
    return OfTable(_is_money(data), by_day(data.times, data.outcome.sum(axis=0)))


def of_tests(
    folder: Path, project: Project, earlier: Sequence[Entry]
) -> tuple[Return, ...]:
    """The lift tests of a project that its newest fit has not seen.

    Args:
        folder: The project's.
        project: What project.toml says.
        earlier: Tests that the fit has seen; they are in what it learnt.
    """
    cells = [test.cells for test in earlier]
    new = [test for test in project.experiments if test.cells not in cells]
    if not new:
        return ()
    try:
        data = assemble(kept_table(data_file(folder, project)), project.mapping)
    except MMMError:  # told on the project's own screens
        return ()
    return tuple(_of_test(test, data) for test in new) if _is_money(data) else ()


def _is_money(data: InputData) -> bool:
    return data.outcome_unit == "revenue"


def _of_test(test: Entry, data: InputData) -> Return:
    """A test as a source: its result over the spend that it was about."""
    dates = f"{date(test.start)} to {date(test.end)}"

    def nothing(reason: str) -> Return:
        return Return(test.channel, NOTHING, True, reason, dates)

    if test.together_with:
        return nothing(_TOGETHER)
    if test.multiple or test.amount is not None:
        return nothing(_PART)
    panel = panel_of(data)
    spend = panel.spend.get(test.channel)
    if spend is None:
        return nothing(_NO_SPEND)
    geos = panel.is_in(test.geos or panel.geos)
    inside = panel.within(test.start, test.end)
    cost = float(spend[np.ix_(geos, inside)].sum())
    if not cost > 0:
        return nothing(_NO_SPEND)
    lift, error = test.incremental_outcome / cost, test.standard_error / cost
    return Return(test.channel, _of_result(lift, error), True, "", dates)


def _of_result(roi: float, error: float) -> Learnt:
    """A Normal result on ROI as one on its logarithm, by the moments of a posterior."""
    if not (math.isfinite(roi) and error > 0):
        return NOTHING
    log_weight = -0.5 * ((np.exp(_GRID) - roi) / error) ** 2
    log_weight -= 0.5 * ((_GRID - _AROUND.location) / _AROUND.spread) ** 2
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    middle = float(weight @ _GRID)
    spread = math.sqrt(float(weight @ (_GRID - middle) ** 2))
    return divided(Learnt(middle, spread), _AROUND)
