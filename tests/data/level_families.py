"""Tables whose amounts change their level, or stand far out once, with their truth.

    python -m tests.data.level_families            2,000 tables of fixed seeds
    python -m tests.data.level_families 200 7000   200 tables from seed 7000 on

Rows from some day on, of all geos or of one, are in thousands, millions or cents, in a
file or in the new rows of a refresh; or one amount has zeros too many. Each must be
named. Growth, launches, pauses, pulses and Christmas are no change of unit: nothing is
said of them.
"""

import io
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.ahead.new_periods import arrival
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.recognise import guess_mapping

TABLES = 2000
MONEY = ("Revenue", "TV spend", "Search cost")
FAULTS = ("plain", "level", "level of a geo", "single", "single of a geo")
PLACES = ("file", "refresh")


@dataclass(frozen=True)
class Case:
    """A table, the rows that are new in it, and what is wrong.

    Attributes:
        about: Fault, place and shape, for counting.
        frame: All rows, by day and geo.
        n_new: Periods that a refresh brings; 0 for a file.
        culprit: Column at fault; empty where there is none.
    """

    about: str
    frame: pd.DataFrame
    n_new: int
    culprit: str


def case(seed: int) -> Case:
    """The table of one seed."""
    random = np.random.default_rng(seed)
    fault = str(random.choice(FAULTS))
    place = str(random.choice(PLACES))
    n_geos = (
        int(random.choice([1, 3, 8]))
        if "geo" not in fault
        else int(random.choice([3, 8]))
    )
    step = int(random.choice([1, 7]))
    n = int(random.integers(80, 140)) if step == 7 else int(random.integers(200, 400))
    n_new = int(random.integers(1, 14)) if place == "refresh" else 0
    amounts = _amounts(random, n, n_geos, step)
    culprit = ""
    if fault != "plain":
        culprit = str(random.choice(MONEY if "level" in fault else MONEY[1:]))
        _spoil(random, amounts[culprit], fault, n_new)
    days = pd.date_range("2022-01-03", periods=n, freq=f"{step}D").astype(str)
    columns: dict[str, object] = {"date": np.tile(days, n_geos)}
    if n_geos > 1:
        columns["region"] = np.repeat([f"Region {i + 1}" for i in range(n_geos)], n)
    columns |= {name: values.round(6).ravel() for name, values in amounts.items()}
    about = f"{fault}, {place}, {n_geos} geos, {'weeks' if step == 7 else 'days'}"
    return Case(about, pd.DataFrame(columns), n_new, culprit)


def _amounts(random, n: int, n_geos: int, step: int) -> dict[str, np.ndarray]:
    """Money by geo and period, with what markets do by themselves."""
    size = random.uniform(0.2, 2.0, (n_geos, 1))
    at = np.arange(n) * step / 364
    season = 1 + 0.3 * np.sin(2 * np.pi * at) + 1.5 * (np.abs(at % 1 - 0.96) < 0.03)
    growth = np.exp(random.uniform(-0.5, 0.9) * at)
    shape = (n_geos, n)
    revenue = 90_000 * season * growth * random.uniform(0.8, 1.25, shape)
    tv = 20_000 * random.uniform(0.4, 2.0, shape) * (random.random(n) > 0.4)
    search = 5_000 * season * random.uniform(0.7, 1.4, shape)
    kind = int(random.integers(4))
    if kind == 1:  # a launch
        tv[:, : n // 3] = 0
    if kind == 2:  # a pause, and less after it
        search[:, n // 2 : n // 2 + 6] = 0
        search[:, n // 2 + 6 :] *= 0.5
    if kind == 3:  # a new budget
        search[:, n // 2 :] *= 4
    every = (revenue, tv, search)
    return {name: size * each for name, each in zip(MONEY, every, strict=True)}


def _spoil(random, values: np.ndarray, fault: str, n_new: int) -> None:
    n_geos, n = values.shape
    geos = [int(random.integers(n_geos))] if "geo" in fault else list(range(n_geos))
    if "level" in fault:
        factor = float(random.choice([1e3, 1e-3, 100.0, 0.01, 1e-6]))
        running = np.flatnonzero(values.sum(axis=0))
        first = n - n_new if n_new else int(random.choice(running[8:-8]))
        if n_new and not values[geos, first:].any():
            values[geos, -1] = np.median(values[values > 0])
        values[geos, first:] *= factor
        return
    geo = geos[int(random.integers(len(geos)))]
    running = np.flatnonzero(values[geo])
    at = running[-1] if n_new else int(random.choice(running))
    at = n - 1 if n_new else at
    values[geo, at] = values.max() * float(random.choice([10, 100, 1000]))
    if "geo" in fault:
        values[geo, at] = values[geo, running[:-1]].max() * 12


def outcome(made: Case) -> str:
    """`said`, `quiet`, or what went wrong: `silent` or `needless`."""
    frame = _written(made)
    mapping = guess_mapping(frame)
    if made.n_new:
        days = np.unique(frame["date"].astype(str))
        is_new = frame["date"].astype(str).isin(days[-made.n_new :]).to_numpy()
        came = arrival(frame[~is_new], frame[is_new], mapping)
        told = [*came.jumps, *came.spikes]
    else:
        told = [
            f"{each.where} {each.message}"
            for each in check_table(frame, mapping)
            if "changes its level" in each.message or "The spend" in each.message
        ]
    if not made.culprit:
        return "needless" if told else "quiet"
    return "said" if any(made.culprit in each for each in told) else "silent"


def _written(made: Case) -> pd.DataFrame:
    """The table, written to a file and read again."""
    if len(made.frame) > 300 or made.n_new % 2:
        data = made.frame.to_csv(index=False).encode()
        return load_table(data, "table.csv")
    buffer = io.BytesIO()
    made.frame.to_excel(buffer, index=False)
    return load_table(buffer.getvalue(), "table.xlsx")


def main(n: int = TABLES, first: int = 0) -> None:
    """Print what became of tables of so many seeds."""
    counts: Counter = Counter()
    for seed in range(first, first + n):
        made = case(seed)
        result = outcome(made)
        counts[result, made.about.split(",")[0], made.about.split(",")[1]] += 1
        if result in ("silent", "needless"):
            print(seed, made.about, made.culprit, result)
    for key, number in sorted(counts.items()):
        print(*key, number)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
