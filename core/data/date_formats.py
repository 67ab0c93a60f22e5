"""How people write dates: one pattern and one reading per way.

A way of writing is recognised from the text alone; whether `03/04/2021` is in March
or in April is decided by `core.data.dates` for the whole column.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

_TIME = (
    r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r" ?(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_WEEK = r"(?:CW|KW|WEEK|WK|W|S)"
_WEEKDAY = r"(?:[A-Z]{2,10}\.?,? )?"
_MONTH = r"([A-Z]{3,10})\.?"

#: Months by the beginning of their names in English, German, French, Spanish, Italian.
MONTHS = {
    **{"jan": 1, "ene": 1, "gen": 1, "feb": 2, "fev": 2, "mar": 3, "mrz": 3, "mae": 3},
    **{"apr": 4, "avr": 4, "abr": 4, "may": 5, "mai": 5, "mag": 5, "jun": 6, "juin": 6},
    **{"giu": 6, "jul": 7, "juil": 7, "lug": 7, "aug": 8, "aou": 8, "ago": 8, "sep": 9},
    **{"set": 9, "oct": 10, "okt": 10, "ott": 10, "nov": 11, "dec": 12, "dez": 12},
    **{"dic": 12},
}

Order = Literal["day", "month"]
Parts = pd.DataFrame
Reading = Callable[[Parts, Order], np.ndarray]


@dataclass(frozen=True)
class DateFormat:
    """One way of writing a date.

    Attributes:
        name: What it is, in words.
        pattern: Matches upper-case text without accents; groups are its parts.
        reading: Turns the parts into dates; NaT where there is no such date.
        has_order: Whether day and month could be the other way round.
    """

    name: str
    pattern: str
    reading: Reading
    has_order: bool = False


def date(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Dates from numbers, datetime64[D]; NaT where there is no such date."""
    year = np.where(year < 70, year + 2000, np.where(year < 100, year + 1900, year))
    safe = np.clip(month, 1, 12)
    first = (year - 1970).astype(int) * 12 + safe.astype(int) - 1
    months = first.astype("datetime64[M]")
    dates = months.astype("datetime64[D]") + (day - 1).astype(int)
    exists = (month == safe) & (day >= 1) & (dates.astype("datetime64[M]") == months)
    exists &= (year >= 1900) & (year <= 2200)
    return np.where(exists, dates, np.datetime64("NaT", "D"))


def month_number(names: pd.Series) -> np.ndarray:
    """Number of each month name, 0 where it is none."""
    lower = names.str.lower()
    by_four = lower.str[:4].map(MONTHS)
    return by_four.fillna(lower.str[:3].map(MONTHS)).fillna(0).to_numpy(dtype=float)


def iso_week(year: np.ndarray, week: np.ndarray) -> np.ndarray:
    """Mondays of ISO weeks; NaT where a year has no such week."""
    monday = _first_monday(year) + ((week - 1) * 7).astype(int)
    exists = (week >= 1) & (monday < _first_monday(year + 1))
    return np.where(exists, monday, np.datetime64("NaT", "D"))


def upper_ascii(text: str) -> str:
    """Text in upper case, without accents and doubled spaces."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"\s+", " ", plain).strip().upper()


def _first_monday(year: np.ndarray) -> np.ndarray:
    """Monday of the week that holds 4 January."""
    fourth = date(year, np.ones_like(year), np.full_like(year, 4))
    weekday = (fourth.astype(int) + 3) % 7  # 1970-01-01 was a Thursday
    return fourth - weekday


def _number(parts: Parts, at: int) -> np.ndarray:
    return parts[at].to_numpy(dtype=float)


def _ymd(parts: Parts, order: Order) -> np.ndarray:
    return date(_number(parts, 0), _number(parts, 1), _number(parts, 2))


def _two_orders(parts: Parts, order: Order) -> np.ndarray:
    first, second, year = _number(parts, 0), _number(parts, 1), _number(parts, 2)
    return date(year, second, first) if order == "day" else date(year, first, second)


def _day_name_year(parts: Parts, order: Order) -> np.ndarray:
    return date(_number(parts, 2), month_number(parts[1]), _number(parts, 0))


def _name_day_year(parts: Parts, order: Order) -> np.ndarray:
    return date(_number(parts, 2), month_number(parts[0]), _number(parts, 1))


def _name_year(parts: Parts, order: Order) -> np.ndarray:
    year = _number(parts, 1)
    return date(year, month_number(parts[0]), np.ones_like(year))


def _year_name(parts: Parts, order: Order) -> np.ndarray:
    return _name_year(parts[[1, 0]].set_axis([0, 1], axis=1), order)


def _year_month(parts: Parts, order: Order) -> np.ndarray:
    year = _number(parts, 0)
    return date(year, _number(parts, 1), np.ones_like(year))


def _month_year(parts: Parts, order: Order) -> np.ndarray:
    return _year_month(parts[[1, 0]].set_axis([0, 1], axis=1), order)


def _year_week(parts: Parts, order: Order) -> np.ndarray:
    return iso_week(_number(parts, 0), _number(parts, 1))


def _week_year(parts: Parts, order: Order) -> np.ndarray:
    return iso_week(_number(parts, 1), _number(parts, 0))


def _year_quarter(parts: Parts, order: Order) -> np.ndarray:
    year = _number(parts, 0)
    return date(year, 3 * _number(parts, 1) - 2, np.ones_like(year))


def _quarter_year(parts: Parts, order: Order) -> np.ndarray:
    return _year_quarter(parts[[1, 0]].set_axis([0, 1], axis=1), order)


def _year(parts: Parts, order: Order) -> np.ndarray:
    year = _number(parts, 0)
    return date(year, np.ones_like(year), np.ones_like(year))


def _serial(parts: Parts, order: Order) -> np.ndarray:
    return np.datetime64("1899-12-30") + np.floor(_number(parts, 0)).astype(int)


#: Ways of writing, tried in this order; the first that matches a text is its way.
FORMATS: tuple[DateFormat, ...] = (
    DateFormat("year-month-day", r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + _TIME, _ymd),
    DateFormat("yearmonthday", r"((?:19|20)\d{2})(\d{2})(\d{2})(?:\.0)?", _ymd),
    DateFormat(
        "day.month.year",
        r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})" + _TIME,
        _two_orders,
        has_order=True,
    ),
    DateFormat(
        "month/day/year",
        r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})" + _TIME,
        _two_orders,
        has_order=True,
    ),
    DateFormat(
        "day-month-year",
        r"(\d{1,2})-(\d{1,2})-(\d{4}|\d{2})" + _TIME,
        _two_orders,
        has_order=True,
    ),
    DateFormat(
        "year-week", rf"(\d{{4}})[-/ ]?{_WEEK}[- ]?(\d{{1,2}})(?:-?1)?", _year_week
    ),
    DateFormat("week-year", rf"{_WEEK}[- ]?(\d{{1,2}})[-/., ]+(\d{{4}})", _week_year),
    DateFormat(
        "day month-name year",
        rf"{_WEEKDAY}(\d{{1,2}})\.?[-/ ]?{_MONTH},?[-/ ]?(\d{{4}}|\d{{2}})" + _TIME,
        _day_name_year,
    ),
    DateFormat(
        "month-name day, year",
        rf"{_WEEKDAY}{_MONTH} (\d{{1,2}})(?:ST|ND|RD|TH)?,? (\d{{4}})" + _TIME,
        _name_day_year,
    ),
    DateFormat("month-name year", rf"{_MONTH}[-/ ']*(\d{{4}}|\d{{2}})", _name_year),
    DateFormat("year month-name", rf"(\d{{4}})[-/ ]?{_MONTH}", _year_name),
    DateFormat("year-quarter", r"(\d{4})[-/ ]?Q([1-4])", _year_quarter),
    DateFormat("quarter-year", r"Q([1-4])[-/ ]*(\d{4})", _quarter_year),
    DateFormat("year-month", r"(\d{4})(?:[-/.]|M)(\d{1,2})", _year_month),
    DateFormat("yearmonth", r"((?:19|20)\d{2})(0[1-9]|1[0-2])(?:\.0)?", _year_month),
    DateFormat("month-year", r"(\d{1,2})[-/.](\d{4})", _month_year),
    DateFormat("spreadsheet date number", r"([2-7]\d{4}(?:\.\d+)?)", _serial),
    DateFormat("year", r"((?:19|20)\d{2})(?:\.0)?", _year),
)
