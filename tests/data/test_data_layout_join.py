"""Several files of one market: joined on dates and geos, days summed to weeks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.layout.again import read_again
from core.data.layout.guess import Guess
from core.data.layout.kinds.exports import tidied
from core.data.layout.reading import made, mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import CoverageError, DataError, SchemaError

DAYS = pd.date_range("2024-01-01", periods=280)  # a Monday


def daily(name="revenue", days=DAYS, seed=0, **more) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = {"date": days.strftime("%Y-%m-%d"), name: rng.gamma(50, 9, len(days))}
    return pd.DataFrame(table | more)


def ads(days=DAYS, names=("A", "B"), seed=1, **more) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [(str(day.date()), name) for day in days for name in names]
    frame = pd.DataFrame(rows, columns=["day", "campaign"]).assign(**more)
    frame["spend"] = rng.gamma(2, 9, len(frame)).round(2)
    return frame


def read(*frames, **said):
    files = [tidied(f"file{at}.csv", frame) for at, frame in enumerate(frames)]
    return read_files(files, StatedColumns(**said))


def messages(table) -> str:
    return " ".join(f"{finding.message} {finding.hint}" for finding in table.findings)


def test_days_are_summed_to_weeks():
    sales, media = daily(), ads()
    table = read(sales, media)
    assert len(table.frame) == 40
    assert table.frame["week"].dt.day_of_week.unique().tolist() == [0]
    week = sales["revenue"].to_numpy().reshape(40, 7).sum(axis=1)
    np.testing.assert_allclose(table.frame["revenue"], week, rtol=1e-12)
    spent = media[media.campaign == "A"]["spend"].to_numpy().reshape(40, 7)
    np.testing.assert_allclose(table.frame["A_spend"], spent.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize(
    ("begins", "number"), [("sunday", 6), ("thursday", 3), ("monday", 0)]
)
def test_the_day_on_which_a_week_begins_is_a_choice(begins, number):
    table = read(daily(), ads(), week_begins=begins)
    assert table.frame["week"].dt.day_of_week.unique().tolist() == [number]
    assert len(table.frame) == (40 if begins == "monday" else 39)


def test_partial_weeks_at_the_ends_are_left_out_and_said():
    table = read(daily(days=DAYS[3:]), ads(days=DAYS[:-2]))
    assert len(table.frame) == 38
    assert "Partial weeks at the ends are left out of file0.csv: 2024-01-04 to" in (
        messages(table)
    )
    for total in table.totals:
        assert total.left_out > 0
        assert total.before == pytest.approx(total.left_out + total.after, rel=1e-12)


def test_months_are_calendar_months():
    table = read(daily(), ads(), period="month")
    assert table.frame["month"].dt.day.unique().tolist() == [1]
    assert len(table.frame) == 9


def test_prices_are_averaged_and_amounts_summed():
    price = np.repeat([9.0, 12.0], 140)
    table = read(daily(price=price), ads())
    assert set(table.frame["price"].round(9)) == {9.0, 12.0}


def test_a_weekly_file_decides_where_weeks_begin():
    weeks = pd.date_range("2023-12-31", periods=40, freq="W-SUN")
    table = read(daily(days=weeks), ads())
    assert table.layout.week_begins == "sunday"
    assert table.frame["week"].dt.day_of_week.unique().tolist() == [6]


def test_weeks_that_begin_on_different_days_are_refused():
    monday = pd.date_range("2024-01-01", periods=40, freq="W-MON")
    sunday = pd.date_range("2023-12-31", periods=40, freq="W-SUN")
    with pytest.raises(CoverageError) as raised:
        read(daily(days=monday), ads(days=sunday))
    assert "begin on Sunday" in str(raised.value)
    assert raised.value.where == "file1.csv, column day"


def test_files_without_common_dates_are_refused_with_both_spans():
    late = pd.date_range("2030-01-01", periods=100)
    with pytest.raises(CoverageError) as raised:
        read(daily(), ads(days=late))
    said = raised.value.message
    assert "file0.csv covers 2024-01-01 to 2024-10-06" in said
    assert "file1.csv covers 2030-01-01 to 2030-04-10" in said


def test_a_join_that_would_multiply_rows_is_refused():
    sales = daily()
    doubled = pd.concat([sales, sales.iloc[[5]]], ignore_index=True)
    with pytest.raises(SchemaError) as raised:
        read(doubled, ads())
    assert "2 rows for 2024-01-06: rows 7 and 282" in raised.value.message
    assert raised.value.where == "file0.csv, column date, row 7"


def test_the_same_file_twice_is_refused():
    with pytest.raises(SchemaError, match="have the same content"):
        read(daily(), daily())


def test_files_with_the_same_columns_are_put_below_each_other():
    first, second = ads(days=DAYS[:140]), ads(days=DAYS[140:], seed=3)
    table = read(first, second, daily())
    assert len(table.frame) == 40
    assert "have the same columns" in messages(table)
    total = next(t for t in table.totals if t.column == "spend")
    assert total.before == pytest.approx(first["spend"].sum() + second["spend"].sum())


def test_a_file_that_begins_later_is_zero_before_if_somebody_says_so():
    media = ads(days=DAYS[70:])
    assert len(read(daily(), media).frame) == 30
    table = read(daily(), media, zero_outside=True)
    assert len(table.frame) == 40
    assert (table.frame["A_spend"][:10] == 0).all()


def by_geo(frame, names=("North", "South")) -> pd.DataFrame:
    parts = [frame.assign(region=name) for name in names]
    return pd.concat(parts, ignore_index=True)


def test_files_by_geo_are_joined_by_geo_whatever_the_case():
    sales, media = by_geo(daily()), by_geo(ads(), ("NORTH", "south", "East"))
    table = read(sales, media)
    assert sorted(table.frame["region"].unique()) == ["North", "South"]
    assert len(table.frame) == 80
    assert "East" in messages(table)
    assert mapping_of_table(table).geo == "region"


def test_media_of_the_whole_market_is_not_counted_in_every_geo():
    table = read(by_geo(daily()), ads())
    assert table.layout.geos == "summed"
    assert len(table.frame) == 40
    total = next(t for t in table.totals if t.column == "spend")
    assert total.before == pytest.approx(total.after)
    with pytest.raises(CoverageError, match="counted 2 times"):
        made(Guess(replace(table.layout, geos="kept"), table.files))


def test_geos_with_nothing_in_common_are_refused():
    with pytest.raises(CoverageError, match="no geo in common"):
        read(by_geo(daily()), by_geo(ads(), ("Nord", "Sued")))


def test_national_controls_stand_in_every_geo():
    control = daily("temperature")
    table = read(by_geo(daily()), by_geo(ads()), control)
    by_week = table.frame.groupby("week")["temperature"].nunique()
    assert (by_week == 1).all()
    assert len(table.frame) == 80


def test_a_sum_of_the_campaigns_in_another_file_is_not_counted_twice():
    media = ads()
    social = media.groupby("day")["spend"].sum().to_numpy()
    table = read(daily(social=social), media)
    assert "social" not in table.frame
    assert "it would count twice" in messages(table)


def test_a_column_that_two_files_have_keeps_both_apart():
    table = read(daily(tv_spend=2.0), daily("orders", seed=4, tv_spend=3.0, radio=1.0))
    assert {"file0 tv_spend", "file1 tv_spend"} <= set(table.frame)


def test_money_is_converted_by_the_rate_that_was_given():
    media = ads(currency="USD")
    sales = daily(currency="EUR")
    with pytest.raises(DataError, match="USD"):
        read(sales, media)
    table = read(sales, media, rate=(("USD", 0.5),))
    spent = table.frame[["A_spend", "B_spend"]].to_numpy().sum()
    assert spent == pytest.approx(media["spend"].sum() / 2)


def test_a_row_without_a_currency_has_that_of_its_file_where_there_is_one():
    codes = ["USD"] * len(ads())
    media = ads(currency=[*codes[:-3], None, None, None])
    table = read(daily(currency="EUR"), media, rate=(("USD", 0.5),))
    spent = table.frame[["A_spend", "B_spend"]].to_numpy().sum()
    assert spent == pytest.approx(media["spend"].sum() / 2)


def test_amounts_without_a_currency_among_several_are_refused():
    codes = ["USD", "GBP"] * (len(ads()) // 2)
    media = ads(currency=[*codes[:-3], None, None, None])
    with pytest.raises(DataError, match="3 rows with amounts have no currency"):
        read(daily(currency="EUR"), media, rate=(("USD", 0.5), ("GBP", 1.2)))


def test_week_endings_are_moved_to_their_first_day():
    ends = pd.date_range("2024-01-07", periods=40, freq="W-SUN")
    sales = daily(days=ends).rename(columns={"date": "week_ending"})
    table = read(sales, ads())
    assert len(table.frame) == 40
    assert str(table.frame["week"][0].date()) == "2024-01-01"


def test_totals_that_do_not_agree_stop_everything(monkeypatch):
    from core.data.layout.tables import wide

    original = wide._sum
    monkeypatch.setattr(wide, "_sum", lambda *a, **k: original(*a, **k) * 1.001)
    with pytest.raises(DataError, match="in the wide table"):
        read(daily(), ads())


def test_weeks_that_lack_days_or_cells_are_named():
    sales = daily().drop(index=[40])
    sales.loc[100, "revenue"] = np.nan
    said = messages(read(sales, ads()))
    assert "1 week of file0.csv lacks days" in said
    assert "2024-02-05 (6 days)" in said
    assert "is empty in 1 row (102)" in said


def test_a_total_among_the_campaigns_is_not_counted():
    media = ads()
    total = media.groupby("day", as_index=False)["spend"].sum()
    table = read(daily(), pd.concat([media, total.assign(campaign="Total")]))
    assert "Total_spend" not in table.frame
    assert "Total of file1.csv is the sum of the other rows" in messages(table)
    before = next(t.before for t in table.totals if t.column == "spend")
    assert before == pytest.approx(media["spend"].sum())


def test_a_report_of_whole_months_asks_for_days():
    months = pd.DataFrame(
        {
            "Reporting starts": ["2024-01-01"] * 2,
            "Reporting ends": ["2024-06-30"] * 2,
            "Campaign name": ["A", "B"],
            "Amount spent (EUR)": [1.0, 2.0],
        }
    )
    with pytest.raises(SchemaError, match="covers up to 182 days"):
        read(daily(), months)


def test_dates_that_could_be_two_are_a_question():
    days = pd.date_range("2024-01-01", periods=12)
    media = ads(days=days)
    media["day"] = [f"{d.day:02d}/0{1 + at % 9}/2024" for at, d in enumerate(days)] * 2
    sales = daily(days=days)
    with pytest.raises(DataError) as raised:
        read(sales, media)
    assert "can be read in several ways" in raised.value.message
    assert "--dates" in raised.value.hint
    assert raised.value.where == "file1.csv, column day"


def test_numbers_that_could_be_two_are_a_question_with_an_answer():
    media = ads()
    media["spend"] = ["1.250", "2.500"] * 280
    with pytest.raises(DataError) as raised:
        read(daily(), media)
    assert "can be read in several ways" in raised.value.message
    assert raised.value.where == "file1.csv, column spend"
    for sign, total in ((".", 3.75 * 280), (",", 3750.0 * 280)):
        table = read(daily(), media, decimal=sign)
        assert next(t.before for t in table.totals if t.column == "spend") == total
        assert {source.decimal for source in table.layout.sources} == {sign}


@pytest.mark.parametrize("by", ["rows", "campaigns"])
@pytest.mark.parametrize("city", ["City", "Stadt"])
def test_people_of_each_geo_may_be_a_file_without_dates(by, city):
    cities = ("Berlin", "Bonn")
    sold = pd.concat(daily(seed=s, City=c) for s, c in enumerate(cities))
    people = pd.DataFrame({city: ["BERLIN", "Bonn ", "Ulm"], "Population": [9, 3, 1]})
    frames = [people, sold.assign(tv_spend=sold["revenue"] / 9)]
    if by == "campaigns":
        spent = pd.concat(ads(seed=s, City=c) for s, c in enumerate(cities))
        frames = [people, spent, sold]
    table = read(*frames)
    mapping = mapping_of_table(table)
    assert mapping.population == "Population"
    by_city = table.frame.groupby(mapping.geo)["Population"].unique()
    assert {geo: [*of] for geo, of in by_city.items()} == {"Berlin": [9], "Bonn": [3]}
    files = [tidied(f"file{at}.csv", frame) for at, frame in enumerate(frames)]
    again = read_again(table.layout, files, mapping)
    pd.testing.assert_frame_equal(again.frame, table.frame)
    with pytest.raises(SchemaError, match="does not say the Population of Bonn"):
        read(people[:1], *frames[1:])


@pytest.mark.parametrize(
    ("other", "message", "hint"),
    [
        (
            {"date": ["2024-01-01", "2024-05-01", "2024-10-03"], "holiday": [*"abc"]},
            "has dates and no amounts",
            "holidays by country",
        ),
        (
            {"Start": ["2024-03-01"], "End": ["2024-03-14"], "Promotion": ["Spring"]},
            "has dates and no amounts",
            "--events",
        ),
        (
            {"Kanal": ["TV"], **{f"KW {week}": [week] for week in range(1, 9)}},
            "holds dates",
            "as in KW 1 2024",
        ),
    ],
)
def test_what_cannot_be_joined_says_what_to_do(other, message, hint):
    with pytest.raises(DataError, match=message) as caught:
        read(daily(tv_spend=range(280)), pd.DataFrame(other))
    assert hint in caught.value.hint


@pytest.mark.parametrize("hour", ["18:35", "6:05", "18:35:10", "18.35 Uhr"])
def test_the_time_of_a_spot_names_no_channel(hour):
    spots = ads().rename(columns={"campaign": "Sender"})
    spots.insert(1, "Uhrzeit", [hour.replace("5", str(at % 6)) for at in spots.index])
    mapping = mapping_of_table(read(spots, daily()))
    assert {channel.name for channel in mapping.channels} == {"A", "B"}


SENT = DAYS[[9, 23, 58, 100, 101, 163, 222]]


@pytest.mark.parametrize("name", ["Radio spend", "Cost", "Newsletter sends"])
def test_rows_on_days_when_something_ran_are_zeros_between(name):
    weeks = daily(days=DAYS[::7])
    sent = pd.DataFrame({"date": SENT.strftime("%Y-%m-%d"), name: range(50, 57)})
    table = read(weeks, sent, zero_outside=True)
    assert len(table.frame) == 40
    read_as = next(column for column in table.frame if name in column)
    known = np.bincount((SENT - DAYS[0]).days // 7, range(50, 57), 40)
    np.testing.assert_allclose(table.frame[read_as], known)
    assert "rows on 7 days, and 0 counts on all others" in messages(table)
    assert len(read(weeks, sent).frame) == 29  # whole weeks between the first and last


def test_rows_on_some_days_of_what_is_no_media_are_refused():
    sold = pd.DataFrame({"date": SENT.strftime("%Y-%m-%d"), "Sales": range(50, 57)})
    with pytest.raises(CoverageError, match="cannot be summed to one period"):
        read(daily(days=DAYS[::7]), sold)
