"""Tables beside the data: actuals, future rows, test results and panels of geos.

They have no screen of questions of their own, so what they leave open is refused with
every reading, and nothing is guessed: dates and numbers that could be two, rows that
are hidden, that come twice or that are totals, two currencies. A reader says which of
its columns hold dates, numbers and names, and everything else happens here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.data.cells.apart import is_error
from core.data.cells.signs import Marks, Settled, habit_of
from core.data.cells.words import word_set, words
from core.data.mapping import DateReading, Decimal
from core.data.reading.dates import Dates, last_days, parse_dates, parse_known
from core.data.reading.findings import Finding
from core.data.reading.numbers import Numbers, as_numbers, read_column, to_arrow_text
from core.data.reading.origins import done_to, row_numbers
from core.errors import CoverageError, SchemaError
from core.text.sentences import count, listed

_SIGNS = "Write it with one decimal more or less, or without signs between thousands."
_PLAIN = "Write it like 1234.5, in one way in the column."
#: Words that a row of totals, or of means, says and nothing else.
_TOTALS = word_set("beside.totals")


@dataclass(frozen=True, eq=False)
class Beside:
    """A table beside the data.

    Attributes:
        frame: As it was loaded.
        called: The table, for messages; begins a sentence.
    """

    frame: pd.DataFrame
    called: str

    def refuse_open(
        self, labels: Iterable[str], counted: Iterable[str] | None = None
    ) -> None:
        """Refuse what nobody has said the meaning of; see `left_open`.

        Raises:
            SchemaError: There is some of it; `findings` has all.
        """
        if findings := list(self.left_open(labels, counted)):
            raise SchemaError.of(findings)

    def left_open(
        self, labels: Iterable[str], counted: Iterable[str] | None = None
    ) -> Iterator[Finding]:
        """What is open as a whole: hidden cells, totals, several currencies.

        Args:
            labels: Columns of dates and names, by which a row of totals is told.
            counted: The columns that count; all of them where not given.
        """
        frame, called = self.frame, self.called
        names = [name for name in (counted or frame.columns) if name in frame]
        yield from _hidden(frame.attrs.get("hidden") or {}, called, names)
        for name in labels:
            if name in frame:
                yield from _totals(frame, called, name)
        currencies = frame.attrs.get("currencies") or {}
        codes = {name: currencies[name] for name in names if name in currencies}
        if len({*codes.values()}) > 1:
            shown = listed([f"{name} in {code}" for name, code in codes.items()])
            message = f"{called} has amounts in several currencies: {shown}."
            hint = "Convert them to the currency of the data."
            yield Finding("error", called, message, hint)

    def refuse_doubled(self, keys: Mapping[str, Iterable]) -> None:
        """Refuse rows of the same date and name; see `doubled`.

        Raises:
            CoverageError: Several rows have the same.
        """
        for finding in self.doubled(keys):
            raise CoverageError(finding.message, hint=finding.hint, where=self.called)

    def doubled(self, keys: Mapping[str, Iterable]) -> Iterator[Finding]:
        """Rows of the same date and name: one would be lost, or both would count.

        Args:
            keys: What tells rows apart, by its name; one per row.
        """
        values = pd.DataFrame({name: list(cells) for name, cells in keys.items()})
        again = values.duplicated().to_numpy()
        if not again.any():
            return
        row = values.iloc[int(np.argmax(again))]
        rows = row_numbers(self.frame)[(values == row).all(axis=1).to_numpy()]
        shown = ", ".join(
            str(cell.date() if isinstance(cell, pd.Timestamp) else cell)
            for cell in row
            if str(cell)
        )
        message = (
            f"{self.called} has {shown} twice: there are several rows for it "
            f"({'row' if len(rows) == 1 else 'rows'} {listed(rows.tolist())})."
        )
        hint = f"Keep one row per {listed(list(keys))}."
        yield Finding("error", self.called, message, hint)

    def days(
        self,
        names: Sequence[str],
        answer: DateReading | None = None,
        expected: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Columns of dates as datetime64[D], NaT where empty, written in one way.

        Args:
            names: Of the columns; one settles how another is read.
            answer: How to read what could be read in several ways, where it is known.
            expected: Dates that these ought to be among, which may settle it.

        Raises:
            SchemaError: A cell is not a date, or could be several.
        """
        if not names:
            return {}
        columns = [self.frame[name] for name in names]
        if all(pd.api.types.is_datetime64_any_dtype(each.dtype) for each in columns):
            return {name: parse_dates(self.frame[name]).values for name in names}
        dates = self.dates_together(names, answer, expected)
        _refuse_first(self._date_faults(dates, names))
        return dict(zip(names, np.split(dates.values, len(names)), strict=True))

    def dates_together(
        self,
        names: Sequence[str],
        answer: DateReading | None = None,
        expected: np.ndarray | None = None,
    ) -> Dates:
        """Columns of dates below each other; see `days`."""
        columns = [self.frame[name] for name in names]
        text = pd.concat(
            [column.astype("str").where(column.notna()) for column in columns]
        ).rename(names[0])
        if expected is None:
            return parse_dates(text, answer)
        return parse_known(text, expected, answer)

    def cells(
        self, columns: Mapping[str, str], days: Iterable[str], amounts: Iterable[str]
    ) -> tuple[dict[str, list], list[Finding]]:
        """Cells by field, None where empty, no date or number, or in doubt; and why.

        Args:
            columns: The column of each field.
            days: Fields of dates, which come as ISO texts; `end` is the last day of
                the week or month that is named.
            amounts: Fields of numbers; the others are texts.
        """
        days = [field for field in days if field in columns]
        dated = [columns[field] for field in days]
        counted = [columns[field] for field in amounts if field in columns]
        read: dict[str, list] = {}
        findings: list[Finding] = []
        if dated:
            dates = self.dates_together(dated)
            findings += self._date_faults(dates, dated)
            values = np.split(dates.values, len(dated))
            known = dates.doubt is None
            for field, column in zip(days, values, strict=True):
                if field == "end":
                    column = last_days(self.frame[columns[field]], column)
                is_read = ~np.isnat(column) & known
                cells = zip(column, is_read, strict=True)
                read[field] = [str(day) if is_day else None for day, is_day in cells]
        numbers = self.numbers_together(counted)
        for field, name in columns.items():
            if name in numbers:
                findings += self._number_faults(name, numbers[name])
                values = numbers[name].values.tolist()
                read[field] = [None if np.isnan(each) else each for each in values]
            elif field not in days:
                read[field] = [_cell_text(cell) for cell in self.frame[name]]
        return read, findings

    def in_two_units(
        self, columns: Mapping[str, str], result: str
    ) -> Iterator[Finding]:
        """Ends of an interval and errors in percent or thousands, and their result not.

        Args:
            columns: The column of each field.
            result: The field that the others are about.
        """
        fields = [key for key in ("low", "high", "standard_error") if key in columns]
        for name in [columns[key] for key in fields if result in columns]:
            if self.units(name) != self.units(columns[result]):
                message = (
                    f"{self.called}: {columns[result]} and {name} are in two units: "
                    "one is in percent, or in thousands, and the other is not."
                )
                hint = "Write both in the unit of the result."
                yield Finding("error", self.called, message, hint)

    def units(self, name: str) -> tuple[bool, bool]:
        """Whether cells of a column are in percent, and whether a header scaled it."""
        done = {step.kind for step in done_to(self.frame, name)[0]}
        cells = self.frame[name].astype("str")
        is_percent = cells.str.contains("%", regex=False).any() or "percent" in done
        return bool(is_percent), "scale" in done

    def _date_faults(self, dates: Dates, names: Sequence[str]) -> Iterator[Finding]:
        """Cells that are no dates, or could be several."""
        frame, filename, hint = self.frame, self.called, "Write dates like 2024-01-31."
        for place in np.flatnonzero(dates.bad):
            name, row = names[place // len(frame)], place % len(frame)
            message = (
                f"{filename}, row {row_numbers(frame)[row]}: {frame[name].iloc[row]} "
                f"in column {name} is not a date, or not written like the others."
            )
            yield Finding("error", filename, message, hint)
        if dates.doubt is not None:
            readings = " or ".join(str(day) for _, day in dates.doubt.readings)
            message = (
                f"{filename}: {dates.doubt.example} in column {names[0]} can be "
                f"{readings}."
            )
            yield Finding("error", filename, message, hint)

    def _number_faults(
        self, name: str, numbers: Numbers, hint: str = ""
    ) -> Iterator[Finding]:
        """Cells of a column that are no numbers, or could be two."""
        frame, filename, bad = self.frame, self.called, numbers.bad
        for step in (*numbers.done, *done_to(frame, name)[0]):
            if step.kind == "below":
                message = (
                    f"{filename}: {step.example} in column {name} is not an amount."
                )
                yield Finding("error", filename, message, _PLAIN)
        if (doubt := numbers.doubt) is not None:
            bad = bad & ~doubt.where
            message = (
                f"{filename}: {doubt.example} in column {name} can be "
                f"{doubt.point:,.6g} or {doubt.comma:,.6g}."
            )
            yield Finding("error", filename, message, _SIGNS)
        for row in np.flatnonzero(bad):
            if is_error(frame[name].iloc[row]):
                message = (
                    f"{filename}, row {row_numbers(frame)[row]}: "
                    f"{frame[name].iloc[row]} in column {name} is the error of a "
                    "formula."
                )
                remedy = "Mend the formula, or write the number itself."
            else:
                message = (
                    f"{filename}, row {row_numbers(frame)[row]}: "
                    f"{frame[name].iloc[row]} in column {name} is not a number, or not "
                    "written like the others."
                )
                remedy = " ".join(filter(None, [numbers.fault or _PLAIN, hint]))
            yield Finding("error", filename, message, remedy)

    def numbers(
        self,
        names: Sequence[str],
        answers: Mapping[str, Decimal] | None = None,
        hint: str = "",
    ) -> dict[str, np.ndarray]:
        """Columns of numbers, NaN where empty; what one says settles another.

        Args:
            names: Of the columns.
            answers: The decimal sign of columns, where it is known.
            hint: What else to do about a cell that is not a number.

        Raises:
            SchemaError: A cell is not a number, or could be two.
        """
        read = self.numbers_together(names, answers)
        for name, numbers in read.items():
            _refuse_first(self._number_faults(name, numbers, hint))
        return {name: numbers.values for name, numbers in read.items()}

    def numbers_together(
        self, names: Sequence[str], answers: Mapping[str, Decimal] | None = None
    ) -> dict[str, Numbers]:
        """Columns of numbers; what one says of its signs settles how another is read.

        Args:
            names: Of the columns.
            answers: The decimal sign of columns, where it is known.
        """
        signs: list[tuple[Marks, Settled]] = []
        frame, texts = self.frame, {}
        for name in names:
            kind = frame[name].dtype
            if not pd.api.types.is_numeric_dtype(kind) and kind.kind != "M":
                texts[name] = to_arrow_text(frame[name])
                read_column(texts[name], signs=signs)
        habit = habit_of(signs)
        results = {}
        for name in names:
            answer = (answers or {}).get(name)
            if name not in texts:
                results[name] = as_numbers(frame[name])
                continue
            numbers = read_column(texts[name], answer, habit)
            if numbers.bad.any() and numbers.doubt is None:
                numbers = as_numbers(frame[name], answer)
            results[name] = numbers
        return results


def _refuse_first(faults: Iterator[Finding]) -> None:
    """Refuse a table for the first thing that is wrong with it, if there is one."""
    for fault in faults:
        raise SchemaError(fault.message, hint=fault.hint, where=fault.where)


def _cell_text(cell: object) -> str | None:
    """A cell as a text; a number that a workbook made of `12` is that again."""
    if cell is None or pd.isna(cell):
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).split()) or None


def _hidden(hidden: dict[str, Any], called: str, names: list[str]) -> Iterator[Finding]:
    """What of a sheet its reader does not see, in the columns that count."""
    columns = [name for name in hidden.get("columns", ()) if name in names]
    what = []
    if hidden.get("sheet"):
        what.append(f"its sheet {hidden['sheet']}")
    if n_rows := hidden.get("n_rows"):
        rows = listed(hidden["rows"])
        what.append(
            f"{count(n_rows, 'row')} ({'row' if n_rows == 1 else 'rows'} {rows})"
        )
    if columns:
        what.append(f"{count(len(columns), 'column')} ({listed(columns)})")
    if what:
        message = f"{called} has hidden cells: {listed(what)}. Do they count?"
        hint = "Show them if they count, or delete them, and save the file again."
        yield Finding("error", called, message, hint)


def _totals(frame: pd.DataFrame, called: str, name: str) -> Iterator[Finding]:
    """Rows that a column of dates or names calls a total."""
    if pd.api.types.is_numeric_dtype(frame[name].dtype):
        return
    for place, cell in enumerate(frame[name]):
        if isinstance(cell, str) and is_total(cell):
            message = (
                f"{called}, row {row_numbers(frame)[place]} ({cell.strip()}) is a "
                "total of other rows, so it would count twice."
            )
            yield Finding("error", called, message, "Delete the row.")


def is_total(cell: str) -> bool:
    """Whether a cell names a total or a mean, and nothing else: `Grand total`."""
    spoken = {word.text for word in words(cell)}
    return bool(spoken) and spoken <= _TOTALS
