"""Parquet made elsewhere: what has no place in a table is a message."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.recognise import guess_mapping
from core.errors import DataError, SchemaError
from tests.data.data_tables import GEO, by_geo


def parquet(columns: list[tuple[str, pa.Array]]) -> bytes:
    file = io.BytesIO()
    names = [name for name, _ in columns]
    pq.write_table(pa.table([values for _, values in columns], names=names), file)
    return file.getvalue()


WEEKS = pa.array(pd.date_range("2024-01-01", periods=30, freq="7D"))
NUMBERS = pa.array(np.arange(30.0))


@pytest.mark.parametrize("values", [NUMBERS, pa.array(["a"] * 30)])
def test_doubled_columns_are_named(values):
    data = parquet(
        [("week", WEEKS), ("TV", values), ("sales", NUMBERS), ("TV", values)]
    )
    with pytest.raises(SchemaError, match=r"Column TV appears 2 times in s.parquet"):
        load_table(data, "s.parquet")


@pytest.mark.parametrize("role", ["geo", "week", "sales"])
@pytest.mark.parametrize("most", [2**63, 2**64 - 1, 2**63 - 1])
@pytest.mark.parametrize("kind", [pa.uint64(), pa.float64()])
def test_whole_numbers_beyond_63_bits(role, most, kind):
    """As dates, geos or a KPI: a table with findings, or a message."""
    frame = by_geo(n=12)
    big = pa.array([most - i % 3 for i in range(len(frame))], pa.uint64())
    columns = [
        (name, big.cast(kind, safe=False) if name == role else pa.array(frame[name]))
        for name in frame.columns
    ]
    loaded = load_table(parquet(columns), "s.parquet")
    if kind == pa.uint64():  # three identifiers stay three
        assert loaded[role].nunique() == 3
    try:
        check_table(loaded, GEO)
        check_table(loaded, guess_mapping(loaded))
    except DataError as error:
        assert error.message


def test_unknown_time_zone_is_named():
    zoned = WEEKS.cast(pa.timestamp("us", tz="Mars/Olympus"))
    data = parquet([("week", zoned), ("TV", NUMBERS), ("sales", NUMBERS)])
    with pytest.raises(
        SchemaError, match="time zone Mars/Olympus is unknown"
    ) as caught:
        load_table(data, "s.parquet")
    assert "Column week of s.parquet" in caught.value.message


def test_known_time_zones_keep_their_days():
    zoned = pa.array(
        pd.date_range("2024-01-01", periods=30, freq="7D", tz="Asia/Tokyo")
    )
    data = parquet([("week", zoned), ("TV", NUMBERS), ("sales", NUMBERS)])
    assert load_table(data, "s")["week"].iloc[0] == pd.Timestamp("2024-01-01")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([2**62] * 30, pa.int64()).cast(pa.date64()),
        pa.array([2**31 - 1] * 30, pa.int32()).cast(pa.date32()),
        pa.array([2**62] * 30, pa.int64()).cast(pa.timestamp("s")),
        pa.array([10**30] * 30, pa.decimal128(38)),
        pa.array([10**70] * 30, pa.decimal256(76)),
        pa.array([1] * 30, pa.duration("s")),
        pa.array([1] * 30, pa.time32("s")),
        pa.array([1.0] * 30, pa.float16()),
        pa.nulls(30),
        pa.array([b"x"] * 30),
        pa.array([[1]] * 30),
        pa.array([{"a": 1}] * 30),
    ],
    ids=lambda values: str(values.type),
)
def test_other_types_are_a_table_or_a_message(values):
    columns = [("week", WEEKS), ("TV", NUMBERS), ("odd", values), ("sales", NUMBERS)]
    try:
        data = parquet(columns)
    except pa.ArrowException:
        pytest.skip("cannot be written")
    try:
        loaded = load_table(data, "s.parquet")
    except SchemaError as error:
        assert "odd" in error.message
        return
    check_table(loaded, guess_mapping(loaded))


def test_identifiers_in_text_stay_apart():
    """A float has 15 digits: geos that differ in the 18th would become one."""
    rows = [f"2024-01-{day:02d},100000000000000{geo:03d},1,2" for geo in range(3)
            for day in range(1, 29)]  # fmt: skip
    data = "\n".join(["date,geo,TV,sales", *rows]).encode()
    assert load_table(data, "s.csv")["geo"].nunique() == 3
