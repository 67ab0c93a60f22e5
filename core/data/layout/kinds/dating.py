"""Dates of a file: which column has them, what they are, and the weeks they fall in."""

import re

import numpy as np
import pandas as pd

from core.data.cells import words as vocabulary
from core.data.cells.words import word_set
from core.data.layout.kinds.vocabulary import is_end, is_id, spoken
from core.data.layout.recipe import WEEKDAYS, Period, Weekday
from core.data.mapping import DateReading
from core.data.periods import periods
from core.data.reading.dates import Dates, is_mostly_dates, parse_dates
from core.data.reading.doubts import (
    Question,
    about_epoch,
    is_midnight_elsewhere,
    known_dates,
    stamp_note,
)
from core.data.reading.epochs import is_epoch
from core.data.reading.findings import Finding

_TIME_ALONE = re.compile(r"^\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?[ap]m| Uhr|h)?$", re.I)
_SAMPLE = 2000
#: Share of rows in which the date of an event stands: an order is not always paid.
_FILLED = 0.95
#: Words of dates on which something else happened than the row is about.
_LATER = word_set("dating.later")
_FIRST = word_set("dating.first")
#: Months in a period that a column may name, the days of a week, and how many periods
#: show that a column names them.
_MONTHS = {"monthly": 1, "quarterly": 3, "yearly": 12}
_WEEK, _PERIODS = 7, 2
_CLOCK = r"\d[T ]\d{1,2}:\d{2}"
_MIDNIGHT = r"[T ]0?0:00(?::00(?:\.0+)?)?$"
_STAMP = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}"


def find_date(frame: pd.DataFrame) -> str | None:
    """The column of dates: named so, of the event itself, and filled in every row.

    Of a column of months and one of the weeks in them, the weeks are the rows' dates.
    """
    best, best_score = None, (-1, False, -1, -1)
    sample = frame.head(_SAMPLE)
    others = []
    for position, name in enumerate(frame.columns):
        if not holds_dates(str(name), sample[name]):
            continue
        spoken_words = set(spoken(str(name)))
        named = 2 * bool(spoken_words & _FIRST) + bool(spoken_words & vocabulary.TIME)
        score = (
            named - 4 * bool(spoken_words & _LATER),
            bool(sample[name].notna().mean() >= _FILLED),
            -int(is_end(str(name))),
            -position,
        )
        if score[1] and score[0] >= 0:
            others.append(str(name))
        if best is None or score > best_score:
            best, best_score = str(name), score
    for name in others:
        if best is not None and name != best and _is_within(sample, name, best):
            best = name
    return best


def _is_within(sample: pd.DataFrame, fine: str, coarse: str) -> bool:
    """Whether each date of a column lies in the period that another column names.

    Weeks may reach over the ends of a month, and are put into either.
    """
    answer = known_dates(sample)
    days = read_dates(sample[fine], answer).values.astype("datetime64[D]")
    named = read_dates(sample[coarse], answer).values.astype("datetime64[D]")
    both = ~(np.isnat(days) | np.isnat(named))
    days, named = days[both], named[both]
    fine_days, starts = np.unique(days), np.unique(named)
    if len(starts) < _PERIODS or len(fine_days) < 2 * len(starts):
        return False
    often, wider = periods(fine_days).frequency, periods(starts).frequency
    if often not in ("daily", "weekly") or wider not in (*_MONTHS, "weekly"):
        return False
    if wider == "weekly":
        return bool((np.abs((days - named).astype(int)) < _WEEK).all())
    months = _MONTHS[wider]
    first = named.astype("datetime64[M]")
    end = (first + months).astype("datetime64[D]")
    over = _WEEK - 1 if often == "weekly" else 0
    return bool(
        ((days >= first.astype("datetime64[D]") - over) & (days < end + over)).all()
    )


def holds_dates(name: str, column: pd.Series) -> bool:
    """Whether a column holds dates, judged from its first cells."""
    sample = column.head(_SAMPLE)
    kind = sample.dtype
    if pd.api.types.is_datetime64_any_dtype(kind):
        return True
    if pd.api.types.is_bool_dtype(kind) or sample.isna().all():
        return False
    if pd.api.types.is_numeric_dtype(kind):
        if is_epoch(sample.rename(name)):
            return True
        spoken_words = set(spoken(name))
        about = spoken_words & vocabulary.TIME and not is_id(name)
        return bool(about and sample.median() > 9999 and is_mostly_dates(sample))
    return is_mostly_dates(sample)


def read_dates(column: pd.Series, answer: DateReading | None = None) -> Dates:
    """A column as dates; the hour of a time stamp is left aside.

    Args:
        column: The cells.
        answer: How to read what could be read in several ways, where it is known.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype) and len(column) > _SAMPLE:
        head = column.dropna().head(_SAMPLE)
        is_text = not pd.api.types.is_datetime64_any_dtype(column.dtype)
        if is_text and len(head) and head.astype("str").str.match(_STAMP).all():
            column = column.astype("str").str.slice(0, 10).where(column.notna(), None)
    return parse_dates(column, answer)


def settled_days(
    frame: pd.DataFrame, column: str, answer: DateReading | None = None
) -> np.ndarray | None:
    """The days of a column of dates; None where some are open, or are no date."""
    answer = answer or known_dates(frame)
    dates = read_dates(frame[column], answer)
    if (dates.doubt is not None and answer is None) or np.isnat(dates.values).any():
        return None
    return dates.values.astype("datetime64[D]")


def epoch_question(frame: pd.DataFrame, column: str) -> Question | None:
    """From which day a column's numbers of days count; None where it has others."""
    dates = read_dates(frame[column].dropna().head(_SAMPLE))
    return about_epoch(column, dates, known_dates(frame))


def stamps_note(file_called: str, frame: pd.DataFrame, column: str) -> Finding | None:
    """What is said where a column counts seconds since 1970; None where it has dates.

    Args:
        file_called: The file, for messages.
        frame: Its table.
        column: The column of dates.
    """
    cells = frame[column].dropna().head(_SAMPLE)
    where = f"{file_called}, column {column}"
    return stamp_note(column, cells, read_dates(cells), where)


def holds_clocks(column: pd.Series) -> bool:
    """Whether cells are times of the day alone, as of spots: 18:35."""
    texts = column.dropna().head(_SAMPLE).astype("str").str.strip()
    return bool(len(texts)) and bool(texts.str.match(_TIME_ALONE).mean() >= _FILLED)


def clock_example(column: pd.Series) -> tuple[str | None, bool]:
    """A cell with a time of the day other than midnight, or with a time zone.

    And whether all times look like midnight in another time zone; files that were put
    together may have dates without a time besides.
    """
    is_text = column.dtype == object or pd.api.types.is_string_dtype(column.dtype)
    if not is_text:
        return None, False
    texts = pd.Series(column.dropna().unique()).astype("str").str.strip()
    clocks = texts[texts.str.contains(_CLOCK) & ~texts.str.contains(_MIDNIGHT)]
    if not len(clocks):
        return None, False
    return str(clocks.iloc[0]), is_midnight_elsewhere(clocks)


def period_start(
    dates: np.ndarray, period: Period, week_begins: Weekday = "monday"
) -> np.ndarray:
    """First day of the period that each date falls in, datetime64[D]."""
    if period == "week":
        number = dates.astype("datetime64[D]").astype(np.int64)
        back = (number + 3 - WEEKDAYS.index(week_begins)) % 7  # 1970-01-01: a Thursday
        return dates - back.astype("timedelta64[D]")
    if period == "month":
        return dates.astype("datetime64[M]").astype("datetime64[D]")
    return dates


def period_end(starts: np.ndarray, period: Period) -> np.ndarray:
    """Last day of each period, datetime64[D]."""
    if period == "week":
        return starts + np.timedelta64(6, "D")
    if period == "month":
        following = starts.astype("datetime64[M]") + 1
        return following.astype("datetime64[D]") - np.timedelta64(1, "D")
    return starts


def weekday_of(date: np.datetime64) -> Weekday:
    """The day of the week that a date falls on."""
    return WEEKDAYS[int((date.astype("datetime64[D]").astype(np.int64) + 3) % 7)]
