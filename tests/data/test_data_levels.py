"""Changes of unit and single amounts far out are named, in files and at refreshes."""

from collections import Counter

from tests.data.level_families import FAULTS, PLACES, case, outcome


def test_levels_that_change_are_named_and_nothing_else():
    results: Counter = Counter()
    for seed in range(5000, 5160):
        made = case(seed)
        result = outcome(made)
        results[made.about.split(", ")[0], made.about.split(", ")[1]] += 1
        assert result in ("said", "quiet"), (seed, made.about, made.culprit)
    assert {*results} == {(fault, place) for fault in FAULTS for place in PLACES}
