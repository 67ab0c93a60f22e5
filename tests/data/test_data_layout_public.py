"""Tables that other people made, in their own layouts, reach a mapping unchanged."""

import json

import pandas as pd
import pytest

from core.data.layout.kinds import row_totals
from core.data.layout.kinds.contents import columns_of
from core.data.layout.opening import open_files
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import SchemaError
from tests.reference import REFERENCE

PUBLIC = REFERENCE / "public"
pytestmark = pytest.mark.skipif(
    not PUBLIC.is_dir(), reason=f"no public tables at {PUBLIC}: set MIXWRIGHT_REFERENCE"
)


def read(*names, **said):
    sources = [(PUBLIC / name, name) for name in names]
    return read_files(open_files(sources), StatedColumns(**said))


def channels(table) -> dict[str, str]:
    return {one.name: one.kind for one in mapping_of_table(table).channels}


def test_the_master_flat_file():
    table = read("augur_geo_mff.csv")
    mapping = mapping_of_table(table)
    assert (mapping.time, mapping.geo, mapping.kpi) == ("Period", "Geography", "Sales")
    assert len(table.frame) == 8 * 91
    truth = json.loads((PUBLIC / "augur_geo_truth.json").read_text())
    paid = [one.name for one in mapping.of_kind("media")]
    assert paid == truth["channels"]
    long = pd.read_csv(PUBLIC / "augur_geo_mff.csv")
    sums = long.groupby("VariableName")["VariableValue"].sum()
    for name in [*paid, "Sales"]:
        assert table.frame[name].sum() == pytest.approx(sums[name], rel=1e-12)


def test_campaigns_in_one_file_and_the_kpi_in_another():
    table = read(
        "pymc_credibility_campaign_daily_metrics.csv",
        "pymc_credibility_mmm_input_data.csv",
    )
    mapping = mapping_of_table(table)
    assert mapping.kpi == "y"
    assert len(mapping.channels) == 8
    assert "social" not in table.frame  # the sum of the campaigns
    assert len(table.frame) == 120
    long = pd.read_csv(PUBLIC / "pymc_credibility_campaign_daily_metrics.csv")
    spent = table.frame.filter(like="_spend").to_numpy().sum()
    assert spent == pytest.approx(long["spend"].sum(), rel=1e-12)


def test_campaigns_can_be_one_channel_by_hand():
    table = read(
        "pymc_credibility_campaign_daily_metrics.csv",
        "pymc_credibility_mmm_input_data.csv",
        group=(("social", ("*",)),),
    )
    wide = pd.read_csv(PUBLIC / "pymc_credibility_mmm_input_data.csv")
    assert set(channels(table)) == {"social", "search"}
    assert table.frame["social_spend"].to_numpy() == pytest.approx(
        wide["social"].to_numpy(), rel=1e-9, abs=1e-6
    )


def test_ads_and_orders_by_the_schemas_of_a_warehouse():
    names = ("fivetran_ad_report.csv", "fivetran_shopify_orders.csv")
    table = read(*names, rate=(("USD", 0.5),), cancelled="counted")
    mapping = mapping_of_table(table)
    assert mapping.kpi == "revenue"
    assert [one.name for one in mapping.channels] == [
        "Google Ads",
        "Facebook Ads",
        "TikTok Ads",
    ]
    orders = pd.read_csv(PUBLIC / names[1])
    euro = orders["total_price"].where(
        orders["currency"] == "EUR", orders["total_price"] / 2
    )
    total = next(one for one in table.totals if one.column == "total_price")
    assert total.before == pytest.approx(euro.sum(), rel=1e-12)
    said = " ".join(finding.message for finding in table.findings)
    assert "total_price_set" in said
    assert "hold JSON" in said


def test_columns_of_a_wide_table_are_looked_at_a_few_times_only(monkeypatch):
    looked = []

    def counted(file):
        looked.append(file)
        return columns_of(file)

    monkeypatch.setattr(row_totals, "columns_of", counted)
    read("fivetran_shopify_orders.csv", rate=(("USD", 0.5),), cancelled="counted")
    assert len(looked) <= 2


def test_orders_in_two_currencies_are_a_question():
    with pytest.raises(Exception, match="1,393.38 EUR and 1,749.80 USD"):
        read(
            "fivetran_ad_report.csv", "fivetran_shopify_orders.csv", cancelled="counted"
        )


def test_refunded_orders_of_a_shop_are_a_question_with_both_sums():
    orders = pd.read_csv(PUBLIC / "fivetran_shopify_orders.csv")
    gone = orders["financial_status"] == "refunded"
    gone |= orders["cancel_reason"].notna() | orders["cancelled_timestamp"].notna()
    every, kept = orders["total_price"].sum(), orders["total_price"][~gone].sum()
    words = f"reason is 1 and 2 .* {every:,.2f} with them and {kept:,.2f} with"
    with pytest.raises(Exception, match=words):
        read("fivetran_ad_report.csv", "fivetran_shopify_orders.csv")


@pytest.mark.parametrize(
    "name", ["fivetran_ad_report.csv", "pymc_credibility_campaign_daily_metrics.csv"]
)
def test_media_alone_asks_for_the_kpi(name):
    with pytest.raises(SchemaError, match="not the KPI of the shop"):
        mapping_of_table(read(name))


@pytest.mark.parametrize(
    "name",
    [
        "mixlift_demo.csv",
        "mmm_stan_data.csv",
        "robyn_dt_simulated_weekly.csv",
        "pymc_mmm_example.csv",
        "pymc_media_tvp_data.csv",
        "pymc_credibility_mmm_input_data.csv",
        "pymc_mock_cgp_data.csv",
        "pymc_funnel_data.csv",
    ],
)
def test_wide_tables_stay_as_they_lie(name):
    table = read(name)
    assert table.layout is None
    mapping = mapping_of_table(table)
    assert mapping.channels


def test_the_kpi_can_be_summed_to_weeks():
    table = read("pymc_funnel_data.csv", kpi="target_var", period="week")
    assert mapping_of_table(table).kpi == "target_var"
    assert len(table.frame) == 149
