"""Files of lift tests: lenient names, every cell's fault collected, intervals."""

import io

import pandas as pd
import pytest

from core.data.experiments.entry import Entry
from core.data.experiments.experiment_table import read_experiments
from core.data.experiments.recognised import recognised
from core.data.experiments.uncertainty import standard_error
from core.data.files.load import load_table
from core.errors import SchemaError
from tests.data.data_tables import of

PLAIN = (
    "channel,geos,start,end,incremental_outcome,standard_error\n"
    "TV,Berlin; Paris,2021-03-01,2021-03-28,12000,4000\n"
    "Radio,,2021-05-03,2021-05-30,-500,300\n"
)
GEOS = ("Berlin", "Paris", "Rome")


def read(text: str, geos=GEOS):
    return read_experiments(load_table(text.encode(), "tests.csv"), "tests.csv", geos)


def test_a_plain_file():
    told = read(PLAIN)
    assert told.findings == ()
    assert told.rows == (
        Entry(
            channel="TV",
            geos=("Berlin", "Paris"),
            start="2021-03-01",
            end="2021-03-28",
            incremental_outcome=12000.0,
            standard_error=4000.0,
        ),
        Entry(
            channel="Radio",
            geos=(),
            start="2021-05-03",
            end="2021-05-30",
            incremental_outcome=-500.0,
            standard_error=300.0,
        ),
    )


def test_a_workbook_reads_the_same():
    book = io.BytesIO()
    frame = load_table(PLAIN.encode(), "tests.csv")
    for name in ("start", "end"):
        frame[name] = pd.to_datetime(frame[name])
    frame.to_excel(book, index=False)
    frame = load_table(book.getvalue(), "tests.xlsx")
    assert read_experiments(frame, "tests.xlsx", GEOS) == read(PLAIN)


@pytest.mark.parametrize(
    "header",
    [
        "Media channel,Test market,Start date,End date,Incremental sales (EUR),SE",
        "Kanal,Region,Von,Bis,Ergebnis,Standardfehler SE",
        "platform,DMA,from,to,lift,std error",
        "CHANNEL,Geos,First day,Last day,Point estimate,StdErr",
    ],
)
def test_names_are_recognised_leniently(header):
    told = read(PLAIN.replace(PLAIN.splitlines()[0], header))
    assert told.rows == read(PLAIN).rows


def test_own_names_win_over_words():
    names = ["channel_end", "end", "channel", "start", "lift_low", "lift_high", "lift"]
    assert recognised(names) == {
        "channel": "channel",
        "start": "start",
        "end": "end",
        "low": "lift_low",
        "high": "lift_high",
        "lift": "lift",
    }


def test_a_margin_of_error_is_no_standard_error():
    names = ["channel", "start", "end", "lift", "margin of error", "std error"]
    assert recognised(names)["standard_error"] == "std error"


@pytest.mark.parametrize("mass", ["0.95", "95", "95 %"])
def test_an_interval_gives_outcome_and_standard_error(mass):
    text = f"channel,start,end,low,high,mass\nTV,2021-03-01,2021-03-28,0,3920,{mass}\n"
    told = read(text)
    assert told.rows[0].incremental_outcome == pytest.approx(1960)
    assert told.rows[0].standard_error == pytest.approx(1000, rel=1e-3)
    (said,) = of(told.findings, "info")
    assert "Row 2" in said and "95 % interval" in said and "standard error" in said


def test_the_mass_is_ninety_per_cent_unless_given():
    assert standard_error(-1.645, 1.645, 0.9) == pytest.approx(1, rel=1e-3)
    told = read("channel,start,end,lift,lower,upper\nTV,2021-03-01,2021-03-28,5,0,20\n")
    assert told.rows[0].incremental_outcome == 5
    assert told.rows[0].standard_error == pytest.approx(20 / 3.29, rel=1e-3)
    assert told.rows[0].skewness == pytest.approx(0.889, abs=1e-3)
    assert "90 % interval" in of(told.findings, "info")[0]


def test_a_lopsided_interval_is_refused():
    told = read("channel,start,end,lift,lower,upper\nTV,2021-03-01,2021-03-28,1,0,20\n")
    assert told.rows[0].standard_error is None
    assert "too lopsided" in of(told.findings, "error")[0]


def test_every_fault_is_collected_and_no_row_is_lost():
    told = read(
        "channel,geos,start,end,outcome,se,low,high,note\n"
        "TV,,soon,2021-03-28,12000,4000,,,x\n"
        "TV,,2021-03-01,2021-03-28,much,4000,,,y\n"
        "TV,,2021-03-01,2021-03-28,1,,9,2,z\n"
        "TV,,2021-03-01,2021-03-28,50,,1,2,\n"
    )
    assert len(told.rows) == 4
    assert told.rows[0].start is None
    assert told.rows[1].incremental_outcome is None
    errors = of(told.findings, "error")
    assert len(errors) == 3
    assert "tests.csv, row 2: soon in column start is not a date" in errors[0]
    assert "tests.csv, row 3: much in column outcome is not a number" in errors[1]
    assert "Row 4: 9 to 2" in errors[2]
    assert "outside its own interval" in of(told.findings, "warning")[0]
    assert any("note" in message for message in of(told.findings, "info"))


def test_missing_columns_are_all_named():
    with pytest.raises(SchemaError) as caught:
        read("channel,lift\nTV,5\n")
    said = [finding.message for finding in caught.value.findings]
    assert len(said) == 3
    assert "first day" in said[0] and "last day" in said[1]
    assert "standard error" in said[2]
    assert "channel and lift" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"<html></html>", b"channel\n"])
def test_what_is_no_table_is_refused(content):
    with pytest.raises(SchemaError):
        read(content.decode())


@pytest.mark.parametrize(
    ("cell", "geos"),
    [
        ('"berlin, ROME"', ["Berlin", "Rome"]),
        ("Berlin|Rome", ["Berlin", "Rome"]),
        ("all", []),
        ("Atlantis", ["Atlantis"]),
        ('"Portland, OR"', ["Portland, OR"]),
        ('"Portland, OR; Rome"', ["Portland, OR", "Rome"]),
    ],
)
def test_cells_of_several_geos(cell, geos):
    text = f"{PLAIN.splitlines()[0]}\nTV,{cell},2021-03-01,2021-03-28,1,1\n"
    assert read(text, (*GEOS, "Portland, OR")).rows[0].geos == tuple(geos)


def test_days_and_months_that_can_be_swapped_are_a_question():
    text = "channel,start,end,lift,se\nTV,02/03/2021,05/06/2021,1,1\n"
    found = read(text)
    errors = of(found.findings, "error")
    assert "can be 2021-02-03 or 2021-03-02" in errors[0]
    assert found.rows[0].start is None is found.rows[0].end
    assert [row.start for row in read(text.replace("02/03", "31/03")).rows] == [
        "2021-03-31"
    ]


def test_joint_tests_other_arms_and_half_lives_are_read():
    text = (
        "channel,together with,start,end,lift,se,multiple,amount,half life\n"
        "TV,Radio; Search,2021-03-01,2021-03-28,1,1,0.5,,52\n"
        "TV,,2021-03-01,2021-03-28,1,1,,2000,\n"
    )
    first, second = read(text).rows
    assert first.together_with == ("Radio", "Search")
    assert (first.multiple, first.half_life) == (0.5, 52.0)
    assert second.amount == 2000.0
    assert not {"together_with", "multiple", "half_life"} & second.as_table().keys()
