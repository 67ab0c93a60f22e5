import io

import numpy as np
import pandas as pd
import pytest

from core.data.files.load import load_table
from core.data.layout.opening import SeveralTables, open_file, open_files
from core.data.layout.reading import mapping_of_table, read_files
from core.data.layout.stated import StatedColumns
from core.errors import DataError, SchemaError
from tests.data import layout_files


def read(*sources, **said):
    return read_files(open_files(sources), StatedColumns(**said))


def channel_sum(table, measure):
    names = [name for name in table.frame if name.endswith(f"_{measure}")]
    return float(table.frame[names].to_numpy().sum())


@pytest.mark.parametrize("language", layout_files.GOOGLE)
def test_google_ads_in_four_languages(language):
    data, sums = layout_files.google(language)
    table = read(
        (data, "google.csv"), (layout_files.revenue(), "shop.csv"), period="day"
    )
    for measure, total in sums.items():
        assert channel_sum(table, measure) == pytest.approx(total, rel=1e-9)
    mapping = mapping_of_table(table)
    assert [c.name.split()[0] for c in mapping.channels] == ["Google", "Google"]
    assert all(c.media.endswith("_impressions") for c in mapping.channels)
    assert mapping.kpi == "revenue"
    said = " ".join(finding.message for finding in table.findings)
    assert "2 total rows left out: rows 504 and 505" in said
    assert 'Cells such as "--" were read as empty' in said
    assert "is in row 3: 2 lines above it" in said


@pytest.mark.parametrize("language", layout_files.META)
def test_meta_in_three_languages(language):
    data, sums = layout_files.meta(language)
    orders, sold = layout_files.orders()
    table = read(
        (data, "meta.csv"),
        (orders, "orders.csv"),
        period="day",
        rate=(("USD", 0.5),),
    )
    assert table.layout.currency == "EUR"
    assert channel_sum(table, "spend") == pytest.approx(sums["spend"] / 2, rel=1e-9)
    assert channel_sum(table, "clicks") == sums["clicks"]
    assert table.frame["revenue"].sum() == pytest.approx(sold["revenue"], rel=1e-9)
    assert table.frame["orders"].sum() == sold["orders"]
    names = {c.name for c in mapping_of_table(table).channels}
    assert names == {"Meta Prospecting", "Meta Retargeting"}
    assert any("from USD at 0.5" in f.message for f in table.findings)


def test_currencies_are_never_mixed_in_silence():
    with pytest.raises(DataError) as raised:
        read(
            (layout_files.meta()[0], "meta.csv"),
            (layout_files.orders()[0], "orders.csv"),
        )
    assert "meta.csv is in USD, not in EUR" in raised.value.message
    assert "USD=" in raised.value.hint


def test_a_column_of_two_currencies_names_both_amounts():
    data = (
        b"order_id,date,total_price,currency\n1,2025-01-01,10,EUR\n2,2025-01-02,5,USD"
    )
    with pytest.raises(DataError) as raised:
        read((data, "orders.csv"))
    assert "10.00 EUR and 5.00 USD" in raised.value.message


def test_a_total_row_without_a_label_is_known_by_its_sum():
    data = (
        b"date,campaign,spend\n,,60\n2025-01-01,A,10\n2025-01-01,B,20\n2025-01-02,A,30"
    )
    (file,) = open_file(data, "meta.csv")
    assert len(file.frame) == 3
    assert "1 total row left out: row 2" in file.findings[0].message


def test_a_row_without_a_date_is_no_total_row():
    data = b"date,campaign,spend\n1/13/25,A,1\n,B,2\n1/13/25,B,3\n1/14/25,A,4"
    with pytest.raises(DataError) as raised:
        read((data, "ads.csv"))
    assert "row 3" in raised.value.message
    assert raised.value.where == "ads.csv, column date, row 3"


def test_cells_that_are_no_numbers_are_named():
    rows = [f"2025-01-{day:02d},{name},{day}" for day in range(1, 29) for name in "AB"]
    rows[17] = "2025-01-09,B,ten"
    data = "\n".join(["date,campaign,spend", *rows]).encode()
    with pytest.raises(DataError) as raised:
        read((data, "ads.csv"))
    assert 'row 19 is "ten"' in raised.value.message


def workbook(tmp_path, **sheets):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        for name, frame in sheets.items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return path


def test_a_workbook_of_several_tables_is_a_question(tmp_path):
    dates = pd.date_range("2025-01-06", periods=30, freq="W-MON")
    media = pd.DataFrame({"week": dates, "TV_spend": np.arange(30) + 1.0})
    sales = pd.DataFrame({"week": dates, "sales": np.arange(30) * 7 + 9.5})
    path = workbook(tmp_path, Media=media, Sales=sales)
    with pytest.raises(SeveralTables) as raised:
        open_file(path, "book.xlsx")
    assert raised.value.parts == ("Media", "Sales")
    files = open_files([(path, "book.xlsx")], ["Media", "Sales"])
    table = read_files(files)
    assert mapping_of_table(table).kpi == "sales"
    assert [source.part for source in table.layout.sources] == ["Media", "Sales"]
    with pytest.raises(SchemaError, match="no sheet or file Costs"):
        open_files([(path, "book.xlsx")], ["Media", "Costs"])


def test_a_zip_of_several_tables_is_a_question(tmp_path):
    import zipfile

    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/media.csv", "date,x\n2025-01-01,1\n")
        archive.writestr("sales.csv", "date,sales\n2025-01-01,1\n")
        archive.writestr("__MACOSX/sales.csv", "x")
        archive.writestr("readme.md", "x")
    with pytest.raises(SeveralTables) as raised:
        open_file(path, "export.zip")
    assert raised.value.parts == ("a/media.csv", "sales.csv")
    (file,) = open_file(path, "export.zip", ["sales.csv"])
    assert list(file.frame) == ["date", "sales"]
    assert file.called == "export.zip (sales.csv)"


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing.csv"
    path.write_text("date,sales\n2025-01-01,1\n")
    original = type(path).read_bytes

    def read_and_grow(self):
        data = original(self)
        with self.open("a") as file:
            file.write("2025-01-02,2\n")
        return data

    monkeypatch.setattr(type(path), "read_bytes", read_and_grow)
    with pytest.raises(SchemaError, match="was changed while it was read"):
        load_table(path, path.name)


def test_json_columns_are_left_out_and_named():
    rows = "".join(
        f'{n},2025-01-{n:02d},{n},"{{""amount"":{n}}}"\n' for n in range(1, 20)
    )
    data = f"order_id,date,total_price,price_set\n{rows}".encode()
    table = read((data, "orders.csv"))
    assert any(
        "JSON and" in f.message and "price_set" in f.message for f in table.findings
    )


def counted_from(epoch: str) -> bytes:
    """The shop's orders with days as numbers since 1900 or 1904."""
    data, _ = layout_files.orders()
    frame = pd.read_csv(io.BytesIO(data))
    name = next(c for c in frame if "reated" in c or "date" in c.lower())
    days = pd.to_datetime(frame[name].str[:10])
    first = {"1900": "1899-12-30", "1904": "1904-01-01"}[epoch]
    frame[name] = (days - pd.Timestamp(first)).dt.days
    return frame.rename(columns={name: "date"}).to_csv(index=False).encode()


@pytest.mark.parametrize("epoch", ["1900", "1904"])
def test_days_of_an_export_that_are_numbers_are_said_or_chosen(epoch):
    says_so = "spreadsheet date numbers"
    plain = read((counted_from(epoch), "orders.csv"), period="day")
    assert any(says_so in f.message for f in plain.findings)
    chosen = read((counted_from(epoch), "orders.csv"), period="day", dates=epoch)
    heard = any(says_so in f.message for f in chosen.findings)
    assert heard == (epoch == "1900")
    first = chosen.frame[chosen.frame.columns[0]].iloc[0]
    assert str(first)[:10] == str(layout_files.START)
