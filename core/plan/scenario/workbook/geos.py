"""An edited workbook of a plan of geos: amounts to be evaluated, or other limits.

The sheet that is edited has a row per geo and a column per channel, and beside them the
least and most of every geo. The hidden sheet `As planned` says what they were.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.data.reading.findings import Finding
from core.errors import PlanError
from core.plan.limits.findings import refuse
from core.plan.limits.stated import part
from core.plan.response.price import evaluated
from core.plan.scenario.workbook.changes import (
    LIMITS,
    is_evaluated,
    is_unchanged,
    is_yes,
    tables_of,
    with_budget,
)
from core.plan.scenario.workbook.edited import EditedPlan
from core.plan.scenario.workbook.faults import CellCheck
from core.plan.scenario.workbook.sheet import (
    ALL_CHANNELS,
    BUDGET,
    GEO,
    LEAST,
    LOCKED,
    MOST,
    Cell,
    Sheet,
    geo_sheet,
    stored_scenario,
    with_beliefs,
)


def edited_geos(
    sheets: Sequence[Mapping[str, Any]],
    filename: str,
    names: tuple[Sequence[str], Sequence[str]],
    currency: str,
) -> EditedPlan:
    """The scenario of an edited workbook, with its `[geos]`.

    Args:
        sheets: What `core.data.files.load.workbook_cells` gives.
        filename: Its name, for messages.
        names: Paid channels of the fit, and its geos.
        currency: Of the fit; empty where unknown.

    Raises:
        PlanError: The fit has no geos. Cells are no amounts, or contradict each
            other; `findings` has every one, with file and cell.
    """
    edited, origin = tables_of(sheets, geo_sheet)
    if origin is not None and not all(
        set(LIMITS) <= set(each) for _, each in origin.lines
    ):
        origin = None  # not as it was written
    if edited is None:
        raise PlanError(
            f"{filename} has no table with the head {GEO}.",
            hint="Download a plan over geos as XLSX, edit it and upload that.",
            where=filename,
        )
    channels, geos = with_beliefs(names[0], origin), names[1]
    if not geos:
        raise PlanError(
            f"{filename} is a plan of geos, and the fit is of one market.",
            hint="Choose a fit of several geos, or plan over channels.",
            where="geos",
        )
    columns = [name for name in channels if name in edited.heads]
    check = CellCheck(filename, edited, currency)
    needed = channels, geos
    if origin is not None:  # what ran in the periods of the plan
        there = [name for name in channels if name in origin.heads]
        needed = there, [name for name, _ in origin.lines]
    faults = [*check.currency_of(origin), *check.columns(channels, needed[0])]
    refuse([*faults, *check.names(GEO, geos, needed[1])])
    refuse([*_amounts(check, columns, origin)])
    if origin is None or is_evaluated(edited, origin, columns):
        refuse([*_sums(check, columns)])
        spend = _planned(edited, columns)
        return EditedPlan(evaluated(stored_scenario(origin), "geos", spend), True)
    refuse([*_limits(check, columns)])
    return EditedPlan(_limited(edited, origin, columns), False)


def _amounts(
    check: CellCheck, channels: Sequence[str], origin: Sheet | None
) -> Iterator[Finding]:
    """Cells that are no amounts; a channel that does not run in a geo has none."""
    before = {} if origin is None else dict(origin.lines)
    for geo, line in check.sheet.lines:
        planned = before.get(geo, {})
        for name in channels:
            runs = name not in planned or planned[name].value is not None
            if runs and (origin is not None or line[name].value is not None):
                yield from check.amount(line[name], f"spend of {name} in {geo}")
            elif not runs and line[name].value not in (None, 0):
                message = f"{name} does not run in {geo}, so its effect is not known."
                yield check.fault(line[name], message, "Clear the cell.")


def _sums(check: CellCheck, channels: Sequence[str]) -> Iterator[Finding]:
    """Totals and a budget that are not what the amounts add up to."""
    sheet = check.sheet
    for geo, line in sheet.lines:
        spent = _spent(line, channels)
        yield from check.sum_of(f"total of {geo}", line.get(ALL_CHANNELS), spent)
    for name in channels:
        spent = math.fsum(_amount(line[name]) for _, line in sheet.lines)
        yield from check.sum_of(f"total of {name}", sheet.totals.get(name), spent)
    spent = _total(sheet, channels)
    yield from check.sum_of("total", sheet.totals.get(ALL_CHANNELS), spent)
    yield from check.sum_of("budget", sheet.about.get(BUDGET), spent)


def _limits(check: CellCheck, channels: Sequence[str]) -> Iterator[Finding]:
    """Least and most of every geo, and locked geos outside of them."""
    for geo, line in check.sheet.lines:
        cells = [line[head] for head in (LEAST, MOST) if head in line]
        faults = [
            each
            for head, cell in zip((LEAST, MOST), cells, strict=False)
            for each in check.amount(cell, f"{head.lower()} of {geo}")
        ]
        yield from faults
        if faults or len(cells) < 2:
            continue
        least, most = cells
        if least.value > most.value:
            message = f"the least of {geo} is above its most ({most.ref})."
            yield check.fault(least, message, "Lower it.")
        spent = _spent(line, channels)
        if _is_locked(line) and not least.value - 1 <= spent <= most.value + 1:
            message = (
                f"{geo} is locked at what it is planned to spend, which its least and "
                f"most ({least.ref}, {most.ref}) do not allow."
            )
            yield check.fault(line[LOCKED], message, "Unlock it, or change them.")
    if BUDGET in check.sheet.about:
        yield from check.amount(check.sheet.about[BUDGET], "budget")


def _planned(edited: Sheet, channels: Sequence[str]) -> dict[str, dict[str, float]]:
    """The amounts of each geo and channel; none where a channel does not run."""
    return {
        geo: {
            name: float(line[name].value)
            for name in channels
            if line[name].value is not None
        }
        for geo, line in edited.lines
    }


def _limited(edited: Sheet, origin: Sheet, channels: Sequence[str]) -> dict[str, Any]:
    """The scenario that the file was planned with, with other limits of geos."""
    scenario = stored_scenario(origin)
    geos = part(scenario, "geos")
    stated, before = part(geos, "geo"), dict(origin.lines)
    by_geo = {name: dict(part(stated, name)) for name in stated}
    for name, line in edited.lines:
        if is_unchanged(line, before[name], LIMITS):
            continue
        row = by_geo.setdefault(name, {})
        row.pop("lock", None)
        least, most = ((before[name] | line)[head] for head in (LEAST, MOST))
        row |= {"min": float(least.value), "max": float(most.value)}
        if _is_locked(line):
            row["min"] = row["max"] = _spent(line, channels)
    table = with_budget(scenario, edited, origin, _total(edited, channels))
    limits = {key: row for key, row in geos.items() if key != "spend"}
    return table | {"geos": limits | {"geo": by_geo}}


def _is_locked(line: Mapping[str, Cell]) -> bool:
    return LOCKED in line and is_yes(line[LOCKED])


def _amount(cell: Cell) -> float:
    return 0.0 if cell.value is None else float(cell.value)


def _spent(line: Mapping[str, Cell], channels: Sequence[str]) -> float:
    """What a geo is planned to spend."""
    return math.fsum(_amount(line[name]) for name in channels)


def _total(sheet: Sheet, channels: Sequence[str]) -> float:
    return math.fsum(_spent(line, channels) for _, line in sheet.lines)
