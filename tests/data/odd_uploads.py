"""One market in odd files: what `init` would read of them is held against the truth.

A row per week of spend by channel and revenue. A test writes it in a way of its own,
and asks what became of it: `right`; `asked`, if a warning or an error speaks;
`refused`; or `silent`, if a number is wrong without a word.
"""

import csv
import datetime
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import openpyxl

from core.data.files.load import load_table, parts_of
from core.data.layout.opening import opened
from core.data.layout.stated import StatedColumns
from core.data.observations import observe
from core.errors import MMMError
from core.service.projects.columns import findings, recognised

WEEKS = 70
FIRST = datetime.date(2023, 1, 2)
DAYS = [FIRST + datetime.timedelta(weeks=at) for at in range(WEEKS)]
_RANDOM = np.random.default_rng(5)
SPEND = {
    "TV": np.round(_RANDOM.gamma(4, 1500, WEEKS) * (_RANDOM.random(WEEKS) < 0.8), 2),
    "Search": np.round(_RANDOM.gamma(9, 400, WEEKS), 2),
    "Radio": np.round(_RANDOM.gamma(3, 700, WEEKS) * (_RANDOM.random(WEEKS) < 0.7), 2),
}
REVENUE = np.round(
    90_000 * (1 + 0.3 * np.sin(2 * np.pi * np.arange(WEEKS) / 52))
    + 2 * SPEND["TV"]
    + 3 * SPEND["Search"]
    + _RANDOM.normal(0, 5000, WEEKS),
    2,
)

_NOTHING = StatedColumns()

Rows = list[list[object]]


def wide(
    day: Callable[[datetime.date], object] = lambda day: day,
    names: Sequence[str] = (
        *("Week", "TV spend", "Search spend", "Radio spend"),
        "Revenue",
    ),
) -> Rows:
    """A header, and a row per week whose date is written by `day`."""
    amounts = [*SPEND.values(), REVENUE]
    rows = [
        [day(one), *(float(amount[at]) for amount in amounts)]
        for at, one in enumerate(DAYS)
    ]
    return [list(names), *rows]


def as_csv(
    rows: Rows,
    delimiter: str = ",",
    encoding: str = "utf-8",
    number: Callable[[float], str] = "{:.2f}".format,
    quote: str = "",
) -> bytes:
    """Rows as text; numbers by `number`, dates as year-month-day.

    Every cell stands in quotes, where there is a sign for them.
    """
    text = io.StringIO()
    around = {"quotechar": quote, "quoting": csv.QUOTE_ALL} if quote else {}
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", **around)
    for row in rows:
        writer.writerow([number(c) if isinstance(c, float) else c for c in row])
    return text.getvalue().encode(encoding)


def as_book(rows: Rows, *more: tuple[str, Rows]) -> bytes:
    """Rows as the first sheet of a workbook, others below their titles."""
    book = openpyxl.Workbook()
    for title, these in (("Data", rows), *more):
        sheet = book.active if title == "Data" else book.create_sheet(title)
        sheet.title = title
        for row in these:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_archive(files: Mapping[str, bytes]) -> bytes:
    """Files in a zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


def outcome(
    files: Mapping[str, bytes],
    stated: StatedColumns = _NOTHING,
    *,
    spend: Mapping[str, np.ndarray] = SPEND,
    revenue: np.ndarray = REVENUE,
    first: datetime.date = FIRST,
) -> tuple[str, str]:
    """What becomes of files, and what is said or wrong."""
    try:
        seen = []
        for name, data in files.items():
            parts = [part for part in parts_of(data, name) if part in stated.sheet]
            seen += [
                opened(name, load_table(data, name, part), part)
                for part in parts or [None]
            ]
        table = recognised(seen, stated)
        loud = [f for f in findings(seen, stated)[1] if f.severity != "info"]
    except MMMError as error:
        return "refused", f"{error.message} {error.hint}"
    loud = [finding for finding in loud if not finding.where.startswith("model")]
    said = " | ".join(f"{one.where}: {one.message} {one.hint}" for one in loud)
    wrong = _wrong(table, spend, revenue, first)
    if not wrong:
        return "right", said
    return ("asked" if loud else "silent"), f"{wrong} SAID {said}"


def _wrong(table, spend, revenue, first) -> str:
    """How what is read differs from the truth; empty where it does not."""
    seen = observe(table.table.frame, table.mapping)
    truth = np.datetime64(first) + 7 * np.arange(len(revenue))
    if not np.array_equal(seen.times.astype(truth.dtype), truth):
        return f"{len(seen.times)} weeks from {seen.times[:2]}"
    place = seen.cell[seen.cell >= 0] % len(seen.times)
    names = [one.spend for one in table.mapping.channels if one.spend]
    if len(names) != len(spend):
        return f"channels {names}"
    read = {
        name: np.bincount(
            place,
            np.nan_to_num(seen.numbers[name].values)[seen.cell >= 0],
            len(seen.times),
        )
        for name in (*names, table.mapping.kpi)
    }
    for name, amounts in (*spend.items(), ("revenue", revenue)):
        if not any(np.allclose(one, amounts, atol=0.01) for one in read.values()):
            return f"{name}: {amounts.sum():.2f} is none of {list(read)}"
    return ""
