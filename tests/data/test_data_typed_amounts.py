"""Amounts as people type them: read as meant, or asked about."""

import pytest

from core.data.cells.typed import typed_amount
from core.errors import ValueRangeError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("75M", 75e6),
        ("75m", 75e6),
        ("75,000", 75e3),
        ("75 Mio", 75e6),
        ("75 Mio. €", 75e6),
        ("€75M", 75e6),
        ("$1.5m", 1.5e6),
        ("1,5 Mio", 1.5e6),
        ("2.5bn", 2.5e9),
        ("120k", 120e3),
        ("1,234,567.89", 1234567.89),
        ("1.234.567,89", 1234567.89),
        ("1.234.567", 1234567.0),
        ("1 234 567", 1234567.0),
        ("1'234'567", 1234567.0),
        ("75000", 75000.0),
        ("75000.50", 75000.5),
        ("0.125", 0.125),
        ("12.5", 12.5),
        ("12,5", 12.5),
        ("8e7", 8e7),
        ("  42  ", 42.0),
        ("-5", -5.0),
    ],
)
def test_read_as_meant(text, value):
    assert typed_amount(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["75.000", "1.500 Mio", "€12.345"])
def test_what_could_be_two_numbers_is_asked_about(text):
    with pytest.raises(ValueRangeError, match=" or ") as caught:
        typed_amount(text, "budget")
    assert "Write the budget as" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["", "much", "10 %", "75X", "1,23,4", "1.2.3", "--5", "75M M", "nan", "inf"]
)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ValueRangeError):
        typed_amount(text, "budget")


@pytest.mark.parametrize(
    ("text", "group", "value"),
    [
        ("75.000", ".", 75e3),
        ("1.250.000,50", ".", 1250000.5),
        ("75,5", ".", 75.5),
        ("75\u202f000", "\u202f", 75e3),
        ("75,000", ",", 75e3),
    ],
)
def test_what_a_field_shows_is_read_back_in_the_locale_of_the_project(
    text, group, value
):
    assert typed_amount(text, group=group) == value


@pytest.mark.parametrize("group", [".", "\u202f"])
def test_a_comma_that_could_be_either_is_asked_about_elsewhere(group):
    with pytest.raises(ValueRangeError, match="can be 75,000 or 75"):
        typed_amount("75,000", "budget", group=group)


def test_too_large():
    with pytest.raises(ValueRangeError, match="too large"):
        typed_amount("9e308M")
