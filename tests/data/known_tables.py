"""Tables whose truth is known, written in formats drawn at random.

One seed is one file. Most files are written in one locale throughout; a good part has
a trap: cells of another locale, one format in every cell, two currencies, unit words,
percent signs in some rows only, columns that cannot be read, a second sheet.
"""

import csv
import io
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from tests.data import written
from tests.data.written import STYLES, Style

_HEADERS = ("date", "Datum", "day", "time", "Period")
#: What a trap does to a table; drawn as often as it is listed.
TRAPS = (
    *(["none"] * 12),
    *("three decimals", "three decimals", "other locale in some rows", "per column"),
    *("other locale in some rows", "small thousands", "short", "short", "short"),
    *("unit words", "odd unit words", "odd unit words", "two currencies", "currency"),
    *("percent", "some percent", "unreadable", "unreadable", "mostly unreadable"),
    *("half unreadable control", "empty column", "nothing", "sheets", "durations"),
    *("error values", "text cells in a workbook", "text cells in a workbook"),
    *("Mac Roman", "rounded thousands", "dates of two orders", "formulas", "epoch"),
)


@dataclass
class Known:
    """A file and what is true about it.

    Attributes:
        seed: What it was drawn from.
        name: The file's name.
        data: Its bytes.
        about: How it is written, in words.
        days: The true date of each row, datetime64[D].
        truth: The true numbers of each column.
        is_clear: Whether it must be read without a question: one locale, full
            range of dates and digits, nothing odd.
    """

    seed: int
    name: str
    data: bytes
    about: str
    days: np.ndarray
    truth: dict[str, np.ndarray]
    is_clear: bool


@dataclass
class _Draft:
    """A table while it is written: true numbers and the text of every cell."""

    rng: np.random.Generator
    days: np.ndarray
    geos: list[str] | None
    truth: dict[str, np.ndarray]
    style: Style
    decimals: dict[str, int]
    text: dict[str, list[str]] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)
    header: str = "date"
    notes: list[str] = field(default_factory=list)
    is_clear: bool = True

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def paid(self) -> str:
        return self.pick(["TV_spend", "Search_spend", "TV_impressions", "revenue"])


def known_table(seed: int) -> Known:
    """The file of one seed."""
    rng = np.random.default_rng([17, seed])
    trap = TRAPS[int(rng.integers(len(TRAPS)))]
    draft = _draft(rng, trap)
    _write(draft)
    _spring(draft, trap)
    return _packed(draft, trap, seed)


def _draft(rng: np.random.Generator, trap: str) -> _Draft:
    frequency = str(rng.choice(["weekly", "weekly", "daily", "monthly"]))
    n = int(rng.integers(30, 140))
    if trap == "short":
        n = int(rng.integers(10, 13))
    if trap == "dates of two orders":
        n = 40
    year = int(rng.integers(2015, 2025))
    if frequency == "weekly":
        start = np.datetime64(f"{year}-01-04") + int(rng.integers(0, 40)) * 7
        start -= int((start.astype(int) + 3) % 7)
        days = start + 7 * np.arange(n)
    elif frequency == "daily":
        start = np.datetime64(f"{year}-01-01") + int(rng.integers(0, 300))
        if trap == "short":
            start = np.datetime64(f"{year}-{int(rng.integers(1, 13)):02}-01")
        days = start + np.arange(n)
    else:
        start = np.datetime64(f"{year}-01", "M") + (0 if trap == "short" else 3)
        days = (start + np.arange(n)).astype("datetime64[D]")
    geos = ["North", "South"] if rng.random() < 0.2 else None
    rows = np.tile(days, 2) if geos else days
    names = [name for name in geos or [] for _ in range(n)] or None
    size = 10.0 ** rng.integers(0, 4)
    truth = {
        "TV_spend": rng.lognormal(6, 0.8, len(rows)) * size,
        "TV_impressions": rng.lognormal(9, 1.0, len(rows)) * size,
        "Search_spend": rng.lognormal(5, 0.7, len(rows)) * size,
        "Social_spend": rng.lognormal(4, 1.0, len(rows))
        * (rng.random(len(rows)) < 0.7),
        "temperature": rng.normal(12, 8, len(rows)),
        "revenue": rng.lognormal(10, 0.4, len(rows)) * size,
    }
    decimals = {name: int(rng.choice([0, 2, 2])) for name in truth}
    decimals |= {"TV_impressions": 0, "temperature": 1}
    draft = _Draft(rng, rows, names, truth, STYLES[0], decimals)
    draft.style = draft.pick(STYLES)
    draft.notes += [trap, frequency, f"{n} periods", draft.style.name]
    _date_form(draft, frequency)
    return draft


def _date_form(draft: _Draft, frequency: str) -> None:
    forms = list(written.DAYS)
    if frequency == "weekly":
        forms += list(written.WEEKS) * 2
    if frequency == "monthly":
        forms = list(written.MONTHS)
    form = draft.pick(forms)
    language = draft.pick(written.LANGUAGES)
    draft.header = draft.pick(_HEADERS)
    if "{v" in form and draft.rng.random() < 0.3:
        draft.header = draft.pick(("week", "KW", "isoweek"))
    if frequency == "monthly" and draft.rng.random() < 0.3:
        draft.header = draft.pick(("month", "Monat", "mois"))
    draft.dates = [written.date(day, form, language) for day in draft.days]
    draft.notes.append(f"dates {form} ({language}), e.g. {draft.dates[0]}")


def _write(draft: _Draft) -> None:
    """Every number as text, and the truth rounded as it is written."""
    for name, values in draft.truth.items():
        places = draft.decimals[name]
        draft.truth[name] = np.array([written.written_truth(v, places) for v in values])
        draft.text[name] = [
            written.number(value, draft.style, places) for value in values
        ]


def _rewrite(draft: _Draft, name: str, style: Style, decimals: int, rows=None) -> None:
    """Cells of a column in another style; the truth is rounded accordingly."""
    rows = range(len(draft.days)) if rows is None else rows
    for at in rows:
        value = draft.truth[name][at]
        draft.truth[name][at] = written.written_truth(value, decimals)
        draft.text[name][at] = written.number(value, style, decimals)


def _some(draft: _Draft, most: float = 0.4) -> list[int]:
    n = len(draft.days)
    return sorted(
        draft.rng.choice(n, max(1, int(n * draft.rng.random() * most)), False)
    )


def _spring(draft: _Draft, trap: str) -> None:
    """Do to the table what its trap says."""
    spring = {
        "three decimals": _three_decimals,
        "small thousands": _small_thousands,
        "other locale in some rows": _other_locale,
        "per column": _per_column,
        "unit words": lambda d: _unit_words(d, ("k", "Tsd.", "Mio", "mln", "M", "Mrd")),
        "odd unit words": lambda d: _unit_words(
            d, ("MIL", "BIL", "TSD", "MIO", "MRD", "MLN", "T", "MM", "B", "Bio", "LAC")
        ),
        "two currencies": _two_currencies,
        "currency": _currency,
        "percent": lambda d: _percent(d, 1.0),
        "some percent": lambda d: _percent(d, 0.5),
        "unreadable": lambda d: _unreadable(d, d.paid(), 1.0),
        "mostly unreadable": lambda d: _unreadable(d, d.paid(), 0.93),
        "half unreadable control": lambda d: _unreadable(d, "temperature", 0.6),
        "empty column": lambda d: _unreadable(d, d.paid(), 1.0, ("",)),
        "durations": lambda d: _unreadable(d, d.paid(), 1.0, ("00:01:30", "01:12:05")),
        "nothing": _nothing,
        "error values": _error_values,
        "rounded thousands": _rounded_thousands,
        "dates of two orders": _two_orders,
    }.get(trap)
    if trap not in ("none", "currency", "nothing", "percent"):
        draft.is_clear = False
    if spring:
        spring(draft)


def _three_decimals(draft: _Draft) -> None:
    """Three digits after the sign in every cell of one or of all columns."""
    style = draft.pick([Style("", "."), Style("", ",")])
    everywhere = draft.rng.random() < 0.5 or draft.style.group == style.decimal
    names = list(draft.truth) if everywhere else [draft.paid()]
    for name in names:
        scale = np.median(np.abs(draft.truth[name])) / 20
        draft.truth[name] = np.clip(draft.truth[name] / scale, -999, 999)
        draft.truth[name] = np.where(
            np.abs(draft.truth[name]) < 1, draft.truth[name] + 1, draft.truth[name]
        )
        _rewrite(draft, name, style, 3)
    draft.notes.append(f"{len(names)} columns as {draft.text[names[0]][0]}")


def _small_thousands(draft: _Draft) -> None:
    """Whole numbers from 1,000 to 999,999 in every column."""
    style = draft.pick([Style("", ",", "."), Style("", ".", ",")])
    for name in draft.truth if draft.rng.random() < 0.5 else [draft.paid()]:
        scale = np.median(np.abs(draft.truth[name])) / 20_000
        draft.truth[name] = np.clip(
            np.abs(draft.truth[name] / scale) + 1000, 0, 999_999
        )
        _rewrite(draft, name, style, 0)


def _other_locale(draft: _Draft) -> None:
    other = draft.pick([s for s in STYLES if s.decimal != draft.style.decimal])
    name = draft.paid()
    _rewrite(draft, name, other, draft.pick([0, 2, 3]), _some(draft))
    draft.notes.append(f"some of {name} in {other.name}")


def _per_column(draft: _Draft) -> None:
    for name in draft.truth:
        _rewrite(draft, name, draft.pick(STYLES), draft.decimals[name])


_FACTORS = {"k": 1e3, "tsd.": 1e3, "tsd": 1e3, "t": 1e3, "mio": 1e6, "mln": 1e6}
_FACTORS |= {"m": 1e6, "mil": 1e6, "mm": 1e6, "mrd": 1e9, "b": 1e9, "bil": 1e9}
_FACTORS |= {"bio": 1e12, "lac": 1e5}


def _unit_words(draft: _Draft, words: tuple[str, ...]) -> None:
    name, word = draft.paid(), draft.pick(words)
    space = draft.pick(["", " "])
    places = draft.pick([1, 2, 2, 3])
    all_cells = draft.rng.random() < 0.6
    factor = _FACTORS[word.lower()]
    for at in range(len(draft.days)) if all_cells else _some(draft):
        value = written.written_truth(draft.truth[name][at] / factor, places)
        draft.truth[name][at] = value * factor
        draft.text[name][at] = (
            f"{written.number(value, draft.style, places)}{space}{word}"
        )
    if all_cells and draft.rng.random() < 0.3:
        at = int(draft.rng.integers(len(draft.days)))
        draft.truth[name][at] = 3 * factor
        draft.text[name][at] = "3"
    draft.notes.append(f"{name} as {draft.text[name][0]}")


def _sign(draft: _Draft, sign: str):
    before = draft.rng.random() < 0.5
    return lambda text: f"{sign} {text}" if before else f"{text} {sign}"


def _currency(draft: _Draft) -> None:
    put = _sign(draft, draft.pick(["€", "$", "EUR", "USD", "£", "CHF", "kr", "zł"]))
    for name in ("TV_spend", "Search_spend", "revenue"):
        draft.text[name] = [put(text) for text in draft.text[name]]


def _two_currencies(draft: _Draft) -> None:
    signs = draft.pick([("USD", "EUR"), ("€", "$"), ("EUR", "£"), ("CHF", "€")])
    puts = [_sign(draft, sign) for sign in signs]
    name = draft.pick(["TV_spend", "Search_spend", "revenue"])
    other = set(_some(draft))
    for at, text in enumerate(draft.text[name]):
        draft.text[name][at] = puts[at in other](text)
        if at in other:
            draft.truth[name][at] = np.nan  # no number of one currency is right


def _percent(draft: _Draft, share: float) -> None:
    for at in range(len(draft.days)):
        if share == 1 or draft.rng.random() < share or at == 0:
            draft.text["temperature"][at] += draft.pick(["%", " %"])
    if share < 1:
        draft.truth["temperature"][:] = np.nan
    else:
        draft.truth["temperature"] /= 100


def _unreadable(
    draft: _Draft,
    name: str,
    share: float,
    words: tuple[str, ...] = ("n/k", "ca. 12", "1.2 Stk", "siehe Blatt 2", "tbd"),
) -> None:
    for at in range(len(draft.days)):
        if draft.rng.random() < share:
            draft.text[name][at] = draft.pick(words)
            draft.truth[name][at] = np.nan
    draft.notes.append(f"{name} unreadable")


def _nothing(draft: _Draft) -> None:
    word = draft.pick(["--", "-", "n/a", "—", "N/A", "---"])
    for at in _some(draft):
        draft.text["Social_spend"][at] = word
        draft.truth["Social_spend"][at] = 0.0


def _error_values(draft: _Draft) -> None:
    name, word = (
        draft.paid(),
        draft.pick(["#REF!", "#VALUE!", "#WERT!", "#NAME?", "Err"]),
    )
    for at in _some(draft):
        draft.text[name][at], draft.truth[name][at] = word, np.nan


def _rounded_thousands(draft: _Draft) -> None:
    """Spend in thousands in which whole numbers are many: 12, 1.234, 45."""
    name, sign = draft.paid(), draft.pick([".", ","])
    whole = draft.rng.random(len(draft.days)) < 0.5
    values = draft.rng.integers(1000, 90_000, len(draft.days)) / 1000
    values = np.where(whole, np.round(values), values)
    draft.truth[name] = np.array([written.written_truth(v, 3) for v in values])
    style = Style("", sign)
    draft.text[name] = [written.number(v, style, 3, trim=True) for v in values]


def _two_orders(draft: _Draft) -> None:
    for at in range(len(draft.days)):
        form = "{d}/{m}/{y}" if at < len(draft.days) / 2 else "{m}/{d}/{y}"
        draft.dates[at] = written.date(draft.days[at], form)
    draft.notes.append("day first, then month first")


# --- files ------------------------------------------------------------------------


def _packed(draft: _Draft, trap: str, seed: int) -> Known:
    workbook = trap in ("sheets", "text cells in a workbook", "formulas", "epoch")
    kind = "xlsx" if workbook else draft.pick(["csv", "csv", "csv", "xlsx", "parquet"])
    if trap == "Mac Roman":
        kind = "csv"
    pack = {"csv": _csv, "xlsx": _xlsx, "parquet": _parquet}[kind]
    data = pack(draft, trap)
    truth = {name: values.copy() for name, values in draft.truth.items()}
    about = f"{kind}: " + ", ".join(draft.notes)
    is_clear = draft.is_clear and _has_clear_dates(draft) and _shows_groups(draft)
    return Known(seed, f"{seed}.{kind}", data, about, draft.days, truth, is_clear)


def _has_clear_dates(draft: _Draft) -> bool:
    return len(np.unique(draft.days)) > 24


def _shows_groups(draft: _Draft) -> bool:
    """Whether some number leaves no doubt about what stands between thousands."""
    if draft.style.group not in (",", "."):
        return True
    cells = [cell for column in draft.text.values() for cell in column]
    return any(sum(mark in ",." for mark in cell) > 1 for cell in cells)


def _rows(draft: _Draft) -> tuple[list[str], list[list[str]]]:
    header = [draft.header, *(["region"] if draft.geos else []), *draft.truth]
    columns = [draft.dates, *([draft.geos] if draft.geos else []), *draft.text.values()]
    return header, [list(row) for row in zip(*columns, strict=True)]


def _csv(draft: _Draft, trap: str) -> bytes:
    delimiter = draft.pick([",", ";", ";", "\t", "|"])
    encoding = draft.pick(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"])
    if draft.style.group == written.THIN and encoding == "cp1252":
        encoding = "utf-8"  # which cannot write it
    if trap == "Mac Roman":
        encoding = "mac_roman"
        for name in ("TV_spend", "revenue"):
            draft.text[name] = [f"{text} €" for text in draft.text[name]]
    header, rows = _rows(draft)
    file = io.StringIO()
    writer = csv.writer(
        file, delimiter=delimiter, lineterminator=draft.pick(["\n", "\r\n"])
    )
    writer.writerows([header, *rows])
    draft.notes += [f"delimiter {delimiter!r}", encoding]
    data = file.getvalue().encode(encoding, errors="replace")
    if data.decode(encoding) != file.getvalue():  # "zł" has no place in cp1252
        draft.is_clear = False
    return data


def _cells(draft: _Draft, trap: str) -> tuple[list[str], list[list[object]]]:
    """Rows of a workbook: numbers as numbers, some or all of them as text."""
    header, rows = _rows(draft)
    first = 2 if draft.geos else 1
    as_text = draft.rng.random() < 0.3 or draft.notes[0] not in ("none", "short", trap)
    mixed: dict[str, set[int]] = {}
    if trap == "text cells in a workbook":
        as_text = False
        other = draft.pick([s for s in STYLES if s.group in (",", ".")])
        name = draft.paid()
        mixed[name] = set(_some(draft))
        places = draft.pick([0, 0, 2, 3])
        _rewrite(draft, name, other, places, mixed[name])
        header, rows = _rows(draft)
        draft.notes.append(f"{name} with {len(mixed[name])} texts in {other.name}")
    clean = trap in ("none", "short", "text cells in a workbook", "sheets", "epoch")
    clean = clean or trap == "formulas"
    for at, row in enumerate(rows):
        for place, name in enumerate(header[first:], start=first):
            value = draft.truth[name][at]
            is_text = as_text or not clean or at in mixed.get(name, ())
            row[place] = row[place] or None
            if not is_text:
                row[place] = float(value)
    if draft.rng.random() < 0.5 and clean:
        for at, row in enumerate(rows):
            row[0] = draft.days[at].item()
        draft.notes.append("dates as dates")
    return header, rows


def _xlsx(draft: _Draft, trap: str) -> bytes:
    import openpyxl
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    book = openpyxl.Workbook()
    sheet = book.active
    header, rows = _cells(draft, trap)
    if trap == "epoch":
        book.epoch = CALENDAR_MAC_1904
        if not isinstance(rows[0][0], str):
            pass
        elif draft.rng.random() < 0.5:
            for at, row in enumerate(rows):
                since = draft.days[at] - np.datetime64("1904-01-01")
                row[0] = int(since.astype(int))
            draft.notes.append("serial numbers since 1904")
    if trap == "formulas":
        name = draft.paid()
        place = header.index(name)
        for at, row in enumerate(rows):
            row[place] = f"=1*{at + 1}"
        draft.truth[name][:] = np.nan
    half = len(rows) // 2 if trap == "sheets" else len(rows)
    for row in [header, *rows[:half]]:
        sheet.append(row)
    if trap == "sheets":
        second = book.create_sheet("more")
        for row in [header, *rows[half:]]:
            second.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _parquet(draft: _Draft, trap: str) -> bytes:
    header, rows = _rows(draft)
    frame = pd.DataFrame(rows, columns=header, dtype="str")
    if trap in ("none", "short") and draft.rng.random() < 0.7:
        for name, values in draft.truth.items():
            frame[name] = values
        if draft.rng.random() < 0.5:
            frame[draft.header] = draft.days.astype("datetime64[us]")
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()
