"""Words around dates, weeks and names, as people and programs write them."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.reading.dates import parse_dates
from core.data.recognition.recognise import guess_mapping

WEEKS = pd.date_range("2022-01-03", periods=60, freq="7D")
#: From the first day of a week to its last.
LATER = pd.Timedelta(6, "D")
#: A Monday as text.
AROUND = {
    "week of": lambda day: f"Week of {day:%b %-d, %Y}",
    "w/c": lambda day: f"w/c {day:%d/%m/%Y}",
    "commencing": lambda day: f"Week commencing {day:%d %b %y}",
    "du au": lambda day: f"du {day:%d/%m/%Y} au {day + LATER:%d/%m/%Y}",
    "weekday": lambda day: f"Mo. {day:%d.%m.%Y}",
    "number": lambda day: f"KW {day.isocalendar()[1]} ({day:%d.%m.%Y})",
    "ordinal": lambda day: f"{day.day}th of {day:%B %Y}",
    "apostrophe": lambda day: f"{day:%b %d '%y}",
    "browser": lambda day: f"{day:%a %b %d %Y} 00:00:00 GMT+0100 (Central Time)",
    "semana": lambda day: f"Sem. {day.isocalendar()[1]} de {day.isocalendar()[0]}",
}


@pytest.mark.parametrize("way", AROUND)
def test_words_around_a_day_change_nothing(way):
    read = parse_dates(pd.Series([AROUND[way](day) for day in WEEKS], name="Week"))
    assert read.doubt is None
    assert list(read.values) == list(WEEKS.to_numpy().astype("datetime64[D]"))


def test_a_march_is_no_mardi():
    read = parse_dates(pd.Series(["Mar 5, 2024", "Mar 12, 2024", "Apr 2, 2024"]))
    assert list(read.values.astype(str)) == ["2024-03-05", "2024-03-12", "2024-04-02"]


def market(**dates) -> pd.DataFrame:
    random = np.random.default_rng(2)
    amounts = {
        "Revenue": random.lognormal(9, 0.2, 60).round(2),
        "TikTok": random.lognormal(6, 0.4, 60).round(2),
        "YouTube": random.lognormal(5, 0.4, 60).round(2),
    }
    return pd.DataFrame(dates | amounts)


def first_days(frame: pd.DataFrame) -> list:
    result = read_files([opened("market.csv", frame)])
    mapping = mapping_of_table(result)
    return list(parse_dates(result.frame[mapping.time]).values)


ENDS = WEEKS + LATER
ISO = WEEKS.isocalendar()
YEARS = ISO["year"].to_numpy()
PARTS = {
    "W/E": {"Periods": ENDS.strftime("1 W/E %d/%m/%y")},
    "ending": {"Week": ENDS.strftime("Week ending %b %d, %Y")},
    "words": {"Year": YEARS, "Week": [f"Wk {week}" for week in ISO["week"]]},
    "merged": {
        "Year": pd.Series(YEARS).where(~pd.Series(YEARS).duplicated()).to_numpy(),
        "KW": [f"KW {week:02d}" for week in ISO["week"]],
    },
}


@pytest.mark.parametrize("parts", PARTS)
def test_weeks_by_their_last_day_or_in_parts(parts):
    days = first_days(market(**PARTS[parts]))
    assert days == list(WEEKS.to_numpy().astype("datetime64[D]"))


def test_a_capital_inside_a_name_of_media_cuts_nothing():
    mapping = guess_mapping(market(week=WEEKS.strftime("%Y-%m-%d")))
    assert [channel.name for channel in mapping.channels] == ["TikTok", "YouTube"]


def test_rows_of_an_export_whose_only_number_is_spend_are_campaigns():
    days = WEEKS.strftime("%Y-%m-%d").repeat(2)
    names = ["Falcon", "Osprey"] * len(WEEKS)
    spent = np.arange(1.0, 2 * len(WEEKS) + 1)
    frame = pd.DataFrame(
        {
            "Reporting starts": days,
            "Reporting ends": days,
            "Campaign name": names,
            "Campaign delivery": "inactive",
            "Amount spent (EUR)": spent,
        }
    )
    shop = pd.DataFrame({"Date": WEEKS.strftime("%Y-%m-%d"), "Revenue": spent[:60] + 9})
    result = read_files([opened("ads.csv", frame), opened("shop.csv", shop)])
    names = [channel.name for channel in mapping_of_table(result).channels]
    assert names == ["Meta Falcon", "Meta Osprey"]
