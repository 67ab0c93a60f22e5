"""The currency that a table names, and none where it names none."""

import pytest

from core.data.currency import guess_currency
from core.data.files.load import load_table
from core.data.recognition.recognise import guess_mapping
from tests.data.currency_families import outcome


@pytest.mark.parametrize(
    "seeds",
    [range(5000, 5024), pytest.param(range(5024, 5060), marks=pytest.mark.slow)],
)
def test_amounts_of_two_currencies_are_asked_about_and_of_one_are_not(seeds):
    kinds = [outcome(seed) for seed in seeds]
    assert [about for kind, about in kinds if kind != "right"] == []


def guessed(text):
    frame = load_table(text.encode(), "table.csv")
    return guess_currency(frame, guess_mapping(frame))


def rows(header, cells, n=12):
    lines = [header] + [f"2024-{1 + i:02d}-01,{cells}" for i in range(n)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("header", "cells", "code"),
    [
        ("date,TV_spend,revenue", "10,200", ""),
        ("date,TV spend (EUR),revenue", "10,200", "EUR"),
        ("date,TV_spend_usd,revenue", "10,200", "USD"),
        ("date,TV_spend,revenue", "£10,200", "GBP"),
        ("date,TV_spend,revenue (INR lakh)", "10,200", "INR"),
        ("date,TV spend SEK net,revenue", "10,200", "SEK"),
        ("date,$5 deal spend,revenue", "10,200", ""),
        ("date,$5 deal spend (€),revenue", "10,200", "EUR"),
        ("date,TV_spend,revenue,Currency code", "10,200,SEK", "SEK"),
    ],
)
def test_names_cells_and_columns(header, cells, code):
    assert guessed(rows(header, cells))[0] == code


def test_two_currencies_are_none():
    code, reason = guessed(rows("date,TV_spend_usd,revenue_eur", "10,200"))
    assert code == ""
    assert "USD" in reason and "EUR" in reason


def test_a_control_says_nothing_about_money():
    assert guessed(rows("date,TV_spend,revenue,eur_index", "10,200,1.1"))[0] == ""
