"""The hidden sheet by which an edited workbook tells what was edited."""

import json
import math
from typing import Any

from core.plan.record.plan_record import PlanRecord
from core.plan.record.spend_grid import spend_grid
from core.plan.scenario.workbook import sheet as heads

_HEAD = 5  # rows above the table of channels
_LONGEST = 32_000  # characters that a cell can hold, and some room


def origin_sheet(book: Any, plan: PlanRecord) -> None:
    """The hidden sheet by which `core.plan.scenario.workbook` tells what was edited."""
    sheet = book.add_worksheet(heads.ORIGIN)
    sheet.hide()
    sheet.write_row(0, 0, (heads.CURRENCY, plan.currency))
    sheet.write_row(1, 0, (heads.BUDGET, plan.budget))
    scenario = json.dumps(plan.scenario_as_divided)
    if len(scenario) <= _LONGEST:
        sheet.write_row(2, 0, (heads.SCENARIO, scenario))
    sheet.write_row(3, 0, (heads.FIT, plan.run_id))
    _ORIGIN[plan.over](sheet, plan)


def _origin_channels(sheet: Any, plan: PlanRecord) -> None:
    titles = (heads.CHANNEL, heads.PLANNED, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_HEAD - 1, 0, titles)
    for row, channel in enumerate(plan.channels, start=_HEAD):
        sheet.write_string(row, 0, channel.name)
        amounts = (channel.planned, channel.low, channel.high)
        for at, amount in enumerate(amounts, start=1):
            if amount is not None:
                sheet.write_number(row, at, amount)
        sheet.write_string(row, 4, "yes" if channel.locked else "")


def _origin_weeks(sheet: Any, plan: PlanRecord) -> None:
    """The weeks as dates: what people see is in words."""
    sheet.write_string(_HEAD - 1, 0, heads.WEEK)
    for row, day in enumerate(spend_grid(plan).rows, start=_HEAD):
        sheet.write_string(row, 0, str(day)[:10])


def _origin_geos(sheet: Any, plan: PlanRecord) -> None:
    """Amounts of cells, empty where a channel does not run; limits of geos."""
    grid = spend_grid(plan)
    titles = (heads.GEO, *grid.channels, heads.LEAST, heads.MOST, heads.LOCKED)
    sheet.write_row(_HEAD - 1, 0, titles)
    for row, (line, planned) in enumerate(
        zip(plan.geos, grid.planned, strict=True), start=_HEAD
    ):
        sheet.write_string(row, 0, line.name)
        for at, amount in enumerate((*planned, line.low, line.high), start=1):
            if amount is not None and math.isfinite(amount):
                sheet.write_number(row, at, round(float(amount), 6))
        sheet.write_string(row, len(titles) - 1, "yes" if line.locked else "")


_ORIGIN = {
    "channels": _origin_channels,
    "geos": _origin_geos,
    "weeks": _origin_weeks,
}
