"""Headers that stand again among the rows of a sheet or a file."""

import datetime as dt
import io

import numpy as np
import openpyxl
import pytest

from core.data.files.load import load_table, parts_of
from core.data.layout.opening import opened
from core.data.reading.origins import row_numbers
from core.errors import SchemaError

HEADER = ["Week", "Revenue", "TV spend"]
N = 12


def rows(part: int) -> list[list]:
    first = dt.datetime(2023, 1, 2) + dt.timedelta(7 * N * part)
    return [
        [first + dt.timedelta(7 * at), 1000.5 + part * N + at, 10.25 * at]
        for at in range(N)
    ]


def workbook(lines) -> bytes:
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def text(lines) -> bytes:
    cells = [
        [str(c.date()) if isinstance(c, dt.datetime) else str(c) for c in line]
        for line in lines
    ]
    return "\n".join(",".join([*line, "", "", ""][:3]) for line in cells).encode()


BETWEEN = {
    "nothing": [],
    "a blank row": [[]],
    "a year": [[], ["2024"]],
    "a quarter": [[], ["Quarter 2"], []],
    "the title again": [["Sales 2024"]],
    "a page": [["Page 2 of 3"]],
    "a month": [[], ["April"]],
}


@pytest.mark.parametrize("made", [workbook, text], ids=["xlsx", "csv"])
@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN.keys())
def test_a_header_that_stands_again_is_no_row(made, between):
    lines = [["Sales 2023"], HEADER, *rows(0), *between, HEADER, *rows(1)]
    name = f"sales.{'xlsx' if made is workbook else 'csv'}"
    frame = load_table(made(lines), name)
    assert len(frame) == 2 * N
    assert frame["Revenue"].tolist() == [1000.5 + at for at in range(2 * N)]
    assert row_numbers(frame)[-1] == len(lines)
    out = [at for at in range(2 + N + 1, 2 + N + len(between) + 2) if lines[at - 1]]
    said = [each.message for each in opened(name, frame).findings]
    assert f"left out ({out[0]}" in next(each for each in said if "repeated" in each)


def test_a_sheet_whose_header_stands_again_is_one_table():
    lines = [HEADER, *rows(0), [], HEADER, *rows(1)]
    assert parts_of(workbook(lines), "sales.xlsx") == ("Sheet",)


def test_tables_with_titles_of_their_own_are_several():
    lines = [["Germany"], HEADER, *rows(0), [], ["France"], HEADER, *rows(0)]
    parts = parts_of(workbook(lines), "sales.xlsx")
    assert parts == ("Sheet!A1:C14", "Sheet!A16:C29")
    frame = load_table(workbook(lines), "sales.xlsx", part=parts[1])
    assert len(frame) == N


@pytest.mark.parametrize("made", [workbook, text], ids=["xlsx", "csv"])
def test_names_in_another_order_are_refused(made):
    lines = [HEADER, *rows(0), [HEADER[0], HEADER[2], HEADER[1]], *rows(1)]
    with pytest.raises(SchemaError, match="in another order") as raised:
        load_table(made(lines), "sales")
    assert f"Row {N + 2} " in raised.value.message


@pytest.mark.parametrize("made", [workbook, text], ids=["xlsx", "csv"])
def test_groups_and_units_of_a_header_stand_again_with_it(made):
    units = ["", "EUR", "EUR"]
    lines = [HEADER, units, *rows(0), HEADER, units, *rows(1)]
    frame = load_table(made(lines), "sales")
    assert len(frame) == 2 * N
    assert np.isfinite(frame.iloc[:, 1].to_numpy(dtype=float)).all()


def test_a_row_that_says_total_or_a_place_is_kept():
    lines = [HEADER, *rows(0), ["Bavaria", "", ""], *rows(1)]
    frame = load_table(text(lines), "sales.csv")
    assert len(frame) == 2 * N + 1
