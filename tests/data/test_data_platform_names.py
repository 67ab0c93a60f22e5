"""Columns of platforms' exports: what each is, in one account's table by date."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.platforms import prefix_of
from core.data.layout.opening import opened
from core.data.layout.reading import mapping_of_table, read_files
from core.data.recognition.outcomes import explain_kpi_type
from core.data.recognition.recognise import guess_roles

#: By platform: spend, media, KPI that is money or None, and what is no cause.
PLATFORMS = {
    "Amazon": (
        "Spend",
        "Impressions",
        "7 Day Total Sales",
        ("Clicks", "Cost Per Click (CPC)", "Total Advertising Cost of Sales (ACOS)"),
    ),
    "TikTok": (
        "Cost",
        "Impressions",
        "Total purchase value",
        ("Clicks (destination)", "CPC (destination)", "CTR (destination)"),
    ),
    "LinkedIn": ("Total Spent", "Impressions", "Total Conversion Value", ("Clicks",)),
    "DV360": (
        "Revenue (Adv Currency)",
        "Impressions",
        None,
        ("Clicks", "Media Cost (Advertiser Currency)"),
    ),
    "Google": ("Cost", "Impr.", "Conv. value", ("Clicks", "Conversions", "CTR")),
    "Google, German": (
        "Kosten",
        "Impressionen",
        "Conv.-Wert",
        ("Klicks", "Conversions", "Durchschn. CPC"),
    ),
    "Apple": ("Spend", "Impressions", None, ("Taps", "TTR share", "CPA")),
    "Pinterest": ("Total spend", "Impressions", "Total order value (EUR)", ("Taps",)),
}


def roles_of(names):
    random = np.random.default_rng(0)
    days = pd.date_range("2022-01-01", periods=60).astype("str")
    columns = {name: random.uniform(1, 9, 60) for name in names}
    frame = pd.DataFrame({"Day": days, **columns})
    return frame, {role.column: role for role in guess_roles(frame)[1:]}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_column_is_what_its_platform_means(platform):
    """With any of the columns that are no cause, and in either order."""
    spend, media, kpi, others = PLATFORMS[platform]
    for n in range(len(others) + 1):
        for left in combinations(others, n):
            names = [spend, media, *([kpi] if kpi else []), *left]
            for order in (names, names[::-1]):
                if platform == "DV360" and order is not names and left:
                    continue  # of two amounts of money the first is its spend
                frame, roles = roles_of(order)
                assert roles[spend].role == "spend", (order, roles)
                assert roles[media].role == "media", (order, roles)
                assert roles[spend].channel == roles[media].channel
                if kpi and "order value" not in kpi:
                    assert roles[kpi].role == "kpi", (order, roles)
                    assert explain_kpi_type(frame, kpi, False)[0] == "revenue"
                for name in left:
                    assert roles[name].role == "ignored", (order, roles)


PARTS = ("Shipping", "Taxes", "Returns", "Net sales", "Total sales", "Orders")
DISCOUNTS = ("Discounts", "Discount amount", "Rabatte", "Remises")


@pytest.mark.parametrize("n", range(1, len(PARTS) + 1))
def test_parts_of_orders_are_no_causes(n):
    for names in combinations(PARTS, n):
        _, roles = roles_of(["Gross sales", *names])
        causes = {"spend", "media", "control", "non_media"}
        assert causes.isdisjoint(role.role for role in roles.values()), roles


@pytest.mark.parametrize("name", DISCOUNTS)
@pytest.mark.parametrize("beside", ["Taxes", "Returns", "a sign", "Promo"])
def test_what_orders_were_reduced_by_is_no_cause(name, beside):
    """Beside other parts of orders, or below zero; else it is a cut of prices."""
    frame, _ = roles_of(["Net sales", "TV spend", name, beside])
    if beside == "a sign":
        frame[name] *= -1
    roles = {role.column: role.role for role in guess_roles(frame)}
    assert roles[name] == ("non_media" if beside == "Promo" else "ignored")
    assert explain_kpi_type(frame.round(), "Net sales", False)[0] == "revenue"


@pytest.mark.parametrize(
    ("name", "channel"),
    [
        ("Spend (TV)", "TV"),
        ("Partner spend", "Partner"),
        ("Shipping cost", "Shipping"),
        ("Total Video spend", "Total Video"),
        ("Cost (Account Team)", "Account Team"),
    ],
)
def test_what_names_a_channel_stays_its_name(name, channel):
    _, roles = roles_of([name, "Radio spend", "revenue"])
    assert (roles[name].role, roles[name].channel) == ("spend", channel)


@pytest.mark.parametrize(
    ("file", "names", "prefix"),
    [
        ("export.csv", "Campaign name|Amount spent (EUR)|Impressions", "Meta"),
        ("export.csv", "Campaign Name|Amount Spent (USD)|Reach", "Meta"),
        ("a.csv", "Nom de la campagne|Montant dépensé (EUR)|Impressions", "Meta"),
        ("export.csv", "Campaign Name|Amount Spent (USD)|Impressions", ""),
        ("a.csv", "Campaign Name|Amount Spent|Paid Reach|Swipe Ups", ""),
        ("reddit_2024.csv", "Campaign name|Amount spent (USD)|Reach", ""),
    ],
)
def test_only_metas_amount_spent_makes_an_export_metas(file, names, prefix):
    frame = pd.DataFrame([["a", 1.0, 2, 3][: names.count("|") + 1]])
    assert prefix_of(File(file, frame.set_axis(names.split("|"), axis=1))) == prefix


@pytest.mark.parametrize(
    "name", ["Item Cost", "Cost of goods sold", "Product cost (EUR)", "Produktkosten"]
)
def test_what_goods_cost_is_no_media(name):
    frame, roles = roles_of([name, "Product launch spend", "Radio spend", "revenue"])
    assert roles[name].role == "ignored"
    assert roles["Product launch spend"].role == "spend"


@pytest.mark.parametrize("name", ["Insertion Order", "Insertion Order ID", "Order ID"])
def test_names_of_records_are_no_kpi(name):
    """A text that is called after an order is its name, and no number of orders."""
    frame, roles = roles_of(["Impressions", "Cost"])
    labelled = frame.assign(**{name: [f"IO_{at % 3}" for at in range(len(frame))]})
    roles = {role.column: role.role for role in guess_roles(labelled)}
    assert roles[name] == "ignored" and "kpi" not in roles.values()


#: What platforms report beside their cost, and what a shop or a till calls its sales.
CLAIMS = ("Conv. value", "Revenue", "7 Day Total Sales", "Purchases conversion value")
OWN = ("Gross sales", "Total sales", "Orders", "Umsatz", "Total revenue")


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("own", OWN)
def test_the_kpi_is_what_was_sold_not_what_a_platform_claims(claim, own):
    """Beside a shop's file, and only then; in either order of the files."""
    random = np.random.default_rng(0)
    days = pd.date_range("2022-01-03", periods=70).strftime("%Y-%m-%d")
    amounts = random.uniform(10, 900, (70, 4)).round(2)
    ads = {"Day": days, "Cost": amounts[:, 0], "Impressions": 40 * amounts[:, 1]}
    ads = pd.DataFrame(ads | {claim: 3 * amounts[:, 2]})
    shop = pd.DataFrame({"Day": days, own: 9 * amounts[:, 3]})
    files = [
        opened(name, load_table(frame.to_csv(index=False).encode(), name))
        for name, frame in (("ads.csv", ads), ("shop.csv", shop))
    ]
    for order in (files, files[::-1]):
        assert mapping_of_table(read_files(order)).kpi == own
    assert mapping_of_table(read_files(files[:1])).kpi == claim


@pytest.mark.parametrize("name", ["Advertiser Cost (USD)", "Advertiser cost"])
def test_an_advertiser_is_no_channel(name):
    _, roles = roles_of([name, "Impressions", "revenue"])
    assert roles[name].channel == roles["Impressions"].channel == "Media"


@pytest.mark.parametrize("claim", [None, "Conversions", "Revenue"])
@pytest.mark.parametrize("seen", ["Impressions", "Video views", "Link clicks"])
def test_files_of_a_platform_each_are_a_channel_each(claim, seen):
    """Whatever platforms call their cost, and beside what they claim to have sold."""
    random = np.random.default_rng(1)
    days = pd.date_range("2022-01-03", periods=70, freq="7D").strftime("%Y-%m-%d")
    files = []
    for name, columns in (
        ("google.csv", ["Cost", "Impressions", claim]),
        ("bing.csv", ["Spend", seen, claim]),
        ("shop.csv", ["Revenue"]),
    ):
        amounts = {c: random.uniform(9, 99, 70).round(2) for c in columns if c}
        frame = pd.DataFrame({"Day": days} | amounts)
        files.append(opened(name, load_table(frame.to_csv(index=False).encode(), name)))
    table = read_files(files)
    mapping = mapping_of_table(table)
    assert {(c.name, c.kind) for c in mapping.channels} == {
        ("google", "media"),
        ("bing", "media"),
    }
    assert table.frame[mapping.kpi].sum() == pytest.approx(frame["Revenue"].sum())
    assert not [each for each in table.findings if each.severity != "info"]
