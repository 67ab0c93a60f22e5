"""New periods that hold sums to date are asked about; faultless ones are not."""

import numpy as np

from tests.data.running_families import COLUMNS, SINCE, SIZES, asked, market, summed

SEEDS = range(6)


def test_sums_to_date_are_asked_about():
    n_asked = n_sums = 0
    for seed in SEEDS:
        frame = market(seed)
        for since in SINCE:
            new = summed(frame, 6, since, list(COLUMNS))
            if new is not None:
                n_sums += 1
                n_asked += asked(frame, new)[0]
    assert n_sums > 20
    assert n_asked == n_sums


def test_a_refresh_without_a_fault_is_not_asked_about():
    told = []
    for seed in SEEDS:
        frame = market(seed)
        told += [
            (seed, n_new) for n_new in SIZES if asked(frame, frame.iloc[-n_new:])[0]
        ]
    assert len(told) <= 1, told  # bench/DOOR.md has how often, of thousands


def test_a_week_of_five_times_the_usual_is_seldom_taken_for_a_sum():
    n_asked = 0
    seeds = range(12)
    for seed in seeds:
        frame = market(seed)
        random = np.random.default_rng([262, seed])
        new = frame.iloc[-1:].copy()
        for name in COLUMNS:
            usual = float(np.median(frame[name][frame[name] > 0].iloc[-26:]))
            new[name] = round(5 * usual * float(np.exp(random.normal(0, 0.15))), 2)
        n_asked += asked(frame, new)[0]
    assert n_asked <= len(seeds) / 2  # a fifth week looks like its month so far
    for seed in seeds:
        frame = market(seed)
        for since in ("quarter", "year", "first"):
            new = summed(frame, 1, since, list(COLUMNS))
            assert new is None or asked(frame, new)[0], (seed, since)
