"""Files as outsiders export them: none is read wrong in silence, no twin is asked."""

import pytest

from tests.data.door_faults import FAULTS
from tests.data.door_tables import outcome

#: Seeds of which the first is taken that gives the fault a layout that can have it.
SEEDS = range(8)


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_is_silent(fault):
    result = next(filter(None, (outcome(seed, fault) for seed in SEEDS)))
    assert result.kind not in ("silent", "needless"), result.about
