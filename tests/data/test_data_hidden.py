"""Hidden rows, columns and sheets of a workbook are read, and that is said."""

import io
import json
import re
import zipfile

import numpy as np
import openpyxl
import pytest

from core.cli.main import main
from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import read_files
from tests.data.data_tables import national

N = 60


def book(rng, *, rows=(), columns=(), state="visible", style='hidden="1"'):
    """A workbook with a title above its header, and what is hidden in it."""
    lead = int(rng.integers(0, 3))
    file, out = openpyxl.Workbook(), io.BytesIO()
    sheet = file.active
    sheet.title = "Media"
    for at in range(lead):
        sheet.append([f"Title {at}"])
    frame = national(N)
    sheet.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        sheet.append(list(row))
    for row in rows:
        sheet.row_dimensions[row + lead].hidden = True
    for column in columns:
        sheet.column_dimensions[column].hidden = True
    if state != "visible":
        file.create_sheet("Cover")["A1"] = "See the other sheet"
        sheet.sheet_state = state
    file.save(out)
    return frame, rewritten(out.getvalue(), style), lead


def rewritten(data, style):
    """The same with attributes as other spreadsheet programs write them."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("xl/worksheets/"):
                content = content.replace(b'hidden="1"', style.encode())
            new.writestr(name, content)
    return out.getvalue()


def notes(data):
    table = read_files([opened("media.xlsx", load_table(data, "media.xlsx"))])
    return table.frame, [f for f in table.findings if "hidden" in f.message]


@pytest.mark.parametrize("style", ['hidden="1"', 'hidden="true"', 'ht="0"'])
def test_hidden_rows_are_read_and_said_with_what_they_hold(style):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = sorted(rng.choice(np.arange(2, N + 2), rng.integers(1, 9), False))
        frame, data, lead = book(rng, rows=rows, style=style)
        read, (said,) = notes(data)
        assert len(read) == N and read["sales"].sum() == frame["sales"].sum()
        assert re.match(rf"{len(rows)} rows? of media.xlsx", said.message)
        share = frame["sales"].iloc[np.array(rows) - 2].sum() / frame["sales"].sum()
        assert f"{100 * share:.1f}" in said.message and "of sales" in said.message
        assert str(rows[0] + lead) in said.message and said.severity == "warning"


@pytest.mark.parametrize("style", ['hidden="1"', "hidden='true'"])
def test_hidden_columns_are_said(style):
    frame, data, _ = book(np.random.default_rng(1), columns="CE", style=style)
    read, (said,) = notes(data)
    assert list(read.columns) == list(frame.columns)
    assert "2 hidden columns of media.xlsx are read" in said.message
    assert {frame.columns[2], frame.columns[4]} <= set(re.findall(r"\w+", said.message))


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_said(state):
    _, data, _ = book(np.random.default_rng(1), state=state)
    _, (said,) = notes(data)
    assert "The sheet Media of media.xlsx is hidden" in said.message


def test_where_nothing_is_hidden_nothing_is_said():
    assert notes(book(np.random.default_rng(3))[1])[1] == []
    # What is hidden beside the table is nobody's number.
    rows = (N + 2, N + 9)
    assert notes(book(np.random.default_rng(3), rows=rows, columns="Z")[1])[1] == []


def test_a_table_that_is_seen_comes_before_a_hidden_one():
    file, out = openpyxl.Workbook(), io.BytesIO()
    for sheet, name in ((file.active, "old"), (file.create_sheet("Now"), "new")):
        sheet.append(["week", f"{name}_sales", name])
        for at in range(9):
            sheet.append([f"2024-01-{at + 1:02}", at, at])
    file.worksheets[0].sheet_state = "hidden"
    file.active = 1
    file.save(out)
    assert "new_sales" in load_table(out.getvalue(), "media.xlsx")


def test_the_command_line_says_it(tmp_path, capsys):
    _, data, _ = book(np.random.default_rng(5), rows=(4, 5), columns="C")
    (tmp_path / "media.xlsx").write_bytes(data)
    main(["check", str(tmp_path / "media.xlsx"), "--json"])
    said = [f["message"] for f in json.loads(capsys.readouterr().out)["findings"]]
    assert sum("hidden" in one for one in said) == 2
