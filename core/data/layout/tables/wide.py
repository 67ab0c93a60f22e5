"""The wide table: rows of files summed to periods and geos, joined side by side.

Totals are taken before and after, and must agree: what is in no row of the wide table
was left out by name.

Blocks: the rows of one source summed on the grid of periods and geos.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.files.columns import whole_numbers
from core.data.layout.kinds.dating import period_start
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import MEASURES, is_averaged
from core.data.layout.recipe import Layout
from core.data.layout.tables.common_range import Range, common_range, key
from core.data.layout.tables.doubles import incomplete
from core.data.layout.tables.tall import Tall
from core.data.reading.findings import Finding
from core.data.recognition.roles import ColumnRole
from core.errors import DataError, SchemaError
from core.text.sentences import listed

_MAX_CELLS = 40_000_000


@dataclass(frozen=True)
class Total:
    """What one amount of one file sums to, before and after.

    Attributes:
        file: The file.
        column: The column of the file, or its variable.
        before: Sum over the rows of the file.
        left_out: The part of it in dates, geos or currencies that are left out.
        after: Sum over the wide table.
    """

    file: str
    column: str
    before: float
    left_out: float
    after: float


@dataclass
class Block:
    """Columns of one source on the grid of the wide table; arrays are period geo."""

    columns: dict[str, np.ndarray]
    has_row: np.ndarray
    totals: list[Total]
    findings: list[Finding]


def block_of(tall: Tall, span: Range, layout: Layout) -> Block:
    """One source on the grid of periods and geos."""
    starts = period_start(tall.dates, layout.period, layout.week_begins)
    at = np.searchsorted(span.starts, starts)
    at = np.minimum(at, len(span.starts) - 1)
    inside = span.starts[at] == starts
    geo = np.zeros(len(starts), dtype=np.int64)
    n_geos = max(1, len(span.geos))
    if span.geos and tall.geos is not None:
        places = {key(name): number for number, name in enumerate(span.geos)}
        place = [places.get(key(name), -1) for name in tall.geo_names]
        geo = np.array([*place, -1], dtype=np.int64)[tall.geos]
        inside &= geo >= 0
    cell = (at * n_geos + geo)[inside]
    shape = (len(span.starts), n_geos)
    has_row = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape) > 0
    block = Block({}, has_row, [], incomplete(tall, layout, starts, inside))
    if tall.places is None:
        _add_plain(block, tall, cell, inside, shape)
    elif tall.source.kind == "campaigns":
        _add_campaigns(block, tall, cell, inside, shape)
    else:
        _add_variables(block, tall, cell, inside, shape)
    if span.geos and tall.geos is None:
        block.columns = {
            name: np.repeat(values[:, :1], n_geos, axis=1)
            for name, values in block.columns.items()
        }
        block.has_row = np.repeat(has_row[:, :1], n_geos, axis=1)
    return block


def _add_plain(block: Block, tall: Tall, cell, inside, shape) -> None:
    """Columns of a table or of orders."""
    fills = tall.source.kind == "orders"
    for name, values in tall.sums.items():
        block.columns[name] = _sum(values[inside], cell, shape, fills=fills)
        block.totals.append(_total(tall, name, values, inside, block.columns[name]))
    for name, values in tall.means.items():
        block.columns[name] = _mean(values[inside], cell, shape)
    for name, texts in tall.texts.items():
        grid = np.full(shape[0] * shape[1], None, dtype=object)
        grid[cell[::-1]] = texts.to_numpy(dtype=object)[inside][::-1]
        block.columns[name] = grid.reshape(shape)


def _add_campaigns(block: Block, tall: Tall, cell, inside, shape) -> None:
    """A column per channel and measure; zero where a channel has no row."""
    n_names = len(tall.names)
    if shape[0] * shape[1] * n_names > _MAX_CELLS:
        raise SchemaError(
            f"{tall.file.called} gives {n_names:,} channels for "
            f"{shape[0] * shape[1]:,} periods and geos, which is too large.",
            hint="Group campaigns into fewer channels.",
            where=tall.file.called,
        )
    where = cell * n_names + tall.places[inside]
    grids = {
        measure: _sum(
            np.nan_to_num(values[inside]), where, (*shape, n_names), fills=True
        )
        for measure, values in tall.sums.items()
    }
    for number, name in enumerate(tall.names):
        for measure, grid in grids.items():
            if grid[:, :, number].any():
                block.columns[f"{name}_{measure}"] = grid[:, :, number]
    for measure, values in tall.sums.items():
        block.totals.append(_total(tall, measure, values, inside, grids[measure]))
    silent = [n for at, n in enumerate(tall.names) if not _any(grids, at)]
    if silent:
        message = f"{listed(silent)} of {tall.file.called} never ran in these periods."
        block.findings.append(Finding("info", tall.file.called, message))


def _any(grids: dict[str, np.ndarray], number: int) -> bool:
    return any(grid[:, :, number].any() for grid in grids.values())


def _add_variables(block: Block, tall: Tall, cell, inside, shape) -> None:
    """A column per variable; averaged or summed by what its name says."""
    (values,) = tall.sums.values()
    places = tall.places[inside]
    for number, name in enumerate(tall.names):
        mine = places == number
        if not mine.any():
            continue
        part = values[inside][mine]
        if is_averaged(name):
            block.columns[name] = _mean(part, cell[mine], shape)
            continue
        block.columns[name] = _sum(part, cell[mine], shape)
        whole = np.where(tall.places == number, values, 0.0)
        block.totals.append(_total(tall, name, whole, inside, block.columns[name]))


def _sum(
    values: np.ndarray, cell: np.ndarray, shape: tuple[int, ...], *, fills: bool = False
) -> np.ndarray:
    """Sums on a grid; where there is none: zero if that is what it means."""
    size = int(np.prod(shape))
    is_known = ~np.isnan(values)
    grid = np.bincount(cell[is_known], weights=values[is_known], minlength=size)
    if not fills:
        count = np.bincount(cell[is_known], minlength=size)
        grid = np.where(count > 0, grid, np.nan)
    return grid.reshape(shape)


def _mean(values: np.ndarray, cell: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape))
    is_known = ~np.isnan(values)
    total = np.bincount(cell[is_known], weights=values[is_known], minlength=size)
    count = np.bincount(cell[is_known], minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, total / count, np.nan).reshape(shape)


def _total(
    tall: Tall, name: str, values: np.ndarray, inside: np.ndarray, grid: np.ndarray
) -> Total:
    column = dict(tall.source.amounts).get(name, name)
    return Total(
        tall.file.called,
        column,
        float(np.nansum(values)),
        float(np.nansum(values[~inside])),
        float(np.nansum(grid)),
    )


#: Sums that agree to this share of what was summed are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Table:
    """A table that is ready for its mapping.

    Attributes:
        frame: One row per period and geo.
        layout: How it was made; None where it is one file as it lies.
        files: The files it was made from, one per source of the layout.
        roles: Roles of columns that follow from the layout.
        totals: Sums before and after.
        findings: What was done.
        kpi: The column that was chosen as the KPI; None for the guess.
    """

    frame: pd.DataFrame
    layout: Layout | None
    files: tuple[File, ...] = ()
    roles: tuple[ColumnRole, ...] = ()
    totals: tuple[Total, ...] = ()
    findings: tuple[Finding, ...] = ()
    kpi: str | None = None


def assembled(layout: Layout, talls: Sequence[Tall]) -> Table:
    """The wide table of rows that have been read."""
    span = common_range(talls, layout)
    blocks = [block_of(tall, span, layout) for tall in talls]
    columns = _named_apart(talls, blocks)
    frame = _frame(layout, talls, span, blocks, columns)
    if layout.rates and layout.currency:
        frame.attrs["currency"] = layout.currency
    findings = [*_of_files(talls), *span.findings]
    findings += [finding for block in blocks for finding in block.findings]
    totals = tuple(total for block in blocks for total in block.totals)
    _check_totals(totals)
    return Table(
        frame,
        layout,
        roles=_roles(talls, columns),
        totals=totals,
        findings=tuple(findings),
    )


def _of_files(talls: Sequence[Tall]) -> list[Finding]:
    """What was done to the files, each finding once."""
    findings = [f for tall in talls for f in (*tall.file.findings, *tall.findings)]
    return list(dict.fromkeys(findings))


def _check_totals(totals: Sequence[Total]) -> None:
    """Refuse a table whose sums are not those of its files.

    Raises:
        DataError: They differ.
    """
    for total in totals:
        size = max(abs(total.before), abs(total.left_out), abs(total.after), 1.0)
        if abs(total.before - total.left_out - total.after) > _SAME * size:
            raise DataError(
                f"{total.column} of {total.file} sums to {total.before:,.2f}, of which "
                f"{total.left_out:,.2f} is left out, but to {total.after:,.2f} in the "
                "wide table.",
                hint="This is a mistake in Mixwright: please report it with the file.",
                where=f"{total.file}, column {total.column}",
            )


def _named_apart(talls: Sequence[Tall], blocks: Sequence[Block]) -> list[dict]:
    """The name in the wide table of every column of every block."""
    counts: dict[str, int] = {}
    for block in blocks:
        for name in block.columns:
            counts[name] = counts.get(name, 0) + 1
    renamed, in_use = [], set()
    for tall, block in zip(talls, blocks, strict=True):
        names = {}
        stem = tall.file.name.rsplit(".", 1)[0]
        for name in block.columns:
            new = f"{stem} {name}" if counts[name] > 1 else name
            number = 2
            while new in in_use:
                new, number = f"{stem} {number} {name}", number + 1
            in_use.add(new)
            names[name] = new
        renamed.append(names)
    return renamed


def _frame(
    layout: Layout,
    talls: Sequence[Tall],
    span: Range,
    blocks: Sequence[Block],
    columns: Sequence[dict[str, str]],
) -> pd.DataFrame:
    """The wide table: every period and geo that some table has a row for."""
    n_geos = max(1, len(span.geos))
    time, geo = _key_names(layout, talls, columns)
    data = {time: np.repeat(span.starts, n_geos).astype("datetime64[s]")}
    if span.geos:
        data[geo] = np.tile(np.array(span.geos, dtype=object), len(span.starts))
    for block, names in zip(blocks, columns, strict=True):
        for name, new in names.items():
            column = block.columns[name].reshape(-1)
            is_text = column.dtype == object
            data[new] = column if is_text else whole_numbers(column)
    frame = pd.DataFrame(data)
    bound = [
        block.has_row
        for tall, block in zip(talls, blocks, strict=True)
        if tall.source.kind in ("table", "variables")
    ]
    if bound:
        frame = frame[np.any(bound, axis=0).reshape(-1)].reset_index(drop=True)
    return frame


def _key_names(
    layout: Layout, talls: Sequence[Tall], columns: Sequence[dict[str, str]]
) -> tuple[str, str]:
    """What the columns of dates and of geos are called."""
    in_use = {new for names in columns for new in names.values()}
    dates = {tall.source.date for tall in talls}
    ends = any(tall.source.date_is_end for tall in talls)
    time = "date" if layout.period in ("as_is", "day") else layout.period
    if layout.period == "as_is" and len(dates) == 1 and not ends:
        time = dates.pop()
    geos = [tall.source.geo for tall in talls if tall.source.geo]
    geo = geos[0] if geos else "geo"
    return _free(time, in_use), _free(geo, in_use)


def _free(name: str, in_use: set[str]) -> str:
    return name if name not in in_use else f"{name} (key)"


def _roles(
    talls: Sequence[Tall], columns: Sequence[dict[str, str]]
) -> tuple[ColumnRole, ...]:
    """Roles of columns of campaigns: what their measures say, whatever their names."""
    roles = []
    for tall, names in zip(talls, columns, strict=True):
        if tall.source.kind != "campaigns":
            continue
        for name in tall.names:
            mine = [what for what in tall.sums if f"{name}_{what}" in names]
            mine = [(what, names[f"{name}_{what}"]) for what in mine]
            roles += _of_channel(name, mine)
    return tuple(roles)


def _of_channel(name: str, measures: list[tuple[str, str]]) -> list[ColumnRole]:
    """Cost is spend; of the exposures the fullest is media, the others are not used."""
    had = {what for what, _ in measures}
    best = next((what for what in MEASURES if what in had and what != "spend"), None)
    roles = []
    for what, column in measures:
        if what == "spend":
            alone = "" if best else " It stands for media too, as nothing else does."
            reason = f"The layout says that it is cost.{alone}"
            roles.append(ColumnRole(column, "spend", name, reason))
        elif what == best:
            reason = "The layout says that it is exposure."
            roles.append(ColumnRole(column, "media", name, reason))
        else:
            reason = f"{name} is already measured by its {best}."
            roles.append(ColumnRole(column, "ignored", "", reason))
    return roles
