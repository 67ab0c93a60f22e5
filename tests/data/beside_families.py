"""Tables beside the data, each with one doubt or none, and their truth.

    python -m tests.data.beside_families            2,000 tables of fixed seeds
    python -m tests.data.beside_families 200 7000   200 tables from seed 7000 on

Actuals, future rows, results of tests, lift tests and panels of geos, as CSV and XLSX,
written as people of several countries write. A table without a doubt must be read
exactly and without a question; one with a doubt must be refused or asked about.
"""

import datetime
import io
import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import openpyxl

from core.data.ahead.actual_table import read_actuals
from core.data.ahead.future_table import planned
from core.data.ahead.horizon import ahead
from core.data.experiments.experiment_table import read_experiments
from core.data.files.load import load_table
from core.errors import MMMError
from core.experiments.panel import panel_of_table
from core.experiments.results.reports import Context
from core.experiments.results.table import read_table
from tests.data.test_data_actual_table import market

TABLES = 2000
KINDS = ("actuals", "future", "results", "experiments", "panel")
DOUBTS = ("none", "days", "numbers", "doubled", "row", "column", "sheet", "total")
DOUBTS += ("whole", "currencies", "other currency")
#: Of the data that the tables stand beside.
CURRENCY = "EUR"
#: Of dates and numbers: the pattern of a day, the decimal sign, the one of thousands.
STYLES = {
    "iso": ("%Y-%m-%d", ".", ""),
    "german": ("%d.%m.%Y", ",", "."),
    "american": ("%m/%d/%Y", ".", ","),
    "british": ("%d/%m/%Y", ".", ","),
}
_MARKETS = {geos: market(geos) for geos in ((), ("North", "South", "West"))}
_TOTALS = ("Total", "Gesamt", "Grand total", "Summe", "TOTAL", "Sum", "Insgesamt")


@dataclass
class Table:
    """A table before it is written.

    Attributes:
        kind: What it is for.
        heads: Names of columns.
        rows: Cells: dates, floats and texts.
        geos: Of the market.
        counted: Columns that are numbers.
    """

    kind: str
    heads: list[str]
    rows: list[list]
    geos: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    hidden: dict = field(default_factory=dict)
    coded: bool = False


@dataclass(frozen=True)
class Case:
    """A file, what is doubtful in it, and what it says."""

    about: str
    kind: str
    doubt: str
    file: tuple[bytes, str]
    geos: tuple[str, ...]
    truth: list


def case(seed: int) -> Case:
    """The file of one seed."""
    random = np.random.default_rng(seed)
    kind = str(random.choice(KINDS))
    doubts = [each for each in DOUBTS if each != "whole" or kind == "panel"]
    if kind == "panel":
        doubts.remove("other currency")  # it stands beside no data
    if kind not in ("results", "experiments"):
        doubts.remove("days")  # settled by periods that are known, or by their steps
    doubt = str(random.choice(["none"] * 4 + doubts))
    table = {
        "actuals": _periods,
        "future": _periods,
        "results": _tests,
        "experiments": _tests,
        "panel": _panel,
    }[kind](random, kind, is_open=doubt in ("days", "numbers"), doubt=doubt)
    truth = [list(row) for row in table.rows]
    as_book = doubt in ("row", "column", "sheet") or random.random() < 0.4
    style = str(random.choice(sorted(STYLES)))
    if doubt == "days":
        style = str(random.choice(["american", "british"]))
    if doubt == "numbers":
        style = "german"
    _make_doubtful(random, table, doubt)
    write = _book if as_book else _csv
    data = write(random, table, style, doubt)
    name = "beside.xlsx" if as_book else "beside.csv"
    form = "xlsx" if as_book else "csv"
    return Case(f"{kind} {doubt} {form}", kind, doubt, (data, name), table.geos, truth)


def _periods(random, kind, *, is_open, doubt) -> Table:
    """Actuals, or rows to come: a row per period (and geo)."""
    geos = sorted(_MARKETS)[int(random.integers(2))]
    data, _ = _MARKETS[geos]
    times = ahead(data, int(random.integers(3, 9))).times
    heads = ["week", *(["region"] if geos else [])]
    counted = ("units", "tv_spend", "search_spend")
    if kind == "future":
        counted = counted[1:]
    rows = [
        [day.astype(datetime.date), *([geo] if geos else [])]
        + [_amount(random, is_open=is_open) for _ in counted]
        for geo in geos or ("",)
        for day in times
    ]
    return Table(kind, [*heads, *counted], rows, geos, counted)


def _tests(random, kind, *, is_open, doubt) -> Table:
    """Results: a row per test."""
    counted = ("incremental revenue", "standard error")
    rows = []
    for at in range(int(random.integers(3, 8))):
        start = datetime.date(2023, 1 + at, int(random.integers(1, 13)))
        last = int(random.integers(1, 13)) if doubt == "days" else 28
        end = datetime.date(2023, start.month + 1, last)
        value = _amount(random, is_open=is_open)
        rows.append(
            [f"Channel {at}", start, end, value, _amount(random, is_open=is_open)]
        )
    return Table(kind, ["channel", "start", "end", *counted], rows, (), counted)


def _panel(random, kind, *, is_open, doubt) -> Table:
    """A KPI by geo and week."""
    names = ("Ulm", "Bonn", "Kiel", "Jena", "Trier")[: int(random.integers(3, 6))]
    first = datetime.date(2022, 1, 3) + datetime.timedelta(int(random.integers(300)))
    rows = [
        [first + datetime.timedelta(7 * at), geo, _amount(random, is_open=is_open)]
        for at in range(int(random.integers(20, 40)))
        for geo in names
    ]
    return Table(kind, ["week", "city", "sales"], rows, (), ("sales",))


def _amount(random, *, is_open: bool) -> float:
    """A number of the size of the data; one that is written with one sign if open."""
    if is_open:
        return float(random.integers(1, 20) * 1000 + random.integers(100, 999))
    return round(float(random.uniform(20, 300)), 2)


def _make_doubtful(random, table: Table, doubt: str) -> None:
    places = [table.heads.index(name) for name in table.counted]
    if doubt == "doubled":
        again = list(table.rows[int(random.integers(len(table.rows)))])
        if random.random() < 0.5:
            again[places[0]] = round(again[places[0]] * 1.1, 2)
        table.rows.insert(int(random.integers(len(table.rows))), again)
    if doubt in ("none", "other currency") and random.random() < 0.3:
        table.coded = table.kind in ("results", "experiments")
        if table.coded:  # a column of codes
            code = CURRENCY if doubt == "none" else str(random.choice(["USD", "GBP"]))
            table.heads.append("currency")
            for row in table.rows:
                row.append(code)
    if doubt == "total":
        row = [None] * len(table.heads)
        if random.random() < 0.8:
            row[0] = str(random.choice(_TOTALS))
        for place in places:
            row[place] = round(sum(each[place] for each in table.rows), 2)
        table.rows.append(row)
    if doubt == "whole":
        by_day: dict = {}
        for day, _, sold in table.rows:
            by_day[day] = by_day.get(day, 0.0) + sold
        name = str(random.choice(["Germany", "All", "DE", "Total", "Whole"]))
        table.rows += [[day, name, round(sold, 2)] for day, sold in by_day.items()]


def _text(cell, style: str) -> str:
    day, point, thousands = STYLES[style]
    if cell is None:
        return ""
    if isinstance(cell, datetime.date):
        return cell.strftime(day)
    if isinstance(cell, str):
        return cell
    shown = f"{cell:,.0f}" if cell == int(cell) and cell > 999 else f"{cell:,.2f}"
    return shown.translate({ord(","): thousands, ord("."): point})


def _cells(random, table: Table, style: str, doubt: str) -> list[list[str]]:
    """Cells as text, some with a currency where that is the doubt."""
    rows = [[_text(cell, style) for cell in row] for row in table.rows]
    if doubt == "other currency" and not table.coded:
        written = str(random.choice(["${}", "{} USD", "£{}", "CHF {}"]))
        for row in rows:
            for name in table.counted:
                place = table.heads.index(name)
                row[place] = written.format(row[place])
    if doubt == "currencies":
        signs = random.permutation(["€", "$", "£"])[:2]
        names = [name for name in table.counted]
        mixed = len(names) < 2
        for at, row in enumerate(rows):
            for number, name in enumerate(names):
                place = table.heads.index(name)
                row[place] = f"{signs[at % 2 if mixed else number % 2]}{row[place]}"
    return rows


def _csv(random, table: Table, style: str, doubt: str) -> bytes:
    apart = ";" if style == "german" else ","
    quote = '"{}"' if apart == "," else "{}"
    lines = [apart.join(table.heads)]
    for row in _cells(random, table, style, doubt):
        lines.append(apart.join(quote.format(c) if apart in c else c for c in row))
    return "\n".join(lines).encode()


def _book(random, table: Table, style: str, doubt: str) -> bytes:
    file, out = openpyxl.Workbook(), io.BytesIO()
    sheet = file.active
    sheet.title = "Numbers"
    sheet.append(table.heads)
    is_text = (
        doubt in ("days", "numbers", "currencies", "other currency")
        or random.random() < 0.3
    )
    rows = _cells(random, table, style, doubt) if is_text else table.rows
    for row in rows:
        sheet.append([cell if cell != "" else None for cell in row])
    if doubt == "row":
        for row in random.choice(np.arange(2, len(rows) + 2), 2, replace=False):
            sheet.row_dimensions[int(row)].hidden = True
    if doubt == "column":
        place = table.heads.index(str(random.choice(table.counted)))
        sheet.column_dimensions["ABCDEFGH"[place]].hidden = True
    if doubt == "sheet":
        file.create_sheet("Cover")["A1"] = "See the other sheet"
        sheet.sheet_state = "hidden"
    file.save(out)
    return out.getvalue()


def outcome(made: Case) -> str:
    """`right`, `asked`, or what went wrong: `silent` or `wrongly asked`."""
    try:
        read = _read(made)
    except MMMError:
        read = None
    if made.doubt != "none":
        return "silent" if read is not None else "asked"
    if read is None:
        return "wrongly asked"
    return "right" if read == sorted(made.truth) else "silent"


def _read(made: Case) -> list | None:
    """Rows as they are read; None where something is asked."""
    data, name = made.file
    frame = load_table(data, name)
    if made.kind in ("actuals", "future"):
        return _read_periods(made, frame)
    if made.kind == "panel":
        panel = panel_of_table(frame, name)
        return sorted(
            [day.astype(datetime.date), geo, float(panel.kpi[i, j])]
            for i, geo in enumerate(panel.geos)
            for j, day in enumerate(panel.times)
        )
    if made.kind == "results":
        stated = read_table(frame, name, Context(currency=CURRENCY), 1)
        rows = [[*each.channels, each.start, each.end] for each in stated]
        numbers = [[each.value, each.standard_error] for each in stated]
    else:
        file = read_experiments(frame, name, currency=CURRENCY)
        if any(each.severity != "info" for each in file.findings):
            return None
        rows = [[row.channel, row.start, row.end] for row in file.rows]
        if any(None in row for row in rows):  # to be filled in before it is saved
            return None
        numbers = [[row.incremental_outcome, row.standard_error] for row in file.rows]
    days = [[row[0], *map(datetime.date.fromisoformat, row[1:])] for row in rows]
    return sorted([*row, *more] for row, more in zip(days, numbers, strict=True))


def _read_periods(made: Case, frame) -> list:
    data, mapping = _MARKETS[made.geos]
    n_geos, n = max(len(made.geos), 1), len(made.truth) // max(len(made.geos), 1)
    future = ahead(data, n)
    if made.kind == "actuals":
        read = read_actuals(data, frame, mapping, currency=CURRENCY)
        wanted = np.array([row[-3:] for row in made.truth]).reshape(n_geos, n, 3)
        wanted = wanted.sum(axis=0)
        numbers = [read.outcome / 2.0, read.spend["tv"], read.spend["search"]]
        same = np.allclose(np.array(numbers).T, wanted, rtol=1e-9)
    else:
        spend = planned(future, frame, mapping, currency=CURRENCY).media.spend
        wanted = np.array([row[-2:] for row in made.truth]).reshape(n_geos, n, 2)
        same = np.allclose(spend, wanted, rtol=1e-9)
    return sorted(made.truth) if same else []


def main(n: int = TABLES, first: int = 0) -> None:
    """Print how tables of so many seeds are read."""
    counts: Counter = Counter()
    for seed in range(first, first + n):
        made = case(seed)
        result = outcome(made)
        counts[result] += 1
        if result in ("silent", "wrongly asked"):
            print(seed, made.about, result)
    print(dict(counts))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
