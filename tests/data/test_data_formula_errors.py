"""Errors of formulas in cells: named, never counted as empty."""

import numpy as np
import pandas as pd
import pytest

from core.data.cells.apart import is_error
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.reading.numbers import as_numbers
from core.data.recognition.outcomes import explain_kpi_type
from core.data.recognition.recognise import guess_mapping

ERRORS = (
    *("#DIV/0!", "#N/A", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#NUM!"),
    *("#WERT!", "#NV", "#BEZUG!", "#ZAHL!", "#VALEUR!", "#¡DIV/0!", "#¿NOMBRE?"),
    *("#N/D", "#ERROR!", "#SPILL!", "Err:502"),
)
NOTHING = ("n/a", "-", "NA", "")
N_WEEKS = 80


def market(cell: str, column: str, row: int) -> pd.DataFrame:
    """Weekly sales and spend as text, with one cell replaced."""
    random = np.random.default_rng(row)
    table = pd.DataFrame(
        {
            "Week": pd.date_range("2022-01-03", periods=N_WEEKS, freq="7D").astype(str),
            "Sales": random.uniform(9e3, 12e3, N_WEEKS).round(2).astype(str),
            "TV Spend": random.uniform(9e2, 2e3, N_WEEKS).round(2).astype(str),
            "Search Spend": random.uniform(4e2, 9e2, N_WEEKS).round(2).astype(str),
        }
    )
    table.loc[row, column] = cell
    return table


def findings(table: pd.DataFrame) -> list:
    frame = load_table(table.to_csv(index=False).encode(), "market.csv")
    mapping = guess_mapping(frame)
    return list(check_table(frame, mapping))


@pytest.mark.parametrize("cell", ERRORS)
def test_the_errors_of_all_spreadsheets_are_neither_empty_nor_numbers(cell: str):
    numbers = as_numbers(pd.Series(["5", cell, "7", None]))
    assert numbers.bad.tolist() == [False, True, False, False]
    assert is_error(cell)


@pytest.mark.parametrize("cell", [*NOTHING, "12", "abc", "#1", "# 5", "#brand"])
def test_other_cells_are_no_errors_of_formulas(cell: str):
    assert not is_error(cell)


@pytest.mark.parametrize("column", ["Sales", "TV Spend"])
@pytest.mark.parametrize("cell", ["#N/A", "#DIV/0!", "#WERT!"])
def test_a_formulas_error_is_an_error_that_names_its_cell(cell: str, column: str):
    row = 5 + ERRORS.index(cell) * 3
    said = [f for f in findings(market(cell, column, row)) if f.severity == "error"]
    assert [f.where for f in said] == [f"column {column}"]
    assert f'"{cell}" (row {row + 2})' in said[0].message
    assert "formula" in said[0].hint
    assert ("nothing was spent" in said[0].hint) == (column == "TV Spend")


def test_words_for_nothing_stay_empty():
    table = market("n/a", "TV Spend", 20)
    table.loc[21:24, "TV Spend"] = ["-", "NA", "", "--"]
    said = findings(table)
    assert not [f for f in said if f.severity == "error"]
    assert any("is empty in 5 rows" in f.message for f in said)


def test_a_ratio_that_divides_by_nothing_blocks_nothing():
    table = market("1000", "TV Spend", 3)
    table["Search Clicks"] = (np.arange(N_WEEKS) % 9 * 40).astype(str)
    cost = pd.to_numeric(table["Search Spend"])
    clicks = pd.to_numeric(table["Search Clicks"])
    each = (cost / clicks.where(clicks > 0)).round(3)
    table["Search CPC"] = each.astype(str).where(clicks > 0, "#DIV/0!")
    assert not [f for f in findings(table) if f.severity == "error"]


@pytest.mark.parametrize("cell", ["#DIV/0!", "#N/A", "tbd"])
@pytest.mark.parametrize("name", ["Result", "Y"])
def test_nothing_is_said_of_the_values_of_a_kpi_that_has_none(cell: str, name: str):
    reason = explain_kpi_type(pd.DataFrame({name: [cell] * 20}), name, False)[1]
    assert reason == "Its name does not say, and it holds no numbers."
