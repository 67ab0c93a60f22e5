"""Numbers in text."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.data.numbers import as_numbers, decimal_sign, read_column


def read(cells, prefer="."):
    text = pa.chunked_array([pa.array(cells, type=pa.large_string())])
    return read_column(text, prefer)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2.5", "1e3", " 4 "], [1, -2.5, 1000, 4]),
        (["1.234,56", "12,5", "7"], [1234.56, 12.5, 7]),
        (["1,234.56", "12.5"], [1234.56, 12.5]),
        (["1 234,56 €", "- 5 €", "€ -3"], [1234.56, -5, -3]),
        (["1\u202f234,5", "1\xa0234"], [1234.5, 1234]),
        (["(12.50)", "$1,200", "USD 5", "5-", "1'234.5"], [-12.5, 1200, 5, -5, 1234.5]),
        (["12%", "3.5 %"], [0.12, 0.035]),
        (["−3", "+4", ".5", "5."], [-3, 4, 0.5, 5]),
        (["1.234.567", "0,5"], [1234567, 0.5]),
    ],
)
def test_ways_of_writing(cells, values):
    numbers, _ = read(cells)
    assert not numbers.bad.any()
    assert np.allclose(numbers.values, values)


@pytest.mark.parametrize(
    ("prefer", "values"), [(".", [1234, 5678]), (",", [1.234, 5.678])]
)
def test_the_preferred_sign_settles_doubt(prefer, values):
    assert read(["1,234", "5,678"], prefer)[0].values.tolist() == values


def test_what_is_no_number_is_marked():
    numbers, _ = read(["1.5", "abc", "2,5", "1.2.2021", "inf", "1 2", "12-13", "0x1"])
    assert numbers.bad.tolist() == [False] + [True] * 7
    assert np.isnan(numbers.values[1:]).all()


def test_empty_is_not_bad():
    numbers, _ = read([None, "", "n/a", "#DIV/0!", "-", "7"])
    assert numbers.is_empty.tolist() == [True] * 5 + [False]
    assert not numbers.bad.any()


def test_columns_of_other_types():
    assert as_numbers(pd.Series([True, False])).values.tolist() == [1, 0]
    assert as_numbers(pd.Series(["ja", None, "nein"])).values[[0, 2]].tolist() == [1, 0]
    assert as_numbers(pd.Series([1.0, np.inf])).bad.tolist() == [False, True]
    assert as_numbers(pd.Series([1, None], dtype="Int64")).is_empty.tolist() == [0, 1]
    assert as_numbers(pd.Series([2, "x", None], dtype=object)).bad.tolist() == [0, 1, 0]
    assert as_numbers(pd.Series(pd.to_datetime(["2021-01-04"]))).bad.all()
    assert not len(as_numbers(pd.Series([], dtype="str")).values)


@pytest.mark.parametrize(
    ("cells", "delimiter", "sign"),
    [
        (["1,5", "2.345"], ";", ","),
        (["1.5", "2,345"], ",", "."),
        (["1.234", "12.345"], ";", ","),
        (["1.234", "12.345"], ",", "."),
        (["1", "2021-01-04"], ";", "."),
        (["1.234,50"], ";", ","),
    ],
)
def test_decimal_sign_of_a_file(cells, delimiter, sign):
    assert decimal_sign(cells, delimiter=delimiter) == sign


def test_numbers_written_and_read_are_equal():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=500) * 10.0 ** rng.integers(0, 8, 500), 2)
    english = [f"{value:,.2f}" for value in values]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    for cells, prefer in ((english, "."), (german, ",")):
        assert np.array_equal(read(cells, prefer)[0].values, values)
