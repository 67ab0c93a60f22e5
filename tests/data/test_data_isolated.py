"""Files that would hang or fill the program that reads them; another one reads them."""

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.data.files import isolated, load
from core.data.files.ahead import AHEAD
from core.data.files.isolated import kept_table, load_table, read_apart
from core.data.files.parquet import is_kept, save_table
from core.errors import MMMError, SchemaError, WorkspaceError
from tests.data.data_tables import by_geo

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("own_readers")


def workbook(change: Callable[[bytes], bytes]) -> bytes:
    """A workbook whose first sheet is changed in its XML."""
    plain, made = io.BytesIO(), io.BytesIO()
    book = openpyxl.Workbook()
    for row in (["week", "sales"], ["2024-01-01", 1], ["2024-01-08", 2]):
        book.active.append(row)
    book.save(plain)
    with (
        zipfile.ZipFile(plain) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            is_sheet = name.endswith("sheet1.xml")
            new.writestr(name, change(content) if is_sheet else content)
    return made.getvalue()


def commented(n_bytes: int) -> bytes:
    """A workbook whose first sheet begins with one comment of so many bytes."""
    comment = b"<!--" + b"x" * n_bytes + b"-->"
    return workbook(lambda xml: xml.replace(b"<sheetData>", comment + b"<sheetData>"))


def slow() -> bytes:
    """A small workbook of 900,000 rows, which takes long to read."""
    rows = (b"<row>" + b"<c><v>1</v></c>" * 2 + b"</row>") * 900_000
    return workbook(lambda xml: xml.replace(b"</sheetData>", rows + b"</sheetData>"))


def long_texts(n_rows: int, length: int) -> bytes:
    """A small Parquet file that unpacks to one long text in every row."""
    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * n_rows, pa.int32()), pa.array(["x" * length])
    )
    file = io.BytesIO()
    columns = {"geo": texts.cast(pa.large_string()), "kpi": range(n_rows)}
    pq.write_table(pa.table(columns), file, row_group_size=n_rows // 10)
    return file.getvalue()


def test_gives_what_reading_here_gives(tmp_path):
    frame = by_geo(n=12)
    for name, data in (
        ("s.csv", frame.to_csv(index=False).encode()),
        ("s.tsv", b"\n\n" + frame.to_csv(index=False, sep="\t").encode()),
    ):
        expected = load.load_table(data, name)
        path = tmp_path / name
        path.write_bytes(data)
        for source in (data, path, io.BytesIO(data)):
            pd.testing.assert_frame_equal(load_table(source, name), expected)


def test_errors_come_back_as_what_they_are(tmp_path):
    data = b"week,TV,TV\n2024-01-01,1,2\n"
    with pytest.raises(SchemaError) as here:
        load.load_table(data, "s.csv")
    with pytest.raises(SchemaError) as apart:
        load_table(data, "s.csv")
    for name in ("message", "hint", "where", "findings"):
        assert getattr(apart.value, name) == getattr(here.value, name)
    with pytest.raises(SchemaError, match="There is no file"):
        load_table(tmp_path / ("n" * 300 + ".csv"), "s.csv")


def test_what_a_table_knows_of_its_reading_comes_back(monkeypatch, tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5]}, index=pd.RangeIndex(3, 5))
    frame.attrs["read"] = {"a": {"done": [{"sign": ","}]}}
    save_table(frame, tmp_path / "t.parquet")
    kept = kept_table(tmp_path / "t.parquet")
    assert kept.attrs == frame.attrs
    assert list(kept.index) == [3, 4]


def test_a_process_that_does_not_know_the_file_says_so(monkeypatch, caplog):
    with pytest.raises(SchemaError, match="s.csv cannot be read"):
        read_apart(
            "core.data.files.load.no_such_function", b"week,TV\n2024-01-01,1\n", "s.csv"
        )
    assert "no_such_function" in caplog.text


def test_too_much_time_is_a_message(monkeypatch):
    monkeypatch.setattr(isolated, "READ_SECONDS", 3)
    with pytest.raises(SchemaError, match="longer than 3 seconds"):
        load_table(slow(), "slow.xlsx")


def test_too_much_memory_is_a_message(monkeypatch):
    monkeypatch.setattr(isolated, "READ_MEMORY", 200 * 1024**2)
    names = ",".join(f"c{i}" for i in range(90)).encode() + b"\n"
    data = names + (b",".join([b"0.12345678"] * 90) + b"\n") * 40_000
    with pytest.raises(SchemaError, match="0.2 GB of memory"):
        load_table(data, "wide.csv")


def test_short_parquet_of_long_texts_is_refused():
    data = long_texts(150_000, 10_000)
    assert len(data) < 5_000_000
    with pytest.raises(SchemaError, match=r"1,4\d\d MB of text; the limit is 256 MB"):
        load_table(data, "long.parquet")


def test_a_crash_of_the_reader_is_a_message(monkeypatch):
    def crash(look):
        os.kill(readers()[-1], signal.SIGSEGV)

    with pytest.raises(SchemaError, match="cannot be read"):
        load_table(slow(), "slow.xlsx", watch=crash)


def readers() -> list[int]:
    """Processes that read files for this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"core.data.files.reader" in words and parent == os.getpid():
            found.append(int(name))
    return found


def test_a_reader_ahead_reads_under_the_limits_of_the_file(monkeypatch):
    AHEAD.prepare()
    [ahead] = readers()
    AHEAD.prepare()
    assert readers() == [ahead]
    seen = []
    with (
        monkeypatch.context() as limits,
        pytest.raises(SchemaError, match="longer than 3 seconds"),
    ):
        limits.setattr(isolated, "READ_SECONDS", 3)
        load_table(slow(), "slow.xlsx", watch=lambda look: seen.append(readers()))
    assert seen[0] == [ahead]
    assert not readers()
    assert len(load_table(b"week,TV\n2024-01-01,1\n", "s.csv")) == 1


def test_a_crash_of_a_reader_ahead_is_in_the_log(caplog):
    AHEAD.prepare()
    with pytest.raises(SchemaError, match="s.csv cannot be read"):
        read_apart("core.data.files.load.no_such_function", b"a\n1\n", "s.csv")
    assert "no_such_function" in caplog.text


def test_a_reader_ahead_that_has_ended_is_replaced():
    AHEAD.prepare()
    [ahead] = readers()
    os.kill(ahead, signal.SIGKILL)
    until = time.monotonic() + 300
    while _alive(ahead):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert len(load_table(b"week,TV\n2024-01-01,1\n", "s.csv")) == 1


def test_a_reader_ahead_ends_with_the_process_that_read_nothing():
    start = "from core.data.files.ahead import AHEAD; AHEAD.prepare(); "
    show = "print(AHEAD._reader.pid)"
    done = subprocess.run(
        [sys.executable, "-c", start + show], cwd=ROOT, capture_output=True, text=True
    )
    until = time.monotonic() + 300
    while Path(f"/proc/{int(done.stdout)}/cmdline").exists():
        words = Path(f"/proc/{int(done.stdout)}/cmdline").read_bytes()
        if not words:  # a zombie that nobody waits for
            break
        assert time.monotonic() < until
        time.sleep(0.05)


def test_can_be_cancelled_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(isolated.tempfile, "tempdir", str(tmp_path))
    looks = []

    class Cancelled(BaseException):
        pass

    def watch(look):
        looks.append(look)
        if len(looks) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        load_table(slow(), "slow.xlsx", watch=watch)
    assert looks[0].seconds < looks[-1].seconds
    assert looks[-1].n_bytes > 0
    assert not readers()
    assert not list(tmp_path.iterdir())


def test_no_room_to_read_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(isolated.tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(WorkspaceError, match="s.csv could not be read"):
        load_table(b"week,TV\n2024-01-01,1\n", "s.csv")


def test_other_files_in_a_project_go_the_same_way(tmp_path, monkeypatch):
    """Only a table that Mixwright wrote is read at once."""
    frame = by_geo(n=12)
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    save_table(frame, ours)
    frame.to_parquet(theirs)
    assert is_kept(ours) and not is_kept(theirs)
    asked = []

    def noted(source, filename):
        asked.append(filename)
        return frame

    monkeypatch.setattr(isolated, "load_table", noted)
    pd.testing.assert_frame_equal(kept_table(ours), frame)
    kept_table(theirs)
    assert asked == ["theirs.parquet"]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 50, b"PK\x03\x04"])
def test_damaged_files_in_a_project_are_messages(content, tmp_path):
    path = tmp_path / "data.parquet"
    path.write_bytes(content)
    with pytest.raises(MMMError):
        kept_table(path)


def test_a_reader_ends_with_who_asked_for_it(tmp_path):
    """Killed in the middle, the one who asked leaves no reader behind."""
    path = tmp_path / "slow.xlsx"
    path.write_bytes(slow())
    code = (
        "from pathlib import Path; from core.data.files.isolated import load_table; "
        f"load_table(Path({str(path)!r}), 'slow.xlsx')"
    )
    asking = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    child = asking.pid
    deadline = time.monotonic() + 300
    while not (under := _children(child)) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    asking.kill()
    asking.wait()
    while _alive(under[0]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _alive(under[0])


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
