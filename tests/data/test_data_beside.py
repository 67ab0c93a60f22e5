"""Tables beside the data are read right, asked about or refused: silent none."""

from collections import Counter

from tests.data.beside_families import DOUBTS, KINDS, case, outcome


def test_tables_beside_the_data_leave_nothing_open():
    results, seen = Counter(), set()
    for seed in range(1000, 1180):
        made = case(seed)
        seen |= {made.kind, made.doubt}
        result = outcome(made)
        results[result, made.about if made.doubt == "none" else ""] += 1
        assert result in ("right", "asked"), (seed, made.about)
    assert seen >= {*KINDS, *DOUBTS}
    assert {kind for result, kind in results if result == "right"} >= {
        f"{kind} none {form}" for kind in KINDS for form in ("csv", "xlsx")
    }
