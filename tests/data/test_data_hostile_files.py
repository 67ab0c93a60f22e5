"""Small files that would become large, and files that would run something."""

import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.data.files import parquet, spreadsheet
from core.data.files.load import load_table
from core.errors import SchemaError

ROOT = Path(__file__).resolve().parents[2]


def test_parquet_with_one_long_text_in_every_row(monkeypatch):
    monkeypatch.setattr(parquet, "MAX_TEXT_BYTES", 50 * 1024**2)
    text = pa.DictionaryArray.from_arrays(
        pa.array([0] * 100_000, pa.int32()), pa.array(["x" * 10_000])
    )
    file = io.BytesIO()
    pq.write_table(
        pa.table({"geo": text.cast(pa.string()), "kpi": range(100_000)}), file
    )
    assert len(file.getvalue()) < 2_000_000
    with pytest.raises(SchemaError, match="MB of text; the limit is"):
        load_table(file.getvalue(), "long.parquet")


def test_parquet_with_too_many_cells(monkeypatch):
    monkeypatch.setattr(parquet, "MAX_CELLS", 1000)
    file = io.BytesIO()
    pd.DataFrame({f"c{i}": [0.0] * 200 for i in range(10)}).to_parquet(file)
    with pytest.raises(SchemaError, match="2,000 cells; the limit is 1,000"):
        load_table(file.getvalue(), "wide.parquet")


def workbook(rows: str, entities: str = "") -> bytes:
    """A workbook whose first sheet is this XML."""
    plain, made = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    sheet = (
        f'<?xml version="1.0"?>{entities}<worksheet xmlns="http://schemas.'
        'openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{rows}</sheetData></worksheet>"
    )
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = sheet if name.endswith("sheet1.xml") else old.read(name)
            new.writestr(name, content)
    return made.getvalue()


def test_workbook_whose_rows_claim_thousands_of_cells(monkeypatch):
    monkeypatch.setattr(spreadsheet, "MAX_CELLS", 200_000)
    head = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'
    wide = "".join(
        f'<row r="{i}"><c r="A{i}"><v>1</v></c><c r="ZZZ{i}"/></row>'
        for i in range(2, 100)
    )
    with pytest.raises(SchemaError, match="more than 200,000 cells"):
        load_table(workbook(head + wide), "wide.xlsx")


def test_workbook_that_expands_in_its_xml():
    lines = ['<!ENTITY a0 "lol">']
    lines += [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10)]
    entities = f"<!DOCTYPE w [{''.join(lines)}]>"
    row = '<row r="1"><c r="A1" t="str"><v>&a9;</v></c><c r="B1"><v>2</v></c></row>'
    with pytest.raises(SchemaError, match="damaged workbook"):
        load_table(workbook(row, entities), "laughs.xlsx")


def test_nothing_is_unpickled():
    """No pickle in any form, and arrays are loaded with allow_pickle off.

    Executables are machine code and signed for the machine that made them.
    """
    signed = ROOT / "core/model/compiled/signed.py"
    paths = {*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")}
    for path in paths - {signed}:
        text = path.read_text()
        found = re.findall(
            r"^\s*(?:import|from) (pickle|cloudpickle|dill|joblib|shelve|marshal)\b"
            r"|\b(read_pickle|to_pickle|allow_pickle=True|yaml\.load)\b",
            text,
            flags=re.MULTILINE,
        )
        assert not found, path
        for call in re.findall(r"np\.load\([^)]*\)", text):
            assert "allow_pickle=False" in call, path


def test_workbook_of_an_odd_zip_version():
    """A version that no program writes yet; Python has no words for it."""
    plain = io.BytesIO()
    openpyxl.Workbook().save(plain)
    data = bytearray(plain.getvalue())
    at = data.index(b"PK\x01\x02")
    data[at + 6 : at + 8] = (99).to_bytes(2, "little")
    with pytest.raises(SchemaError, match="damaged workbook"):
        load_table(bytes(data), "odd.xlsx")


def test_a_name_beyond_the_file_system():
    with pytest.raises(SchemaError, match="There is no file"):
        load_table(Path("n" * 5000 + ".csv"), "n.csv")
    with pytest.raises(SchemaError, match="There is no file"):
        load_table(Path("a\0b.csv"), "n.csv")
