"""Loading: what is read, and what a file that is no table gets."""

import datetime as dt
import gzip
import io
import tarfile
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from core.data.files import limits
from core.data.files.load import load_table
from core.data.files.parquet import read_table, save_table
from core.data.mapping import ColumnMapping
from core.data.observations import dates_of
from core.data.reading.numbers import as_numbers
from core.data.reading.origins import done_to, row_numbers
from core.errors import SchemaError, WorkspaceError
from tests.reference import needs_reference, reference_data

WEEKS = ["2021-01-04", "2021-01-11", "2021-01-18"]
CSV = b"week,TV_spend,sales\n2021-01-04,1.5,10\n2021-01-11,2,20\n2021-01-18,0,30\n"


def workbook(*rows, before=(), sheets=("table",)):
    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active["A1"] = "Export of Monday"
    for name in sheets:
        sheet = book.create_sheet(name)
        for row in (*before, *rows):
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_parquet(frame, **options):
    file = io.BytesIO()
    frame.to_parquet(file, **options)
    return file.getvalue()


def refused(data, name="sales.csv"):
    with pytest.raises(SchemaError) as caught:
        load_table(data, name)
    assert name in str(caught.value)
    assert caught.value.hint
    return str(caught.value)


def test_csv_from_path_bytes_and_open_file(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(CSV)
    with path.open("rb") as file:
        tables = [load_table(source, "s") for source in (path, CSV, file)]
    tables.append(load_table(io.BytesIO(CSV), "s"))
    for table in tables:
        assert list(table.columns) == ["week", "TV_spend", "sales"]
        assert table["week"].tolist() == WEEKS
        assert table["TV_spend"].tolist() == [1.5, 2.0, 0.0]
        assert table["sales"].dtype == "int64"


@pytest.mark.parametrize(
    ("delimiter", "decimal"),
    [(",", "."), (";", ","), ("\t", ","), ("|", "."), (";", ".")],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_dialect_reads_the_same(delimiter, decimal, encoding, newline):
    lines = [
        delimiter.join(["Woche", "Übung TV", "Umsatz"]),
        *(
            delimiter.join([week, f"{units}{decimal}25", f"{units}"])
            for week, units in zip(WEEKS, (1, 20, 300), strict=True)
        ),
    ]
    table = load_table(newline.join(lines).encode(encoding), "s.csv")
    assert list(table.columns) == ["Woche", "Übung TV", "Umsatz"]
    assert table["Übung TV"].tolist() == [1.25, 20.25, 300.25]
    assert table["Umsatz"].tolist() == [1, 20, 300]


def test_utf16_without_a_mark():
    assert load_table(CSV.decode().encode("utf-16-le"), "s").shape == (3, 3)


def test_thousands_and_currency():
    data = (
        "week;TV;Radio;Umsatz\n2021-01-04;1.234,50;1.200 €;12,5 %\n"
        "2021-01-11;2.000.000,00;3.400 €;-3 %\n"
    ).encode()
    table = load_table(data, "s.csv")
    assert table["TV"].tolist() == [1234.5, 2_000_000.0]
    assert table["Radio"].tolist() == [1200, 3400]
    assert np.allclose(table["Umsatz"], [0.125, -0.03])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("cells", [("1.234", "2.500"), ('"1,234"', '"2,500"')])
def test_three_digits_after_the_sign_stay_text_until_asked(delimiter, cells):
    rows = [("week", "rate", "sales"), ("2021-01-04", cells[0], "5")]
    rows.append(("2021-01-11", cells[1], "6"))
    text = "\n".join(delimiter.join(row) for row in rows)
    table = load_table(text.encode(), "s")
    assert table["rate"].tolist() == [cell.strip('"') for cell in cells]


def test_months_with_a_point_are_no_numbers():
    table = load_table(b"month,sales\n09.2020,5\n10.2020,6\n", "s")
    assert table["month"].tolist() == ["09.2020", "10.2020"]


def test_other_columns_of_the_file_settle_thousands():
    data = b"week;TV;Umsatz\n2021-01-04;1.234;1.234,5\n2021-01-11;2.500;99,5\n"
    table = load_table(data, "s")
    assert table["TV"].tolist() == [1234, 2500]
    assert table.attrs["read"]["TV"]["done"][0]["kind"] == "settled"


def test_what_was_done_to_cells_is_kept_with_the_table(tmp_path):
    data = "week;TV;Umsatz\n2021-01-04;5,5 €;--\n2021-01-11;2,25 €;99,5\n".encode()
    table = load_table(data, "s")
    save_table(table, tmp_path / "data.parquet")
    for one in (table, read_table(tmp_path / "data.parquet")):
        done, currency = done_to(one, "TV")
        assert [entry.kind for entry in done] == ["comma", "currency"]
        assert (done[0].count, currency) == (2, {"EUR"})
        assert one.attrs["currencies"] == {"TV": "EUR"}
        assert [entry.kind for entry in done_to(one, "Umsatz")[0]] == [
            "comma",
            "nothing",
        ]


def test_texts_among_the_numbers_of_a_workbook():
    numbers = [[week, 900 + at, 5.5] for at, week in enumerate(WEEKS * 3)]
    fits = load_table(
        workbook(["week", "TV", "sales"], *numbers, ["x", "1.234", 6]), "p"
    )
    assert fits["TV"].tolist()[-1] == 1234
    numbers = [[week, 3.0**at, 5.5] for at, week in enumerate(WEEKS * 3)]
    open_ = load_table(
        workbook(["week", "TV", "sales"], *numbers, ["x", "1.234", 6]), "p"
    )
    assert open_["TV"].dtype == "str"
    assert as_numbers(open_["TV"]).doubt.where.sum() == 1
    assert as_numbers(open_["TV"], ",").values.tolist()[-2:] == [3.0**8, 1234]


def test_a_workbook_that_counts_from_1904_says_so():
    book = openpyxl.load_workbook(
        io.BytesIO(workbook(["week", "a"], [42759, 1], [42766, 2]))
    )
    book.epoch = CALENDAR_MAC_1904
    file = io.BytesIO()
    book.save(file)
    table = load_table(file.getvalue(), "p.xlsx")
    assert str(dates_of(table, ColumnMapping("week", "a")).values[0]) == "2021-01-25"


def test_columns_with_a_stray_word_stay_text():
    table = load_table(b"week,TV,sales\n2021-01-04,1,5\n2021-01-11,off,6\n", "s")
    assert table["TV"].tolist() == ["1", "off"]


def test_codes_with_leading_zeros_and_the_geo_na_stay_text():
    data = b"week,plz,geo,sales\n2021-01-04,01067,NA,5\n2021-01-11,99999,EU,6\n"
    table = load_table(data, "s")
    assert table["plz"].tolist() == ["01067", "99999"]
    assert table["geo"].tolist() == ["NA", "EU"]


def test_missing_numbers_and_truth_values():
    data = b"week,TV,promo\n2021-01-04,n/a,TRUE\n2021-01-11,,FALSE\n2021-01-18,3,true\n"
    table = load_table(data, "s")
    assert np.isnan(table["TV"]).tolist() == [True, True, False]
    assert table["promo"].tolist() == [True, False, True]


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_leading_index_column_is_dropped(name):
    data = f"{name},week,sales\n7,2021-01-04,1\n9,2021-01-11,2\n".encode()
    assert list(load_table(data, "s").columns) == ["week", "sales"]


def test_a_nameless_column_of_dates_is_kept():
    table = load_table(b",tv,sales\n2021-01-04,1,1\n2021-01-11,2,2\n", "s")
    assert list(table.columns) == ["Column 1", "tv", "sales"]


def test_rows_keep_their_numbers_of_the_file():
    data = b"Weekly report\n\nweek,TV,sales\n2021-01-04,1,5\n\n,,\n2021-01-11,2,6\n"
    table = load_table(data, "s")
    assert row_numbers(table).tolist() == [4, 7]


def test_names_that_are_formulas_or_in_any_script():
    data = 'week,=1+1,@x,"電視, spend","two\nlines"\n2021-01-04,1,=2+3,5,6\n'.encode()
    table = load_table(data, "s")
    assert list(table.columns) == ["week", "=1+1", "@x", "電視, spend", "two lines"]
    assert table["@x"].tolist() == ["=2+3"]


def test_the_separator_line_of_spreadsheets_is_obeyed():
    table = load_table(b"sep=;\nweek;a,b;sales\n2021-01-04;1;5\n", "s")
    assert list(table.columns) == ["week", "a,b", "sales"]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_file(data):
    assert "is empty" in refused(data)


def test_header_only():
    assert "no rows of data" in refused(b"week,TV_spend,sales\n")
    assert "no rows of data" in refused(b"week,TV_spend,sales\n,,\n")


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 20,
        b"\x00\x01\x02\x80" * 500,
        b"a,b\n\x01\x02\x03\x04\x05\x06",
    ],
)
def test_binary_called_csv(data):
    assert "binary" in refused(data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "XLS"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"BZh91AY&SY\x00\x00", "compressed"),
        (b"<html><body><table><tr><td>week</td></tr></table>", "web page"),
        (b'<?xml version="1.0"?><Workbook>', "XML"),
        (b'{"week": [1, 2]}', "JSON"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"12345678DUCK\x40\0\0\0", "DuckDB database"),
    ],
)
def test_files_that_are_no_table_are_named(data, kind):
    assert kind in refused(data)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"week:TV:sales\n1:2:3\n", "colons"),
        (b"week TV sales\n2021 2 3\n", "spaces"),
        (b"weekTVsales\n123\n", "no comma"),
    ],
)
def test_wrong_delimiter(data, found):
    message = refused(data)
    assert "one column only" in message
    assert found in message


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quote", ["", '""'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_quoted_as_a_whole(mark, quote, end):
    rows = (("week", "tv", "sales"), ("2021-01-04", "2", "3"), ("2021-01-11", "4", "5"))
    cells = [mark.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
    message = refused("".join(f'"{row}"{end}' for row in cells).encode())
    assert "in quotation marks as a whole" in message


def test_decimal_commas_between_commas():
    message = refused(b"week,tv,sales\n2021-01-04,1,5,2,5\n2021-01-11,1,5,2,5\n")
    assert "Row 2" in message
    assert "5 values" in message
    assert "semicolons" in message


def test_short_row():
    assert "Row 3" in refused(b"week,tv,sales\n2021-01-04,1,2\n2021-01-11,1\n")


def test_doubled_columns():
    message = refused(b"week,TV,sales, TV\n2021-01-04,1,2,3\n")
    assert "Column TV appears 2 times" in message
    assert "columns 2 and 4" in message


def test_no_header():
    assert "not column names" in refused(b"2021-01-04,1,2\n2021-01-11,2,3\n")
    years = b"Month,2021,2022,2023\nJanuary,1,2,3\nFebruary,2,3,4\n"
    assert "a row for each date" in refused(years)


def test_too_large(monkeypatch):
    monkeypatch.setattr("core.data.files.load.MAX_BYTES", 10)
    assert "larger than" in refused(CSV)
    assert "larger than" in refused(io.BytesIO(CSV))


def test_too_many_rows_or_columns(monkeypatch):
    monkeypatch.setattr("core.data.files.delimited.MAX_ROWS", 2)
    assert "3 rows; the limit is 2" in refused(CSV)
    quoted = CSV.replace(b"1.5", b'"1.5"')
    assert "3 rows; the limit is 2" in refused(quoted)
    monkeypatch.setattr("core.data.files.delimited.MAX_COLUMNS", 2)
    assert "3 columns; the limit is 2" in refused(CSV)


def test_a_missing_path(tmp_path):
    assert "no file" in refused(tmp_path / "sales.csv")


def test_workbook_with_title_dates_and_a_gap():
    data = workbook(
        ["week", "TV", "sales", "note"],
        [dt.datetime(2021, 1, 4), 1, 2.5, "x"],
        [dt.datetime(2021, 1, 11), "n/a", 3, None],
        [],
        [dt.datetime(2021, 1, 18), "1,5", 3, None],
        before=(["Media plan"], []),
    )
    table = load_table(data, "plan.xlsx")
    assert table["week"].dtype.kind == "M"
    assert table["TV"].fillna(-1).tolist() == [1, -1, 1.5]
    assert table["note"].isna().tolist() == [False, True, True]
    assert row_numbers(table).tolist() == [4, 5, 7]


def test_workbook_takes_the_first_sheet_with_a_table():
    data = workbook(["week", "sales"], ["2021-01-04", 1])
    book = openpyxl.load_workbook(io.BytesIO(data))
    book.create_sheet("other").append(["key", "meaning", "unit"])
    file = io.BytesIO()
    book.save(file)
    assert load_table(file.getvalue(), "plan.xlsx")["sales"].tolist() == [1]


@pytest.mark.parametrize("row", [["2021-01-04", 1, 2], ["Search", 2, 3]])
def test_a_workbook_with_a_table_on_another_sheet_is_refused(row):
    data = workbook(["week", "sales", "tv"], row, sheets=("one", "two"))
    assert "on several sheets: one and two" in refused(data, "plan.xlsx")
    assert len(load_table(data, "plan.xlsx", "two")) == 1


def test_workbook_in_chunks_mixes_numbers_and_text(monkeypatch):
    monkeypatch.setattr("core.data.files.spreadsheet._CHUNK", 2)
    rows = [
        [week, value, value] for week, value in zip(WEEKS, (1, 2, "x"), strict=True)
    ]
    table = load_table(workbook(["week", "a", "b"], *rows), "plan.xlsx")
    assert table["a"].tolist() == ["1", "2", "x"]


def test_workbooks_without_a_table_or_damaged():
    assert "no sheet with a table" in refused(workbook(), "p.xlsx")
    assert "no rows of data" in refused(workbook(["week", "sales"]), "p.xlsx")
    assert "damaged" in refused(b"PK\x03\x04 nonsense", "p.xlsx")
    whole = workbook(["week", "sales"], ["2021-01-04", 1])
    assert "damaged" in refused(whole[: len(whole) // 2], "p.xlsx")


def test_zip_bomb_is_refused_before_unpacking():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", b"0" * (limits.HARMLESS_BYTES + 1))
    assert "too large for a workbook" in refused(file.getvalue(), "p.xlsx")


def test_many_members_and_other_archives():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for at in range(limits.MAX_MEMBERS + 1):
            book.writestr(str(at), b"")
    assert "too large for a workbook" in refused(file.getvalue(), "p.xlsx")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("content.xml", b"")
    assert "OpenDocument" in refused(file.getvalue(), "p.xlsx")


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        (["chart.png", "notes.pdf"], "archive without a table. It holds chart.png, no"),
        (["[Content_Types].xml", "ppt/presentation.xml"], "but a presentation"),
        (["[Content_Types].xml", "word/document.xml"], "but a Word document"),
        (["Index/Document.iwa", "preview.jpg"], "but an Apple iWork document"),
    ],
)
def test_archives_of_other_things_are_named(members, kind):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in members:
            archive.writestr(name, b"")
    assert kind in refused(file.getvalue(), "p.zip")


def test_parquet_of_every_kind():
    frame = pd.DataFrame(
        {
            "week": pd.to_datetime(WEEKS),
            "geo": pd.Categorical(["a", "b", "a"]),
            "day": pd.to_datetime(WEEKS).tz_localize("Europe/Berlin"),
            "sales": [1.5, None, 3.0],
        },
        index=[5, 6, 7],
    )
    table = load_table(as_parquet(frame), "s.parquet")
    assert list(table.columns) == ["week", "geo", "day", "sales"]
    assert table["geo"].tolist() == ["a", "b", "a"]
    assert table["day"].dt.tz is None
    assert str(table["day"].iloc[0])[:10] == "2021-01-04"


def test_parquet_damaged_nested_or_large(monkeypatch):
    whole = as_parquet(pd.DataFrame({"week": WEEKS, "sales": [1, 2, 3]}))
    assert "damaged" in refused(whole[: len(whole) // 2], "s.parquet")
    nested = as_parquet(pd.DataFrame({"week": WEEKS, "x": [[1], [2], [3]]}))
    assert "Column x of s.parquet holds a list in" in refused(nested, "s.parquet")
    fields = as_parquet(pd.DataFrame({"week": WEEKS, "x": [{"a": 1, "b": 2}] * 3}))
    assert "several fields in each cell (a and b)" in refused(fields, "s.parquet")
    monkeypatch.setattr("core.data.files.parquet.MAX_ROWS", 2)
    assert "3 rows" in refused(whole, "s.parquet")


def test_a_kept_table_comes_back_equal(tmp_path):
    table = load_table(b"week,TV,flag\n2021-01-04,1,TRUE\n\n2021-01-11,x,FALSE\n", "s")
    save_table(table, tmp_path / "data.parquet")
    save_table(table, tmp_path / "data.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "data.parquet"), table)
    assert [path.name for path in tmp_path.iterdir()] == ["data.parquet"]


def test_a_kept_table_that_is_gone_or_damaged(tmp_path):
    with pytest.raises(WorkspaceError, match="missing"):
        read_table(tmp_path / "data.parquet")
    (tmp_path / "data.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(WorkspaceError, match="damaged"):
        read_table(tmp_path / "data.parquet")


def test_a_failed_save_leaves_the_old_table(tmp_path, monkeypatch):
    path = tmp_path / "data.parquet"
    old = pd.DataFrame({"week": WEEKS})
    save_table(old, path)

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("core.data.files.parquet.pq.write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        save_table(pd.DataFrame({"week": ["x"]}), path)
    monkeypatch.undo()
    pd.testing.assert_frame_equal(read_table(path), old)
    assert [file.name for file in tmp_path.iterdir()] == ["data.parquet"]


@needs_reference
@pytest.mark.parametrize("name", ["geo_all_channels.csv", "national_media.csv"])
def test_reference_tables_read_as_pandas_reads_them(name):
    path = reference_data(name)
    expected = pd.read_csv(path)
    expected = expected.loc[:, ~expected.columns.str.startswith("Unnamed")]
    pd.testing.assert_frame_equal(load_table(path, name), expected)


def test_a_second_table_below_the_first_is_to_be_a_file_of_its_own():
    days = [f"2024-01-{day:02}" for day in range(1, 32)]
    media = ["day,TV,Radio", *(f"{day},10,20" for day in days)]
    sales = ["day,revenue", *(f"{day},500" for day in days)]
    with pytest.raises(SchemaError) as refused:
        load_table("\n".join([*media, "", *sales]).encode(), "two.csv")
    assert "another table begins there" in refused.value.hint


@pytest.mark.parametrize("header", ["Data;Wynik", "Tydzień;Przychód", "Týden;Tržby"])
@pytest.mark.parametrize("money", ["zł", "ZŁ", "Kč", "KČ"])
@pytest.mark.parametrize("space", ["\xa0", " ", ""])
def test_a_currency_of_another_code_page_settles_it(header, money, space):
    text = f"{header} ({money})\n2024-01-01;1\xa0234,50{space}{money}\n"
    table = load_table(text.encode("cp1250"), "sklep.csv")
    assert list(table) == f"{header} ({money})".split(";")
    assert table.iloc[0, 1] == 1234.5


@pytest.mark.parametrize("name", ["m³", "°C³", "Kèvin", "Besuche¹", "Umsatz (£)"])
def test_signs_of_western_europe_stay(name):
    table = load_table(f"Woche;{name}\n2024-01-01;1\n".encode("cp1252"), "a.csv")
    assert list(table) == ["Woche", name]


def test_what_gzip_has_packed_is_read_to_its_end(monkeypatch):
    rows = b"".join(b"2021-01-%02d,%d\n" % (at + 1, at) for at in range(30))
    packed = gzip.compress(b"week,sales\n"), gzip.compress(rows)
    assert load_table(b"".join(packed), "a.csv.gz")["sales"].sum() == sum(range(30))
    whole = gzip.compress(b"week,sales\n" + rows)
    assert load_table(whole, "a.csv.gz")["sales"].sum() == sum(range(30))
    assert "cannot be unpacked to its end" in refused(whole[:-20], "a.csv.gz")
    tar = io.BytesIO()
    tarfile.open(fileobj=tar, mode="w:gz").addfile(tarfile.TarInfo("a.csv"))
    assert "an archive (TAR)" in refused(tar.getvalue(), "a.tar.gz")
    monkeypatch.setattr("core.data.files.load.MAX_BYTES", 200)
    assert "unpacks to more than" in refused(whole, "a.csv.gz")
