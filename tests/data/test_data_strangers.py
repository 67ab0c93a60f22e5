"""Strangers' exports, read by the product's own processes: none is wrong in silence."""

import pytest

from tests.data.strangers.market import KINDS
from tests.data.strangers.run import outcome

#: Kinds that are read without an answer, as bench/DOOR.md lists them.
_OTHERS = (
    "datev_debit_credit french_workbook odoo_groups pivot_nested "
    "plan_beside_actual radio_spots remarks_in_cells retail_calendar sap_workbook "
    "sheet_per_year shopware_german stripe_cents tables_below_each_other "
    "tables_side_by_side week_and_year_apart weeks_across weeks_across_plain "
    "woocommerce_status year_month_day_apart"
).split()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_export_of_a_stranger_is_read_wrong_in_silence(kind):
    what, why = outcome(kind, 0)
    assert what != "silent", why
    if kind not in _OTHERS:
        assert what == "right", f"{what}: {why}"
