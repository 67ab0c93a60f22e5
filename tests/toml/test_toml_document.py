"""TOML: every problem of a file at once, each with its line where there is a file."""

import pytest

from core.errors import PlanError, ValueRangeError
from core.toml.document import parse, refusal
from core.toml.table import TableReader, amount_of

TEXT = """
budget = "75.000"
[channel.TV]
max = "120 %"
lock = [1]
[channel.Radio]
maxx = 3
"""


def read(text):
    root = TableReader(parse(text), (), [])
    root.amount("budget")
    most = {}
    for name, row in root.named("channel").items():
        most[name] = row.amount("max", 200.0)
        row.boolean("lock")
        row.finish()
    root.finish()
    return most, root.problems


def test_problems_are_told_together_with_their_lines():
    most, problems = read(TEXT)
    assert most == {"TV": 240.0, "Radio": None}
    error = refusal(PlanError, problems, "spring.toml", TEXT)
    assert [finding.where for finding in error.findings] == [
        f"spring.toml, line {line}" for line in (2, 5, 7)
    ]
    assert error.message.startswith("spring.toml, line 2: budget in the file: 75.000")
    assert "Did you mean max?" in error.findings[2].hint
    assert error.hint == error.findings[0].hint  # the others are told once
    nowhere = refusal(PlanError, problems, "scenario")
    assert nowhere.message.startswith("budget in the file")
    assert {finding.where for finding in nowhere.findings} == {"scenario"}


@pytest.mark.parametrize(
    ("value", "amount"), [("80 %", 40.0), ("1.5M", 1.5e6), (7, 7.0), ("150,000", 15e4)]
)
def test_amounts(value, amount):
    assert amount_of(value, 50.0) == amount


@pytest.mark.parametrize("value", [True, None, [1], "much", "x %", 10**400])
def test_what_is_no_amount(value):
    with pytest.raises(ValueRangeError, match="an amount"):
        amount_of(value, 50.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = ", "Invalid value"),
        (f"a = {2**63}", "64 bits"),
        ('a = "\\u0000"', "NUL"),
        (f"a = {'[' * 80}{']' * 80}", "nested"),
        (".".join("a" * 80) + " = 1", "parts"),
    ],
)
def test_what_no_file_may_hold(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse(text)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_mark_that_windows_puts_before_a_text_is_no_key(ends):
    assert parse("\ufeff" + TEXT.replace("\n", ends)) == parse(TEXT)


@pytest.mark.parametrize(
    ("written", "share"),
    [("112,5 %", 1.125), ("7,25%", 0.0725), ("112.5 %", 1.125), (" 80 % ", 0.8)],
)
def test_percentages_have_a_point_or_a_comma(written, share):
    assert amount_of(written, 200.0) == pytest.approx(200 * share)


def test_a_percentage_that_could_be_thousands_is_none():
    with pytest.raises(ValueRangeError, match="neither an amount nor a percentage"):
        amount_of("1,250 %", 200.0)
