"""Whatever a table looks like, it gives an answer or a message, never a bug."""

import io

import numpy as np
import pandas as pd
import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.recognise import explain_mapping, guess_mapping
from core.errors import MMMError
from tests.data.data_tables import GEO, by_geo

ODD = [None, "", "x", "=1+1", "1,5", "1.5.5", -1, 0, 1e308, "∞", "2021-13-40", True]
NAMES = ["spend", "TV", "=1+1", "", "kpi", "date", "€", "per", "a_S", "reach", "x" * 99]


def answer(frame, mapping):
    """Run everything that a screen runs; errors must be told beforehand."""
    findings = check_table(frame, mapping)
    explain_mapping(frame, mapping)
    blocked = any(finding.severity == "error" for finding in findings)
    try:
        data = assemble(frame, mapping)
    except MMMError:
        assert blocked
        return
    assert not blocked
    for values in (data.kpi, data.controls, data.population, data.media.units):
        assert values is None or np.isfinite(values).all()


def spoilt(frame, rng):
    """A table with some faults of every kind."""
    frame = frame.astype(object)
    for _ in range(rng.integers(1, 6)):
        fault = rng.integers(0, 6)
        rows = rng.integers(0, len(frame), rng.integers(1, 20))
        column = rng.integers(0, frame.shape[1])
        if fault == 0:
            values = [ODD[at] for at in rng.integers(0, len(ODD), len(rows))]
            frame.iloc[rows, column] = values
        elif fault == 1:
            frame = frame.drop(index=frame.index[rows])
        elif fault == 2:
            frame = pd.concat([frame, frame.iloc[rows]])
        elif fault == 3:
            frame.iloc[:, column] = ODD[rng.integers(0, len(ODD))]
        elif fault == 4:
            frame = frame.sample(frac=1, random_state=int(rng.integers(0, 99)))
        else:
            frame.iloc[:, column] = rng.permutation(frame.iloc[:, column].to_numpy())
        if not len(frame):
            return by_geo(n=12)
    return frame


@pytest.mark.parametrize("seed", range(60))
def test_spoilt_tables(seed):
    rng = np.random.default_rng(seed)
    answer(spoilt(by_geo(n=30), rng), GEO)


@pytest.mark.parametrize("seed", range(60))
def test_spoilt_files(seed):
    rng = np.random.default_rng(seed)
    frame = spoilt(by_geo(n=20), rng)
    for at in rng.integers(0, frame.shape[1], rng.integers(0, 3)):
        frame = frame.set_axis(
            [
                NAMES[rng.integers(0, len(NAMES))] if at == position else name
                for position, name in enumerate(frame.columns)
            ],
            axis=1,
        )
    text = frame.to_csv(index=False, sep=",;\t|"[rng.integers(0, 4)])
    data = bytearray(text.encode("utf-8"))
    for at in rng.integers(0, len(data), rng.integers(0, 4)):
        data[at] = rng.integers(0, 256)
    cut = bytes(data[: rng.integers(1, len(data))] if rng.random() < 0.3 else data)
    try:
        loaded = load_table(cut, "s.csv")
        mapping = guess_mapping(loaded)
    except MMMError as error:
        assert str(error)
        return
    answer(loaded, mapping)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", ["xlsx", "parquet"])
def test_spoilt_archives(seed, form):
    rng = np.random.default_rng(seed)
    file = io.BytesIO()
    frame = by_geo(n=12)
    if form == "xlsx":
        frame.to_excel(file, index=False)
    else:
        frame.to_parquet(file)
    data = bytearray(file.getvalue())
    for at in rng.integers(0, len(data), 5):
        data[at] = rng.integers(0, 256)
    try:
        loaded = load_table(bytes(data), "s.bin")
        answer(loaded, guess_mapping(loaded))
    except MMMError as error:
        assert str(error)
