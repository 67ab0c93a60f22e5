"""Refreshes whose new periods hold sums to date, beside faultless ones.

    python -m tests.data.running_families            300 markets of fixed seeds
    python -m tests.data.running_families 50 7000    50 markets from seed 7000 on

Each market is refreshed by 1, 2, 3, 4, 6 and 13 periods: as they are, and as sums since
the first new period, the month, the quarter, the year or the first day of all; in every
column of money, or in one. Growth, Christmas, flights, pauses and budgets that rise
week by week are no sums.
"""

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd

from core.data.ahead.new_periods import arrival
from core.data.recognition.recognise import guess_mapping

SIZES = (1, 2, 3, 4, 6, 13)
SINCE = ("new", "month", "quarter", "year", "first")
COLUMNS = ("Revenue", "TV spend", "Search cost", "Social spend")


def market(seed: int) -> pd.DataFrame:
    """Money of a market by day or week, with what markets do by themselves."""
    random = np.random.default_rng([260, seed])
    step = 7 if random.random() < 0.75 else 1
    n = int(random.integers(70, 160)) if step == 7 else int(random.integers(200, 400))
    first = pd.Timestamp("2021-01-04") + pd.Timedelta(days=7 * int(random.integers(90)))
    days = pd.date_range(first, periods=n, freq=f"{step}D")
    at = np.arange(n) * step / 364
    yearly = np.sin(2 * np.pi * (at + random.random()))
    growth = np.exp(random.uniform(-0.4, 0.9) * at)
    week = np.tile(random.uniform(0.5, 1.5, 7), n // 7 + 1)[:n] if step == 1 else 1.0
    christmas = 1 + random.uniform(0, 2) * (np.abs(days.day_of_year - 345) < 18)

    def noise(spread: float) -> np.ndarray:
        memory = random.uniform(0, 0.9)
        steps = random.normal(0, spread, n)
        for i in range(1, n):
            steps[i] = memory * steps[i - 1] + np.sqrt(1 - memory**2) * steps[i]
        return np.exp(steps)

    columns = {"Revenue": 80_000 * growth * christmas * week * (1 + 0.3 * yearly)}
    columns["TV spend"] = 9_000.0 * (noise(0.6) > random.uniform(0.7, 1.2))
    columns["Search cost"] = 3_000 * christmas * week * (1 + 0.2 * yearly)
    columns["Social spend"] = np.full(n, 2_500.0)
    kind = int(random.integers(5))
    if kind == 1:
        columns["Social spend"][: n // 3] = 0
    if kind == 2:
        columns["Search cost"][n // 2 :] *= random.choice([0.3, 2, 4])
    if kind == 3:  # a budget that is raised with every period at the end
        rise = min(n, 13)
        columns["Social spend"][-rise:] *= 1 + 0.15 * np.arange(rise)
    spreads = (0.12, random.uniform(0.1, 0.6), 0.2, random.uniform(0.1, 0.8))
    frame = pd.DataFrame({"date": days.astype(str)})
    for (name, values), spread in zip(columns.items(), spreads, strict=True):
        frame[name] = (values * noise(spread)).round(2)
    return frame


def summed(frame: pd.DataFrame, n_new: int, since: str, names: list[str]):
    """The last periods as sums since some day; None where that changes nothing."""
    days = pd.to_datetime(frame["date"])
    start = len(frame) - n_new
    groups = {
        "new": np.arange(len(frame)) >= start,
        "month": days.dt.to_period("M"),
        "quarter": days.dt.to_period("Q"),
        "year": days.dt.year,
        "first": np.zeros(len(frame)),
    }
    to_date = frame[names].groupby(np.asarray(groups[since])).cumsum()
    new = frame.iloc[start:].copy()
    if np.allclose(new[names], to_date.iloc[start:], rtol=0.05):
        return None
    new[names] = to_date.iloc[start:]
    return new


def asked(frame: pd.DataFrame, new: pd.DataFrame) -> tuple[bool, bool]:
    """Whether totals are asked about, and whether anything is."""
    old = frame.iloc[: len(frame) - len(new)]
    came = arrival(old, new, guess_mapping(old))
    return bool(came.running), bool(came.running or came.jumps or came.spikes)


def outcomes(seed: int) -> Iterator[tuple[tuple, tuple[bool, bool]]]:
    """What becomes of one market's refreshes, by what they are."""
    frame = market(seed)
    random = np.random.default_rng([261, seed])
    for n_new in SIZES:
        yield (n_new, "plain", ""), asked(frame, frame.iloc[-n_new:])
        for since in SINCE:
            for which in ("all", "one"):
                names = list(COLUMNS)
                if which == "one":
                    names = [str(random.choice(COLUMNS))]
                new = summed(frame, n_new, since, names)
                if new is not None:
                    yield (n_new, since, which), asked(frame, new)


def main(n: int = 300, first: int = 0) -> None:
    """Print the shares of refreshes that are asked about."""
    counts: Counter = Counter()
    for seed in range(first, first + n):
        for what, (running, anything) in outcomes(seed):
            counts[what, "of"] += 1
            counts[what, "running"] += running
            counts[what, "anything"] += anything
    for what in sorted({key for key, _ in counts}):
        of = counts[what, "of"]
        shares = [100 * counts[what, kind] / of for kind in ("running", "anything")]
        print(f"{what!s:32} {of:6} {shares[0]:6.1f} % {shares[1]:6.1f} %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
