"""Large tables: a million rows, near 200 MB, in bounded memory and time of one test."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.files.limits import MAX_BYTES, MAX_ROWS
from core.data.files.load import load_table
from core.data.files.parquet import read_table, save_table
from core.data.recognition.recognise import guess_mapping

N_GEOS, N_TIMES = 200, 5000

#: Loads a file in a process of its own and prints its peak memory in bytes.
PEAK = """
import sys
from pathlib import Path
from core.data.files.load import load_table
from core.jobs.memory import peak
print(len(load_table(Path(sys.argv[1]), "large.csv")))
print(peak())
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = N_GEOS * N_TIMES
    days = np.datetime64("2010-01-01") + np.arange(N_TIMES)
    columns = {
        "geo": np.repeat([f"Geo {geo}" for geo in range(N_GEOS)], N_TIMES),
        "date": np.tile(np.datetime_as_string(days), N_GEOS),
    }
    for at in range(10):
        units = rng.integers(1, 1_000_000, n)
        columns[f"ch{at}_impressions"] = units
        columns[f"ch{at}_spend"] = np.round(units * 0.01, 2)
    columns["sales"] = np.round(rng.random(n) * 1e5, 2)
    columns["population"] = np.repeat(rng.integers(10_000, 99_000, N_GEOS), N_TIMES)
    path = tmp_path_factory.mktemp("large") / "large.csv"
    pa_csv.write_csv(pa.table(columns), path)
    return path


@pytest.fixture(scope="module")
def frame(large):
    """The table as it is read."""
    return load_table(large, "large.csv")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_million_rows_from_file_to_arrays(large, frame, tmp_path):
    assert 120e6 < large.stat().st_size < MAX_BYTES
    assert frame.shape == (N_GEOS * N_TIMES, 24)
    mapping = guess_mapping(frame)
    assert (mapping.geo, mapping.time, mapping.kpi) == ("geo", "date", "sales")
    assert len(mapping.channels) == 10
    assert not [one for one in check_table(frame, mapping) if one.severity == "error"]
    data = assemble(frame, mapping)
    assert data.media.units.shape == (N_GEOS, N_TIMES, 10)
    assert data.kpi.sum() == pytest.approx(frame["sales"].sum())
    save_table(frame, tmp_path / "data.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "data.parquet"), frame)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_memory_stays_bounded(large):
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(large)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.returncode == 0, done.stderr
    rows, peak = map(int, done.stdout.split())
    assert rows == N_GEOS * N_TIMES
    assert peak < 3e9


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_million_rows_full_of_faults(frame):
    frame, mapping = frame.copy(), guess_mapping(frame)
    rng = np.random.default_rng(0)
    frame["sales"] = frame["sales"].astype("str")
    frame.loc[rng.choice(len(frame), 50_000), "sales"] = "n/k"
    frame.loc[rng.choice(len(frame), 50_000), "date"] = "later"
    frame.loc[rng.choice(len(frame), 50_000), "ch0_spend"] = -1.0
    frame = pd.concat([frame.iloc[5000:], frame.iloc[-9000:]])
    findings = check_table(frame, mapping)
    assert 4 < len(findings) < 40
    assert all(len(finding.message) < 400 for finding in findings)


def test_more_than_the_limit_is_refused_at_once():
    data = b"week,sales\n" + b"2021-01-04,1\n" * (MAX_ROWS + 1)
    with pytest.raises(Exception, match="1,000,001 rows; the limit is 1,000,000"):
        load_table(data, "s.csv")
    with pytest.raises(Exception, match="larger than 200 MB"):
        load_table(bytes(MAX_BYTES + 1), "s.csv")
