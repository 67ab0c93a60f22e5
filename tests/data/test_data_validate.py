"""Findings: every fault is told at once, with its place and remedy."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.mapping import ChannelColumns
from core.data.reading.findings import Finding, blocks
from core.model.spec import ModelSpec
from core.text.sentences import count, listed
from tests.data.data_tables import GEO, NATIONAL, by_geo, national, of, weeks
from tests.reference import case, case_mapping, needs_reference, reference_data


def one(findings, severity, *parts):
    """The only finding of a severity whose message has all parts."""
    found = [
        finding
        for finding in findings
        if finding.severity == severity
        and all(part in finding.message for part in parts)
    ]
    assert len(found) == 1, of(findings, severity)
    assert found[0].where
    return found[0]


def geo_row(frame, geo, at):
    """Index of the row of a geo and the position of a week."""
    return frame.index[(frame["geo"] == geo) & (frame["week"] == weeks(60)[at])][0]


def test_a_good_table_has_no_fault():
    findings = check_table(national(), NATIONAL)
    assert of(findings, "error") == of(findings, "warning") == []
    assert "Radio came with spend only" in of(findings, "info")[0]
    assert not blocks(check_table(by_geo(), GEO))


def test_findings_are_plain_text_and_errors_come_first():
    frame = national().assign(TV_spend=-1.0)
    findings = check_table(frame, NATIONAL)
    ranks = [("error", "warning", "info").index(entry.severity) for entry in findings]
    assert ranks == sorted(ranks)
    for finding in findings:
        json.dumps(finding.as_dict())
        assert finding.message.endswith(".")
        assert "\n" not in finding.message


def test_a_missing_column_and_the_nearest_name():
    findings = check_table(
        national().rename(columns={"TV_spend": "TV_spent"}), NATIONAL
    )
    found = one(findings, "error", "no column TV_spend", "channel TV")
    assert found.hint == "Did you mean TV_spent?"


@pytest.mark.parametrize("column", ["week", "sales"])
def test_without_time_or_kpi_the_rest_is_not_judged(column):
    findings = check_table(national().drop(columns=column), NATIONAL)
    assert len(findings) == 1
    one(findings, "error", f"no column {column}")


def test_a_missing_geo_column_brings_no_false_copies():
    findings = check_table(by_geo().drop(columns="geo"), GEO)
    assert [finding.where for finding in findings] == ["column geo"]


def test_one_column_in_two_roles():
    mapping = replace(NATIONAL, controls=("temperature", "TV_spend"))
    one(check_table(national(), mapping), "error", "TV_spend has 2 roles")


def test_a_channel_named_like_a_control_or_twice():
    mapping = replace(
        NATIONAL,
        channels=(
            ChannelColumns("Temperature", "organic_media", media="TV_impressions"),
            ChannelColumns("Radio", "organic_media", media="Radio_spend"),
            ChannelColumns("radio ", "organic_media", media="TV_spend"),
        ),
    )
    findings = check_table(national(), mapping)
    one(findings, "error", "Temperature is the name of a channel and of a control")
    one(findings, "error", "2 channels are called Radio")


def test_paid_media_without_a_column_of_spend():
    channel = ChannelColumns("TV", "media", media="TV_impressions")
    findings = check_table(national(), replace(NATIONAL, channels=(channel,)))
    found = one(findings, "error", "Channel TV has no column of spend")
    assert "organic" in found.hint


def test_text_in_numbers_names_rows_and_values():
    frame = national()
    frame["TV_spend"] = frame["TV_spend"].astype(str)
    frame.loc[[3, 7, 8, 9, 10], "TV_spend"] = ["n/k", "5,5x", "?", "tba", "off"]
    found = one(check_table(frame, NATIONAL), "error", "5 cells that are not a number")
    assert '"n/k" (row 5), "5,5x" (row 9), "?" (row 10) and 2 more' in found.message
    assert found.where == "column TV_spend"


def test_text_instead_of_numbers():
    one(
        check_table(national().assign(TV_spend="x"), NATIONAL),
        "error",
        "holds no numbers",
    )


def test_an_empty_column():
    frame = national().assign(TV_spend=np.nan)
    assert of(check_table(frame, NATIONAL), "error") == ["Column TV_spend is empty."]


def test_dates_in_three_ways():
    frame = national()
    frame.loc[4, "week"] = "01.02.2021"
    frame.loc[[5, 6], "week"] = ["Feb 8, 2021", "Feb 15, 2021"]
    findings = check_table(frame, NATIONAL)
    found = one(findings, "error", "writes dates in 3 ways")
    assert "2021-01-04 (57 rows, first row 2)" in found.message
    assert "01.02.2021 (1 row, first row 6)" in found.message
    assert "2021-01-25" in found.hint
    assert len(of(findings, "error")) == 1


def test_rows_without_a_date():
    frame = national()
    frame.loc[4, "week"] = "Total"
    frame.loc[5, "week"] = None
    findings = check_table(frame, NATIONAL)
    assert '"Total" (row 6)' in one(findings, "error", "without a valid date").message
    one(findings, "error", "week is empty in row 7")
    only = check_table(national().assign(week="x"), NATIONAL)
    assert of(only, "error")[0].startswith("Column week holds no dates")


def test_ambiguous_dates():
    frame = national(12).head(2).assign(week=["01/02/2021", "08/02/2021"])
    found = one(check_table(frame, NATIONAL), "error", "can be read in 2 ways")
    assert "2021-01-02 if the month comes first" in found.message
    assert "2021-02-01 if the day comes first" in found.message
    assert "Data screen" in found.hint and "project.toml" in found.hint
    days = replace(NATIONAL, dates="day first")
    assert not [f for f in check_table(frame, days) if "2 ways" in f.message]


def test_two_rows_for_one_week():
    frame = national()
    double = pd.concat([frame, frame.iloc[[5]].assign(sales=1)], ignore_index=True)
    found = one(
        check_table(double, NATIONAL), "error", "2 rows for 2021-02-08 (rows 7 and 62)"
    )
    assert found.hint == "Sum them into one row per week, or delete the wrong one."


def test_two_rows_for_one_geo_and_week():
    frame = by_geo()
    double = pd.concat([frame, frame.iloc[[5]]], ignore_index=True)
    found = one(check_table(double, GEO), "error", "Geo Berlin has 2 rows")
    assert "delete the copies" in found.hint
    many = one(check_table(pd.concat([frame] * 2), GEO), "error", "Geo Berlin")
    assert "179 more cases like it" in many.message


def test_rows_that_another_column_tells_apart():
    frame = by_geo()
    found = one(check_table(frame, NATIONAL), "error", "There are 3 rows")
    assert "map it as the geo" in found.hint
    long = by_geo(("tv", "radio")).rename(columns={"geo": "channel"})
    found = one(check_table(long, NATIONAL), "error", "There are 2 rows")
    assert "make one column of each" in found.hint
    assert "geo" not in found.hint


def test_gaps_in_dates():
    found = one(
        check_table(national().drop(index=[4, 5, 20]), NATIONAL),
        "error",
        "3 weeks are missing",
    )
    assert "2021-02-01, 2021-02-08 and 2021-05-24" in found.message


def test_days_without_weekends():
    frame = national(100).assign(week=pd.bdate_range("2021-01-04", periods=100))
    found = one(check_table(frame, NATIONAL), "error", "days are missing")
    assert "weekends" in found.hint


def test_dates_out_of_step_and_without_step():
    frame = national()
    frame.loc[59, "week"] = "2022-02-23"
    found = one(check_table(frame, NATIONAL), "error", "1 date falls between")
    assert "weeks that start on a Monday: 2022-02-23 (row 61)" in found.message
    steps = np.cumsum(np.random.default_rng(0).integers(1, 40, 60))
    frame = national().assign(week=np.datetime64("2021-01-04", "s") + 86400 * steps)
    one(check_table(frame, NATIONAL), "error", "no regular step")


def test_geos_that_lack_weeks():
    frame = by_geo(("A", "B", "C", "D", "E"))
    gone = [geo_row(frame, geo, at) for geo in "BCDE" for at in (7, 8)]
    findings = check_table(frame.drop(index=[*gone, geo_row(frame, "B", 30)]), GEO)
    found = one(findings, "error", "Geo B has no row for 3 of 60 weeks")
    assert "2021-02-22, 2021-03-01 and 2021-08-02" in found.message
    one(findings, "error", "1 more geo lacks 2 rows: E")
    assert len(of(findings, "error")) == 4


def test_rows_without_a_geo_and_geos_written_in_two_ways():
    frame = by_geo()
    frame.loc[3, "geo"] = None
    frame.loc[frame["geo"] == "Rome", "geo"] = "berlin"
    findings = check_table(frame, GEO)
    one(findings, "error", "geo is empty in row 5")
    one(findings, "warning", "Geos Berlin and berlin differ only in capitals")


def test_a_column_that_cannot_be_the_geo():
    frame = pd.concat([by_geo()] * 4, ignore_index=True).assign(geo=lambda x: x.index)
    frame = pd.concat([frame] * 3).assign(geo=lambda x: np.arange(len(x)))
    findings = check_table(frame, GEO)
    one(findings, "error", "combinations have a row")


@pytest.mark.parametrize(("n", "text"), [(1, "only 1 period"), (9, "only 9 weeks")])
def test_too_few_periods(n, text):
    one(check_table(national(n), NATIONAL), "error", text)


@pytest.mark.parametrize(
    ("column", "severity"),
    [("TV_spend", "error"), ("TV_impressions", "error"), ("sales", "warning")],
)
def test_negative_values(column, severity):
    frame = national()
    frame.loc[[3, 9], column] = -1
    found = one(check_table(frame, NATIONAL), severity, "negative in 2 rows")
    assert "(rows 5 and 11)" in found.message


@pytest.mark.parametrize(
    "name", ["conversion_rate", "Conversion rate", "CTR", "share", "avg_basket", "Taux"]
)
def test_a_kpi_that_is_a_rate_is_named(name):
    frame = national().rename(columns={"sales": name})
    counted = replace(NATIONAL, kpi=name)
    frame[name] = np.arange(len(frame)) + 7
    assert not [m for m in of(check_table(frame, counted), "warning") if "a rate" in m]
    frame[name] = frame[name] / 1000
    one(check_table(frame, counted), "warning", f"The KPI {name} is a rate")


@pytest.mark.parametrize("name", ["sales", "revenue", "Umsatz", "orders", "corporate"])
def test_a_kpi_with_decimals_is_no_rate(name):
    frame = national().rename(columns={"sales": name})
    frame[name] = (np.arange(len(frame)) + 7) / 1000
    found = check_table(frame, replace(NATIONAL, kpi=name))
    assert not [message for message in of(found, "warning") if "a rate" in message]


def test_last_weeks_without_a_kpi_are_named_beside_a_week_below_zero():
    frame = national()
    frame.loc[7, "sales"] = -1
    frame.loc[frame.index[-3:], "sales"] = 0
    findings = check_table(frame, NATIONAL)
    one(findings, "warning", "sales is negative in 1 row")
    one(findings, "warning", "sales is 0 in the last 3 weeks")


def test_media_without_spend_and_spend_without_media():
    frame = national().assign(TV_impressions=100, TV_spend=7.0)
    frame.loc[5:16, "TV_spend"] = 0.0
    frame.loc[[30, 31, 33], "TV_impressions"] = 0
    findings = check_table(frame, NATIONAL)
    found = one(findings, "warning", "media in")
    assert found.message == "Channel TV has media in 12 weeks without spend."
    assert found.hint == "Add its cost, or mark it organic."
    assert found.where == "channel TV"
    one(findings, "warning", "Channel TV has spend in 3 weeks without media.")


def test_media_without_spend_in_geos():
    frame = by_geo().assign(TV_impressions=range(1, 181), TV_spend=7.0)
    frame.loc[[5, 65, 70], "TV_spend"] = 0.0
    findings = check_table(frame, GEO)
    one(findings, "warning", "media in 2 weeks (2021-02-08 and 2021-03-15, 3 rows in 2")


@pytest.mark.parametrize("column", ["TV_spend", "Radio_spend"])
def test_a_channel_without_any_spend(column):
    findings = check_table(national().assign(**{column: 0.0}), NATIONAL)
    found = one(findings, "error", f"{column[:-6]} has no spend in any week")
    assert "organic" in found.hint
    assert len(of(findings, "error")) == 1


def test_a_channel_that_never_ran_or_never_changed():
    one(
        check_table(national().assign(TV_impressions=0), NATIONAL),
        "error",
        "Channel TV never ran",
    )
    one(
        check_table(national().assign(TV_impressions=500), NATIONAL),
        "error",
        "Channel TV never changes",
    )


def test_a_constant_control_is_only_a_warning():
    findings = check_table(national().assign(temperature=20.0), NATIONAL)
    one(findings, "warning", "Control temperature is left out", "never")
    assert not of(findings, "error")


def test_an_odd_cost_per_unit():
    frame = national()
    row = frame.index[frame["TV_spend"] > 0][3]
    frame.loc[row, "TV_spend"] *= 1000
    one(check_table(frame, NATIONAL), "warning", "cost per media unit", "0.01")


@pytest.mark.parametrize("value", [0, 7])
def test_a_kpi_that_never_changes(value):
    findings = check_table(national().assign(sales=value), NATIONAL)
    assert len(of(findings, "error")) == 1
    one(findings, "error", "zero everywhere" if value == 0 else "never changes")


def test_some_zeros_in_the_kpi():
    frame = national()
    frame.loc[[2, 3], "sales"] = 0
    one(check_table(frame, NATIONAL), "info", "zero in 2 rows of 60")


def test_a_kpi_that_is_not_there_yet():
    frame = national().astype({"sales": float})
    frame.loc[56:, "sales"] = np.nan
    one(check_table(frame, NATIONAL), "error", "empty in the last 4 weeks")
    frame = national().astype({"sales": float})
    frame.loc[[20, 21], "sales"] = np.nan
    one(check_table(frame, NATIONAL), "error", "empty in 2 rows (rows 22 and 23)")


def test_empty_cells_of_media_count_as_zero():
    frame = national().astype({"TV_impressions": float})
    frame.loc[[5, 6], ["TV_impressions", "TV_spend"]] = np.nan
    findings = check_table(frame, NATIONAL)
    one(findings, "warning", "TV_impressions is empty in 2 rows (rows 7 and 8)")
    one(findings, "warning", "TV_spend is empty", "count as 0")
    assert not of(findings, "error")


def test_empty_cells_of_controls_do_not():
    frame = national()
    frame.loc[5, "temperature"] = np.nan
    one(check_table(frame, NATIONAL), "error", "temperature is empty in 1 row (row 7)")


def test_revenue_per_kpi():
    mapping = replace(NATIONAL, revenue_per_kpi="value")
    frame = national().assign(value=2.0)
    assert not of(check_table(frame, mapping), "error")
    one(
        check_table(frame.assign(value=0.0), mapping),
        "error",
        "value is zero everywhere",
    )
    frame.loc[3, "value"] = 0.0
    one(check_table(frame, mapping), "warning", "value is zero in 1 row (row 5)")
    frame.loc[4, "value"] = -1.0
    one(check_table(frame, mapping), "error", "value is negative in row 6")
    zero = replace(NATIONAL, revenue_per_kpi=0.0)
    one(check_table(national(), zero), "error", "value of a KPI unit is 0")
    money = replace(NATIONAL, kpi_type="revenue")
    one(check_table(national(), money), "warning", "is money")
    none = replace(NATIONAL, revenue_per_kpi=None)
    one(check_table(national(), none), "info", "has no value in money")


def test_population():
    one(
        check_table(by_geo(), replace(GEO, population=None)),
        "warning",
        "as large as its KPI",
    )
    frame = by_geo().astype({"population": float})
    frame.loc[3, "population"] = 5.0
    one(check_table(frame, GEO), "info", "population of 1 geo changes", "mean")
    frame.loc[3, "population"] = 0.0
    one(check_table(frame, GEO), "error", "zero or negative in row 5")
    frame.loc[frame["geo"] == "Rome", "population"] = np.nan
    one(check_table(frame, GEO), "error", "Geo Rome has no population")


def test_channels_that_say_the_same():
    frame = national().assign(TV2=lambda x: x["TV_impressions"] * 3)
    copy = ChannelColumns("TV2", "media", media="TV2", spend="Radio_spend")
    mapping = replace(NATIONAL, channels=(NATIONAL.channels[0], copy))
    one(
        check_table(frame, mapping),
        "error",
        "Channel TV and channel TV2 say the same (correlation 1.0000)",
    )


def test_channels_that_move_together():
    rng = np.random.default_rng(3)
    frame = national()
    tv = frame["TV_impressions"]
    frame["Radio_spend"] = tv * 0.01 + rng.random(60) * 150
    one(check_table(frame, NATIONAL), "warning", "move together (correlation 0.9")


def test_a_channel_that_others_add_up_to():
    frame = national().assign(
        a=lambda x: x["Radio_spend"],
        b=lambda x: np.random.default_rng(5).random(60) * 400,
        c=lambda x: x["a"] + x["b"] + x["TV_spend"],
    )
    channels = tuple(
        ChannelColumns(name, "organic_media", media=name)
        for name in ("a", "b", "c", "TV_spend")
    )
    findings = check_table(frame, replace(NATIONAL, channels=channels))
    one(findings, "error", "add up to", "almost exactly")


def test_more_columns_than_periods_do_not_add_up_to_each_other():
    rng = np.random.default_rng(5)
    names = [f"m{at}" for at in range(70)]
    more = pd.DataFrame(rng.random((60, 70)) * 400, columns=names)
    channels = tuple(
        ChannelColumns(name, "organic_media", media=name) for name in names
    )
    frame = pd.concat([national(), more], axis=1)
    findings = check_table(frame, replace(NATIONAL, channels=channels))
    assert not [finding for finding in findings if "add up to" in finding.message]


def test_an_outlier_of_the_kpi():
    frame = national()
    frame.loc[30, "sales"] = 60_000
    found = one(check_table(frame, NATIONAL), "warning", "stands out on 2021-08-02")
    assert "times its surroundings" in found.message


def test_too_few_data_for_the_knots():
    frame = national()
    one(check_table(frame, NATIONAL, ModelSpec(knots=61)), "error", "61 knots", "60")
    one(check_table(frame, NATIONAL, ModelSpec(knots=40)), "warning", "40 knots")
    one(check_table(frame, NATIONAL, ModelSpec(knots=(0, 60))), "error", "at 60 lie")
    assert not of(check_table(frame, NATIONAL, ModelSpec(knots=10)), "warning")
    assert not of(check_table(frame, NATIONAL, ModelSpec()), "warning")
    assert not of(check_table(by_geo(), GEO, ModelSpec(knots=20)), "warning")


KNOTS = ModelSpec(baseline="knots")


@pytest.mark.parametrize("population", ["population", None])
def test_national_columns_and_a_knot_per_week(population):
    """Media per head, or over the KPI where people are not known."""
    frame, mapping = by_geo(), replace(GEO, population=population)
    frame["sales"] = frame["population"] * np.tile(national()["sales"], 3)
    shared = frame.assign(temperature=np.tile(national()["temperature"], 3))
    found = one(check_table(shared, mapping, KNOTS), "error", "the same in every geo")
    assert "Control temperature" in found.message
    assert not of(check_table(shared, mapping, ModelSpec(knots=20)), "error")
    scaled = frame.assign(
        TV_impressions=frame["population"] * np.tile(np.arange(60) % 7, 3)
    )
    one(check_table(scaled, mapping, KNOTS), "error", "Channel TV is the same")
    # Large geos have more of everything, which is no sign that columns move together.
    large = frame.assign(population=frame["population"] ** 3)
    for name in ("TV_impressions", "TV_spend", "Radio_spend", "sales"):
        large[name] = (
            large["population"] * national()[name].to_numpy()[frame.index % 60]
        )
    findings = check_table(large, mapping)
    assert not any("move together" in each.message for each in findings)


def test_reach_and_frequency():
    frame = national().assign(reach=100.0, frequency=2.0)
    frame.loc[3, "frequency"], frame.loc[4, "frequency"] = 0.0, 0.5
    channel = ChannelColumns(
        "yt",
        "reach_frequency",
        reach="reach",
        frequency="frequency",
        spend="Radio_spend",
    )
    findings = check_table(frame, replace(NATIONAL, channels=(channel,)))
    one(findings, "warning", "reach without frequency in row 5")
    one(findings, "warning", "frequency below 1 in row 6")


@pytest.mark.parametrize(
    "name", ["=1+1", "@SUM(A1)", "電視 📺", "a\tb", "x" * 300, "None"]
)
def test_any_text_is_a_name(name):
    mapping = replace(
        NATIONAL,
        controls=(name,),
        channels=(
            ChannelColumns(f"{name} ch", "media", media="TV_impressions", spend="s"),
        ),
    )
    frame = national().rename(columns={"temperature": name, "TV_spend": "s"})
    assert not of(check_table(frame, mapping), "error")
    frame.loc[3, "s"] = -1
    one(check_table(frame, mapping), "error", "Column s is negative")


def test_rows_are_counted_as_the_file_counts_them():
    data = b"Report\n\nweek,spend,sales\n2021-01-04,1,5\n\n2021-01-11,x,6\n"
    frame = load_table(data, "s.csv")
    mapping = replace(
        NATIONAL,
        controls=(),
        channels=(ChannelColumns("tv", "media", media="spend", spend="spend"),),
    )
    assert '"x" (row 6)' in one(check_table(frame, mapping), "error", '"x"').message


def test_a_hundred_faults_stay_readable():
    frame = by_geo(tuple(f"G{at}" for at in range(30)))
    rng = np.random.default_rng(0)
    frame["TV_spend"] = frame["TV_spend"].astype(object)
    frame.loc[rng.choice(1800, 300, replace=False), "TV_spend"] = "bad"
    frame = frame.drop(index=rng.choice(1800, 200, replace=False))
    frame = pd.concat([frame, frame.sample(100, random_state=0)])
    findings = check_table(frame, GEO)
    assert len(findings) < 12
    assert all(len(finding.message) < 400 for finding in findings)


def test_only_the_choice_of_knots_matters_of_a_spec():
    @dataclass(frozen=True)
    class Other:
        knots: int | tuple[int, ...] | None = 61
        is_structural: bool = False

    one(check_table(national(), NATIONAL, Other()), "error", "61 knots")


@needs_reference
@pytest.mark.parametrize("name", ["national_media_default", "geo_media_knots30"])
def test_reference_tables_have_no_fault(name):
    given = case(name)
    frame = load_table(reference_data(given["dataset"]), given["dataset"])
    spec = ModelSpec(knots=given["spec"]["knots"])
    assert check_table(frame, case_mapping(given["columns"]), spec) == []


def test_words_for_lists_and_counts():
    assert listed([]) == ""
    assert listed([1]) == "1"
    assert listed([1, 2, 3]) == "1, 2 and 3"
    assert listed(range(2000), limit=2) == "0, 1 and 1,998 more"
    assert (count(1, "row"), count(1200, "row")) == ("1 row", "1,200 rows")
    assert not blocks([Finding("warning", "x", "y")])


def test_weeks_in_which_nothing_could_be_sold_are_told_from_rare_sales():
    frame = national()
    frame.loc[[3, 4, 9], NATIONAL.kpi] = 0.0
    found = one(check_table(frame, NATIONAL), "info", "is zero in 3 rows of")
    assert "add a control that is 1 in them" in found.hint and "weeks" in found.hint
