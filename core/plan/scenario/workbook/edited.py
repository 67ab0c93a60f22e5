"""An edited workbook of a plan: amounts to be evaluated, or other limits to plan with.

The sheet that is edited has a row per channel. The hidden sheet `As planned` says what
they were when the file was written, and the scenario: that is how an edited amount is
told from an edited limit.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import PlanError
from core.plan.limits.findings import refuse
from core.plan.response.price import evaluated
from core.plan.scenario.workbook.changes import (
    LIMITS,
    is_evaluated,
    is_yes,
    tables_of,
    with_budget,
)
from core.plan.scenario.workbook.faults import CellCheck
from core.plan.scenario.workbook.sheet import (
    CHANNEL,
    LEAST,
    LOCKED,
    MOST,
    PLANNED,
    Sheet,
    channel_sheet,
    stored_scenario,
    week_sheet,
    with_beliefs,
)


@dataclass(frozen=True)
class EditedPlan:
    """What an edited workbook asks for.

    Attributes:
        scenario: As in a scenario file.
        is_evaluated: Whether its amounts are settled; else they are to be planned.
    """

    scenario: dict[str, Any]
    is_evaluated: bool


def edited_plan(
    sheets: Sequence[Mapping[str, Any]],
    filename: str,
    names: Sequence[str],
    currency: str,
) -> EditedPlan:
    """The scenario of an edited workbook.

    Args:
        sheets: What `core.data.files.load.workbook_cells` gives.
        filename: Its name, for messages.
        names: Paid channels of the fit.
        currency: Of the fit; empty where unknown.

    Raises:
        PlanError: It is no plan over channels, or cells contradict each other;
            `findings` has every one, with file and cell.
    """
    edited, origin = tables_of(sheets, channel_sheet)
    if edited is None and any(map(week_sheet, sheets)):
        raise PlanError(
            f"{filename} is a plan of weeks, and this is one of channels.",
            hint="Upload it in the view Weeks.",
            where=filename,
        )
    if edited is None:
        raise PlanError(
            f"{filename} has no table with the heads {CHANNEL} and {PLANNED}.",
            hint="Download a plan over channels as XLSX, edit it and upload that.",
            where=filename,
        )
    origin = origin if origin is None or _is_whole(origin) else None
    check = CellCheck(filename, edited, currency)
    names = with_beliefs(names, origin)
    needed = names if origin is None else [name for name, _ in origin.lines]
    faults = [*check.currency_of(origin), *check.names(CHANNEL, names, needed)]
    refuse([*faults, *check.planned()])
    if origin is None or is_evaluated(edited, origin, [PLANNED]):
        refuse(check.totals())
        return EditedPlan(
            evaluated(stored_scenario(origin), "channels", edited.planned()), True
        )
    refuse(check.limits())
    return EditedPlan(_limited(edited, origin), False)


def _is_whole(origin: Sheet) -> bool:
    """Whether the hidden sheet is as it was written, as far as can be seen."""
    return all(
        set(LIMITS) <= set(line) and line[PLANNED].is_number for _, line in origin.lines
    )


def _limited(edited: Sheet, origin: Sheet) -> dict[str, Any]:
    """The scenario that the file was planned with, within other limits."""
    table = stored_scenario(origin)
    before = table.get("channel")
    before = before if isinstance(before, dict) else {}
    channels = {}
    for name, line in edited.lines:
        row = before.get(name)
        row = dict(row) if isinstance(row, dict) else {}
        row |= {"min": float(line[LEAST].value), "max": float(line[MOST].value)}
        row.pop("lock", None)
        if LOCKED in line and is_yes(line[LOCKED]):
            row["lock"] = float(line[PLANNED].value)
        channels[name] = row
    spent = math.fsum(edited.planned().values())
    return with_budget(table, edited, origin, spent) | {"channel": channels}
