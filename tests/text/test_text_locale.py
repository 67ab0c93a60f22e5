"""A project's locale: one way to write numbers, money and dates, wherever."""

import pytest

from core import text as fmt
from core.charts.drawing import style
from core.text.currency import cell_format


@pytest.fixture(autouse=True)
def _standard_afterwards():
    yield
    fmt.set_locale(None)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize(
    ("name", "pounds", "dollars", "euros", "day"),
    [
        ("en", "£13.3M", "$13.3M", "13.3 M €", "3 Aug 2026"),
        ("en-US", "£13.3M", "$13.3M", "€13.3M", "Aug 3, 2026"),
        ("de", "13,3 Mio. £", "13,3 Mio. $", "13,3 Mio. €", "3. Aug 2026"),
        ("fr", "13,3 M £", "13,3 M $", "13,3 M €", "3 Aug 2026"),
        ("es", "13,3 M £", "13,3 M $", "13,3 M €", "3 Aug 2026"),
    ],
)
def test_the_sign_of_the_currency_stands_where_the_locale_puts_it(
    name, pounds, dollars, euros, day
):
    with fmt.written_in(name):
        shown = [fmt.money(13.3e6, code) for code in ("GBP", "USD", "EUR")]
        assert [plain(text) for text in shown] == [pounds, dollars, euros]
        assert fmt.date("2026-08-03T00:00:00") == day


def test_every_kind_of_number_follows():
    gain = {"mean": 1.234e9, "median": 0.5, "lo": -1.1e9, "hi": 2.5e9}
    with fmt.written_in("de"):
        said = [
            fmt.estimate(gain, "money", "EUR", signed=True),
            fmt.interval(36e6, 47.1e6, "money", "USD"),
            fmt.exact(-1234567.5, "€", decimals=1),
            fmt.cents(431.01, "EUR"),
            fmt.roi(0.0123),
            fmt.share(12.34),
            fmt.percent(0.0421),
            fmt.count(1234, "row"),
            fmt.number(12_345),
        ]
    assert [plain(text) for text in said] == [
        "+1,23 Mrd. € (−1,10 – 2,50)",
        "(36,0 – 47,1 Mio. $)",
        "−1.234.567,5 €",
        "431,01 €",
        "0,0123",
        "1.234 %",
        "4,2 %",
        "1.234 rows",
        "12,3 Tsd.",
    ]


def test_charts_and_cells_follow():
    with fmt.written_in("de"):
        assert style.template().layout.separators == ",."
        assert cell_format("USD") == '#,##0.00 "$"'
    assert style.template().layout.separators == ".,"
    with fmt.written_in("en-US"):
        assert cell_format("EUR", "#,##0") == '"€"#,##0'


def test_the_locale_is_asked_for_at_every_number():
    chosen = ["de"]
    fmt.set_locale(lambda: chosen[0])
    assert fmt.ratio(1.5) == "1,50"
    chosen[0] = "en"
    assert fmt.ratio(1.5) == "1.50"
    with fmt.written_in("fr"):
        assert fmt.ratio(1.5) == "1,50"
    assert fmt.ratio(1.5) == "1.50"


def test_a_locale_that_nobody_knows_is_the_standard_one():
    with fmt.written_in("tlh"):
        assert fmt.locale().name == fmt.STANDARD
