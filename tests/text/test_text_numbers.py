import datetime

import numpy as np
import pytest

from core import text as fmt
from core.text.currency import cell_format
from core.text.units import spoken


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12_431_022, "12.4 M €"),
        (999.6, "1.00 k €"),
        (950_321, "950 k €"),
        (-950_321, "−950 k €"),
        (1_234_000_000, "1.23 bn €"),
        (5e12, "5,000 bn €"),
        (95.27, "95.3 €"),
        (0.004321, "0.00432 €"),
        (0, "0 €"),
        (np.float32(2.5e6), "2.50 M €"),
        (np.int64(12), "12.0 €"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_money(value, text):
    assert plain(fmt.money(value, "EUR")) == text


def test_money_knows_currencies_and_signs():
    assert fmt.money(1e6, "usd") == "$1.00M"
    assert fmt.money(13.3e6, "GBP") == "£13.3M"
    assert fmt.money(-950_321, "GBP") == "−£950k"
    assert fmt.money(95, "$", signed=True) == "+$95.0"
    assert plain(fmt.money(1e6, "CHF")) == "1.00 M CHF"
    assert plain(fmt.money(1.8e6, "EUR", signed=True)) == "+1.80 M €"


def test_ratio():
    assert fmt.ratio(3.899) == "3.90"
    assert fmt.ratio(-0.001) == "0.00"
    assert fmt.ratio(-1.5) == "−1.50"
    assert fmt.ratio(float("inf")) == "–"


def test_a_difference_of_ratios_has_the_digits_of_its_ends():
    def about(mean):
        return {"mean": mean, "lo": mean - 0.5, "hi": mean + 0.5}

    assert fmt.ratio_change(about(1.914), about(1.916)) == "+0.01"  # 1.91, 1.92
    assert fmt.ratio_change(about(1.916), about(1.924)) == "0.00"
    assert fmt.ratio_change(about(1.92), about(1.5)) == "−0.42"
    small = {"mean": 0.0121, "lo": 0.01, "hi": 0.02}
    assert fmt.ratio_change(small, small | {"mean": 0.0132}) == "+0.0011"


def test_an_amount_that_nobody_has_is_not_written_in_full():
    assert plain(fmt.cents(1e300, "EUR")) == "1e+300 €"
    assert plain(fmt.cents(float("inf"), "EUR")) == "inf €"
    assert plain(fmt.cents(1e15, "EUR")) == "1,000,000,000,000,000 €"


def test_exact():
    assert plain(fmt.exact(12_431_022.2, "€")) == "12,431,022 €"
    assert plain(fmt.exact(-0.5, "€ per €")) == "−0.5000 € per €"
    assert fmt.exact(3.14159) == "3.142"
    assert fmt.exact(float("nan"), "€") == "–"
    assert fmt.exact(-12_431_022.2, "$") == "−$12,431,022"
    assert plain(fmt.exact(2, "$ per order")) == "2.000 $ per order"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.234, "23 %"), (0.004, "< 1 %"), (0, "0 %"), (-0.12, "−12 %"), (1.2, "120 %")],
)
def test_share(value, text):
    assert plain(fmt.share(value)) == text


@pytest.mark.parametrize("size", [1e-9, -1e-9, 4.9e-7, -4.9e-7, 0.0])
def test_what_rounds_to_nothing_is_nothing_without_a_sign(size):
    assert plain(fmt.money(size, "EUR", signed=True)) == "0 €"
    known = {"mean": size, "lo": -abs(size), "hi": abs(size)}
    shown = fmt.estimate(known, "money", "EUR", signed=True)
    assert plain(shown) == "0 € (0 – 0)"


def test_no_change_has_no_sign():
    assert plain(fmt.share(0.004, signed=True)) == "0 %"
    assert plain(fmt.share(-0.004, signed=True)) == "0 %"
    assert plain(fmt.share(0.006, signed=True)) == "+1 %"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "< 1 %"), (1, "> 99 %"), (0.994, "99 %"), (0.996, "> 99 %"), (0.5, "50 %")],
)
def test_probability_is_never_certain(value, text):
    assert plain(fmt.probability(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.965, "97 %"), (0.145, "15 %"), (0.975, "98 %"), (0.005, "< 1 %")],
)
def test_half_a_percent_goes_up_as_in_a_spreadsheet(value, text):
    assert plain(fmt.probability(value)) == text


def test_estimates():
    def est(mean, lo, hi):
        return {"mean": mean, "median": mean, "lo": lo, "hi": hi}

    money = est(41.2e6, 36e6, 47.1e6)
    assert plain(fmt.estimate(money, "money", "EUR")) == "41.2 M € (36.0 – 47.1)"
    ratio = est(3.9, 2.9, 4.94)
    assert plain(fmt.estimate(ratio, "ratio")) == "3.90 (2.90 – 4.94)"
    share = est(0.21, 0.18, 0.24)
    assert plain(fmt.estimate(share, "share")) == "21 % (18 – 24)"
    near_zero = est(20, -4e5, 5e5)
    text = plain(fmt.estimate(near_zero, "money", "EUR", signed=True))
    assert text == "0 k € (−400 – 500)"
    units = est(1200, 900, 1500)
    assert plain(fmt.estimate(units, "number", "orders")) == (
        "1.20 k orders (0.90 – 1.50)"
    )


@pytest.mark.parametrize(
    ("mean", "lo", "hi", "text"),
    [
        (1.6e6, 0.941e6, 2.3e6, "1.60 M € (0.94 – 2.30)"),
        (12.4e6, 9.87e6, 15e6, "12.4 M € (9.9 – 15.0)"),
        (12.4e6, -1e4, 25e6, "12.4 M € (0.0 – 25.0)"),
        (1.6e6, -12.34e6, 14.5e6, "1.60 M € (−12.34 – 14.50)"),
        (50e3, -1.2e6, 1.3e6, "50.0 k € (−1,200 – 1,300)"),
        (150e3, 9e3, 1.3e6, "150 k € (9 – 1,300)"),
        (0, -400, 500, "0 € (−400 – 500)"),
        (0.5, 0, 40, "0.500 € (0.00 – 40.00)"),
    ],
)
def test_the_ends_of_an_interval_have_the_decimals_of_its_estimate(mean, lo, hi, text):
    told = {"mean": mean, "lo": lo, "hi": hi}
    assert plain(fmt.estimate(told, "money", "EUR")) == text


def test_intervals_carry_their_unit():
    assert plain(fmt.interval(36e6, 47.1e6, "money", "EUR")) == "(36.0 – 47.1 M €)"
    assert fmt.interval(36e6, 47.1e6, "money", "USD") == "($36.0M – $47.1M)"
    assert fmt.interval(-36e6, 47.1e6, "money", "GBP") == "(−£36.0M – £47.1M)"
    assert plain(fmt.interval(0.1, 0.2, "share")) == "(10 – 20 %)"
    assert plain(fmt.interval(9.87e6, 1.5e7, "money", "EUR")) == "(9.9 – 15.0 M €)"


@pytest.mark.parametrize("currency", ["EUR", "USD", "GBP", "CHF", ""])
@pytest.mark.parametrize("size", [0, 1, 12.5, 999.6, 1e5, 3.3e7, 8e9])
def test_a_sign_stands_on_one_side_whatever_the_amount(currency, size):
    """Negative, positive and as an estimate: the same letters in the same order."""
    unit = fmt.currency_symbol(currency)
    shown = fmt.money(size, currency)
    assert shown.startswith(unit) == (unit in "$£") or not unit
    assert shown.count(unit) == 1 or not unit
    if size:
        assert fmt.money(-size, currency) == f"−{shown}"
        assert fmt.money(size, currency, signed=True) == f"+{shown}"
    alone = {"mean": size, "lo": size, "hi": size}
    assert fmt.estimate(alone, "money", currency).startswith(f"{shown} (")


def test_dates_are_written_out():
    assert fmt.date("2021-08-23T00:00:00") == "23 Aug 2021"
    assert fmt.date(datetime.date(2021, 8, 3)) == "3 Aug 2021"


@pytest.mark.parametrize(
    ("size", "text"),
    [(3.899, "3.90"), (0.5, "0.50"), (0.0123, "0.0123"), (-0.00051, "−0.000510")],
)
def test_a_small_return_is_not_rounded_away(size, text):
    """A KPI in units brings a hundredth of a unit per euro: 0.01 says nothing."""
    assert fmt.roi(size) == text
    told = {"mean": size, "lo": size, "hi": size}
    assert fmt.estimate(told, "ratio") == f"{text} ({text} – {text})"


def test_percent():
    assert plain(fmt.percent(-0.0423)) == "−4.2 %"
    assert plain(fmt.percent(0.5, decimals=0)) == "50 %"
    assert fmt.percent(None) == "–"


def test_units():
    money = fmt.units({"outcome_unit": "revenue", "currency": "EUR"})
    assert (money.outcome, money.roi, money.outcome_name) == ("€", "€ per €", "Revenue")
    kpi = fmt.units({"outcome_unit": "kpi", "currency": "USD", "kpi_name": "orders"})
    assert (kpi.outcome, kpi.roi, kpi.outcome_name) == (
        "orders",
        "orders per $",
        "Orders",
    )
    assert kpi.kpi_in_text == "orders"
    named = fmt.units({"outcome_unit": "kpi", "kpi_name": "iOS installs"})
    assert named.outcome_name == named.kpi_in_text == "iOS installs"
    assert plain(kpi.show(12345)) == "12.3 k orders"


def test_an_outcome_is_named_once():
    """Not "148 New customers of new customers"."""
    units = fmt.Units("kpi", "EUR", "New customers")
    assert plain(units.named(148)) == "148 New customers"
    assert plain(fmt.Units("revenue", "EUR").named(148e3)) == "148 k € of revenue"


def test_a_kpi_is_called_as_a_person_says_it():
    assert fmt.spoken("Sales_units") == "Sales units"
    about = {"outcome_unit": "kpi", "kpi_name": "new_customers"}
    assert fmt.units(about).kpi_name == "new customers"


def test_roi_without_a_currency_is_said_in_words():
    valued = fmt.Units("revenue", "", "conversions", has_value=True)
    money = fmt.Units("revenue", "", "sales", has_value=False)
    assert valued.roi == "revenue per unit of spend"
    assert money.roi == "sales per unit of spend"


def test_cells_of_a_workbook_have_the_sign_on_the_same_side():
    assert cell_format("USD") == '"$"#,##0.00'
    assert cell_format("EUR") == '#,##0.00 "€"'
    assert cell_format('C"HF') == '#,##0.00 "CHF"'
    assert cell_format("") == "#,##0.00"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12_431.4, "12,431"),
        (140.2, "140"),
        (13.42, "13.4"),
        (1.434, "1.43"),
        (-0.0271, "−0.0271"),
        (50.0, "50"),
        (0.0, "0"),
        (float("nan"), "–"),
    ],
)
def test_small_amounts_of_a_table_keep_their_digits(value, shown):
    assert fmt.table_amount(value) == shown


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("Sales_units", "Sales units"),
        ("Sales (£k)", "Sales"),
        ("Umsatz (T€)", "Umsatz"),
        ("Revenue ($000s)", "Revenue"),
        ("Sales (net)", "Sales (net)"),
        ("Distance (m)", "Distance (m)"),
        ("Sales (k)", "Sales"),
        ("Revenue_k", "Revenue"),
        ("Umsatz in m", "Umsatz"),
        ("Vitamin K", "Vitamin K"),
        ("Sales €k", "Sales"),
        ("Radio k€", "Radio"),
        ("Revenue_mEUR", "Revenue"),
        ("Umsatz (T€ netto)", "Umsatz"),
        ("Umsatz (Mio. EUR) netto", "Umsatz"),
        ("Omsättning tkr", "Omsättning"),
        ("Sales net", "Sales net"),
        ("Sales (INR lakh)", "Sales"),
        ("Sales_lakh", "Sales"),
        ("Umsatz in TEUR", "Umsatz"),
        ("Visits per lakh", "Visits per lakh"),
        ("(€)", "(€)"),
    ],
)
def test_a_column_is_said_without_a_unit_of_money(column, name):
    assert spoken(column) == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (641e6, "641 M €"),
        (3.86e6, "3.86 M €"),
        (-353e3, "−0.35 M €"),
        (500e3, "0.50 M €"),
        (4_900, "4.90 k €"),
        (33_400, "33.4 k €"),  # not 0.03 M €
        (0.0, "0 €"),
    ],
)
def test_numbers_of_one_list_have_one_scale(value, text):
    assert plain(fmt.in_scale(value, 912e6, "€")) == text
    assert plain(fmt.in_scale(0.5e6, 2e6, "$", signed=True)) == "+$0.50M"


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("revenue_eur", "revenue"),
        ("Umsatz EUR", "Umsatz"),
        ("Sales $", "Sales"),
        ("Revenue, €", "Revenue"),
        ("revenue-USD", "revenue"),
        ("sales_in_usd", "sales"),
        ("revenue_per_eur", "revenue per eur"),
        ("eur", "eur"),
        ("revenue_usd_net", "revenue usd net"),
        ("Orders CAD", "Orders CAD"),
    ],
)
def test_currencies_behind_names_of_money_are_not_said_twice(column, name):
    assert spoken(column) == name


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("Revenue", "revenue"),
        ("Net sales", "net sales"),
        ("GMV", "GMV"),
        ("Umsatz", "Umsatz"),
        ("Gesamtumsatz", "Gesamtumsatz"),
        ("Pantry orders", "pantry orders"),
        ("Neukunden", "Neukunden"),
    ],
)
def test_abbreviations_and_german_nouns_keep_their_capitals_in_sentences(name, within):
    assert fmt.Units("revenue", "EUR", name, has_value=False).outcome_in_text == within
    assert fmt.Units("kpi", "EUR", name, has_value=False).outcome_in_text == within


@pytest.mark.parametrize("whole", [0, 1, 2, 1_234, 1_235, 5_165_626, 5_165_627])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_half_is_rounded_away_from_zero_as_workbooks_do(whole, sign):
    shown = fmt.exact(sign * (whole + 0.5), decimals=0)
    assert shown == f"{sign * (whole + 1):,}".replace("-", "\u2212")
    assert fmt.exact(sign * (whole + 0.005), decimals=2).endswith(".01")
    assert fmt.exact(sign * 0.3, decimals=0) == "0"
