"""Strangers' exports, read by the product's own processes: none is wrong in silence."""

import pytest

from tests.data.strangers.market import KINDS
from tests.data.strangers.run import outcome

#: Kinds that are not read without an answer, as bench/DOOR.md lists them.
_OTHERS = (
    "datev_debit_credit odoo_groups radio_spots remarks_in_cells retail_calendar "
    "sheet_per_year shopware_german tables_below_each_other tables_side_by_side "
    "woocommerce_status"
).split()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_export_of_a_stranger_is_read_wrong_in_silence(kind):
    what, why = outcome(kind, 0)
    assert what != "silent", why
    if kind not in _OTHERS:
        assert what == "right", f"{what}: {why}"
