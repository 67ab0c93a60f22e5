"""Heads of two rows with merged cells: no column of money is lost in any layout."""

import csv
import io

import openpyxl
import pytest

from core.data.files.load import load_table

#: Groups that stand above their measures, first cell only, as merged cells are saved.
_GROUPS = {
    "a_group_of_two": [("TV", "Cost GRP"), ("Digital", "Search Social")],
    "two_of_three": [("TV", "Spend GRPs Spots"), ("Meta", "Spend Impressions Clicks")],
    "one_and_two": [("TV", "Spend"), ("Meta", "Spend Impressions")],
    "one_at_the_end": [("TV", "Spend GRPs"), ("Radio", "Spend")],
    "four": [(name, "Spend Clicks") for name in ("Meta", "Google", "Bing", "Criteo")],
}


def _rows(groups, shared, title, is_merged):
    """Rows of a table; `shared` names are merged over both rows, or in the second."""
    blank = [""] * len(shared)
    above, below = list(shared) if is_merged else blank, blank if is_merged else shared
    below = list(below)
    for group, measures in groups:
        above += [group, *[""] * (len(measures.split()) - 1)]
        below += measures.split()
    data = [
        [f"2024-01-{day:02}", *(day * 100.5 + at for at in range(1, len(above)))]
        for day in range(1, 29, 7)
    ]
    lead = [[title], []] if title else []
    return [*lead, above, below, *data]


def _workbook(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([cell if cell != "" else None for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _text(rows):
    file = io.StringIO()
    csv.writer(file).writerows(row + [""] * (len(rows[-1]) - len(row)) for row in rows)
    return file.getvalue().encode()


@pytest.mark.parametrize("groups", _GROUPS.values(), ids=_GROUPS)
@pytest.mark.parametrize("shared", [["Week"], ["Week", "Revenue"]], ids=len)
@pytest.mark.parametrize("title", ["", "Media plan 2024"])
@pytest.mark.parametrize("is_merged", [True, False])
@pytest.mark.parametrize("written", [_workbook, _text])
def test_every_column_keeps_its_group_and_its_numbers(
    groups, shared, title, is_merged, written
):
    rows = _rows(groups, shared, title, is_merged)
    table = load_table(written(rows), "plan.xlsx" if written is _workbook else "p.csv")
    names = [f"{group} {each}" for group, all_ in groups for each in all_.split()]
    assert list(table) == [*shared, *names]
    assert table.iloc[-1, -1] == rows[-1][-1] and len(table) == 4


def test_a_column_right_of_the_last_name_is_kept_where_most_rows_have_it():
    data = [[f"2024-01-{day:02}", day, 5.5, 7.5] for day in (1, 8, 15, 22)]
    table = load_table(_workbook([["Week", "Revenue", "TV"], *data]), "a.xlsx")
    assert list(table) == ["Week", "Revenue", "TV", "Column 4"]
    assert table["Column 4"].tolist() == [7.5] * 4


def test_a_remark_right_of_the_table_is_no_column():
    data = [[f"2024-01-{day:02}", day, 5.5] for day in (1, 8, 15, 22)]
    data[1].append("Easter campaign")
    table = load_table(_workbook([["Week", "Revenue", "TV"], *data]), "a.xlsx")
    assert list(table) == ["Week", "Revenue", "TV"]
