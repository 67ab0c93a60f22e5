"""What was done to cells is said, and what cannot be read is never left out unsaid."""

import pandas as pd
import pytest

from core.data.checks.validate import check_left_out, check_table
from core.data.files.load import load_table
from core.data.mapping import ColumnMapping
from core.data.recognition.recognise import guess_mapping
from tests.data.data_tables import national, of, weeks


def loaded(**columns):
    frame = national(60).drop(columns=["TV_impressions", "temperature"])
    frame = frame.assign(**columns)
    return load_table(frame.to_csv(index=False, sep=";").encode(), "s.csv")


def findings(**columns):
    frame = loaded(**columns)
    return check_table(frame, guess_mapping(frame))


def test_commas_currency_percent_and_nothing_are_said_with_their_number():
    spend = [f"{at},5 €" for at in range(60)]
    spend[3:5] = ["--", "--"]
    price = [f"{at} %" for at in range(1, 61)]
    said = of(findings(TV_spend=spend, price=price), "info")
    assert 'Decimal commas: "0,5 €" was read as 0.5 (58 cells in TV_spend).' in said
    assert 'Currency signs: "0,5 €" was read as 0.5 (58 cells in TV_spend).' in said
    assert 'Percent signs: "1 %" was read as 0.01 (60 cells in price).' in said
    assert 'Cells such as "--" were read as empty (2 cells in TV_spend).' in said


def test_unit_words_are_said():
    said = of(findings(TV_spend=[f"{at + 1}.5k" for at in range(60)]), "info")
    assert 'Unit words: "1.5k" was read as 1500 (60 cells in TV_spend).' in said


def test_thousands_and_millions_are_said_apart():
    frame = national(60).drop(columns=["TV_impressions", "temperature"])
    names = {"TV_spend": "TV spend (k€)", "Radio_spend": "Radio spend (Mio. €)"}
    table = frame.rename(columns=names)
    read = load_table(table.to_csv(index=False, sep=";").encode(), "s.csv")
    said = of(check_table(read, guess_mapping(read)), "info")
    (thousands,) = (one for one in said if one.startswith("Amounts in thousands"))
    (millions,) = (one for one in said if one.startswith("Amounts in millions"))
    assert "TV spend (k€)" in thousands and "Radio" not in thousands
    assert "Radio spend (Mio. €)" in millions


def test_a_header_that_states_thousands_beside_one_that_states_nothing_is_named():
    frame = national(60).drop(columns=["TV_impressions", "temperature"])
    euros = [f"{amount:.1f} €" for amount in frame["Radio_spend"]]
    frame = frame.assign(Radio_spend=euros)

    def warned(**names):
        table = frame.rename(columns=names)
        read = load_table(table.to_csv(index=False, sep=";").encode(), "s.csv")
        told = of(check_table(read, guess_mapping(read)), "warning")
        return [one for one in told if "by the header" in one]

    (only,) = warned(TV_spend="TV_spend (in thousands)")
    assert "Radio_spend states nothing, and is read as written." in only
    both = {name: f"{name} (in thousands)" for name in ("TV_spend", "Radio_spend")}
    assert not warned(**both) and not warned()


def test_amounts_of_two_currencies_are_an_error():
    amounts = [7 * at % 50 + 3 for at in range(60)]
    euros, dollars = [f"{at} €" for at in amounts], [f"$ {at}" for at in amounts]
    both = findings(TV_spend=euros, Radio_spend=dollars)
    assert "Amounts are in more than one currency" in of(both, "error")[0]
    assert not of(findings(TV_spend=euros, Radio_spend=euros[::-1]), "error")
    mixed = findings(TV_spend=[*euros[:30], *dollars[:30]])
    assert "TV_spend cannot be added up" in of(mixed, "error")[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2 Stk", "n/k", "ca. 5"] * 20,
        ["00:01:30", "01:12:05"] * 30,
        [""] * 60,
        [*["tbd"] * 55, "1", "2", "3", "4", "5"],
        ["100 Û", "250 Û"] * 30,
    ],
)
@pytest.mark.parametrize("column", ["TV_spend", "TV_impressions", "sales", "Radio"])
def test_columns_that_must_hold_numbers_keep_their_role(column, cells):
    if column == "Radio" and cells[0] in ("", "tbd"):
        return  # nothing tells such a column from one of labels
    errors = of(findings(**{column: cells}), "error")
    (said,) = [one for one in errors if one.startswith(f"Column {column}")]
    if cells[0]:
        assert said.count("(row") == 3


def test_a_control_that_is_half_text_is_an_error():
    cells = [f"{at}.5" if at % 2 else "n/k" for at in range(60)]
    assert "temperature" in of(findings(temperature=cells), "error")[0]


def test_labels_are_no_spend():
    labels = ["Video", "Search", "Social"] * 20
    frame = loaded(spend_category=labels, media=labels, TV_campaign=labels)
    mapping = guess_mapping(frame)
    assert {channel.name for channel in mapping.channels} == {"TV", "Radio"}
    assert not of(check_table(frame, mapping), "error")


def test_numbers_that_are_left_out_with_their_text_are_said():
    cells = [f"{at}" if at % 3 == 0 else "n/k" for at in range(60)]
    said = of(findings(footfall=cells), "warning")
    assert any("footfall is not used: 40 of its 60 cells" in one for one in said)


def test_dates_far_from_any_market_are_an_error():
    frame = pd.DataFrame({"week": weeks(60, "1925-01-05")})
    frame = national(60).assign(week=frame["week"])
    assert "runs from 1925" in of(check_table(frame, guess_mapping(frame)), "error")[0]


def test_serial_numbers_and_weeks_say_how_they_were_read():
    serial = national(60).assign(week=range(44200, 44620, 7))
    said = of(check_table(serial, guess_mapping(serial)), "info")
    assert any(
        "spreadsheet date numbers: 44200 was read as 2021-01-04" in s for s in said
    )
    iso = [f"KW {week}/2021" for week in range(1, 53)]
    frame = national(52).assign(week=iso)
    said = of(check_table(frame, guess_mapping(frame)), "info")
    assert any("begins on Monday, 2021-01-04" in one for one in said)


@pytest.mark.parametrize(
    ("time", "is_said"),
    [
        ("T23:00:00Z", True),
        (" 22:00", True),
        ("T00:00:01", True),
        (" 12:00:00 PM", True),
        ("T00:00:00Z", False),
        (" 0:00", False),
        ("T00:00:00.000Z", False),
        (" 12:00 AM", False),
        ("", False),
    ],
)
def test_a_time_that_is_not_midnight_is_said(time, is_said):
    days = [f"{day}{time}" for day in weeks(60)]
    frame = national(60).assign(week=days)
    found = check_table(frame, guess_mapping(frame))
    assert not of(found, "error")
    # From 22:00 on the day meant is likely another one.
    severity = "warning" if "23:00" in time or "22:00" in time else "info"
    said = [one for one in of(found, severity) if "times of the day" in one]
    assert bool(said) == is_said
    if is_said:
        assert f"{days[0]} was read as {days[0][:10]}, the date that is" in said[0]


@pytest.mark.parametrize("hour", [0, 23])
def test_the_same_of_typed_times(hour):
    stamps = pd.date_range("2021-01-03", periods=60, freq="7D", tz="UTC")
    frame = national(60).assign(week=stamps + pd.Timedelta(hours=hour))
    found = check_table(frame, guess_mapping(frame))
    said = of(found, "warning" if hour == 23 else "info")
    assert any("times of the day" in one for one in said) == (hour == 23)


def test_names_among_empty_cells_are_no_numbers():
    """Robyn's column of events: `na` in most weeks, a name in two."""
    frame = pd.DataFrame({"week": ["2024-01-01"] * 20, "events": ["na"] * 20})
    frame.loc[3, "events"] = "event1"
    frame.loc[9, "events"] = "event2"
    mapping = ColumnMapping("week", "sales")
    assert not list(check_left_out(frame.astype({"events": "str"}), mapping))
