"""Tables of known truth: each is read as it is, or refused, or asked about."""

import pytest

from tests.data.fuzz import SECONDS, outcome

#: A part of the 2,000 files that `python -m tests.data.fuzz` reads.
SEEDS = range(0, 160)


@pytest.mark.parametrize("first", SEEDS[::20])
def test_no_table_is_misread_in_silence(first):
    for seed in range(first, first + 20):
        one = outcome(seed)
        assert one.kind in ("read", "asked", "refused"), (
            f"{seed}: {one.known.about} {one.said}"
        )


def test_most_tables_are_read():
    kinds = [outcome(seed).kind for seed in range(2000, 2040)]
    assert kinds.count("read") >= 20


def test_the_count_sees_a_misreading(monkeypatch):
    clear = next(seed for seed in SEEDS if outcome(seed).known.is_clear)
    read = outcome(clear)
    assert read.kind == "read" and read.seconds < SECONDS
    truth = "tests.data.written.written_truth"
    monkeypatch.setattr(truth, lambda value, decimals: round(value, decimals) + 1)
    assert outcome(clear).kind == "misread"
