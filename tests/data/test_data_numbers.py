"""Numbers in text."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from core.data.cells import apart
from core.data.cells.signs import Habit
from core.data.reading.numbers import as_numbers, read_column


def read(cells, answer=None, habit=None):
    text = pa.chunked_array([pa.array(cells, type=pa.large_string())])
    return read_column(text, answer, habit)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2.5", "1e3", " 4 "], [1, -2.5, 1000, 4]),
        (["1.234,56", "12,5", "7"], [1234.56, 12.5, 7]),
        (["1,234.56", "12.5"], [1234.56, 12.5]),
        (["1 234,56 €", "- 5 €", "€ -3"], [1234.56, -5, -3]),
        (["1\u202f234,5", "1\xa0234"], [1234.5, 1234]),
        (["(12.50)", "$1,200", "5-", "1'234.5"], [-12.5, 1200, -5, 1234.5]),
        (["12%", "3.5 %"], [0.12, 0.035]),
        (["−3", "+4", ".5", "5."], [-3, 4, 0.5, 5]),
        (["1.234.567", "0,5"], [1234567, 0.5]),
        (["1,20,928", "7,22,259.5", "12,345"], [120928, 722259.5, 12345]),
        (["1.2k", "950", "3.4 k"], [1200, 950, 3400]),
        (["2,5 Mio. €", "1,25 Mio. €"], [2.5e6, 1.25e6]),
        (["2.5 MIO", "0.5 TSD", "1 MRD", "3 MLN"], [2.5e6, 500, 1e9, 3e6]),
        (["T€ 5,5", "12,25 TEUR", "1,5 k€"], [5500, 12250, 1500]),
        (["2 lakh", "1.5 crore"], [2e5, 1.5e7]),
        (["5,-", "12,50", "1.234,-"], [5, 12.5, 1234]),
        (["$5", "USD 6", "US$ 7"], [5, 6, 7]),
        (["111,222円", "5,246円"], [111222, 5246]),
        (["₩12,000", "3,500 원"], [12000, 3500]),
        (["<1", "12,5", "< 1", "7"], [0.5, 12.5, 0.5, 7]),
        (["2.5万", "1.25億"], [25_000, 1.25e8]),
        (["1\xa0234,50\xa0$US", "7,25\xa0$US"], [1234.5, 7.25]),
    ],
)
def test_ways_of_writing(cells, values):
    numbers = read(cells)
    assert not numbers.bad.any() and numbers.doubt is None
    assert np.allclose(numbers.values, values)


@pytest.mark.parametrize(
    "cell",
    ["$ -", "$ -  ", "- €", "EUR –", "R$ -", "-"]
    + ["−", "∅", "..", "-.--", "k.A.", "n.v.t.", "b.d."],
)
def test_a_dash_beside_a_currency_is_an_empty_cell(cell):
    numbers = read(["$ 1,250.50", cell, "(3.00)"])
    assert numbers.is_empty.tolist() == [False, True, False]
    assert not numbers.bad.any()


@pytest.mark.parametrize(
    "word", ["MIL", "BIL", "T", "MM", "B", "Bio", "XYZ", "km", "‰", "m"]
)
def test_words_that_mean_several_things_are_no_units(word):
    assert read([f"2.5 {word}", f"2.5{word}"]).bad.all()


@pytest.mark.parametrize("sign", [".", ","])
@pytest.mark.parametrize("usual", [1.5, 20.0, 100.0, 700.0])
@pytest.mark.parametrize("n_shorter", [1, 2, 4])
def test_numbers_whose_last_zeros_are_dropped_are_read(sign, usual, n_shorter):
    """A price index of few levels, as a program writes three decimals."""
    levels = usual * (1 + 0.01 * np.arange(12)) + 0.003
    cells = [f"{level:.3f}" for level in levels]
    cells[:n_shorter] = [f"{level:.2f}" for level in levels[:n_shorter]]
    found = read([cell.replace(".", sign) for cell in cells])
    assert found.doubt is None
    assert found.values == pytest.approx([float(cell) for cell in cells])
    # One that is as large as none of them stays a question.
    other = f"1{sign}234" if usual > 5 else f"999{sign}123"
    assert read([*(cell.replace(".", sign) for cell in cells), other]).doubt


@pytest.mark.parametrize("cell", ["1,234", "12.345", "-1.234", "€ 1,234", "999.999 €"])
def test_three_digits_after_the_sign_are_a_question(cell):
    numbers = read([cell, "5", "0", None])
    assert numbers.doubt is not None
    assert numbers.bad.tolist() == [True, False, False, False]
    readings = [read([cell], answer).values[0] for answer in (".", ",")]
    assert [numbers.doubt.point, numbers.doubt.comma] == readings
    assert sorted(np.abs(readings)) == [
        np.abs(readings).min(),
        1000 * min(map(abs, readings)),
    ]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12.345", "0.512", "1234.567"], [12.345, 0.512, 1234.567]),
        (["12.345", "1.234.567"], [12345, 1234567]),
        (["1.234", "870", "912", "930", "888", "901"], [1234, 870, 912, 930, 888, 901]),
        (
            ["1.234", "1.5", "1.1", "1.25", "0.9", "1.9"],
            [1.234, 1.5, 1.1, 1.25, 0.9, 1.9],
        ),
    ],
)
def test_the_other_cells_of_the_column_settle_doubt(cells, values):
    numbers = read(cells)
    assert numbers.doubt is None and not numbers.bad.any()
    assert np.allclose(numbers.values, values)


def test_what_settled_odd_cells_is_said():
    (done,) = read(["1.234", "870", "912", "930", "888", "901"]).done
    assert (done.kind, done.count, done.value) == ("settled", 1, 1234)
    assert "size" in done.detail


def test_cells_written_otherwise_than_the_column_are_a_question():
    amounts = [f"{100 + 37.25 * at:.2f}" for at in range(40)]
    assert read([*amounts, "1,234"]).doubt is None
    assert read([*amounts, "1.234"]).doubt.where.sum() == 1
    wide = ["12345.5", "0.25", "88.5", "1234.75", "3.5", "55123"]
    assert read([*wide, "45,678"]).doubt.where.sum() == 1
    assert read(["50.183", "1.234.567", "50,183"]).doubt is not None
    assert read(["12,345", "1 234 567"]).doubt is not None


def test_the_file_settles_what_the_column_does_not():
    grouped = Habit(".", groups=True)
    assert read(["1,234", "5,678"], habit=grouped).values.tolist() == [1234, 5678]
    assert read(["1.234", "5.678"], habit=grouped).doubt is not None
    assert read(["1,234"], habit=Habit(".")).doubt is not None
    three = Habit(".", has_three=True)
    assert read(["1.234", "5.678"], habit=three).values.tolist() == [1.234, 5.678]


def test_what_is_no_number_is_marked():
    numbers = read(["1.5", "abc", "2,5", "1.2.2021", "inf", "1 2", "12-13", "0x1"])
    assert numbers.bad.tolist() == [False] + [True] * 7
    assert np.isnan(numbers.values[1:]).all()
    assert read(["K1", "M2", "Mio 3"]).bad.all()  # names; units stand behind
    assert read(["Rs.5", "ca. 12", "12 Stk", "#REF!", "5 %%"]).bad.all()


def test_empty_is_not_bad():
    numbers = read([None, "", "n/a", "–", "-", "--", "7"])
    assert numbers.is_empty.tolist() == [True] * 6 + [False]
    assert not numbers.bad.any()
    assert [(one.kind, one.count) for one in numbers.done] == [("nothing", 4)]


def test_percent_beside_none_is_a_fault():
    numbers = read(["5%", "6", "7 %", "0"])
    assert numbers.bad.tolist() == [False, True, False, False]
    assert "percent sign" in numbers.fault


def test_a_unit_beside_none_is_a_fault():
    numbers = read(["2.5 Mio", "3", "4 Mio", "0"])
    assert numbers.bad.tolist() == [False, True, False, False]
    assert '"3"' in numbers.fault


@pytest.mark.parametrize("cells", [["USD 5", "EUR 6"], ["5 €", "6 $"], ["kr 5", "6 €"]])
def test_one_currency_per_column(cells):
    numbers = read(cells)
    assert "more than one currency" in numbers.fault and numbers.bad.any()


def test_a_sign_may_stand_for_several_currencies():
    assert read(["$5", "6 CAD"]).currency == {"CAD"}
    assert "CAD" in read(["$5"]).currency
    assert read(["5 kr", "6 NOK"]).currency == {"NOK"}


def test_what_was_done_is_counted():
    numbers = read(["5,5 %", "6,25 %", "6,25 %", None])
    done = {one.kind: one for one in numbers.done}
    assert (done["percent"].count, done["comma"].count) == (3, 3)
    assert (done["percent"].example, done["percent"].value) == ("5,5 %", 0.055)


def test_columns_of_other_types():
    assert as_numbers(pd.Series([True, False])).values.tolist() == [1, 0]
    assert as_numbers(pd.Series(["ja", None, "nein"])).values[[0, 2]].tolist() == [1, 0]
    assert as_numbers(pd.Series([1.0, np.inf])).bad.tolist() == [False, True]
    assert as_numbers(pd.Series([1, None], dtype="Int64")).is_empty.tolist() == [0, 1]
    assert as_numbers(pd.Series([2, "x", None], dtype=object)).bad.tolist() == [0, 1, 0]
    assert as_numbers(pd.Series(pd.to_datetime(["2021-01-04"]))).bad.all()
    assert not len(as_numbers(pd.Series([], dtype="str")).values)


def test_numbers_written_and_read_are_equal():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=500) * 10.0 ** rng.integers(0, 8, 500), 2)
    english = [f"{value:,.2f}" for value in values]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    for cells in (english, german):
        assert np.array_equal(read(cells).values, values)


def test_what_is_looked_for_first_leaves_out_nothing():
    """Cells that a long pattern takes are those it takes without the quick one."""
    dashes = [f"{a}{b}{c}" for a in ("", "- ", "5") for b in "-–—x" for c in ("", "--")]
    signs = ["€", "$", "R$", "zł", "EUR", "eur.", "Ft", "?", ""]
    nothing = [f"{a}{b}" for s in signs for d in dashes for a, b in ((s, d), (d, s))]
    letters = [chr(code) for code in range(0, sys.maxunicode, 11) if code >> 11 != 27]
    glued = [f"{letter}{sign}5" for letter in letters for sign in ".,"]
    for cells, pattern, wider in (
        (nothing, apart.NOTHING, apart.DASHED),
        (glued, apart.LETTERED, apart.PRECEDED),
    ):
        text = pa.chunked_array([[*cells, None]], pa.large_string())
        takes = pc.match_substring_regex(text, pattern)
        first = pc.match_substring_regex(text, wider)
        assert pc.any(takes).as_py() and not pc.all(first).as_py()
        assert pc.equal(pc.and_(takes, first), takes).null_count == 1
        assert pc.all(pc.equal(pc.and_(takes, first), takes)).as_py()
