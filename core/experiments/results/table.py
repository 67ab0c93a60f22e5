"""Tables of results: what Meta, Google and others export, with named columns.

A row is a test: its channel (or platform), its first and last day, a result and its
uncertainty. The result is the first of these that has a column: incremental conversions
or revenue, iROAS, cost per incremental conversion, relative lift.

A percent sign in the cells of a lift counts once, whatever the header says. Without one
the header decides; without either the size does, and where it does not, it is a
question.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.data.cells.words import KPI_COUNT, KPI_REVENUE, word_set, words
from core.data.currency import refuse_other_currency
from core.data.experiments.composed import Composed, cut_apart, read
from core.data.experiments.entry import DAYS, LISTS
from core.data.experiments.recognised import recognised, words_of
from core.data.reading.beside import Beside
from core.data.reading.origins import row_numbers
from core.dims import INTERVAL
from core.errors import SchemaError
from core.experiments.results.reports import Context, PymcTest, pymc_lift_tests
from core.experiments.results.stated import Measure, Stated
from core.text import listed

_CELL = r"\s*(%|pct\.?|percent|per cent|prozent|percentage points|points|pp|p\.p\.)\s*$"
_HEADER = re.compile(r"%|\b(pct|percent|percentage|prozent|points?|pp)\b")
#: Other fractions that a header states, and the share that one of them is.
_FRACTIONS = (
    (1e-3, re.compile(r"‰|\b(per mille|promille|permille)\b")),
    (1e-4, re.compile(r"‱|\b(bps?|bips|basis points?|basispunkte)\b")),
)
#: A header of percent over cells that are all below this is doubtful.
_SMALL = 0.5
#: Bare lifts up to the first are shares, from the second on percent.
_SHARE, _IN_PERCENT = 0.6, 2.0
#: Bare lifts above this can be amounts: few tests double what they are measured on.
LARGEST_PERCENT = 100.0
_PREFERRED: tuple[Measure, ...] = (
    "incremental_outcome",
    "iroas",
    "cost_per_incremental",
    "lift",
)
#: A number in the name of an interval's end, and what a level is above.
_PERCENT = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d+)?|0\.\d+)(?![\d.])")
_HALF = 0.5
#: What stands between channels that were tested together.
_JOINED = re.compile(r"[+&,;/]")
_RATIOS = {"cost_per_incremental", "iroas"}
#: Results whose column says what was counted, in the order in which they are read.
_COUNTED = ("incremental_outcome", "cost_per_incremental")
#: Columns of PyMC-Marketing's lift tests.
_PYMC = ("channel", "x", "delta_x", "delta_y", "sigma")
_TEXTS = ("channel", "kpi", *LISTS)
_AMOUNTS = ("level", "multiple", "amount", "half_life", "spend", "spend_between_arms")
_RELATIVE = word_set("test_measures.relative")


class _Row(NamedTuple):
    """What a row says of a result; None where it says nothing."""

    channel: str | None = None
    together_with: str | None = None
    start: str | None = None
    end: str | None = None
    geos: str | None = None
    kpi: str | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    standard_error: float | None = None
    multiple: float | None = None
    amount: float | None = None
    half_life: float | None = None
    spend: float | None = None
    spend_between_arms: float | None = None
    incremental_outcome: float | None = None
    iroas: float | None = None
    cost_per_incremental: float | None = None
    lift: float | None = None


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
    columns = recognised([str(name) for name in frame.columns])
    labels = [columns[key] for key in ("channel", "start", "end") if key in columns]
    counted = _PYMC if set(_PYMC) <= {*frame.columns} else columns.values()
    table = Beside(frame, filename)
    table.refuse_open(labels, counted)
    refuse_other_currency(frame, filename, counted, context.currency)
    if set(_PYMC) <= {*frame.columns}:
        return pymc_lift_tests(_of_pymc(table), filename, context, periods)
    measure = next((name for name in _PREFERRED if name in columns), None)
    if measure is None:
        raise SchemaError(
            f"{filename} has no column of a result.",
            hint="Name one incremental conversions, incremental revenue, iROAS, cost "
            "per incremental conversion, or relative lift.",
            where=filename,
        )
    composed = cut_apart(table, columns, measure)
    columns = composed.columns
    cells = _cells(composed, measure)
    context = replace(context, level=stated_level(columns), kpi=_counted(columns))
    _refuse_gaps(table, columns, cells)
    keys = ("channel", "start", "end", "geos", "kpi")
    table.refuse_doubled(
        {key: [each or "" for each in cells[key]] for key in keys if key in cells}
    )
    return tuple(
        _stated(
            _Row(**{key: values[place] for key, values in cells.items()}),
            measure,
            context,
            f"{filename}, row {number}",
        )
        for place, number in enumerate(row_numbers(frame))
    )


def _of_pymc(table: Beside) -> list[PymcTest]:
    """The rows of a table of PyMC-Marketing's lift tests.

    Raises:
        SchemaError: A row lacks a part.
    """
    frame: pd.DataFrame = table.frame
    filename, numbers = table.called, table.numbers(_PYMC[1:])
    names = ["" if pd.isna(name) else str(name).strip() for name in frame["channel"]]
    rows = []
    for at, (number, name) in enumerate(zip(row_numbers(frame), names, strict=True)):
        parts = {key: float(column[at]) for key, column in numbers.items()}
        lacking = [key for key, part in parts.items() if np.isnan(part)]
        if not name or lacking:
            raise SchemaError(
                f"{filename}, row {number} has no {listed(lacking or ['channel'])}.",
                hint="Give it; delete the row if it is a total.",
                where=filename,
            )
        rows.append(PymcTest(name, **parts))
    return rows


def stated_level(columns: Mapping[str, str]) -> float | None:
    """The mass of an interval by the names of its ends; None where they do not say.

    `ci_lower_95`, `95% CI low` and `Lower 2.5 %` beside `Upper 97.5 %` are of 95 %.

    Args:
        columns: Those that are recognised.
    """
    ends = []
    for key in ("low", "high"):
        numbers = [float(x) for x in _PERCENT.findall(columns.get(key, ""))]
        shares = [x / 100 if x > 1 else x for x in numbers]
        ends.append(shares[0] if len(shares) == 1 else None)
    low, high = ends
    if low is not None and high is not None and low < _HALF < high:
        return round(high - low, 6)
    levels = {share for share in ends if share is not None and share >= _HALF}
    return levels.pop() if len(levels) == 1 else None


def _counted(columns: Mapping[str, str]) -> str:
    """What a result counts by the name of its column: `Incremental conversions`."""
    counted = next((columns[key] for key in _COUNTED if key in columns), None)
    if counted is None or "kpi" in columns:
        return ""
    texts = [word.text for word in words(counted)]
    if KPI_REVENUE & {*texts}:
        return "revenue"
    return next((text for text in texts if text in KPI_COUNT), "")


def states_ratio(frame: pd.DataFrame) -> bool:
    """Whether a table states a return, a cost or a share, not an incremental outcome.

    `lift` alone may be either: a share where cells carry a percent sign or none is
    beyond what lifts are.

    Args:
        frame: As it was loaded.
    """
    columns = recognised([str(name) for name in frame.columns])
    if set(_PYMC) <= {*frame.columns} or columns.keys() & _RATIOS:
        return True
    if "lift" not in columns or "incremental_outcome" in columns:
        return False
    name = columns["lift"]
    if words_of(name) & _RELATIVE or stated_share(name) is not None:
        return True
    cells = frame[name].dropna().astype(str)
    if cells.str.contains("%").any():
        return True
    numbers = pd.to_numeric(cells.str.replace(",", "."), errors="coerce").dropna()
    return bool(len(numbers)) and float(numbers.abs().max()) <= LARGEST_PERCENT


def _refuse_gaps(
    table: Beside, columns: Mapping[str, str], cells: Mapping[str, list]
) -> None:
    """Refuse a row that lacks what the other rows have: nothing is added to it.

    Raises:
        SchemaError: A row has no channel or day, and others have.
    """
    filename = table.called
    for key in ("channel", "start", "end"):
        filled = [bool(cell) for cell in cells.get(key, ())]
        if any(filled) and not all(filled):
            row = row_numbers(table.frame)[filled.index(False)]
            raise SchemaError(
                f"{filename}, row {row} has no {columns[key]}, and other rows have.",
                hint="Give it; delete the row if it is a total.",
                where=filename,
            )


def _cells(composed: Composed, measure: Measure) -> dict[str, list]:
    """The cells of each part of a result; None where a number is missing.

    Raises:
        SchemaError: A cell is not a date or number, or could be two.
    """
    uncertain = (measure, "low", "high", "standard_error")
    used = {*uncertain, *_AMOUNTS} & composed.columns.keys()
    kept = {*used, *DAYS, *_TEXTS}
    columns = {key: name for key, name in composed.columns.items() if key in kept}
    frame = composed.table.frame
    signed = with_signs(frame, [columns[key] for key in used])
    table = Beside(signed, composed.table.called)
    cells, faults = read(replace(composed, table=table, columns=columns), used)
    if measure != "lift":
        faults += table.in_two_units(columns, measure)
    if faults:
        raise SchemaError.of(faults)
    if measure == "lift":
        parts = {key: columns[key] for key in uncertain if key in columns}
        numbers = {name: np.array(cells[key], float) for key, name in parts.items()}
        shares = as_shares(signed, parts, numbers, table.called)
        for key, name in parts.items():
            cells[key] = [None if np.isnan(x) else x for x in shares[name].tolist()]
    return cells


def _channels(name: str | None, context: Context, source: str) -> tuple[str, ...]:
    """Channels that a cell names, `TV + radio` being two; else the context.

    Raises:
        SchemaError: The data have no such channel.
    """
    if not name:
        return context.channels
    known = context.channel_names
    if known is None or name in known:
        return ((known or {}).get(name, name),)
    alike = {called.casefold(): channel for called, channel in known.items()}
    is_one = name.casefold() in alike
    parts = [name] if is_one else [part.strip() for part in _JOINED.split(name)]
    unknown = [part for part in parts if part.casefold() not in alike]
    if unknown:
        raise SchemaError(
            f"{source}: the data have no channel {listed(unknown)}.",
            hint=f"Name one of {listed(list(dict.fromkeys(known.values())))}, or "
            "several joined by +.",
            where=source,
        )
    return tuple(alike[part.casefold()] for part in parts)


def _stated(row: _Row, measure: Measure, context: Context, source: str) -> Stated:
    channels = _channels(row.channel, context, source)
    if row.together_with:
        channels += _channels(row.together_with, context, source)
    start, end = row.start or context.start, row.end or context.end
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
    value, low, high = (getattr(row, key) for key in (measure, "low", "high"))
    inside = None in (value, low, high) or min(low, high) <= value <= max(low, high)
    if not inside:
        raise SchemaError(
            f"{source}: {value:g} is not between {low:g} and {high:g}.",
            hint="Check the columns and their units: is one of them in percent?",
            where=source,
        )
    level = row.level or context.level or INTERVAL
    geos = [part.strip() for part in re.split("[;|]", row.geos or "")]
    stated = Stated(
        channels=channels,
        start=start,
        end=end,
        measure=measure,
        value=value,
        standard_error=row.standard_error,
        interval=None if low is None or high is None else (low, high),
        level=level / 100 if level > 1 else level,
        geos=tuple(filter(None, geos)) or context.geos,
        kpi=row.kpi or context.kpi,
        amount=row.amount,
        half_life=row.half_life,
        spend=row.spend,
        spend_between_arms=row.spend_between_arms,
        source=source,
    )
    return stated if row.multiple is None else replace(stated, multiple=row.multiple)


def with_signs(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Columns with `5.4 pct` and `5.4 points` written as `5.4%`."""
    texts = {
        name: frame[name].str.replace(_CELL, "%", regex=True, flags=re.IGNORECASE)
        for name in names
        if pd.api.types.is_string_dtype(frame[name].dtype)
    }
    return frame.assign(**texts)


def as_shares(
    frame: pd.DataFrame,
    parts: Mapping[str, str],
    numbers: Mapping[str, np.ndarray],
    filename: str,
) -> dict[str, np.ndarray]:
    """Lift, ends and standard error as shares.

    Args:
        frame: The table; percent signs stand in its cells.
        parts: Columns of `lift` and, where there are any, `low`, `high` and
            `standard_error`.
        numbers: Of each column; cells with a sign are shares already.
        filename: For messages.

    Raises:
        SchemaError: Nothing says whether a column is in percent.
    """
    scales = {key: _scale(frame, name) for key, name in parts.items()}
    column = parts["lift"]
    lift, own = numbers[column], _scale(frame, column)
    if own is None:
        own = _by_size(lift, column, filename)
    elif own == 0.01 and _most(lift) < _SMALL:
        raise _open(filename, column)
    elif own == 1.0:
        scales |= _of_bare(parts, lift, numbers, scales, filename)
    return {
        name: numbers[name] * (own if scales[key] is None else scales[key])
        for key, name in parts.items()
    }


def _of_bare(parts, lift, numbers, scales, filename: str) -> dict[str, float]:
    """Bare ends beside lifts with a sign: percent or shares, as they hold the lift."""
    bare = [key for key, scale in scales.items() if scale is None]
    if not bare:
        return {}
    fits = []
    for scale in (1.0, 0.01):
        ends = [scale * numbers[parts[key]] for key in ("low", "high") if key in bare]
        if len(ends) == 2 and np.all((ends[0] <= lift) & (lift <= ends[1])):
            fits.append(scale)
    if len(fits) != 1 or "standard_error" in bare:
        raise _open(filename, parts[bare[0]])
    return dict.fromkeys(bare, fits[0])


def _scale(frame: pd.DataFrame, name: str) -> float | None:
    """Share per unit, where cells or header say; None where neither does."""
    steps = frame.attrs.get("read", {}).get(name, {}).get("done", ())
    was_signed = any(entry["kind"] == "percent" for entry in steps)
    if was_signed or frame[name].astype(str).str.contains("%", regex=False).any():
        return 1.0
    return stated_share(name)


def stated_share(name: str) -> float | None:
    """The share that a unit of a column is by its header; None where it says none."""
    header = name.lower().replace("_", " ")
    rare = next((share for share, way in _FRACTIONS if way.search(header)), None)
    return rare or (0.01 if _HEADER.search(header) else None)


def _most(values: np.ndarray) -> float:
    return float(np.nanmax(np.abs(values), initial=0.0))


def _by_size(lifts: np.ndarray, name: str, filename: str) -> float:
    if _most(lifts) <= _SHARE:
        return 1.0
    if _most(lifts) > LARGEST_PERCENT:
        raise SchemaError(
            f"{filename}: column {name} can be an amount or percent.",
            hint='Call an amount "incremental revenue" or "incremental conversions"; '
            "write a percent sign in the cells of shares.",
            where=filename,
        )
    if _most(lifts) >= _IN_PERCENT:
        return 0.01
    raise _open(filename, name)


def _open(filename: str, name: str) -> SchemaError:
    return SchemaError(
        f"{filename}: column {name} can be percent or shares.",
        hint="Write a percent sign in its cells (5.4%), or % in its name.",
        where=filename,
    )
