"""Tables of results: what Meta, Google and others export, with named columns.

A row is a test: its channel (or platform), its first and last day, a result and its
uncertainty. The result is the first of these that has a column: incremental conversions
or revenue, iROAS, cost per incremental conversion, relative lift.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.files.columns import row_numbers
from core.data.reading.dates import parse_dates
from core.data.reading.numbers import as_numbers
from core.dims import INTERVAL
from core.errors import SchemaError
from core.experiments.results.reports import Context, pymc_lift_tests
from core.experiments.results.stated import Measure, Stated

#: Words that a column's name has, in the order in which results are looked for.
_RESULTS: tuple[tuple[Measure, tuple[frozenset[str], ...]], ...] = (
    ("cost_per_incremental", (frozenset({"cost", "incremental"}), frozenset({"cpia"}))),
    ("iroas", (frozenset({"iroas"}), frozenset({"incremental", "roas"}))),
    (
        "incremental_outcome",
        (frozenset({"incremental"}), frozenset({"absolute", "lift"})),
    ),
    ("lift", (frozenset({"lift"}),)),
)
_PREFERRED: tuple[Measure, ...] = (
    "incremental_outcome",
    "iroas",
    "cost_per_incremental",
    "lift",
)
_OTHERS = {
    "channel": {"channel", "platform", "publisher", "medium"},
    "start": {"start", "starts", "from", "begin"},
    "end": {"end", "ends", "to", "until"},
    "geos": {"geo", "geos", "region", "regions", "market", "markets"},
    "low": {"low", "lower"},
    "high": {"high", "upper"},
    "level": {"level", "confidence", "mass"},
    "standard_error": {"se", "stderr"},
    "kpi": {"kpi", "event", "metric", "conversion"},
    "multiple": {"multiple"},
}


def read_table(
    frame: pd.DataFrame, filename: str, context: Context, periods: int
) -> tuple[Stated, ...]:
    """The results of a table.

    Args:
        frame: As it was loaded.
        filename: For messages.
        context: What the table leaves out.
        periods: Of the tests, for tables whose result is per period.

    Raises:
        SchemaError: It has no result, or leaves out what nobody has said.
    """
    if {"channel", "x", "delta_x", "delta_y", "sigma"} <= {*frame.columns}:
        return pymc_lift_tests(frame.to_dict("records"), filename, context, periods)
    columns = recognised([str(name) for name in frame.columns])
    measure = next((name for name in _PREFERRED if name in columns), None)
    if measure is None:
        raise SchemaError(
            f"{filename} has no column of a result.",
            hint="Name one incremental conversions, incremental revenue, iROAS, cost "
            "per incremental conversion, or relative lift.",
            where=filename,
        )
    cells = {key: _cells(frame[name], key) for key, name in columns.items()}
    is_percent = measure == "lift" and _is_percent(frame[columns["lift"]], columns)
    return tuple(
        _stated(
            {key: values[place] for key, values in cells.items()},
            measure,
            context,
            f"{filename}, row {number}",
            0.01 if is_percent else 1.0,
        )
        for place, number in enumerate(row_numbers(frame))
    )


def recognised(names: list[str]) -> dict[str, str]:
    """The column of each part of a result."""
    columns: dict[str, str] = {}
    for name in names:
        said = _words(name)
        part = next((key for key, known in _OTHERS.items() if said & known), None)
        ends = part in ("low", "high", "level", "standard_error", "start", "end")
        measure = next(
            (measure for measure, ways in _RESULTS if any(way <= said for way in ways)),
            None,
        )
        key = part if ends or measure is None else measure
        if key is not None:
            columns.setdefault(key, name)
    return columns


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", name.lower()))


def _cells(column: pd.Series, key: str) -> list:
    if key in ("start", "end"):
        values = parse_dates(column).values
        return ["" if np.isnat(day) else str(day) for day in values]
    if key in ("channel", "geos", "kpi"):
        return ["" if pd.isna(cell) else str(cell).strip() for cell in column]
    values = as_numbers(column).values
    return [None if np.isnan(value) else float(value) for value in values]


def _is_percent(column: pd.Series, columns: Mapping[str, str]) -> bool:
    """Whether lifts are in percent: their name, a sign or their size says so."""
    name = columns["lift"].lower()
    has_sign = column.astype(str).str.contains("%").any()
    size = np.nanmax(np.abs(as_numbers(column).values), initial=0.0)
    return bool("%" in name or "percent" in name or has_sign or size > 1)


def _stated(
    row: Mapping, measure: Measure, context: Context, source: str, scale: float
) -> Stated:
    channel = row.get("channel")
    known = context.known or {}
    channels = (known.get(channel, channel),) if channel else context.channels
    start, end = row.get("start") or context.start, row.get("end") or context.end
    lacking = [
        what
        for what, value in (("channel", channels), ("start", start), ("end", end))
        if not value
    ]
    if lacking:
        raise SchemaError(
            f"{source} has no {' and no '.join(lacking)}.",
            hint=f"Add the column, or say it: --{lacking[0]}.",
            where=source,
        )
    value, low, high = (
        None if row.get(key) is None else row[key] * scale
        for key in (measure, "low", "high")
    )
    level = row.get("level") or INTERVAL
    error = row.get("standard_error")
    geos = [part.strip() for part in re.split("[;|]", row.get("geos") or "")]
    stated = Stated(
        channels=channels,
        start=start,
        end=end,
        measure=measure,
        value=value,
        standard_error=None if error is None else error * scale,
        interval=None if low is None or high is None else (low, high),
        level=level / 100 if level > 1 else level,
        geos=tuple(filter(None, geos)) or context.geos,
        kpi=row.get("kpi") or "",
        source=source,
    )
    multiple = row.get("multiple")
    return stated if multiple is None else replace(stated, multiple=multiple)
