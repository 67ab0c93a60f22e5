"""A test of geos: where and when it ran, and whether the data can read it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import DataError, SpecError
from core.experiments.panel import Panel
from core.text import date, listed


@dataclass(frozen=True)
class GeoTest:
    """Where and when a test ran.

    Attributes:
        treated: Geos whose media was changed.
        start: First day, ISO.
        end: Last day, ISO.
        channels: Whose spend was changed; empty where nobody says.
        left_out: Geos in neither group.
    """

    treated: tuple[str, ...]
    start: str
    end: str
    channels: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def refuse(panel: Panel, test: GeoTest) -> None:
    """Refuse a test that the data cannot read.

    Raises:
        SpecError: Its geos, dates or channels are not those of the data.
    """
    panel.refuse_foreign((*test.treated, *test.left_out), "treated")
    if not test.treated:
        raise SpecError(
            "No geo is treated.",
            hint=f"Name those that were. The data have {listed(panel.geos, limit=8)}.",
            where="treated",
        )
    try:
        start, end = np.datetime64(test.start, "D"), np.datetime64(test.end, "D")
    except ValueError as error:
        raise SpecError(
            f"{test.start} to {test.end} are not two dates.",
            hint="Write dates like 2024-01-31.",
            where="start",
        ) from error
    if end < start:
        raise SpecError(
            f"The test ends on {date(test.end)}, before it starts on "
            f"{date(test.start)}.",
            hint="Swap the two dates.",
            where="end",
        )
    first, last = panel.times[0], panel.times[-1] + panel.step - 1
    if start <= first or end > last or not panel.within(test.start, test.end).any():
        raise SpecError(
            f"The test runs from {date(test.start)} to {date(test.end)}, the data from "
            f"{date(str(first))} to {date(str(last))}.",
            hint="Correct the dates, or add the missing periods to the data.",
            where="start",
        )
    n_controls = len(panel.geos) - len({*test.treated, *test.left_out})
    if n_controls < 2:
        raise SpecError(
            f"{n_controls or 'No'} geo is left to compare {listed(test.treated)} with.",
            hint="A read-out needs two control geos or more, better ten: leave more "
            "geos untreated, or split the market into more of them.",
            where="treated",
        )
    lacking = [name for name in test.channels if name not in panel.spend]
    if lacking:
        raise SpecError(
            f"{listed(lacking)} has no spend in the data, so a return on it cannot be "
            "worked out.",
            hint=f"Add its cost, or name one of {listed(list(panel.spend)) or 'none'}.",
            where="channel",
        )


def silent(panel: Panel, test: GeoTest) -> Sequence[str]:
    """Control geos without any KPI before the test: there is nothing to learn from.

    Raises:
        DataError: A treated geo is one of them.
    """
    before = panel.times < np.datetime64(test.start, "D")
    silent = [
        geo
        for geo, values in zip(panel.geos, panel.kpi[:, before], strict=True)
        if not values.any()
    ]
    treated = [geo for geo in silent if geo in test.treated]
    if treated:
        raise DataError(
            f"{listed(treated)} has no {panel.unit} before the test.",
            hint="Leave it out of the treated geos.",
            where="treated",
        )
    return silent
