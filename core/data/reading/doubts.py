"""Doubts: what a table leaves open, with every reading, and how to answer.

A number such as `12.345` or a date such as `03/04/2021` is never guessed: where neither
its column nor the rest of the file settles it, it blocks a fit until it is answered on
the Data screen, under [data] in project.toml, or by an option of the command line.
Numbers of days are read from 1900, as nearly every spreadsheet counts, until somebody
says that they count from 1904: a choice that blocks nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.data.cells.scales import is_letter_only
from core.data.mapping import ColumnMapping, DateReading, Decimal
from core.data.reading.date_formats import SERIAL
from core.data.reading.dates import DateDoubt, Dates, parse_dates
from core.data.reading.epochs import is_midnight, unit_of
from core.data.reading.findings import Finding
from core.data.reading.numbers import Doubt, as_numbers
from core.data.reading.origins import done_to
from core.text.sentences import count

#: Hour and minute of a time of the day, and from which hour on it can be midnight of
#: the next day somewhere: noon is what people write who mean no time at all.
_HOUR = re.compile(r"\d[T ](\d{1,2}):(\d{2})")
_AFTERNOON = 13
_CALLED: dict[DateReading, str] = {
    "day first": "the day comes first",
    "month first": "the month comes first",
    "year first": "the year comes first",
    "months": "they are months",
    "weeks": "they are ISO weeks",
}


#: Answers on a column whose name ends with a lone k.
THOUSANDS, WHOLE = "in thousands", "in whole units"


@dataclass(frozen=True)
class Question:
    """One thing that a column leaves open.

    Attributes:
        column: The column.
        example: A cell that can be read in several ways.
        count: How many cells there are like it.
        choices: Every answer that is possible, and what the cell then is.
        usual: The answer that counts until another is chosen; None where a fit waits
            for one.
    """

    column: str
    example: str
    count: int
    choices: tuple[tuple[str, str], ...]
    usual: str | None = None


def questions(frame: pd.DataFrame, mapping: ColumnMapping) -> list[Question]:
    """What a table leaves open under a mapping, whether it is answered or not."""
    open_questions = []
    if mapping.time in frame.columns:
        answer = known_dates(frame)
        dates = parse_dates(frame[mapping.time], answer)
        if dates.doubt is not None:
            open_questions.append(about_dates(mapping.time, dates.doubt))
        else:
            epoch = about_epoch(mapping.time, dates, answer)
            open_questions += [] if epoch is None else [epoch]
    for column in number_columns(mapping):
        if column in frame.columns and frame[column].dtype in ("str", "object"):
            numbers = as_numbers(frame[column])
            if numbers.doubt is not None:
                open_questions.append(about_numbers(column, numbers.doubt))
    thousands = about_thousands(frame, mapping)
    return open_questions + ([] if thousands is None else [thousands])


def answered(
    mapping: ColumnMapping,
    doubts: list[Question],
    answers: Mapping[str, str | None],
) -> ColumnMapping:
    """The mapping with answers to its questions, by column; others are dropped.

    Args:
        mapping: The roles of the columns.
        doubts: What the table leaves open.
        answers: The answer for each column, one of the question's choices.
    """
    decimal: list[tuple[str, Decimal]] = []
    dates: DateReading | None = None
    whole: tuple[str, ...] = ()
    for question in doubts:
        answer = answers.get(question.column)
        if answer == question.usual or answer not in dict(question.choices):
            continue
        if question.column == mapping.time:
            dates = answer
        elif answer == WHOLE:
            whole = tuple(filter(is_letter_only, number_columns(mapping)))
        else:
            decimal.append((question.column, answer))
    return replace(mapping, decimal=tuple(decimal), dates=dates, whole_units=whole)


def known_dates(frame: pd.DataFrame) -> DateReading | None:
    """How a workbook says that its date numbers are to be read."""
    epoch = frame.attrs.get("dates")
    return "1904" if epoch == "1904" else None


def number_columns(mapping: ColumnMapping) -> tuple[str, ...]:
    """Every column that must hold numbers, once, in the order of the mapping."""
    names: list[str | float | None] = [mapping.kpi, mapping.revenue_per_kpi]
    names += [mapping.population, *mapping.controls]
    for channel in mapping.channels:
        names += channel.columns()
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def about_dates(column: str, doubt: DateDoubt) -> Question:
    """The question that dates leave open."""
    choices = tuple((answer, str(date)) for answer, date in doubt.readings)
    return Question(column, doubt.example, doubt.count, choices)


def about_epoch(
    column: str, dates: Dates, answer: DateReading | None
) -> Question | None:
    """From which day numbers of days count; None for dates that are written otherwise.

    Args:
        column: The column.
        dates: What was read from it.
        answer: What the workbook says of its date numbers.
    """
    if not dates.formats or not dates.formats[0].name.startswith(SERIAL):
        return None
    way = dates.formats[0]
    example = pd.Series([way.example])
    epochs: tuple[DateReading, ...] = ("1900", "1904")
    choices = [(epoch, str(parse_dates(example, epoch).values[0])) for epoch in epochs]
    return Question(column, way.example, way.count, tuple(choices), answer or "1900")


def about_numbers(column: str, doubt: Doubt) -> Question:
    """The question that numbers leave open."""
    choices = ((".", plain_number(doubt.point)), (",", plain_number(doubt.comma)))
    return Question(column, doubt.example, int(doubt.where.sum()), choices)


def about_thousands(frame: pd.DataFrame, mapping: ColumnMapping) -> Question | None:
    """Whether columns such as `Sales (k)` are in thousands; None where none is.

    One question for all of them: who writes such headers means the same by each.
    """
    for column in filter(is_letter_only, number_columns(mapping)):
        steps = done_to(frame, column)[0] if column in frame.columns else ()
        for step in steps:
            if step.kind == "scale":
                choices = (THOUSANDS, f"{step.value:,.10g}"), (WHOLE, step.example)
                return Question(column, step.example, step.count, choices, THOUSANDS)
    return None


def as_findings(doubts: list[Question], time: str) -> Iterator[Finding]:
    """The questions as findings that block a fit."""
    for question in doubts:
        yield _of_dates(question) if question.column == time else _of_numbers(question)


def epoch_note(question: Question, where: str) -> Finding:
    """What is said where numbers of days are read from 1900."""
    return Finding(
        "info",
        where,
        f"Column {question.column} holds spreadsheet date numbers: {question.example} "
        f"was read as {dict(question.choices)['1900']}.",
        "If they count from 1904 (Excel for Mac), every date is four years and a day "
        'too early: choose so on the Data screen, set dates = "1904" under [data] in '
        "project.toml, or use --dates 1904.",
    )


def stamp_note(
    column: str, cells: pd.Series, dates: Dates, where: str
) -> Finding | None:
    """What is said where numbers are read as moments since 1970; None where none are.

    Args:
        column: The column.
        cells: What it holds.
        dates: What was read from it.
        where: The place, for the finding.
    """
    way = dates.formats[0] if dates.formats else None
    unit = None if way is None else unit_of(way.name)
    if way is None or unit is None:
        return None
    message = (
        f"Column {column} holds {way.name}: {way.example} was read as "
        f"{dates.values[way.row]}."
    )
    numbers = pd.to_numeric(cells, errors="coerce").dropna().to_numpy()
    seconds = np.floor_divide(numbers, unit).astype(np.int64)
    if not is_midnight(seconds):
        hint = (
            "The day is that of UTC: late in the evening it can be another one for you."
        )
        return Finding("info", where, message, hint)
    return Finding("info", where, message)


def plain_number(value: float) -> str:
    """A number without thousands separators, so that it can be read in one way only."""
    return np.format_float_positional(value, trim="-")


def _of_dates(question: Question) -> Finding:
    readings = [
        f"{meaning} if {_CALLED.get(answer, answer)}"
        for answer, meaning in question.choices
    ]
    answers = [f'"{answer}"' for answer, _ in question.choices]
    return Finding(
        "error",
        f"column {question.column}",
        f"Dates in column {question.column} can be read in {len(readings)} ways: "
        f'"{question.example}" is {" or ".join(readings)}.',
        f"Choose one on the Data screen, with dates = {' or '.join(answers)} under "
        f"[data] in project.toml, or with --dates.",
    )


def _of_numbers(question: Question) -> Finding:
    (_, point), (_, comma) = question.choices
    cells = count(question.count, "cell")
    return Finding(
        "error",
        f"column {question.column}",
        f"Column {question.column} can be read in two ways: "
        f'"{question.example}" is {point} if the point is the decimal sign, or {comma} '
        f"if the comma is ({cells} like it).",
        f'Choose one on the Data screen, with "{question.column}" = "." or "," under '
        "[data.decimal] in project.toml, or with --decimal.",
    )


def is_midnight_elsewhere(texts: Iterable[str]) -> bool:
    """Whether times are one or two, with full or half hours, after noon.

    `2022-01-02T23:00:00Z`, and 22:00 in summer, is midnight of the next day in Berlin;
    15:00 in Tokyo, 18:30 in Delhi.
    """
    clocks = {match.groups() for text in texts if (match := _HOUR.search(text))}
    return 0 < len(clocks) <= 2 and all(
        int(hour) >= _AFTERNOON and minute in ("00", "30") for hour, minute in clocks
    )
