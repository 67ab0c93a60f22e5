"""Recognition of columns, by their names and cells."""

import numpy as np
import pandas as pd
import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.naming import read_name
from core.data.recognition.questions import guess_findings
from core.data.recognition.recognise import explain_mapping, guess_mapping, guess_roles
from core.data.recognition.unused_spend import check_unused_spend
from core.errors import SchemaError
from tests.data.data_tables import weeks
from tests.reference import (
    case,
    case_mapping,
    case_names,
    needs_reference,
    reference_data,
)

#: Cases whose columns a person chose otherwise than the table suggests.
CHOSEN = {"geo6_non_revenue_no_rpk", "geo6_organic_rf", "national_revenue_kpi"}


def table(*names, time="DATE", n=60, **others):
    rng = np.random.default_rng(0)
    columns = {name: np.round(rng.random(n) * 1000, 2) for name in names}
    return pd.DataFrame({time: weeks(n), **columns, **others})


def channels(mapping):
    return {
        channel.name: (channel.kind, *dict.fromkeys(channel.columns()))
        for channel in mapping.channels
    }


@needs_reference
@pytest.mark.parametrize("name", case_names())
def test_reference_tables_need_no_manual_mapping(name):
    given = case(name)
    frame = load_table(reference_data(given["dataset"]), given["dataset"])
    expected = case_mapping(given["columns"])
    guessed = guess_mapping(frame)
    if name in CHOSEN:
        assert guessed.kpi == expected.kpi
        return
    assert guessed == expected


@needs_reference
def test_full_funnel_table():
    frame = load_table(reference_data("geo_full_funnel_data.csv"), "funnel")
    mapping = guess_mapping(frame)
    assert mapping.controls == ("BrandedGQV_control", "GenericGQV_control")
    assert [channel.name for channel in mapping.channels] == [
        "AwarenessVideo",
        "PerformanceDisplay",
        "PerformanceNative",
    ]
    assert assemble(frame, mapping).kpi.shape == (20, 156)


@needs_reference
def test_a_table_of_plans_has_no_kpi():
    frame = load_table(reference_data("hypothetical_geo_all_channels.csv"), "plan")
    with pytest.raises(SchemaError, match="No column looks like a KPI") as caught:
        guess_mapping(frame)
    assert "Promo" in caught.value.hint
    assert "Channel0_spend" not in caught.value.hint
    assert "--kpi COLUMN" in caught.value.hint
    assert {entry.column for entry in guess_roles(frame)} == set(frame.columns)


def test_robyn():
    events = ["na"] * 59 + ["event1"]
    frame = table(
        *("revenue", "tv_S", "ooh_S", "facebook_I", "search_clicks_P", "search_S"),
        *("competitor_sales_B", "facebook_S", "newsletter"),
        events=events,
    )
    mapping = guess_mapping(frame)
    assert (mapping.time, mapping.kpi, mapping.kpi_type) == (
        "DATE",
        "revenue",
        "revenue",
    )
    assert mapping.controls == ("competitor_sales_B",)
    assert channels(mapping) == {
        "tv": ("media", "tv_S"),
        "ooh": ("media", "ooh_S"),
        "facebook": ("media", "facebook_I", "facebook_S"),
        "search": ("media", "search_clicks_P", "search_S"),
        "newsletter": ("organic_media", "newsletter"),
    }


def test_pymc_marketing():
    flags = (np.arange(60) % 20 == 3).astype(float)
    frame = table(
        *("y", "x1", "x2"),
        time="date_week",
        event_1=flags,
        event_2=1 - flags,
        dayofyear=np.arange(60) * 7 % 365 + 4,
        t=np.arange(60),
    )
    mapping = guess_mapping(frame)
    assert (mapping.time, mapping.kpi) == ("date_week", "y")
    assert mapping.controls == ("event_1", "event_2")
    assert channels(mapping) == {"x1": ("media", "x1"), "x2": ("media", "x2")}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("TV spend", "TV impressions"), ("TV", "TV impressions", "TV spend")),
        (("tv_cost", "tv_grps"), ("tv", "tv_grps", "tv_cost")),
        (("Spend TV", "Impressions TV"), ("TV", "Impressions TV", "Spend TV")),
        (("TVSpend", "TVClicks"), ("TV", "TVClicks", "TVSpend")),
        (("TV Kosten", "TV Kontakte"), ("TV", "TV Kontakte", "TV Kosten")),
        (("Ausgaben TV (EUR)",), ("TV", "Ausgaben TV (EUR)")),
        (("Dépenses TV", "Clics TV"), ("TV", "Clics TV", "Dépenses TV")),
        (("Coût de TV",), ("TV", "Coût de TV")),
        (("mdsp_TV", "mdip_TV"), ("TV", "mdip_TV", "mdsp_TV")),
        (("TV (€)",), ("TV", "TV (€)")),
        (("TV spend (£k)",), ("TV", "TV spend (£k)")),
        (("Search Kosten (T€)",), ("Search", "Search Kosten (T€)")),
        (("TV",), ("TV", "TV")),
        (("weekly_TV_net_spend_eur",), ("TV", "weekly_TV_net_spend_eur")),
        (
            ("TV: Amount spent (USD)", "TV: Impressions"),
            ("TV", "TV: Impressions", "TV: Amount spent (USD)"),
        ),
    ],
)
def test_words_for_spend_and_media(names, expected):
    name, *columns = expected
    assert channels(guess_mapping(table(*names, "Revenue"))) == {
        name: ("media", *columns)
    }


def test_several_units_of_one_channel():
    frame = table(
        "tv_spend", "tv_clicks", "tv_impressions", "tv_cost", "total_spend", "y"
    )
    mapping = guess_mapping(frame)
    assert channels(mapping)["tv"] == ("media", "tv_impressions", "tv_spend")
    assert set(channels(mapping)) == {"tv"}
    why = explain_mapping(frame, mapping)
    assert why["tv_clicks"] == ("ignored", "tv is already measured by tv_impressions.")


def test_reach_needs_frequency():
    frame = table("tv_spend", "tv_reach", "tv_frequency", "video_reach", "sales")
    assert channels(guess_mapping(frame)) == {
        "tv": ("reach_frequency", "tv_reach", "tv_frequency", "tv_spend"),
        "video": ("organic_media", "video_reach"),
    }


@pytest.mark.parametrize(
    ("names", "kpi", "kpi_type", "value"),
    [
        (("orders", "revenue"), "revenue", "revenue", None),
        (("orders", "revenue_per_order"), "orders", "non_revenue", "revenue_per_order"),
        (("Umsatz", "Bestellungen"), "Umsatz", "revenue", None),
        (("Absatz",), "Absatz", "non_revenue", None),
        (
            ("Sales units", "Avg order value"),
            "Sales units",
            "non_revenue",
            "Avg order value",
        ),
        (("Sales (€)",), "Sales (€)", "revenue", None),
        (("sales_value",), "sales_value", "revenue", None),
        (("y",), "y", "revenue", None),
        (("new_customers", "website_visits"), "new_customers", "non_revenue", None),
        (("facebook_conversions", "conversions"), "conversions", "non_revenue", None),
    ],
)
def test_kpi(names, kpi, kpi_type, value):
    mapping = guess_mapping(table("tv_spend", *names))
    assert (mapping.kpi, mapping.kpi_type, mapping.revenue_per_kpi) == (
        kpi,
        kpi_type,
        value,
    )


def test_whole_sales_are_units():
    assert guess_mapping(table("tv_spend", sales=range(60))).kpi_type == "non_revenue"


@pytest.mark.parametrize(
    ("time", "cells"),
    [
        ("week", [f"2021-W{week:02}" for week in range(1, 53)]),
        ("Monat", pd.date_range("2015-01-01", periods=60, freq="MS").strftime("%b %Y")),
        ("date", 44200 + 7 * np.arange(60)),
        ("ds", pd.date_range("2021-01-04", periods=60, freq="7D")),
        ("Column 1", weeks(60)),
        ("day", pd.date_range("2021-01-04", periods=60).strftime("%d/%m/%Y")),
    ],
)
def test_columns_of_dates(time, cells):
    frame = table("tv_spend", "sales", n=len(cells)).drop(columns="DATE")
    frame.insert(1, time, np.asarray(cells))
    assert guess_mapping(frame).time == time


def test_the_start_of_a_week_wins_over_its_end():
    frame = table("tv_spend", "sales", time="week_end", week_start=weeks(60))
    assert guess_mapping(frame).time == "week_start"


def test_no_dates():
    frame = table("tv_spend", "sales").drop(columns="DATE").assign(id=range(60))
    with pytest.raises(SchemaError, match="No column holds dates"):
        guess_mapping(frame)


def test_geos_by_name_by_code_and_by_cells():
    frame = pd.concat([table("tv_spend", "sales")] * 2, ignore_index=True)
    labels = np.repeat(["a", "b"], 60)
    assert guess_mapping(frame.assign(Bundesland=labels)).geo == "Bundesland"
    assert guess_mapping(frame.assign(who=labels)).geo == "who"
    assert guess_mapping(frame.assign(dma_code=np.repeat([501, 502], 60))).geo == (
        "dma_code"
    )
    assert guess_mapping(frame.assign(region=labels, country="DE")).geo == "region"
    assert guess_mapping(frame.assign(channel=labels)).geo is None


def test_a_constant_geo_is_national():
    frame = table("tv_spend", "sales").assign(region="DE", population=1)
    mapping = guess_mapping(frame)
    assert (mapping.geo, mapping.population) == (None, None)
    assert (
        explain_mapping(frame, mapping)["region"][1] == "It is the same in every row."
    )


def test_names_stay_unique():
    frame = table("promo_spend", "promo", "sales", "tv_spend", "TV_control")
    mapping = guess_mapping(frame)
    assert set(channels(mapping)) == {"promo_spend", "promo", "tv"}


def test_explanations_say_what_was_chosen_by_hand():
    frame = table("tv_spend", "Price_index", "sales")
    mapping = guess_mapping(frame)
    why = explain_mapping(frame, mapping)
    assert list(why) == list(frame.columns)
    assert why["tv_spend"][0] == "spend"
    assert "spend" in why["tv_spend"][1]
    assert why["Price_index"] == ("control", 'Its name says "index".')
    changed = explain_mapping(frame, type(mapping)("DATE", "Price_index"))
    assert changed["Price_index"] == ("kpi", "Chosen by hand.")
    assert changed["sales"][0] == "ignored"


def test_every_guess_assembles():
    frame = table("tv_spend", "radio_spend", "price", "sales", "=1+1_spend")
    mapping = guess_mapping(frame)
    assert not [one for one in check_table(frame, mapping) if one.severity == "error"]
    assert assemble(frame, mapping).n_times == 60


#: Names of columns and the channel that they name, by what they measure.
MEASURED = {
    "media": {
        "Emails Sent": "Emails",
        "Newsletter versendet": "Newsletter",
        "Organic_channel0_impression": "Organic_channel0",
        "LinkedIn impressions": "LinkedIn",
        "TV GRPs": "TV",
        "TV_TRPs": "TV",
    },
    "spend": {
        "LinkedInSpend": "LinkedIn",
        "Display (product ads) spend": "Display (product ads)",
        "Fernsehkosten": "Fernseh",
        "Investimento TV (R$)": "TV",
        "TV spend (US$)": "TV",
        "TV spend (INR lakh)": "TV",
        "tv_spend_national": "tv_national",
        "spend": "spend",
        "Spend_TV_k": "TV",
        "Search Spend (T€ net)": "Search",
        "電視_spend": "電視",
        "TVSpend": "TV",
    },
    None: {
        "TV_lakh": "TV",
        "Digital crore": "Digital",
        "TV_TEUR": "TV",
        "TV in TEUR": "TV",
        "TV (000)": "TV",
        "TV (Rs. Lakhs)": "TV",
        "TV_k": "TV_k",
        "TV (Mio. EUR) net": "TV",
        "TV (EUR) gross": "TV",
        "Radio k€": "Radio",
        "TV USDk": "TV",
        "Sales per thousand": "Sales per thousand",
        "=1+1": "=1+1",
        "revenue": "revenue",
    },
}


@pytest.mark.parametrize(
    ("column", "measure", "channel"),
    [
        (column, measure, channel)
        for measure, columns in MEASURED.items()
        for column, channel in columns.items()
    ],
)
def test_names(column, measure, channel):
    name = read_name(column)
    assert (name.measure, name.channel) == (measure, channel)


def test_a_kpi_of_zero_is_still_the_kpi():
    frame = table("tv_spend").assign(sales=0)
    mapping = guess_mapping(frame)
    assert mapping.kpi == "sales"
    messages = [finding.message for finding in check_table(frame, mapping)]
    assert "The KPI sales is zero everywhere." in messages


def test_text_among_numbers_does_not_hide_a_column():
    frame = table("tv_spend", "sales", "radio").astype({"tv_spend": str, "sales": str})
    frame.loc[::2, "tv_spend"] = "tba"
    frame.loc[::3, "sales"] = "n/k"
    frame.loc[3, "radio"] = -5.0
    mapping = guess_mapping(frame)
    assert mapping.kpi == "sales"
    assert set(channels(mapping)) == {"tv", "radio"}
    messages = [finding.message for finding in check_table(frame, mapping)]
    assert any("tv_spend has 30 cells" in message for message in messages)
    assert any("radio is negative in 1 row" in message for message in messages)


def test_one_week():
    frame = table("tv_spend", "price", "sales", n=1)
    mapping = guess_mapping(frame)
    assert (mapping.time, mapping.kpi) == ("DATE", "sales")
    messages = [finding.message for finding in check_table(frame, mapping)]
    assert any("only 1 period" in message for message in messages)


def test_spend_of_no_channel_in_a_table_of_geos_is_a_geo_tests():
    frame = table("sales", "spend", n=120).assign(region=["a", "b"] * 60)
    assert guess_mapping(frame).channels == ()
    assert channels(guess_mapping(frame.drop(columns="region"))) != {}
    named = frame.rename(columns={"spend": "TV_spend"})
    assert set(channels(guess_mapping(named))) == {"TV"}


#: What a name alone says beside revenue and a channel: no word of it is enough.
BESIDE = {
    "ignored": (
        *("Add to carts", "Footfall", "Test drives", "Gross margin", "Trials", "DAU"),
        *("Sign-ups", "Room nights", "Call center calls", "Total media", "CTR rate"),
        *("Revenue B2B", "Sales - B2C", "Total Collected", "Cash", "Watch time"),
        *("Warenkörbe", "Neukunden", "Rohertrag", "Paniers", "Clientes nuevos"),
    ),
    "media": (
        *("OOH panels", "Cinema admissions", "Direct mail pieces", "Influencer posts"),
        *("Spotify streams", "Anzahl Mailings", "Kino Besucher", "Plakatflächen"),
    ),
    "spend": (
        *("Digital B", "Radio S", "channel_B", "channel_I"),
        *("Sponsorship", "Leaflets", "Catalogues", "Direct mail", "Außenwerbung"),
        *("Réseaux sociaux", "Vallas", "Prensa"),
    ),
    "control": ("Unemployment rate", "Interest rate"),
}


@pytest.mark.parametrize(
    ("name", "role"), [(name, role) for role, names in BESIDE.items() for name in names]
)
def test_outcomes_are_no_controls_and_counts_are_no_spend(name, role):
    roles = {r.column: r for r in guess_roles(table("Revenue", "TV spend", name))}
    assert roles[name].role == role, roles[name].reason
    assert roles["Revenue"].role == "kpi"


@pytest.mark.parametrize(
    "heads",
    [
        "Неделя|Выручка|Расходы ТВ|Затраты Радио",
        "Тиждень|Продажі|Витрати ТБ|Витрати радіо",
        "الأسبوع|المبيعات|إنفاق التلفزيون|تكلفة الراديو",
        "주|매출|TV 광고비|검색 비용",
        "周|销售额|电视花费|搜索费用",
        "週|營收|電視花費|搜尋費用",
        "Viikko|Liikevaihto|TV kustannukset|Radio kulut",
        "Hét|Árbevétel|TV költség|Rádió költségek",
        "Săptămâna|Vânzări|Cheltuieli TV|Cost radio",
        "Εβδομάδα|Έσοδα|Δαπάνη TV|Κόστος ραδιόφωνο",
        "Minggu|Pendapatan|Biaya TV|Biaya radio",
        "שבוע|הכנסות|הוצאות טלוויזיה|עלות רדיו",
        "Hafta|Ciro|TV harcaması|Radyo maliyeti",
        "Uge|Omsætning|TV udgifter|Radio forbrug",
        "Тиждень|Виторг|Бюджет ТБ|Бюджет радіо",
        "Tuần|Doanh thu|Chi phí TV|Chi phí radio",
        "สัปดาห์|ยอดขาย|ค่าใช้จ่าย ทีวี|ค่าโฆษณา วิทยุ",
        "सप्ताह|राजस्व|खर्च टीवी|लागत रेडियो",
        "週|売上|テレビコスト|検索コスト",
        "周|营收|电视消费|搜索消费",
    ],
)
def test_spend_and_sales_are_known_in_many_languages(heads):
    frame = table("a", "b", "c", n=60)
    roles = guess_roles(frame.set_axis(heads.split("|"), axis=1))
    assert [each.role for each in roles] == ["time", "kpi", "spend", "spend"]


@pytest.mark.parametrize(
    ("head", "cells", "role"),
    [
        ("New subscribers", ("120", "140"), "kpi"),
        ("CA (€)", ("1200", "1400"), "kpi"),
        ("CA brut", ("1200", "1400"), "kpi"),
        ("Omsättning (SEK)", ("1200", "1400"), "kpi"),
        ("Sales (£k)", ("12", "14"), "kpi"),
        ("Omzet", ("1200", "1400"), "kpi"),
        ("MQLs", ("120", "140"), "kpi"),
    ],
)
def test_a_kpi_in_other_words_is_no_spend(head, cells, role):
    frame = flags(head, cells)
    roles = {entry.column: entry.role for entry in guess_roles(frame)}
    assert roles[head] == role
    assert roles["TV cost (THB)"] == "spend"


@pytest.mark.parametrize("cells", [("Y", "N"), ("yes", "no"), ("Ja", "Nein")])
@pytest.mark.parametrize("head", ["Promo", "Sale on", "Holiday"])
def test_yes_and_no_are_a_control_or_a_promotion(head, cells):
    roles = {e.column: e.role for e in guess_roles(flags(head, cells, kpi="Revenue"))}
    assert roles[head] in ("control", "non_media")


def flags(head, cells, kpi=""):
    """A table with a column of two values; and a KPI, where that is none itself."""
    rows = [f"week,{head},TV cost (THB)" + (f",{kpi}" if kpi else "")]
    for i in range(60):
        day = np.datetime64("2023-01-02") + 7 * i
        more = f",{90_000 + 137 * i}" if kpi else ""
        rows.append(f"{day},{cells[i % 3 == 0]},{800 + 31 * (i % 7)}{more}")
    return load_table("\n".join(rows).encode(), "table.csv")


@pytest.mark.parametrize(
    "name",
    [
        "TV Spend lag1",
        "TV_adstock",
        "log TV Spend",
        "TV Spend MA4",
        "TV Spend rolling 4w",
        "TV spend LY",
        "TV Spend last year",
        "TV Spend (t-1)",
        "TV Spend YoY",
        "Revenue LY",
    ],
)
def test_what_was_worked_out_from_another_column_is_no_channel(name):
    frame = table("Revenue", "TV Spend", "Radio Spend", name)
    mapping = guess_mapping(frame)
    assert set(channels(mapping)) == {"TV", "Radio"}
    assert mapping.controls == ()
    said = [f for f in guess_findings(frame, mapping) if name in f.message]
    assert any("worked out from" in finding.message for finding in said)
    assert not [f for f in check_unused_spend(frame, mapping) if name in f.message]


def test_a_number_behind_a_name_is_another_channel():
    mapping = guess_mapping(table("Revenue", "TV Spend", "TV 2 Spend", "Radio t1"))
    assert {"TV", "TV 2"} <= set(channels(mapping))


def test_what_competitors_spend_is_a_control():
    mapping = guess_mapping(table("Revenue", "TV Spend", "Competitor TV spend"))
    assert set(channels(mapping)) == {"TV"}
    assert mapping.controls == ("Competitor TV spend",)


@pytest.mark.parametrize(
    "names",
    [
        ("Search Competitor Spend", "TV Spend"),
        ("Competitor_cost", "Brand_cost", "Generic_cost"),
    ],
)
def test_search_for_competitors_is_a_channel(names):
    assert len(channels(guess_mapping(table("Revenue", *names)))) == len(names)


def test_channels_of_tiny_units_are_not_each_others_sum():
    frame = table("Revenue", "TV Spend", "Radio Spend", "Print Spend", "OOH Spend")
    frame[frame.columns[1:]] *= 1e-7
    mapping = guess_mapping(frame)
    said = [f.message for f in check_table(frame, mapping)]
    assert not [message for message in said if "counts twice" in message]


def test_an_empty_kpi_at_the_end_is_not_called_zero():
    frame = table("Revenue", "TV Spend", "Radio Spend")
    frame.loc[52:, "Revenue"] = np.nan
    said = [f.message for f in check_table(frame, guess_mapping(frame))]
    assert [m for m in said if m.startswith("The KPI")] == [
        "The KPI Revenue is empty in the last 8 weeks."
    ]
