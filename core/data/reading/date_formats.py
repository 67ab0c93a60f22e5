"""How people write dates: one pattern and one reading per way.

A way of writing is recognised from the text alone; whether `03/04/2021` is in March
or in April, and whether `202301` is a month or a week, is decided by
`core.data.reading.dates` for the whole column.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.cells.words import phrases, plain
from core.data.mapping import DateReading
from core.data.reading import date_ranges, epochs

_TIME = (
    r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r" ?(?:Z|[A-Z]{3,4}|(?:UTC|GMT)?[+-]\d{2}:?\d{2}(?: \([A-Z ]+\))?)?)?"
)
#: What a week is called before its number: in English, German, French, Spanish,
#: Italian, Dutch, Danish, Norwegian, Swedish, Polish and Czech.
_WEEK = (
    r"(?:CW|KW|KALENDERWOCHE|WOCHE|WEEK|WK|W|SEMAINE|SEMANA|SEM|SETTIMANA|S|UGE|UKE"
    r"|VECKA|V|TYDZIEN|TYDEN|TUAN)\.?"
)
#: A week's number before the dates that it is of, which say the same: more than a year.
_DATES = r"(?=[^()]*\d\D+\d)[^()]+"
_NUMBERED = re.compile(
    rf"^{_WEEK}[-_ ]?\d{{1,2}}(?:[/ -]\d{{2,4}})?(?:[ :,-]*\((?P<within>{_DATES})\)"
    rf"|(?: ?[:-] ?| )(?P<behind>\d{{1,2}}[./]\d{{1,2}}[./][^()]*"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}.*))$"
)
#: A year at the end of a text. A dash before two digits is a range: KW 1-52.
_YEAR = r"(?:[-/., _']+(?:DE )?\(?(?=\d{4}\)?$)|[/. _']+\(?(?=\d{2}\)?$))(\d+)\)?"
_WEEKDAY = r"(?:[A-Z]{2,10}\.?,? )?"
#: What stands before the first day of a week: `Week of 3 Jan 2022`, `Mo. 03.01.2022`.
_BEFORE = re.compile(
    r"^(?:(?:W/C|W/B|W/S|WC|WB|WEEK (?:OF|FROM|COMMENCING|BEGINNING|STARTING|BEG\.?)"
    r"|WOCHE (?:VOM|AB)|SEMAINE DU|SEMANA DEL?|SETTIMANA DAL|VOM|AB|DU|DEL|DAL|FROM)"
    r"[ .:]+|(?:MO|MON|MONTAG|LUN|LUNDI|LUNES|DI|DIENSTAG|MAR|MARDI|MARTES|TUE|TUES|MI"
    r"|MITTWOCH|MER|MERCREDI|MIE|WED|DO|DONNERSTAG|JEU|JEUDI|JUE|THU|THUR|THURS|FR|FRI"
    r"|FREITAG|VEN|VENDREDI|VIE|SA|SAT|SAMSTAG|SAM|SAMEDI|SAB|SO|SUN|SONNTAG|DIM"
    r"|DIMANCHE|DOM)\.?,? (?=\d{1,4}[./-]\d{1,2}[./-]\d))(?P<day>.*\d.*)$"
)
_MONTH = r"([A-Z]{3,12})\.?"


def _months() -> dict[str, int]:
    """Months by their names and by beginnings that no other month's name has."""
    months: dict[str, set[int]] = {"mrz": {3}, "mrt": {3}, "cvn": {6}, "cvc": {7}}
    whole: dict[str, int] = {"kasm": 11, "aralk": 12}  # ASCII has no dotless i
    for names in phrases("months.names"):
        for number, name in enumerate(names, start=1):
            whole[name] = number
            for end in range(3, len(name) + 1):
                months.setdefault(name[:end], set()).add(number)
    for names in phrases("months.whole"):
        whole |= {name: number for number, name in enumerate(names, start=1)}
    begun = {name: min(each) for name, each in months.items() if len(each) == 1}
    return begun | whole  # `cerven` is June, though July begins with it


#: Months by name in English, German, French, Spanish, Italian, Dutch, Portuguese,
#: Polish, Czech, Hungarian, Romanian, Turkish and Scandinavian languages; whole names
#: in Finnish, Russian and Bulgarian, too. In lower case without accents.
MONTHS = _months()

#: What numbers of days are called, from whichever day they are counted.
SERIAL = "spreadsheet date number"

Parts = pd.DataFrame


@dataclass(frozen=True)
class Reading:
    """One way of reading the parts of a date.

    Attributes:
        name: The order of its parts, in words.
        dates: Turns the parts into dates; NaT where there is no such date.
        answer: What a person would call it, where there are others.
        is_usual: Whether it is considered without being asked for.
    """

    name: str
    dates: Callable[[Parts], np.ndarray]
    answer: DateReading | None = None
    is_usual: bool = True


@dataclass(frozen=True)
class DateFormat:
    """One way of writing a date.

    Attributes:
        name: What it is, in words.
        pattern: Matches upper-case text without accents; groups are its parts.
        readings: How it can be read, the usual way first.
    """

    name: str
    pattern: str
    readings: tuple[Reading, ...]


def date(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Dates from numbers, datetime64[D]; NaT where there is no such date."""
    # Two digits: no marketing data begin before 1970.
    year = np.where(year < 70, year + 2000, np.where(year < 100, year + 1900, year))
    year = np.where((year > 2500) & (year < 2650), year - 543, year)  # Buddhist
    safe = np.clip(month, 1, 12)
    first = (year - 1970).astype(int) * 12 + safe.astype(int) - 1
    months = first.astype("datetime64[M]")
    dates = months.astype("datetime64[D]") + (day - 1).astype(int)
    # 31 April would count on into May: it is not a date.
    exists = (month == safe) & (day >= 1) & (dates.astype("datetime64[M]") == months)
    exists &= (year >= 1900) & (year <= 2200)
    return np.where(exists, dates, np.datetime64("NaT", "D"))


def month_number(names: pd.Series) -> np.ndarray:
    """Number of each month name, 0 where it is none."""
    return names.str.lower().map(MONTHS).fillna(0).to_numpy(dtype=float)


def iso_week(year: np.ndarray, week: np.ndarray) -> np.ndarray:
    """Mondays of ISO weeks; NaT where a year has no such week."""
    monday = _first_monday(year) + ((week - 1) * 7).astype(int)
    # A year has 52 or 53 weeks: the next one's first Monday tells.
    exists = (week >= 1) & (monday < _first_monday(year + 1))
    return np.where(exists, monday, np.datetime64("NaT", "D"))


_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a,b,v,g,d,e,e,zh,z,i,j,k,l,m,n,o,p,r,s,t,u,f,kh,ts,ch,sh,sch,,y,,e,ju,ja".split(
            ","
        ),
        strict=True,
    )
)
#: Dashes of all lengths, the minus sign, and what stands behind a year, month and day.
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–—―−年月년월", "-")
    | dict.fromkeys("日일", " ")
    | _CYRILLIC
    | {letter.upper(): latin for letter, latin in _CYRILLIC.items()}
)
#: `2 января 2023 г.` of Russian, `2 січня 2023 р.` of Ukrainian: of the year.
_OF_YEAR = re.compile(r"(?<=\d)\s*(?:г(?:\.|ода)?|р(?:\.|оку)?)\s*$", re.IGNORECASE)
#: Months in letters that have no Latin ones, by their English names.
_OWN_LETTERS = {
    name: english
    for names in phrases("months.own_letters")
    for name, english in zip(names, phrases("months.names")[0], strict=True)
}
_OWN_MONTH = re.compile(
    "|".join(map(re.escape, sorted(_OWN_LETTERS, key=len, reverse=True)))
)
#: Years before the first of an era.
_ERAS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
_IN_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*(\d+|元)")


def upper_ascii(text: str) -> str:
    """Text in upper case of Latin letters, without accents and doubled spaces."""
    if not text.isascii():
        text = _IN_ERA.sub(_year_of_era, _OF_YEAR.sub("", text))
        bare, n_months = _OWN_MONTH.subn(_in_english, plain(text))
        text = (bare if n_months else text).translate(_DASHES)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"\s+", " ", text).strip().rstrip("-").upper()


def _in_english(name: re.Match[str]) -> str:
    return f" {_OWN_LETTERS[name.group()]} "


def _year_of_era(year: re.Match[str]) -> str:
    era, number = year.groups()
    return str(_ERAS[era] + (1 if number == "元" else int(number)))


def day_alone(text: str) -> str:
    """A text of `upper_ascii` without what stands around its first day, or its days.

    `WEEK OF JAN 3, 2022`, `MO. 03.01.2022`, `KW 1 (03.01.-09.01.2022)` and
    `W1 - 03.01.2022`.
    """
    for around in (_NUMBERED, _BEFORE):
        match = around.match(text)
        text = next(filter(None, match.groups())) if match else text
    return text


def _first_monday(year: np.ndarray) -> np.ndarray:
    """Monday of the week that holds 4 January."""
    fourth = date(year, np.ones_like(year), np.full_like(year, 4))
    weekday = (fourth.astype(int) + 3) % 7  # 1970-01-01 was a Thursday
    return fourth - weekday


def _ymd(year: int, month: int, day: int) -> Callable[[Parts], np.ndarray]:
    """Reads dates whose year, month and day are at these places; months by name too."""

    def read(parts: Parts) -> np.ndarray:
        months = parts[month]
        is_name = months.str.contains("[A-Z]").any()
        number = month_number(months) if is_name else months.to_numpy(dtype=float)
        return date(_number(parts, year), number, _number(parts, day))

    return read


def _ym(year: int, month: int) -> Callable[[Parts], np.ndarray]:
    """Reads the first days of months."""
    first = _ymd(year, month, 2)
    return lambda parts: first(pd.DataFrame({0: parts[0], 1: parts[1], 2: "1"}))


def _week(year: int, week: int) -> Callable[[Parts], np.ndarray]:
    """Reads the Mondays of ISO weeks."""
    return lambda parts: iso_week(_number(parts, year), _number(parts, week))


def _quarter(year: int, quarter: int) -> Callable[[Parts], np.ndarray]:
    def read(parts: Parts) -> np.ndarray:
        years = _number(parts, year)
        return date(years, 3 * _number(parts, quarter) - 2, np.ones_like(years))

    return read


def _number(parts: Parts, at: int) -> np.ndarray:
    return parts[at].to_numpy(dtype=float)


def _year(parts: Parts) -> np.ndarray:
    year = _number(parts, 0)
    return date(year, np.ones_like(year), np.ones_like(year))


def _six(*lengths: int) -> Callable[[Parts], Parts]:
    """Six digits cut into pieces of these lengths."""

    def cut(parts: Parts) -> Parts:
        ends = np.cumsum((0, *lengths))
        return pd.DataFrame(
            {at: parts[0].str[ends[at] : ends[at + 1]] for at in range(len(lengths))}
        )

    return cut


def _serial(epoch: str) -> Callable[[Parts], np.ndarray]:
    start = np.datetime64(epoch)
    return lambda parts: start + np.floor(_number(parts, 0)).astype(int)


def _two(name: str, pattern: str, year: int, other: int) -> DateFormat:
    """Year and another number, which counts months or weeks."""
    months = Reading(f"{name} in months", _ym(year, other), "months")
    weeks = Reading(f"{name} in weeks", _week(year, other), "weeks")
    return DateFormat(name, pattern, (months, weeks))


def _ordered(mark: str) -> tuple[DateFormat, DateFormat]:
    """Three numbers with a mark between them: the year last, of four or two digits."""
    sign = rf"\{mark} ?"  # Czech has spaces: 3. 1. 2022
    day = Reading(mark.join(("day", "month", "year")), _ymd(2, 1, 0), "day first")
    month = Reading(mark.join(("month", "day", "year")), _ymd(2, 0, 1), "month first")
    year = Reading(mark.join(("year", "month", "day")), _ymd(0, 1, 2), "year first")
    # Slashes are mostly American, points and dashes are not; the column decides where
    # it can.
    usual = (month, day) if mark == "/" else (day, month)
    start = rf"(\d{{1,2}}){sign}(\d{{1,2}}){sign}"
    end = r"\.?" if mark == "." else ""  # Croatian ends with a point: 03.01.2022.
    name = usual[0].name
    return (
        DateFormat(name, rf"{start}(\d{{4}}){end}" + _TIME, usual),
        DateFormat(f"{name}, two digits", rf"{start}(\d{{2}})" + _TIME, (*usual, year)),
    )


def _single(
    name: str, pattern: str, dates: Callable[[Parts], np.ndarray]
) -> DateFormat:
    return DateFormat(name, pattern, (Reading(name, dates),))


def _range(order: str) -> Callable[[Parts], np.ndarray]:
    return date_ranges.first_days(order, date, month_number)


def _numeric_range(mark: str) -> DateFormat:
    """Ranges such as `01.01.2024 - 07.01.2024`, of days or months first."""
    day = Reading("range, day first", _range("dmy"), "day first")
    month = Reading("range, month first", _range("mdy"), "month first")
    usual = (month, day) if mark == "/" else (day, month)
    return DateFormat("range of days", date_ranges.numeric(rf"\{mark}"), usual)


def _after(cut: Callable[[Parts], Parts], dates: Callable[[Parts], np.ndarray]):
    return lambda parts: dates(cut(parts))


#: The `de` of Spanish and Portuguese; not the beginning of December.
_OF = r"(?: (?:DE|OF)(?![A-Z]))?"
_DAY_NAME = (
    rf"{_WEEKDAY}(\d{{1,2}})(?:ST|ND|RD|TH|ER|\.)?{_OF}[-/ ]?{_MONTH},?{_OF}[-/ ]?"
)

#: The month and year of Vietnamese: `ngày 3 tháng 1 năm 2022`, `Tháng 1/2022`.
_THANG = r"(?:THANG|THG) (\d{1,2})(?:, ?| NAM |[ /-])(\d{4})"

#: Ways of writing, tried in this order; the first that gives a date is a text's way.
FORMATS: tuple[DateFormat, ...] = (
    _single(
        "year-month-day",
        r"(\d{4})[-/.] ?(\d{1,2})[-/.] ?(\d{1,2})\.?" + _TIME,
        _ymd(0, 1, 2),
    ),
    _single("yearmonthday", r"((?:19|20)\d{2})(\d{2})(\d{2})(?:\.0)?", _ymd(0, 1, 2)),
    _single(
        epochs.DATE_HOUR,
        r"((?:19|20)\d{2})(\d{2})(\d{2})(?:[01]\d|2[0-3])(?:[0-5]\d){0,2}(?:\.0)?",
        _ymd(0, 1, 2),
    ),
    *_ordered("."),
    *_ordered("/"),
    *_ordered("-"),
    _single(
        "year-week",
        rf"(\d{{4}})[-/., _]*{_WEEK}[-_ ]?(\d{{1,2}})(?:-?1)?",
        _week(0, 1),
    ),
    _single("week-year", rf"{_WEEK}[-_ ]?(\d{{1,2}}){_YEAR}", _week(1, 0)),
    _single("number week year", rf"(\d{{1,2}})\. ?{_WEEK}{_YEAR}", _week(1, 0)),
    _single("year-week, two digits", r"(\d{2})-?W(\d{2})", _week(0, 1)),
    _single("day month-name year", rf"{_DAY_NAME}(\d{{4}})" + _TIME, _ymd(2, 1, 0)),
    DateFormat(
        "day month-name year, two digits",
        rf"{_DAY_NAME}(\d{{2}})" + _TIME,
        (
            Reading("day month-name year", _ymd(2, 1, 0), "day first"),
            Reading("year month-name day", _ymd(0, 1, 2), "year first"),
        ),
    ),
    _single(
        "month-name day, year",
        rf"{_WEEKDAY}{_MONTH} (\d{{1,2}})(?:ST|ND|RD|TH)?,? (\d{{4}})" + _TIME,
        _ymd(2, 0, 1),
    ),
    _single(
        "month-name day, year of two digits",
        rf"{_WEEKDAY}{_MONTH} (\d{{1,2}})(?:, '?| ')(\d{{2}})",
        _ymd(2, 0, 1),
    ),
    _single(
        "year month-name day",
        rf"(\d{{4}})[-/. ]+{_MONTH}[-/ ]+(\d{{1,2}})\.?" + _TIME,
        _ymd(0, 1, 2),
    ),
    _single("month-name year", rf"{_MONTH}[-/ ']*(\d{{4}}|\d{{2}})", _ym(1, 0)),
    _single("year month-name", rf"(\d{{4}})\.?[-/ ]?{_MONTH}", _ym(0, 1)),
    _single(
        "day month year in words", rf"(?:NGAY )?(\d{{1,2}}) {_THANG}", _ymd(2, 1, 0)
    ),
    _single("month year in words", _THANG, _ym(1, 0)),
    _single("range of days", date_ranges.ISO, _range("ymd")),
    _single("range of days", date_ranges.COMPACT, _range("ymd")),
    _numeric_range("."),
    _numeric_range("/"),
    _single("range of days", date_ranges.DAY_NAME, _range("dmy")),
    _single("range of days", date_ranges.NAME_DAY, _range("mdy")),
    _single("year-quarter", r"(\d{4})[-/ ]?Q([1-4])", _quarter(0, 1)),
    _single("quarter-year", r"Q([1-4])[-/ ]*(\d{4})", _quarter(1, 0)),
    _single("year-month", r"(\d{4})M(\d{1,2})", _ym(0, 1)),
    _two("year-number", r"(\d{4})[-/.|](\d{1,2})", 0, 1),
    _two("number-year", r"(\d{1,2})[-/.](\d{4})", 1, 0),
    DateFormat(
        "six digits",
        r"(\d{6})(?:\.0)?",
        (
            Reading("yearmonth", _after(_six(4, 2), _ym(0, 1)), "months"),
            Reading("yearweek", _after(_six(4, 2), _week(0, 1)), "weeks"),
            Reading("yearmonthday", _after(_six(2, 2, 2), _ymd(0, 1, 2)), "year first"),
        ),
    ),
    DateFormat(
        SERIAL,
        r"([2-7]\d{4}(?:\.\d+)?)",
        (
            # Two days before 1900: Excel counts from one, and believes in 29 February
            # 1900.
            Reading(SERIAL, _serial("1899-12-30"), "1900"),
            Reading(
                f"{SERIAL} since 1904",
                _serial("1904-01-01"),
                "1904",
                is_usual=False,
            ),
        ),
    ),
    *(
        _single(called, epochs.pattern(unit), epochs.reader(unit))
        for unit, called in epochs.UNITS.items()
    ),
    _single("year", r"((?:19|20)\d{2})(?:\.0)?", _year),
)
