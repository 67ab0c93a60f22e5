"""Headers of three rows, and years that stand alone above their months and weeks."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.reading.dates import parse_dates

CHANNELS = ("TV", "Search", "Social")
LANGUAGES = {
    "English": ("Week", "Revenue", "Spend", "Impressions"),
    "German": ("Woche", "Umsatz", "Kosten", "Impressionen"),
    "French": ("Semaine", "Ventes", "Dépenses", "Impressions"),
}
#: Of the KPI, of spend and of impressions, and what one of the spend is worth.
UNITS = {
    "EUR": ("EUR", "EUR", "#", 1.0),
    "€": ("€", "€", "Anzahl", 1.0),
    "in thousands": ("EUR", "in thousands EUR", "number", 1000.0),
    "in Tsd. €": ("€", "in Tsd. €", "", 1000.0),
    "k€": ("€", "k€", "#", 1000.0),
}


def amounts(n=40):
    random = np.random.default_rng(n)
    return np.round(random.uniform(5, 90, (n, 1 + 2 * len(CHANNELS))), 2)


def as_book(rows):
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def as_csv(rows):
    frame = pd.DataFrame(rows)
    return frame.to_csv(index=False, header=False, sep=";").encode()


def head(language, units, merged, corner):
    """Rows of channels, of measures and of units above a date and its numbers."""
    week, kpi, spend, seen = LANGUAGES[language]
    of_kpi, of_spend, of_seen, _ = UNITS[units]
    groups, measures, below = [], [], []
    for channel in CHANNELS:
        groups += [channel, "" if merged else channel]
        measures += [spend, seen]
        below += [of_spend, of_seen]
    first = [week, kpi] if corner else ["", kpi]
    second = ["", ""] if corner else [week, kpi]
    return [[*first, *groups], [*second, *measures], ["", of_kpi, *below]]


@pytest.mark.parametrize("write", [as_book, as_csv])
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("corner", [True, False])
def test_three_rows_are_one_name(write, language, units, merged, corner):
    numbers = amounts()
    weeks = pd.date_range("2022-01-03", periods=len(numbers), freq="7D")
    body = [
        [str(w.date()), *row] for w, row in zip(weeks, numbers.tolist(), strict=True)
    ]
    name = "t.xlsx" if write is as_book else "t.csv"
    content = write([*head(language, units, merged, corner), *body])
    table = read_files([opened(name, load_table(content, name))])
    mapping = mapping_of_table(table)
    frame = table.frame
    assert len(frame) == len(numbers)
    assert frame[mapping.kpi].tolist() == pytest.approx(numbers[:, 0].tolist())
    assert [channel.name for channel in mapping.channels] == list(CHANNELS)
    for at, channel in enumerate(mapping.channels):
        spend = frame[channel.spend].to_numpy()
        assert spend == pytest.approx(numbers[:, 1 + 2 * at] * UNITS[units][3])
        assert frame[channel.media].to_numpy() == pytest.approx(numbers[:, 2 + 2 * at])


@pytest.mark.parametrize("write", [as_book, as_csv])
@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize(
    ("labels", "head", "firsts"),
    [
        (
            [pd.Timestamp(2022, m, 1).strftime("%B") for m in range(1, 13)],
            "Month",
            ("2021-01-01", "2023-12-01"),
        ),
        ([f"KW {w}" for w in range(1, 53)], "Woche", ("2021-01-04", "2023-12-25")),
        ([f"W{w:02}" for w in range(1, 53)], "Week", ("2021-01-04", "2023-12-25")),
        (["Q1", "Q2", "Q3", "Q4"], "Quarter", ("2021-01-01", "2023-10-01")),
    ],
)
def test_a_year_alone_is_that_of_the_rows_below(write, sums, labels, head, firsts):
    random = np.random.default_rng(1)
    rows, own = [[head, "Revenue", "TV spend"]], []
    for year in (2021, 2022, 2023):
        part = np.round(random.uniform(5, 90, (len(labels), 2)), 1)
        rows.append([str(year), *(part.sum(axis=0).tolist() if sums else ("", ""))])
        rows += [
            [label, *row] for label, row in zip(labels, part.tolist(), strict=True)
        ]
        own.append(part)
    name = "t.xlsx" if write is as_book else "t.csv"
    table = read_files([opened(name, load_table(write(rows), name))])
    mapping = mapping_of_table(table)
    assert len(table.frame) == 3 * len(labels)
    total = np.concatenate(own)
    assert table.frame["Revenue"].tolist() == pytest.approx(total[:, 0].tolist())
    dates = parse_dates(table.frame[mapping.time])
    assert not dates.bad.any()
    assert (str(dates.values[0]), str(dates.values[-1])) == firsts
    assert any("say the year of those below" in each.message for each in table.findings)


def test_years_that_are_amounts_of_their_own_stay():
    """A row of a year with money that its months do not add up to is not left out."""
    rows = [["Month", "Revenue", "TV spend"], ["2022", 5.0, 1.0], ["January", 9.0, 2.0]]
    rows += [["February", 7.0, 1.5], ["2023", 5.5, 1.0], ["January", 9.5, 2.5]]
    file = opened("t.csv", load_table(as_csv(rows), "t.csv"))
    assert len(file.frame) == 5
