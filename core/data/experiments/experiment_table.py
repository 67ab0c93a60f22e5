"""A file of lift tests: columns recognised, cells read, everything wrong collected.

A result comes as an incremental outcome with its standard error, or as an interval
(low, high, mass), from which both follow. Nothing is left out: a cell that cannot be
read is empty in its row, and a finding says so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from msgspec.structs import replace

from core.data.cells.words import plain, word_set
from core.data.currency import other_currency
from core.data.experiments.composed import Composed, cut_apart, read
from core.data.experiments.entry import NUMBERS, Entry
from core.data.experiments.recognised import recognised, words_of
from core.data.experiments.uncertainty import (
    HIGHEST_SKEWNESS,
    lopsided,
    skewness,
    standard_error,
)
from core.data.reading.beside import Beside
from core.data.reading.findings import Finding
from core.data.reading.origins import row_numbers
from core.dims import INTERVAL
from core.errors import SchemaError
from core.text.languages.language import marked
from core.text.sentences import listed

_NUMBERS = ("low", "high", "level", *NUMBERS)
_LABELS = {
    "channel": marked("the channel"),
    "start": marked("its first day (start)"),
    "end": marked("its last day (end)"),
    "incremental_outcome": marked("the incremental outcome"),
    "standard_error": marked("its standard error, or its interval (low, high)"),
}
_FIELDS = frozenset({*Entry.__struct_fields__, *_NUMBERS})
_OUTCOME = word_set("test_measures.outcome")
_ALL = ("", "all", "all geos", "everywhere", "national", "alle", "nan", "none")


@dataclass(frozen=True)
class ExperimentFile:
    """What a file of lift tests holds.

    Attributes:
        rows: One per test; None where a cell was empty or could not be read.
        findings: What was wrong, and what was worked out.
    """

    rows: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def read_experiments(
    frame: pd.DataFrame,
    filename: str,
    geos: Sequence[str] = (),
    currency: str = "",
) -> ExperimentFile:
    """The lift tests of a table.

    Args:
        frame: The table of a file, as it was loaded.
        filename: The file's name, for messages.
        geos: Geos of the market, by which a cell of several is cut.
        currency: Of the data, where it is known.

    Raises:
        SchemaError: Columns that a test needs are missing; `findings` has every one.
    """
    composed = cut_apart(
        Beside(frame, filename),
        _columns([str(name) for name in frame.columns]),
        "incremental_outcome",
    )
    table, columns = composed.table, composed.columns
    _require(composed, frame, filename)
    cells_read, findings = read(composed, _NUMBERS)
    findings += table.in_two_units(columns, "incremental_outcome")
    labels = [columns[key] for key in ("channel", "start", "end") if key in columns]
    findings += table.left_open(labels, columns.values())
    findings += other_currency(frame, filename, columns.values(), currency)
    numbers = row_numbers(frame)
    rows = []
    for place, number in enumerate(numbers):
        cells = {key: values[place] for key, values in cells_read.items()}
        row = {key: cells.get(key) for key in Entry.__struct_fields__}
        lists = {"geos": geos, "together_with": ()}
        row |= {key: _geos(row[key], places) for key, places in lists.items()}
        entry, problems = _with_interval(Entry(**row), cells, f"Row {number}")
        findings += problems
        rows.append(entry)
    findings += _twice(table, rows)
    used = {*columns.values(), *composed.sources}
    unused = [str(name) for name in frame.columns if str(name) not in used]
    if unused:
        findings.append(
            Finding("info", filename, f"Columns without a use: {listed(unused)}.")
        )
    return ExperimentFile(tuple(rows), tuple(findings))


def _twice(table: Beside, rows: list[Entry]) -> Iterator[Finding]:
    """Tests that come twice; where a cell is empty nobody can say so."""
    told_by = ("channel", "start", "end")
    if any(getattr(row, key) is None for row in rows for key in told_by):
        return
    keys = {key: [getattr(row, key) for row in rows] for key in told_by}
    keys["geos"] = [", ".join(row.geos) for row in rows]
    yield from table.doubled(keys)


def _columns(names: list[str]) -> dict[str, str]:
    """The column of each field; a lift, an effect or a result is an outcome here."""
    parts = recognised(names)
    taken = parts.values()
    others = (name for name in names if name not in taken and words_of(name) & _OUTCOME)
    outcome = parts.get("lift") or next(others, None)
    if outcome is not None:
        parts.setdefault("incremental_outcome", outcome)
    return {key: name for key, name in parts.items() if key in _FIELDS}


def _require(composed: Composed, frame: pd.DataFrame, filename: str) -> None:
    """Refuse a table without the columns that a test needs."""
    columns = composed.columns
    has_error = bool(composed.findings)
    has_interval = {"low", "high"} <= columns.keys()
    missing = [
        key
        for key in _LABELS
        if key not in columns
        and not (key == "end" and composed.lasts)
        and not (key == "standard_error" and has_error)
        and not (has_interval and key in ("incremental_outcome", "standard_error"))
    ]
    if not missing:
        return
    there = listed([str(name) for name in frame.columns], limit=8)
    findings = [
        Finding(
            "error",
            filename,
            f"{filename} has no column for {_LABELS[key]}.",
            f"Add a column {key}. Its columns are {there}.",
        )
        for key in missing
    ]
    raise SchemaError.of(findings)


def _geos(cell: str | None, geos: Sequence[str]) -> tuple[str, ...]:
    """The geos of a cell, cut at semicolons, else at commas; empty for all."""
    if cell is None or plain(cell) in _ALL:
        return ()
    if cell in geos:
        return (cell,)
    parts = re.split(r"[;|\n]" if re.search(r"[;|\n]", cell) else ",", cell)
    named = [part.strip() for part in parts if part.strip()]
    same = {plain(geo): geo for geo in geos}
    return tuple(dict.fromkeys(same.get(plain(part), part) for part in named))


def _with_interval(
    entry: Entry, cells: Mapping[str, Any], where: str
) -> tuple[Entry, list[Finding]]:
    """A test with what its interval adds, where not given: outcome, error, skewness."""
    low, high, mass = (cells.get(key) for key in ("low", "high", "level"))
    if low is None or high is None:
        return entry, []
    mass = INTERVAL if mass is None else mass / 100 if mass > 1 else mass
    if not 0 < mass < 1 or low >= high:
        if entry.standard_error is not None:
            return entry, []
        fault = Finding(
            "error",
            where,
            f"{where}: {low:g} to {high:g} with mass {mass:g} is not an interval.",
            "Low must lie below high, and the mass between 0 and 1, such as 0.9.",
        )
        return entry, [fault]
    derived = []
    if entry.incremental_outcome is None:
        entry = replace(entry, incremental_outcome=(low + high) / 2)
        derived = [f"incremental outcome {(low + high) / 2:.6g}"]
    if entry.standard_error is None:
        error = float(f"{standard_error(low, high, mass):.6g}")
        entry = replace(entry, standard_error=error)
        derived.append(f"standard error {error:.6g}")
    lean = skewness(low, entry.incremental_outcome, high, mass)
    if faults := _off_its_interval(entry, (low, high), lean, where):
        # An error that the model cannot take is lost; an outcome outside is not.
        if faults[0].severity == "error":
            entry, derived = replace(entry, standard_error=None), []
    elif lean and entry.skewness is None:
        entry = replace(entry, skewness=round(lean, 4))
        derived.append(f"skewness {lean:.2f}")
    if derived:
        shape = "skewed" if entry.skewness else "Normal"
        message = (
            f"{where}: {listed(derived)} worked out from the {100 * mass:g} % interval "
            f"{low:g} to {high:g}, taken as {shape}."
        )
        faults = [*faults, Finding("info", where, message)]
    return entry, faults


def _off_its_interval(
    entry: Entry, interval: tuple[float, float], lean: float, where: str
) -> list[Finding]:
    """An outcome outside of its interval, or an interval that is too lopsided."""
    low, high = interval
    outcome = entry.incremental_outcome
    if not low <= outcome <= high:
        return [
            Finding(
                "warning",
                where,
                f"{where}: the incremental outcome {outcome:g} lies "
                f"outside its own interval, {low:g} to {high:g}.",
                "Check the three numbers.",
            )
        ]
    if abs(lean) <= HIGHEST_SKEWNESS:
        return []
    return [Finding("error", where, *lopsided(where, outcome, low, high))]
