"""The wide table: rows of files summed to periods and geos, joined side by side.

Totals are taken before and after, and must agree: what is in no row of the wide table
was left out by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.files.columns import whole_numbers
from core.data.layout.kinds.vocabulary import MEASURES
from core.data.layout.recipe import Layout
from core.data.layout.tables.blocks import Block, Total, block_of
from core.data.layout.tables.common_range import Range, common_range
from core.data.layout.tables.tall import Tall
from core.data.reading.findings import Finding
from core.data.recognition.roles import ColumnRole
from core.errors import DataError

#: Sums that agree to this share of what was summed are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Wide:
    """A wide table, and how it came about.

    Attributes:
        frame: One row per period and geo.
        layout: How it was made.
        roles: Roles of columns that follow from the layout.
        totals: Sums before and after.
        findings: What was done and left out.
    """

    frame: pd.DataFrame
    layout: Layout
    roles: tuple[ColumnRole, ...] = ()
    totals: tuple[Total, ...] = ()
    findings: tuple[Finding, ...] = ()


def assembled(layout: Layout, talls: Sequence[Tall]) -> Wide:
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
    return Wide(frame, layout, _roles(talls, columns), totals, tuple(findings))


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
    renamed, taken = [], set()
    for tall, block in zip(talls, blocks, strict=True):
        names = {}
        stem = tall.file.name.rsplit(".", 1)[0]
        for name in block.columns:
            new = f"{stem} {name}" if counts[name] > 1 else name
            number = 2
            while new in taken:
                new, number = f"{stem} {number} {name}", number + 1
            taken.add(new)
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
    taken = {new for names in columns for new in names.values()}
    dates = {tall.source.date for tall in talls}
    ends = any(tall.source.date_is_end for tall in talls)
    time = "date" if layout.period in ("as_is", "day") else layout.period
    if layout.period == "as_is" and len(dates) == 1 and not ends:
        time = dates.pop()
    geos = [tall.source.geo for tall in talls if tall.source.geo]
    geo = geos[0] if geos else "geo"
    return _free(time, taken), _free(geo, taken)


def _free(name: str, taken: set[str]) -> str:
    return name if name not in taken else f"{name} (key)"


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
