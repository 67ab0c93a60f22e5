"""Tables beside the data are read right, asked about or refused: silent none."""

from collections import Counter

import pytest

from tests.data.beside_families import DOUBTS, KINDS, case, outcome


def results(seeds) -> tuple[Counter, set[str]]:
    """What becomes of the tables of some seeds, and the kinds and doubts of them."""
    counts, seen = Counter(), set()
    for seed in seeds:
        made = case(seed)
        seen |= {made.kind, made.doubt}
        result = outcome(made)
        counts[result, made.about if made.doubt == "none" else ""] += 1
        assert result in ("right", "asked"), (seed, made.about)
    return counts, seen


def test_tables_beside_the_data_leave_nothing_open():
    counts, seen = results(range(1000, 1070))
    assert seen >= {*KINDS, *DOUBTS}
    assert {kind for result, kind in counts if result == "right"} >= {
        f"{kind} none {form}" for kind in KINDS for form in ("csv", "xlsx")
    }


@pytest.mark.slow
def test_more_tables_beside_the_data_leave_nothing_open():
    results(range(1070, 1180))
