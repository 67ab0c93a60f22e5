"""Units of amounts: stated by headers, changed in the middle, typed with a currency."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.new_periods import arrival
from core.data.cells.scales import is_letter_only, stated_scale
from core.data.cells.typed import typed_amount
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.observations import observe
from core.data.reading.doubts import THOUSANDS, WHOLE, answered, questions
from core.data.recognition.recognise import guess_mapping
from core.errors import PlanError, ValueRangeError
from core.plan.scenario.amounts import refuse_money_goals, refuse_other_currencies
from tests.data.unit_families import outcome


@pytest.mark.parametrize(
    "seeds", [range(500, 548), pytest.param(range(548, 620), marks=pytest.mark.slow)]
)
def test_tables_in_other_units_are_read_right_or_asked_about(seeds):
    kinds = [outcome(seed) for seed in seeds]
    assert [about for kind, about in kinds if kind in ("silent", "needless")] == []
    assert Counter(kind for kind, _ in kinds)["read"] >= len(seeds) / 2


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("Umsatz (T€)", 1e3),
        ("Sales (£k)", 1e3),
        ("MSEK revenue", 1e6),
        ("Umsatz in 1000s", 1e3),
        ("Sales ths.", 1e3),
        ("Gasto en miles", 1e3),
        ("Kosten (1000€)", 1e3),
        ("Revenue (10^3 EUR)", 1e3),
        ("Revenue in M", 1e6),
        ("standard error (k)", 1e3),
        ("Standardfehler (k)", 1e3),
        ("lower 90 (k)", 1e3),
        ("vitamin (k)", 1.0),
        ("Revenue (M)", 1.0),
        ("Spend over 1000 EUR", 1.0),
        ("metrics.cost_micros", 1e-6),
        ("TV (INR lakh)", 1e5),
        ("TV_lakh", 1e5),
        ("Digital crores", 1e7),
        ("Search impressions lakh", 1e5),
        ("Visits per lakh", 1.0),
        ("crore", 1.0),
        ("revenue_LAC", 1.0),
        ("Spend (INR lac)", 1e5),
        ("Digital (₹ Cr)", 1e7),
        ("Search (Rs. crore)", 1e7),
        ("Credit (Cr)", 1.0),
        ("Spend pence", 1e-2),
        ("Cost per thousand", 1.0),
        ("Air Miles spend", 1.0),
        ("Special K sales", 1.0),
        ("tv_S", 1.0),
        ("TRY spend", 1.0),
        ("cents_off_promo", 1.0),
        ("销售额（万元）", 1e4),
        ("搜索花费(亿元)", 1e8),
        ("매출 (만원)", 1e4),
        ("राजस्व (₹ लाख)", 1e5),
        ("ยอดขาย (ล้านบาท)", 1e6),
        ("Doanh thu (triệu đồng)", 1e6),
        ("Chi phí (tỷ đồng)", 1e9),
        ('הכנסות (באלפי ש"ח)', 1e3),
        ("مبيعات (بالألف)", 1e3),
        ("إيرادات ألفا روميو", 1.0),
    ],
)
def test_what_a_header_states(name, factor):
    assert stated_scale(name) == factor


@pytest.mark.parametrize(
    "text", ["1.5M USD", "$1.5M", "1.5M GBP", "£2m", "CHF 75,000", "75 Mio SEK"]
)
def test_money_of_another_currency_is_refused(text):
    with pytest.raises(ValueRangeError, match="is in EUR"):
        typed_amount(text, "budget", currency="EUR")
    for request in ({"budget": text}, {"budget": typed_amount(text)}):
        with pytest.raises(PlanError, match="budget is in"):
            refuse_other_currencies(request, "EUR")


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        ("objective", {"objective": "reach:1000 EUR"}),
        ("objective", {"objective": "reach:€1,000"}),
        ("goal", {"goal": typed_amount("1000 EUR")}),
        ("target", {"find": {"kind": "outcome", "target": "1000 EUR"}}),
    ],
)
def test_a_goal_in_money_is_refused_where_the_kpi_is_a_count(key, asked):
    with pytest.raises(PlanError, match="amount of money") as refused:
        refuse_money_goals(asked, "kpi")
    assert refused.value.where == key
    refuse_money_goals(asked, "revenue")
    for plain in ({"objective": "reach:1000"}, {"goal": 1000.0}, {"objective": "mean"}):
        refuse_money_goals(plain, "kpi")


@pytest.mark.parametrize(
    ("text", "currency"),
    [("€75M", "EUR"), ("75M", "EUR"), ("$75M", "USD"), ("$75M", "$"), ("$75M", "")],
)
def test_money_of_the_projects_currency_is_taken(text, currency):
    assert typed_amount(text, currency=currency) == 75e6
    refuse_other_currencies({"budget": text, "objective": "mean"}, currency)


@pytest.mark.parametrize("column", ["revenue", "tv_spend"])
@pytest.mark.parametrize("factor", [1e3, 100.0, 1e-2, 1e-3])
@pytest.mark.parametrize("n_new", [1, 4])
def test_new_rows_in_another_unit_are_asked_about(column, factor, n_new):
    random = np.random.default_rng(int(n_new + 10 * factor))
    weeks = pd.date_range("2023-01-02", periods=80 + n_new, freq="7D").astype(str)
    frame = pd.DataFrame(
        {
            "week": weeks,
            "revenue": random.uniform(50e3, 120e3, len(weeks)).round(),
            "tv_spend": random.uniform(5e3, 20e3, len(weeks)).round(),
        }
    )
    mapping = guess_mapping(frame)
    old, new = frame[:80], frame[80:]
    assert arrival(old, new, mapping).jumps == ()
    other = arrival(old, new.assign(**{column: new[column] * factor}), mapping)
    assert [jump.split(":")[0] for jump in other.jumps] == [column]


def lone_letter():
    """Weekly data whose KPI only has a letter for thousands."""
    weeks = pd.date_range("2024-01-01", periods=60, freq="7D").strftime("%Y-%m-%d")
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "week": weeks,
            "Sales (£k)": rng.integers(300, 500, 60),
            "TV_spend": rng.integers(20_000, 40_000, 60),
        }
    )
    return load_table(table.to_csv(index=False).encode(), "market.csv")


def test_a_letter_for_thousands_is_one_question():
    frame = lone_letter()
    mapping = guess_mapping(frame)
    (question,) = questions(frame, mapping)
    assert question.column == "Sales (£k)" and question.usual == THOUSANDS
    (_, large), (_, small) = question.choices
    assert float(large.replace(",", "")) == 1000 * float(small)
    assert observe(frame, mapping).numbers["Sales (£k)"].values.min() >= 300_000
    assert any("in thousands" in each.message for each in check_table(frame, mapping))
    whole = answered(mapping, [question], {"Sales (£k)": WHOLE})
    assert whole.whole_units == ("Sales (£k)",)
    read = observe(frame, whole).numbers["Sales (£k)"].values
    assert 300 <= read.min() and read.max() < 500
    assert not any("thousands" in each.message for each in check_table(frame, whole))
    assert answered(mapping, [question], {"Sales (£k)": THOUSANDS}).whole_units == ()


@pytest.mark.parametrize("name", ["Umsatz (TEUR)", "Sales ths.", "Special K sales"])
def test_words_for_thousands_are_no_question(name):
    assert not is_letter_only(name)


def test_mil_is_a_thousand_to_some_and_a_million_to_others():
    text = "week,Revenue (mil.),TV spend\n2024-01-01,1.2,3\n2024-01-08,1.3,4\n"
    file = opened("a.csv", load_table(text.encode(), "a.csv"))
    (warning,) = [f for f in file.findings if f.severity == "warning"]
    assert "thousand" in warning.message
    assert "million" in warning.message
