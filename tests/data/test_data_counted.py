"""What could count twice counts once, or is asked: overlaps, totals, names alike."""

import pytest

from tests.data.counted_tables import FAMILIES, outcome


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_counts_twice_in_silence_and_no_twin_is_asked(family):
    kinds = {
        (seed, fault): outcome(family, seed, fault=fault)
        for seed in range(8)
        for fault in (True, False)
    }
    wrong = {
        at: result
        for at, result in kinds.items()
        if result[0] in ("misread", "needless") or (not at[1] and result[0] != "read")
    }
    assert wrong == {}
