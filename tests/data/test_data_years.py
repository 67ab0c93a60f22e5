"""A row per year, its months side by side: one market in every way of writing it."""

import calendar

import numpy as np
import pytest

from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.stated import StatedColumns
from core.errors import SchemaError
from core.service.projects.columns import recognised
from tests.data.odd_uploads import as_book, as_csv

FIRST, YEARS = 2019, 6
RANDOM = np.random.default_rng(1)
SPEND = {name: RANDOM.gamma(5, 1000, 12 * YEARS).round(2) for name in ("TV", "Search")}
REVENUE = (RANDOM.normal(50_000, 3000, 12 * YEARS) + 2 * SPEND["TV"]).round(2)
ROWS = {f"{name} spend": values for name, values in SPEND.items()}
ROWS["Revenue"] = REVENUE
ENGLISH = list(calendar.month_abbr[1:])
MONTHS = {
    "Jan": ENGLISH,
    "JANUARY": [name.upper() for name in calendar.month_name[1:]],
    "Januar": "Januar Februar März April Mai Juni Juli August September Oktober "
    "November Dezember".split(),
    "janv.": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.".split(),
    "янв": "янв фев мар апр май июн июл авг сен окт ноя дек".split(),
}


def year(values, at):
    return [float(value) for value in values[12 * at : 12 * at + 12]]


def by_year(months=ENGLISH):
    rows = [
        [FIRST + at, name, *year(values, at)]
        for at in range(YEARS)
        for name, values in ROWS.items()
    ]
    return [["Year", "Measure", *months], *rows]


def by_name(months=ENGLISH):
    rows = [
        [name, FIRST + at, *year(values, at)]
        for name, values in ROWS.items()
        for at in range(YEARS)
    ]
    return [["Measure", "Year", *months], *rows]


def read(data, name="a.csv", more=()):
    seen = [opened(n, load_table(d, n), None) for n, d in ((name, data), *more)]
    table = recognised(seen, StatedColumns())
    return table.table.frame, table.mapping


def is_right(frame, mapping, last=12 * YEARS):
    assert len(frame) == last
    dates = frame[mapping.time].astype("str").str[:7]
    assert (dates.iloc[0], dates.iloc[-1]) == (
        f"{FIRST}-01",
        f"{FIRST + 5}-{last - 60:02}",
    )
    assert frame[mapping.kpi].to_numpy() == pytest.approx(REVENUE[:last])
    names = sorted(channel.spend for channel in mapping.channels)
    for name, values in zip(names, (SPEND["Search"], SPEND["TV"]), strict=True):
        assert frame[name].to_numpy() == pytest.approx(values[:last])


@pytest.mark.parametrize("months", MONTHS)
@pytest.mark.parametrize("rows", [by_year, by_name])
def test_months_are_read_in_every_language_and_order_of_labels(months, rows):
    is_right(*read(as_csv(rows(MONTHS[months]), ";")))


@pytest.mark.parametrize("rows", [by_year, by_name])
def test_names_and_years_of_merged_cells_are_those_of_the_rows_below(rows):
    head, *cells = rows()
    first, seen = [], set()
    for row in cells:
        first.append([None if row[0] in seen else row[0], *row[1:]])
        seen.add(row[0])
    is_right(*read(as_book([head, *first]), "a.xlsx"))


def test_sums_of_quarters_and_years_are_no_months():
    def summed(values):
        quarters = [values[at : at + 3] for at in range(0, 12, 3)]
        return [n for q in quarters for n in (*q, sum(q))] + [sum(values)]

    head = [n for q in range(4) for n in (*ENGLISH[3 * q : 3 * q + 3], f"Q{q + 1}")]
    rows = [[*row[:2], *summed(row[2:])] for row in by_year()[1:]]
    total = [
        ["Total", name, *summed([float(values[at::12].sum()) for at in range(12)])]
        for name, values in ROWS.items()
    ]
    head = ["Year", "Measure", *head, "Total"]
    is_right(*read(as_csv([head, *rows, *total])))


@pytest.mark.parametrize("last", [61, 66, 71])
def test_the_last_year_ends_where_its_cells_do(last):
    head, *rows = by_year()
    ends = [[*row[: 2 + last - 60], *[None] * (72 - last)] for row in rows[-3:]]
    is_right(*read(as_csv([head, *rows[:-3], *ends])), last)


def test_a_title_says_that_all_of_it_is_in_thousands():
    head, *rows = by_year()
    thousands = [[*row[:2], *(value / 1000 for value in row[2:])] for row in rows]
    is_right(*read(as_book([["Plan in TEUR"], [], head, *thousands]), "a.xlsx"))


def test_a_file_is_of_the_variable_that_it_is_called_by():
    def one(values):
        years = [[FIRST + at, *year(values, at)] for at in range(YEARS)]
        return as_csv([["Year", *ENGLISH], *years])

    files = [(f"{name}.csv", one(values)) for name, values in ROWS.items()]
    is_right(*read(files[0][1], files[0][0], files[1:]))


def test_two_rows_of_one_year_are_named():
    rows = by_year()
    with pytest.raises(SchemaError, match="several rows of TV spend 2020"):
        read(as_csv([*rows, rows[4]]))


def test_months_that_are_marks_beside_dates_are_no_rows_of_years():
    dates = [f"{FIRST + at // 12}-{at % 12 + 1:02}-01" for at in range(12 * YEARS)]
    rows = [
        [int(day[:4]), day, *(at % 12 == month for month in range(12)), *amounts]
        for at, (day, *amounts) in enumerate(zip(dates, *ROWS.values(), strict=True))
    ]
    rows = [[int(c) if isinstance(c, bool) else float(c) if at > 13 else c
             for at, c in enumerate(row)] for row in rows]  # fmt: skip
    is_right(*read(as_csv([["Year", "Month", *ENGLISH, *ROWS], *rows])))
