"""Long tables become wide ones: what tells rows apart, and sums that agree."""

import numpy as np
import pandas as pd
import pytest

from core.data.layout.describe import channel_choices, sentence
from core.data.layout.guess import guess
from core.data.layout.kinds.exports import tidied
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import DataError, SchemaError

WEEKS = pd.date_range("2023-01-02", periods=60, freq="W-MON").strftime("%Y-%m-%d")
NAMES = ("brand_de", "brand_at", "generic_de", "video_awareness")


def campaigns(**more) -> pd.DataFrame:
    """A row per campaign and week, with the KPI of the week in every row."""
    rng = np.random.default_rng(5)
    rows = pd.DataFrame(
        [(week, name) for week in WEEKS for name in NAMES], columns=["week", "campaign"]
    )
    rows["platform"] = np.where(rows["campaign"].str.startswith("v"), "YouTube", "Ads")
    rows["cost"] = rng.gamma(2, 100, len(rows)).round(2)
    rows["impressions"] = rng.integers(1, 9000, len(rows))
    rows["sales"] = np.repeat(rng.gamma(50, 30, len(WEEKS)).round(2), len(NAMES))
    return rows.assign(**more)


def read(frame, **said):
    return read_files([tidied("ads.csv", frame)], StatedColumns(**said))


def channels(table) -> list[str]:
    return [channel.name for channel in mapping_of_table(table).channels]


def test_numbers_of_campaigns_name_them_where_nothing_else_does():
    frame = campaigns(campaign_id=np.tile([8001, 8002, 8003, 8004], len(WEEKS)))
    assert "8001" not in channels(read(frame))
    table = read(frame.drop(columns=["campaign", "platform"]))
    assert channels(table) == ["8001", "8002", "8003", "8004"]
    first = frame[frame.campaign_id == 8001]["cost"]
    np.testing.assert_allclose(table.frame["8001_spend"], first)


def test_one_channel_per_platform_by_default():
    frame = campaigns()
    table = read(frame)
    assert channels(table) == ["Ads", "YouTube"]
    mapping = mapping_of_table(table)
    assert mapping.kpi == "sales"
    assert (mapping.channels[0].media, mapping.channels[0].spend) == (
        "Ads_impressions",
        "Ads_spend",
    )
    by_week = frame[frame.platform == "Ads"].groupby("week")["cost"].sum()
    np.testing.assert_allclose(table.frame["Ads_spend"], by_week, rtol=1e-12)
    once = frame.groupby("week")["sales"].first()
    np.testing.assert_allclose(table.frame["sales"], once, rtol=1e-12)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"channel_by": ("campaign",)}, list(NAMES)),
        (
            {"channel_by": ("campaign",), "first_word": True},
            ["brand", "generic", "video"],
        ),
        (
            {"channel_by": ("campaign",), "pattern": "_([a-z]{2})$"},
            ["de", "at", "Other"],
        ),
        (
            {"channel_by": ("campaign",), "group": (("Search", ("brand*", "gen*")),)},
            ["Search", "video_awareness"],
        ),
        (
            {"channel_by": ("platform", "campaign")},
            ["Ads brand_de", "Ads brand_at", "Ads generic_de", "YouTube video_aware"],
        ),
    ],
)
def test_campaigns_are_grouped_as_somebody_says(said, names):
    table = read(campaigns(), **said)
    found = channels(table)
    assert [one[: len(name)] for one, name in zip(found, names, strict=True)] == names
    spend = [total for total in table.totals if total.column == "cost"][0]
    assert spend.after == pytest.approx(campaigns()["cost"].sum(), rel=1e-12)


def test_many_campaigns_are_grouped_by_their_first_word():
    rng = np.random.default_rng(1)
    names = [f"{kind}-{n:02d}" for kind in ("search", "social") for n in range(20)]
    rows = [(week, name, rng.gamma(2, 9)) for week in WEEKS for name in names]
    frame = pd.DataFrame(rows, columns=["date", "campaign_name", "spend"])
    found = guess([tidied("ads.csv", frame)])
    (source,) = found.layout.sources
    assert source.first_word
    said = sentence(found.layout, found.files)
    assert "one channel per first word of campaign_name (2 channels" in said
    labels = [choice.label for choice in channel_choices(source, found.files[0])]
    assert labels == ["campaign_name", "first word of campaign_name"]


def test_names_that_differ_in_case_are_one_channel():
    frame = campaigns()
    frame.loc[frame.index % 8 == 0, "platform"] = "ads "
    assert channels(read(frame)) == ["ads", "YouTube"]


def test_a_row_per_variable_with_names_of_its_parts():
    rows = []
    for week in WEEKS:
        rows.append((week, None, "Sales", 100.0 + len(rows)))
        rows += [(week, name, "Spend", 5.0 + len(rows)) for name in ("TV", "Search")]
    frame = pd.DataFrame(rows, columns=["date", "outlet", "metric", "value"])
    table = read(frame)
    assert list(table.frame) == ["date", "Sales", "TV_Spend", "Search_Spend"]
    assert channels(table) == ["TV", "Search"]
    assert mapping_of_table(table).kpi == "Sales"


def test_one_of_many_variables_is_the_kpi_that_somebody_chooses():
    rows = [
        (week, name, value + at)
        for at, week in enumerate(WEEKS)
        for name, value in (("Sales", 100.5), ("Signups", 20.0), ("TV spend", 7.0))
    ]
    frame = pd.DataFrame(rows, columns=["date", "variable", "value"])
    assert mapping_of_table(read(frame)).kpi == "Sales"
    mapping = mapping_of_table(read(frame, kpi="Signups"))
    assert mapping.kpi == "Signups"
    assert [channel.name for channel in mapping.channels] == ["TV"]


def test_two_units_in_one_variable_are_refused_with_their_rows():
    rows = [
        (week, "Sales", unit, value)
        for week in WEEKS
        for unit, value in (("EUR", 100.0), ("pieces", 3.0))
    ]
    frame = pd.DataFrame(rows, columns=["date", "variable", "unit", "value"])
    with pytest.raises(SchemaError) as raised:
        read(frame)
    assert "rows 2 and 3, which column unit says are in EUR and pieces" in str(
        raised.value
    )
    assert raised.value.where == "ads.csv, column date, row 2"


def test_media_without_a_kpi_asks_for_it():
    frame = campaigns().drop(columns="sales").assign(conversions=3)
    with pytest.raises(SchemaError) as raised:
        mapping_of_table(read(frame))
    assert "not the KPI of the shop" in raised.value.message
    assert "conversions" in raised.value.hint


def test_what_the_platform_counts_is_the_kpi_only_if_somebody_says_so():
    rng = np.random.default_rng(2)
    frame = campaigns().drop(columns="sales")
    frame["conv_value"] = rng.gamma(2, 30, len(frame))
    table = read(frame, kpi="conv_value")
    assert mapping_of_table(table).kpi == "conv_value"
    total = frame["conv_value"].sum()
    assert table.frame["conv_value"].sum() == pytest.approx(total, rel=1e-12)


def test_ids_and_ratios_are_neither_channels_nor_media():
    frame = campaigns(ad_id=np.arange(240) % 40, ctr=0.02, frequency=1.5)
    table = read(frame)
    assert not [name for name in table.frame if "id" in name or "ctr" in name]
    (said,) = [f.message for f in table.findings if f.message.startswith("Not used")]
    assert all(name in said for name in ("ad_id", "ctr", "frequency"))


def test_too_many_channels_are_refused():
    names = [f"ad {n}" for n in range(400)]
    rows = [(week, name, 1.0) for week in WEEKS[:20] for name in names]
    frame = pd.DataFrame(rows, columns=["date", "campaign", "spend"])
    with pytest.raises(SchemaError, match="gives 400 columns"):
        read(frame, channel_by=("campaign",), first_word=False)


def test_rows_of_products_are_summed_not_made_channels():
    rows = [
        (week, name, 10.0 + at, 2.0)
        for at, week in enumerate(WEEKS)
        for name in ("shoes", "hats")
    ]
    frame = pd.DataFrame(rows, columns=["week", "product", "revenue", "tv_spend"])
    table = read(frame)
    assert mapping_of_table(table).kpi == "revenue"
    assert channels(table) == ["tv"]
    assert table.frame["revenue"].sum() == frame["revenue"].sum()


def test_a_table_that_is_wide_already_stays_as_it_is():
    frame = campaigns().pivot_table(index="week", columns="campaign", values="cost")
    frame = frame.add_suffix("_spend").reset_index().assign(sales=5.0)
    table = read(frame)
    assert table.layout is None
    assert table.frame is frame or table.frame.equals(frame)


def test_a_column_that_is_not_there_is_answered_with_the_nearest():
    with pytest.raises(DataError, match="Did you mean campaign?"):
        read(campaigns(), channel_by=("campain",))


def test_dates_and_numbers_that_could_be_two_are_not_joined_by_a_guess():
    twelve = [f"{month:02}/01/2023" for month in range(1, 13)]
    rows = pd.DataFrame(
        [(day, name) for day in twelve for name in NAMES], columns=["week", "campaign"]
    )
    rows["cost"] = [f"{1 + at % 90},{100 + at}" for at in range(len(rows))]
    rows["sales"] = np.repeat(np.arange(100.0, 112.5, 1.1)[:12], len(NAMES))
    with pytest.raises(DataError) as caught:
        read(rows)
    assert "2023-02-01 (month first)" in caught.value.message
    assert "--dates" in caught.value.hint
    rows["week"] = np.repeat(
        (np.datetime64("2023-01-02") + 7 * np.arange(12)).astype(str), len(NAMES)
    )
    with pytest.raises(DataError) as caught:
        read(rows)
    assert "1100 (.) or 1.1 (,)" in caught.value.message
    assert "--decimal" in caught.value.hint


def by_segment(column: str, *, split: bool) -> pd.DataFrame:
    """Sales of two segments per week, beside spend that is split or repeated."""
    rng = np.random.default_rng(6)
    rows = pd.DataFrame(
        [(week, name) for week in WEEKS for name in ("A", "B")],
        columns=["week", column],
    )
    rows["revenue"] = rng.gamma(50, 300, len(rows)).round(2)
    for name in ("TV spend", "Radio spend"):
        weekly = rng.gamma(2, 100, len(WEEKS)).round(2)
        rows[name] = rng.gamma(2, 50, len(rows)) if split else np.repeat(weekly, 2)
    return rows


@pytest.mark.parametrize("split", [True, False])
def test_spend_beside_sales_by_product_counts_once_where_it_repeats(split):
    frame = by_segment("product", split=split)
    table = read(frame)
    grouped = frame.groupby("week")
    np.testing.assert_allclose(
        table.frame["revenue"], grouped["revenue"].sum(), rtol=1e-12
    )
    for name in ("TV spend", "Radio spend"):
        truth = grouped[name].sum() if split else grouped[name].first()
        np.testing.assert_allclose(table.frame[name], truth, rtol=1e-12)


@pytest.mark.parametrize("column", ["campaign", "customer type"])
def test_channels_side_by_side_in_rows_of_segments_are_refused(column):
    with pytest.raises(SchemaError, match="spend of several channels in columns"):
        read(by_segment(column, split=True))


@pytest.mark.parametrize("name", ["Result indicator", "Result type", "Metric"])
def test_a_report_of_campaigns_may_say_what_its_results_are(name):
    frame = campaigns(**{name: "actions:purchase"}).drop(columns="sales")
    frame = frame.rename(columns={"cost": "Amount spent (GBP)"})
    made = guess([tidied("meta.csv", frame)])
    (source,) = made.layout.sources
    assert source.kind == "campaigns"
    assert ("spend", "Amount spent (GBP)") in source.amounts


@pytest.mark.parametrize("name", ["net_revenue", "deals closed (orders)", "Umsatz"])
def test_a_kpi_with_returns_or_a_deal_at_most_a_day_is_summed_to_weeks(name):
    rng = np.random.default_rng(3)
    days = pd.date_range("2023-01-02", periods=420).strftime("%Y-%m-%d")
    sold = rng.normal(300, 160, len(days)).round(2)  # one day in thirty is below zero
    if "orders" in name:
        sold = rng.integers(0, 2, len(days))
    else:
        assert (sold < 0).mean() > 0.02
        sold = np.where(rng.random(len(days)) < 0.06, -sold, sold)
    daily = pd.DataFrame({"date": days, name: sold})
    spend = pd.DataFrame({"week": WEEKS, "tv_spend": rng.gamma(9, 50, len(WEEKS))})
    table = read_files([tidied("kpi.csv", daily), tidied("media.csv", spend)])
    sums = sold[: 7 * len(table.frame)].reshape(-1, 7).sum(axis=1)
    assert np.allclose(table.frame[name], sums)


@pytest.mark.parametrize("money", ["DOLS (000)", "Worth", "X1"])
def test_counts_in_a_column_of_units_are_no_units_of_rows(money: str):
    names = ("Network", "Radio", "Outdoor")
    rows = [(week, name) for week in WEEKS for name in names]
    media = pd.DataFrame(rows, columns=["WEEK", "MEDIA"])
    media[money] = np.arange(len(media)) % 41 * 1.7 + 3
    media["UNITS"] = np.arange(len(media)) % 37 + 1
    sales = pd.DataFrame({"Week": WEEKS, "Sales": np.arange(len(WEEKS)) % 9 + 900.5})
    files = [tidied("sales.csv", sales), tidied("media.csv", media)]
    with pytest.raises(SchemaError, match="rows 2, 3 and 4, told apart by MEDIA") as r:
        read_files(files)
    assert "call the column of what they cost Spend" in r.value.hint
    table = read_files(
        [files[0], tidied("media.csv", media.rename({money: "Spend"}, axis=1))]
    )
    assert channels(table) == list(names)
