"""Exports in fifteen ways of writing: none is wrong in silence, plain ones are read."""

import pytest

from tests.data.abroad.exports import VENDORS
from tests.data.abroad.faults import FAULTS, PLAIN
from tests.data.abroad.run import made_by, outcome


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_plain_export_is_read_without_an_answer(vendor):
    what, why = outcome(made_by("plain_exports", 3, vendor))
    assert what == "right", why


@pytest.mark.parametrize("kind", FAULTS)
def test_no_fault_is_wrong_in_silence(kind):
    # Two vendors by seed, so that every kind meets two ways of writing.
    for seed in (1, 2):
        what, why = outcome(made_by(kind, seed))
        assert what != "silent", why
        if kind in PLAIN:
            assert what == "right", f"{what}: {why}"
