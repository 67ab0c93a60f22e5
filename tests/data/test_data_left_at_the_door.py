"""Files and tables of strangers that were misread, or refused with the wrong words."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.recognition.questions import guess_findings
from core.data.recognition.recognise import guess_mapping
from core.errors import DataError, SchemaError
from tests.data.data_tables import NATIONAL, national

RANDOM = np.random.default_rng(5)
DAYS = pd.date_range("2022-01-03", periods=84, freq="D").strftime("%Y-%m-%d")


def bytes_of(write) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def formulas(result: str) -> bytes:
    """A workbook with a column of formulas, each with the result that stands there."""
    book = openpyxl.Workbook()
    for row in [["week", "sales", "TV spend"]]:
        book.active.append(row)
    for at, day in enumerate(DAYS, start=2):
        book.active.append([day, f"=C{at}*2", 100 + at])
    data = bytes_of(book.save)
    inside = bytes_of(lambda buffer: _with_results(data, buffer, result))
    return inside


def _with_results(data: bytes, buffer: io.BytesIO, result: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                empty = b"<v />" if b"<v />" in content else b"<v></v>"
                content = content.replace(empty, result.encode())
            new.writestr(name, content)


def test_formulas_without_results_are_no_empty_cells():
    with pytest.raises(SchemaError, match="never calculated, the first in row 2, colu"):
        load_table(formulas("<v></v>"), "book.xlsx")
    assert load_table(formulas("<v>7</v>"), "book.xlsx")["sales"].eq(7).all()


def test_an_empty_archive_and_a_locked_workbook_say_what_they_are():
    empty = bytes_of(lambda buffer: zipfile.ZipFile(buffer, "w").close())
    with pytest.raises(SchemaError, match="archive without any file"):
        load_table(empty, "export.zip")
    locked = b"\xd0\xcf\x11\xe0" + bytes(500) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(SchemaError, match="protected by a password"):
        load_table(locked, "plan.xlsx")
    with pytest.raises(SchemaError, match="old XLS format"):
        load_table(locked[:400], "plan.xls")


def test_a_price_without_cents_is_not_below_zero():
    lines = [f"{day};{at}.250,-- €;{at}00,-" for at, day in enumerate(DAYS, start=1)]
    frame = load_table("\n".join(["week;sales;TV spend", *lines]).encode(), "a.csv")
    assert frame["sales"].tolist() == [1000 * at + 250 for at in range(1, 85)]
    assert frame["TV spend"].iloc[:2].tolist() == [100, 200]


def test_the_header_is_where_the_message_says():
    rows = "week,sales\n\n" + "\n".join(f"{day},{at}" for at, day in enumerate(DAYS))
    said = opened("a.csv", load_table(rows.encode(), "a.csv")).findings
    assert not [f for f in said if "header" in f.message]
    titled = opened("a.csv", load_table(b"Report\n\nJan 2022\n" + rows.encode(), "a"))
    message = "The header of a.csv is in row 4: 2 lines above it"
    assert any(f.message.startswith(message) for f in titled.findings)


@pytest.mark.parametrize("name", ["Digital spend", "Ad Spend", "Total", "Gesamt"])
def test_what_all_channels_spend_is_no_channel_from_the_start(name):
    frame = national()
    frame[name] = frame["TV_spend"] + frame["Radio_spend"]
    mapping = guess_mapping(frame)
    assert [channel.name for channel in mapping.channels] == ["TV", "Radio"]
    assert name not in mapping.controls
    said = [f.message for f in guess_findings(frame, mapping)]
    assert f"{name} is what all other channels spend together, and is not used." in said
    frame[name] *= 0.9
    mapping = guess_mapping(frame)
    assert name in mapping.controls or len(mapping.channels) > 2 or "spend" in name


def test_what_never_changes_says_how_to_leave_it_out():
    frame = national()
    frame["Radio_spend"] = 40.0
    (finding,) = [
        f for f in check_table(frame, NATIONAL) if "never changes" in f.message
    ]
    assert "--ignore with core init" in finding.hint


def test_a_kpi_in_units_names_the_price_beside_it():
    frame = national()
    frame["Average price"] = RANDOM.uniform(9, 11, len(frame)).round(2)
    controls = (*NATIONAL.controls, "Average price")
    mapping = replace(
        NATIONAL, kpi_type="non_revenue", revenue_per_kpi=None, controls=controls
    )
    (hint,) = [f.hint for f in check_table(frame, mapping) if "no value" in f.message
               and f.where == "revenue_per_kpi"]  # fmt: skip
    assert "--value 'Average price'" in hint
    renamed = frame.rename(columns={"Average price": "Competitor price"})
    controls = (*NATIONAL.controls, "Competitor price")
    said = check_table(renamed, replace(mapping, controls=controls))
    assert not any("Competitor price" in f.hint for f in said)


def test_revenue_of_no_channel_below_spend_of_channels_is_the_kpi():
    amounts = RANDOM.lognormal(6, 0.4, (84, 3)).round(2)
    rows = [
        row
        for day, (tv, radio, sold) in zip(DAYS, amounts, strict=True)
        for row in (
            [day, "TV", "spend", tv],
            [day, "Radio", "spend", radio],
            [day, None, "revenue", sold],
        )
    ]
    frame = pd.DataFrame(rows, columns=["date", "channel", "metric", "value"])
    read = read_files([opened("long.csv", frame)])
    mapping = mapping_of_table(read)
    assert mapping.kpi == "revenue" and len(mapping.channels) == 2
    below = pd.DataFrame(
        {
            "date": DAYS.repeat(4),
            "channel": ["TV", None, "Radio", None] * 84,
            "metric": ["spend", "clicks"] * 168,
            "value": RANDOM.lognormal(6, 0.4, 336).round(2),
        }
    )
    with pytest.raises(DataError, match="as where cells are merged"):
        read_files([opened("long.csv", below)])


def test_a_weeks_amount_in_each_of_its_days_is_asked():
    frame = national(84).assign(week=DAYS)
    frame["Radio_spend"] = np.repeat(RANDOM.lognormal(5, 0.4, 12).round(2), 7)
    said = [
        f for f in check_table(frame, NATIONAL) if "every day of a week" in f.message
    ]
    assert [f.where for f in said] == ["column Radio_spend"]


def test_notes_of_a_table_go_along_without_being_copied():
    lines = [f"{day};{at},5 €" for at, day in enumerate(DAYS)]
    frame = load_table("\n".join(["week;sales", *lines]).encode(), "a.csv")
    notes = frame.attrs["read"]
    assert frame.head(3)["sales"].attrs["read"] is notes


def flights(starts: pd.DatetimeIndex, ends: pd.DatetimeIndex):
    names = ["TV", "Radio"] * len(starts)
    frame = pd.DataFrame(
        {
            "Campaign": names,
            "Start date": starts.strftime("%Y-%m-%d").repeat(2),
            "End date": ends.strftime("%Y-%m-%d").repeat(2),
            "Spend": RANDOM.lognormal(6, 0.4, len(names)).round(2),
        }
    )
    return read_files([opened("flights.csv", frame)])


def test_flights_of_several_weeks_do_not_fall_on_their_first_day():
    starts = pd.date_range("2022-01-03", periods=30, freq="28D")
    with pytest.raises(SchemaError, match="covers up to 28 days, from Start date to"):
        flights(starts, starts + pd.Timedelta(27, "D"))
    weeks = pd.date_range("2022-01-03", periods=30, freq="7D")
    assert len(flights(weeks, weeks + pd.Timedelta(6, "D")).frame) == 30
    months = pd.date_range("2022-01-01", periods=30, freq="MS")
    assert len(flights(months, months + pd.offsets.MonthEnd(0)).frame) == 30


def test_sales_by_product_of_weeks_with_their_last_day_begin_on_the_first():
    ends = pd.date_range("2022-01-09", periods=30, freq="7D").strftime("W/E %d/%m/%y")
    frame = pd.DataFrame(
        {
            "Products": ["Alpha", "Beta"] * 30,
            "Periods": ends.repeat(2),
            "Sales Value": RANDOM.lognormal(9, 0.2, 60).round(2),
        }
    )
    read = read_files([opened("panel.csv", frame)])
    assert pd.Timestamp(read.frame.iloc[0, 0]) == pd.Timestamp("2022-01-03")
