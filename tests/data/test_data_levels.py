"""Changes of unit and single amounts far out are named, in files and at refreshes."""

import pytest

from tests.data.level_families import FAULTS, PLACES, case, outcome


def kinds(seeds) -> set[tuple[str, str]]:
    """Faults and places of the tables of some seeds; what is wrong in each is named."""
    seen = set()
    for seed in seeds:
        made = case(seed)
        fault, place, *_ = made.about.split(", ")
        seen.add((fault, place))
        assert outcome(made) in ("said", "quiet"), (seed, made.about, made.culprit)
    return seen


def test_levels_that_change_are_named_and_nothing_else():
    every = {(fault, place) for fault in FAULTS for place in PLACES}
    assert kinds(range(5000, 5048)) == every


@pytest.mark.slow
def test_levels_of_more_tables():
    kinds(range(5048, 5160))
