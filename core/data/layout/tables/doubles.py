"""Doubles: what a join or a sum would count twice.

Steps: exports whose rows are months for a while and days then, and days left out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import is_total, is_unit, measure
from core.data.layout.recipe import Layout
from core.data.layout.tables.tall import Tall, read_rows
from core.data.reading.findings import Finding
from core.data.reading.origins import row_numbers
from core.errors import SchemaError
from core.text import count, listed, verb

#: Days of a step, dates in a row that make it one, and how many times the amount of a
#: day a row of it has at least.
_COARSE = {"month": ((28, 31), 3, 8.0), "week": ((7, 7), 4, 3.0)}
#: Dates with a row each day, at least, before anything is said of others.
_DAYS = 14
#: Days without a row in an export that has them nearly every day, at least.
_GAP, _DENSE = 14, 0.9


def stepped(tall: Tall) -> Tall:
    """Rows of campaigns or orders by day, with a note where many days have none.

    Raises:
        SchemaError: Some rows are whole weeks or months, as their amounts say.
    """
    if tall.source.kind not in ("campaigns", "orders") or tall.frequency != "daily":
        return tall
    dates = np.unique(tall.dates)
    days = np.diff(dates).astype(np.int64)
    if len(days) < _DAYS:
        return tall
    _refuse_coarse(tall, dates, days)
    at = int(np.argmax(days))
    longest = int(days[at]) - 1
    dense = (len(dates) - 1) / (days.sum() - longest)
    if longest < _GAP or dense < _DENSE:
        return tall
    first, last = dates[at] + 1, dates[at + 1] - 1
    finding = Finding(
        "warning",
        tall.file.where(tall.source.date),
        f"{tall.file.called} has no row for {count(longest, 'day')}, {first} to "
        f"{last}, which count as zero.",
        "If a file is missing, add it.",
    )
    return replace(tall, findings=(*tall.findings, finding))


def _refuse_coarse(tall: Tall, dates: np.ndarray, days: np.ndarray) -> None:
    """Refuse rows at the beginning or end that are a week or a month each.

    Raises:
        SchemaError: There are some; in weeks that begin on their date they are right.
    """
    sums = pd.Series(next(iter(tall.sums.values()))).groupby(tall.dates).sum()
    amounts = np.abs(sums.to_numpy())
    for what, ((low, high), least, times) in _COARSE.items():
        fits = (days >= low) & (days <= high)
        for coarse in _ends(fits):
            fine = np.delete(np.arange(len(dates)), coarse)
            if len(coarse) < least or len(fine) < _DAYS:
                continue
            mondays = (dates[coarse].astype(np.int64) + 3) % 7 == 0
            if what == "week" and mondays.all():
                continue
            if np.median(amounts[coarse]) < times * np.median(amounts[fine]):
                continue
            shown = dates[coarse]
            raise SchemaError(
                f"{tall.file.called} has a row per {what} from {shown[0]} to "
                f"{shown[-1]} and rows per day beside them: each {what} would count "
                "on a single day.",
                hint="Export all of it by day.",
                where=tall.file.where(tall.source.date),
            )


def _ends(fits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of the dates at the beginning and end between which all steps fit."""
    n = len(fits)
    head = n if fits.all() else int(np.argmin(fits))
    tail = n if fits.all() else int(np.argmin(fits[::-1]))
    return np.arange(head), np.arange(n - tail + 1, n + 1)


#: A total agrees with the sum of the others to this share of it.
_SAME = 1e-3


def read_all(layout: Layout, files: Sequence[File]) -> list[Tall]:
    """The rows of every source of a layout, ready to be summed and joined.

    Raises:
        DataError: A file does not fit its source, or has rows twice.
    """
    pairs = zip(layout.sources, files, strict=True)
    return [checked(read_rows(source, file, layout)) for source, file in pairs]


def checked(tall: Tall) -> Tall:
    """Rows that can be summed: none twice, and no total among the channels.

    Raises:
        SchemaError: Rows of a table, or values of a variable, are doubled.
    """
    refuse_doubles(tall)
    return stepped(_without_total(tall))


def _without_total(tall: Tall) -> Tall:
    """The rows without a channel called a total that is the sum of the others."""
    if tall.source.kind != "campaigns" or tall.places is None:
        return tall
    is_total_row = np.zeros(len(tall.dates), dtype=bool)
    for number, name in enumerate(tall.names):
        mine = tall.places == number
        sums = [
            (float(np.nansum(values[mine])), float(np.nansum(values[~mine])))
            for values in tall.sums.values()
        ]
        agree = [np.isclose(own, others, rtol=_SAME) for own, others in sums if own]
        if is_total(_bare(name, tall)) and agree and all(agree):
            is_total_row |= mine
    if not is_total_row.any():
        return tall
    names = [tall.names[number] for number in np.unique(tall.places[is_total_row])]
    message = (
        f"{listed(names)} of {tall.file.called} is the sum of the other rows and is "
        f"left out ({count(int(is_total_row.sum()), 'row')}): it would count twice."
    )
    is_part = ~is_total_row
    return replace(
        tall,
        dates=tall.dates[is_part],
        geos=None if tall.geos is None else tall.geos[is_part],
        places=tall.places[is_part],
        sums={name: values[is_part] for name, values in tall.sums.items()},
        findings=(*tall.findings, Finding("info", tall.file.called, message)),
    )


def _bare(name: str, tall: Tall) -> str:
    return name.removeprefix(f"{tall.source.prefix} ")


def incomplete(
    tall: Tall, layout: Layout, starts: np.ndarray, inside: np.ndarray
) -> list:
    """Findings about sums that lack days or cells, of files with one row per day."""
    is_daily = tall.source.kind == "table" and tall.frequency == "daily"
    if not is_daily or layout.period not in ("week", "month"):
        return []
    findings = []
    where = tall.file.where(tall.source.date)
    days = np.unique(np.stack([starts[inside], tall.dates[inside]]), axis=1)
    periods, counts = np.unique(days[0], return_counts=True)
    few = counts < (7 if layout.period == "week" else 28)
    if few.any():
        shown = [
            f"{start} ({count(int(number), 'day')})"
            for start, number in zip(periods[few], counts[few], strict=True)
        ]
        message = (
            f"{count(int(few.sum()), layout.period)} of {tall.file.called} "
            f"{verb(int(few.sum()), 'lack')} days, so sums there are too low: "
            f"{listed(shown)}."
        )
        hint = "Add the missing days, with 0 where nothing was sold."
        findings.append(Finding("warning", where, message, hint))
    for name, values in tall.sums.items():
        empty = np.isnan(values) & inside
        if empty.any() and not empty[inside].all():
            numbers = row_numbers(tall.file.frame)[np.flatnonzero(empty)]
            periods = f"{layout.period}s"
            message = (
                f"Column {name} of {tall.file.called} is empty in "
                f"{count(int(empty.sum()), 'row')} ({listed(list(numbers))}), which "
                f"count as zero in the sums of their {periods}."
            )
            hint = "Fill in what is known."
            place = tall.file.where(name, int(numbers[0]))
            findings.append(Finding("warning", place, message, hint))
    return findings


def refuse_doubles(tall: Tall) -> None:
    """Refuse two rows where there can be one: a join would count both, or mix them.

    Raises:
        SchemaError: Rows of a table, or values of a variable, are doubled.
    """
    source, file = tall.source, tall.file
    if source.kind not in ("table", "variables"):
        return
    keys = pd.DataFrame({"date": tall.dates})
    if tall.geos is not None:
        keys["geo"] = tall.geos
    if tall.places is not None:
        keys["name"] = tall.places
    doubled = keys.duplicated(keep=False).to_numpy()
    if not doubled.any():
        return
    at = int(np.argmax(doubled))
    same = np.flatnonzero((keys == keys.iloc[at]).all(axis=1).to_numpy())[:3]
    numbers = row_numbers(file.frame)[same]
    about = str(tall.dates[at])
    if tall.geos is not None and tall.geos[at] >= 0:
        about += f" in {tall.geo_names[tall.geos[at]]}"
    if tall.places is not None:
        about += f" of {tall.names[tall.places[at]]}"
    units = _units(file.frame, same)
    message = (
        f"{file.called} has {count(len(same), 'row')} for {about}: rows "
        f"{listed(list(numbers))}{units or ', and nothing tells them apart'}."
    )
    hint = (
        "Joining them would count the other files' rows twice. Delete the copies, or "
    )
    hint += "sum them to one row."
    name = _apart(file.frame, same)
    is_spend = any(measure(str(each)) == "spend" for each in file.frame.columns)
    if tall.places is None and name and not (units or is_spend):
        message = (
            f"{file.called} has {count(len(same), 'row')} for {about}: rows "
            f"{listed(list(numbers))}, told apart by {name}, and no column of numbers "
            "that is called spend."
        )
        hint = (
            "If they are channels, call the column of what they cost Spend; else sum "
            "them to one row."
        )
    if tall.places is not None:
        hint = "Give each variable its own name, with one unit."
    raise SchemaError(
        message, hint=hint, where=file.where(source.date, int(numbers[0]))
    )


def _units(frame: pd.DataFrame, rows: np.ndarray) -> str:
    """How the units of some rows differ, where a column has them."""
    for name in frame.columns:
        if not is_unit(str(name)) or pd.api.types.is_numeric_dtype(frame[name].dtype):
            continue  # `UNITS` of numbers counts pieces
        units = frame[name].iloc[rows].dropna().unique()
        if len(units) > 1:
            return f", which column {name} says are in {listed(list(units))}"
    return ""


def _apart(frame: pd.DataFrame, rows: np.ndarray) -> str:
    """The first column of texts that differs in all of some rows."""
    for name in map(str, frame.columns):
        cells = frame[name].iloc[rows]
        if cells.dtype == "str" and cells.nunique() == len(rows):
            return name
    return ""
