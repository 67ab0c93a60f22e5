"""Blocks: the rows of one source summed on the grid of periods and geos."""

from dataclasses import dataclass

import numpy as np

from core.data.layout.kinds.dating import period_start
from core.data.layout.kinds.vocabulary import is_averaged
from core.data.layout.recipe import Layout
from core.data.layout.tables.common_range import Range, key
from core.data.layout.tables.doubles import incomplete
from core.data.layout.tables.tall import Tall
from core.data.reading.findings import Finding
from core.errors import SchemaError
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
        known = {key(name): number for number, name in enumerate(span.geos)}
        place = [known.get(key(name), -1) for name in tall.geo_names]
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
