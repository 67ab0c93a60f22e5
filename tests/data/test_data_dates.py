"""Dates in all the ways in which people write them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from core.data.mapping import ColumnMapping
from core.data.observations import observe
from core.data.reading.dates import is_mostly_dates, parse_dates
from core.data.reading.doubts import answered, questions

MAPPING = ColumnMapping("week", "sales")


def days(*cells):
    return parse_dates(pd.Series(list(cells))).values.astype(str).tolist()


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2021-01-25", "2021-01-25"),
        ("2021/1/5", "2021-01-05"),
        ("2021-01-25T00:00:00Z", "2021-01-25"),
        ("2021-01-25 13:45:10.5+02:00", "2021-01-25"),
        ("25.01.2021", "2021-01-25"),
        ("25.1.21", "2021-01-25"),
        ("01/25/2021", "2021-01-25"),
        ("25/01/2021", "2021-01-25"),
        ("25-01-2021", "2021-01-25"),
        ("20210125", "2021-01-25"),
        (20210125, "2021-01-25"),
        (20210125.0, "2021-01-25"),
        (44221, "2021-01-25"),
        ("2021-W04", "2021-01-25"),
        ("2021W04", "2021-01-25"),
        ("2021-W04-1", "2021-01-25"),
        ("KW 4/2021", "2021-01-25"),
        ("Week 4 2021", "2021-01-25"),
        ("KW 4/21", "2021-01-25"),
        ("KW04 '21", "2021-01-25"),
        ("4. KW 2021", "2021-01-25"),
        ("04. KW 21", "2021-01-25"),
        ("W04 21", "2021-01-25"),
        ("21-W04", "2021-01-25"),
        ("21W04", "2021-01-25"),
        ("2021/KW04", "2021-01-25"),
        ("2021 - W04", "2021-01-25"),
        ("Week 4, 2021", "2021-01-25"),
        ("2021 Semaine 4", "2021-01-25"),
        ("Woche 4/2021", "2021-01-25"),
        ("Tydzień 4 2021", "2021-01-25"),
        ("2020-W53", "2020-12-28"),
        ("25 Jan 2021", "2021-01-25"),
        ("25-Jan-21", "2021-01-25"),
        ("25. Januar 2021", "2021-01-25"),
        ("4. Dezember 2023", "2023-12-04"),
        ("Mon 4 December 2023", "2023-12-04"),
        ("4 décembre 23", "2023-12-04"),
        ("4 de diciembre de 2023", "2023-12-04"),
        ("Monday, January 25, 2021", "2021-01-25"),
        ("Jan 25th 2021", "2021-01-25"),
        ("25 févr. 2021", "2021-02-25"),
        ("2021. 01. 25.", "2021-01-25"),
        ("2021. január 25.", "2021-01-25"),
        ("2021-Jan-25", "2021-01-25"),
        ("25.01.2021.", "2021-01-25"),
        ("25 січня 2021 р.", "2021-01-25"),
        ("25 октября 2021 г.", "2021-10-25"),
        ("25 października 2021", "2021-10-25"),
        ("25 Μαΐου 2021", "2021-05-25"),
        ("25 مارس 2021", "2021-03-25"),
        ("25 במרץ 2021", "2021-03-25"),
        ("25 มกราคม 2564", "2021-01-25"),
        ("25 ม.ค. 2564", "2021-01-25"),
        ("25 जनवरी 2021", "2021-01-25"),
        ("ngày 25 tháng 1 năm 2021", "2021-01-25"),
        ("Tháng 3/2021", "2021-03-01"),
        ("令和3年1月25日", "2021-01-25"),
        ("令和元年6月3日", "2019-06-03"),
        ("民國110年1月25日", "2021-01-25"),
        ("2021v04", "2021-01-25"),
        ("25/01/2021 a 31/01/2021", "2021-01-25"),
        ("25/01/2021 até 31/01/2021", "2021-01-25"),
        ("2021/01/25 ~ 2021/01/31", "2021-01-25"),
        ("2021-01-25/2021-01-31", "2021-01-25"),
        ("25.01.2021 t/m 31.01.2021", "2021-01-25"),
        ("Jan 2021", "2021-01-01"),
        ("Jan-21", "2021-01-01"),
        ("März 2021", "2021-03-01"),
        ("août 2021", "2021-08-01"),
        ("juin 2021", "2021-06-01"),
        ("juil. 2021", "2021-07-01"),
        ("dic 2021", "2021-12-01"),
        ("2021 Oct", "2021-10-01"),
        ("2021-03", "2021-03-01"),
        ("2021M03", "2021-03-01"),
        ("03/2021", "2021-03-01"),
        (202103, "2021-03-01"),
        ("2021-Q2", "2021-04-01"),
        ("Q2 2021", "2021-04-01"),
        (2021, "2021-01-01"),
        (dt.datetime(2021, 1, 25, 9), "2021-01-25"),
        (dt.date(2021, 1, 25), "2021-01-25"),
        (pd.Timestamp("2021-01-25", tz="UTC"), "2021-01-25"),
        (pd.Period("2021-01", freq="M"), "2021-01-01"),
    ],
)
def test_one_date(cell, day):
    dates = parse_dates(pd.Series([cell]))
    assert dates.values.astype(str).tolist() == [day]
    assert len(dates.formats) == 1


@pytest.mark.parametrize(
    "cell", ["2021-02-30", "32.01.2021", "2021-W54", "Total", "TV 21", "12:30", 7, 0.5]
)
def test_what_is_no_date(cell):
    dates = parse_dates(pd.Series([cell]))
    assert dates.bad.tolist() == [True]
    assert dates.formats == ()


def test_empty_cells_are_not_bad():
    dates = parse_dates(pd.Series(["2021-01-04", None, " "]))
    assert dates.is_empty.tolist() == [False, True, True]
    assert not dates.bad.any()
    assert not parse_dates(pd.Series([None, None])).formats


@pytest.mark.parametrize("word", ["KW", "CW", "W", "Wk", "Week", "Woche", "Semaine"])
@pytest.mark.parametrize("form", ["{w} {v}/{y}", "{w}{v:02} '{y}", "{v}. {w} {y}"])
def test_a_week_of_a_year_in_two_digits_needs_no_answer(word, form):
    mondays = np.arange("2020-11-30", "2022-03-01", 7, dtype="datetime64[D]")
    weeks = [day.item().isocalendar() for day in mondays]
    cells = [form.format(w=word, v=each.week, y=each.year % 100) for each in weeks]
    dates = parse_dates(pd.Series(cells))
    np.testing.assert_array_equal(dates.values, mondays)
    assert dates.doubt is None


@pytest.mark.parametrize("text", ["KW 1-52", "Week 1-13", "W01-04", "KW 54/21"])
def test_a_range_of_weeks_and_no_week_are_no_week(text):
    assert parse_dates(pd.Series([text])).bad.all()


def test_a_day_above_twelve_settles_the_order():
    assert days("01/02/2021", "25/02/2021")[0] == "2021-02-01"
    assert days("01/02/2021", "02/25/2021")[0] == "2021-01-02"
    assert parse_dates(pd.Series(["01/02/2021", "02/25/2021"])).doubt is None


def test_even_steps_settle_the_order():
    weekly = ["04/01/2021", "11/01/2021", "18/01/2021"]
    assert days(*weekly)[0] == "2021-01-04"
    monthly = [f"01/{month:02}/2021" for month in range(1, 13)] + ["01/01/2022"]
    assert days(*monthly)[1] == "2021-02-01"
    assert parse_dates(pd.Series(monthly)).doubt is None


def doubt(*cells, name=None):
    found = parse_dates(pd.Series(list(cells), name=name)).doubt
    return None if found is None else [answer for answer, _ in found.readings]


def test_doubt_about_the_order_is_a_question():
    dates = parse_dates(pd.Series(["01/02/2021", "08/02/2021"]))
    assert dates.formats[0].name == "month/day/year"
    assert [(answer, str(day)) for answer, day in dates.doubt.readings] == [
        ("month first", "2021-01-02"),
        ("day first", "2021-02-01"),
    ]
    read = parse_dates(pd.Series(["01/02/2021", "08/02/2021"]), "day first")
    assert read.doubt is None and str(read.values[1]) == "2021-02-08"


def test_twelve_months_that_could_be_twelve_days():
    twelve = [f"{month:02}" for month in range(1, 13)]
    assert doubt(*(f"{m}.01.2023" for m in twelve)) == ["day first", "month first"]
    assert "year first" in doubt(*(f"23-{m}-01" for m in twelve))
    two_years = [f"{year}-{m}-01" for year in (22, 23) for m in twelve]
    assert doubt(*two_years) is None and days(*two_years)[13] == "2023-02-01"


@pytest.mark.parametrize("form", ["2023{:02}", "{}/2023", "2023-{:02}"])
def test_twelve_numbers_are_months_or_weeks(form):
    cells = [form.format(number) for number in range(1, 13)]
    assert doubt(*cells) == ["months", "weeks"]
    assert doubt(*cells, name="KW") is None is doubt(*cells, name="Monat")
    assert str(parse_dates(pd.Series(cells, name="week")).values[1]) == "2023-01-09"
    assert str(parse_dates(pd.Series(cells), "weeks").values[1]) == "2023-01-09"
    more = [form.format(number) for number in range(1, 31)]
    assert doubt(*more) is None and days(*more)[29] == "2023-07-24"
    longer = [*cells, *(cell.replace("2023", "2024") for cell in cells)]
    assert doubt(*longer) is None and days(*longer)[12] == "2024-01-01"


def test_how_a_column_was_read_says_nothing_of_the_next():
    """Cells are kept with their dates, under the name and the answer they came with."""
    cells = [f"2024{number:02d}" for number in range(1, 13)]
    weeks, months = (pd.Series(cells, name=name) for name in ("Woche", "month"))
    first = parse_dates(weeks)
    first.values[:] = np.datetime64("NaT")
    for _ in range(2):
        assert parse_dates(weeks).values[1] == np.datetime64("2024-01-08")
        assert parse_dates(months).values[1] == np.datetime64("2024-02-01")
        assert parse_dates(months, "weeks").values[1] == np.datetime64("2024-01-08")
        assert parse_dates(weeks.rename("of")).doubt is not None


def test_years_of_two_digits_come_first_or_last():
    weekly = [
        f"{day:%y-%m-%d}" for day in pd.date_range("2023-01-02", periods=30, freq="7D")
    ]
    assert doubt(*weekly) is None and days(*weekly)[1] == "2023-01-09"
    last = [
        f"{day:%d.%m.%y}" for day in pd.date_range("2023-01-02", periods=30, freq="7D")
    ]
    assert doubt(*last) is None and days(*last)[1] == "2023-01-09"


def test_words_that_only_begin_like_a_month_are_none():
    assert parse_dates(
        pd.Series(["Market 2021", "Decathlon 2021", "Marco 21"])
    ).bad.tolist() == [
        True,
        True,
        False,
    ]


def test_serial_numbers_count_from_1900_unless_said():
    column = pd.Series([44221, 44228])
    assert parse_dates(column).doubt is None
    assert str(parse_dates(column, "1904").values[0]) == "2025-01-26"


@pytest.mark.parametrize("known", [None, "1904"])
def test_the_day_that_serial_numbers_count_from_is_a_choice(known):
    frame = pd.DataFrame({"week": range(44221, 44221 + 7 * 30, 7), "sales": 1.0})
    frame.attrs |= {} if known is None else {"dates": known}
    (asked,) = questions(frame, MAPPING)
    assert asked.choices == (("1900", "2021-01-25"), ("1904", "2025-01-26"))
    assert asked.usual == (known or "1900")
    other = "1904" if known is None else "1900"
    said = answered(MAPPING, [asked], {"week": other})
    assert said.dates == other
    first = dict(asked.choices)[other]
    assert str(observe(frame, said).dates.values[0]) == first
    assert answered(MAPPING, [asked], {"week": asked.usual}) == MAPPING


def test_other_dates_leave_no_such_choice():
    frame = pd.DataFrame({"week": ["2021-01-04", "2021-01-11"], "sales": 1.0})
    assert questions(frame, MAPPING) == []
    mixed = pd.DataFrame({"week": ["44221", "44228", "03/04/2021"], "sales": 1.0})
    (asked,) = questions(mixed, MAPPING)
    assert asked.usual is None


def test_three_ways_in_one_column():
    cells = ["2021-01-04"] * 3 + ["11.01.2021", "Jan 18, 2021", "11.01.2021"]
    dates = parse_dates(pd.Series(cells))
    assert [(way.example, way.count, way.row) for way in dates.formats] == [
        ("2021-01-04", 3, 0),
        ("11.01.2021", 2, 3),
        ("Jan 18, 2021", 1, 4),
    ]
    assert dates.values.astype(str).tolist()[3:5] == ["2021-01-11", "2021-01-18"]


def test_both_orders_in_one_column():
    dates = parse_dates(pd.Series(["25/01/2021", "26/01/2021", "01/27/2021"]))
    assert [way.name for way in dates.formats] == ["day/month/year", "month/day/year"]
    assert days("25/01/2021", "26/01/2021", "01/27/2021")[2] == "2021-01-27"


def test_every_date_of_a_decade_in_every_order():
    expected = np.arange("2015-01-01", "2025-01-01", dtype="datetime64[D]")
    stamps = pd.Series(expected)
    formats = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d %b %Y", "%Y%m%d")
    for form in formats:
        assert np.array_equal(parse_dates(stamps.dt.strftime(form)).values, expected)
    weeks = np.arange("2014-12-29", "2025-01-01", 7, dtype="datetime64[D]")
    iso = pd.Series(weeks).dt.strftime("%G-W%V")
    assert np.array_equal(parse_dates(iso).values, weeks)
    serial = pd.Series((expected - np.datetime64("1899-12-30")).astype(int))
    assert np.array_equal(parse_dates(serial).values, expected)


def test_many_distinct_texts_are_judged_by_a_sample():
    cells = pd.Series([f"row {at}" for at in range(20_000)])
    assert parse_dates(cells).bad.all()
    stamps = pd.Series(pd.date_range("2000-01-01", periods=20_000)).astype("str")
    stamps.iloc[12_345] = "later"
    assert np.flatnonzero(parse_dates(stamps).bad).tolist() == [12_345]


def test_columns_that_are_mostly_dates():
    january = [f"2021-01-{day:02}" for day in range(1, 32)]
    assert is_mostly_dates(pd.Series([*january, "Total"]))
    assert is_mostly_dates(pd.Series(pd.to_datetime(["2021-01-04"])))
    assert not is_mostly_dates(pd.Series(["TV", "Radio"]))
    assert not is_mostly_dates(pd.Series([True, False]))
    assert not is_mostly_dates(pd.Series([1.5, 2.5]))
