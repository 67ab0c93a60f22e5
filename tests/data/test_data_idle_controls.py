"""Controls that explain nothing are left out with a warning, not refused."""

import numpy as np

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.mapping import ColumnMapping
from tests.data.data_tables import NATIONAL, national, of


def with_controls(**columns):
    frame = national().assign(**columns)
    controls = ("temperature", *columns)
    return frame, ColumnMapping(
        time="week",
        kpi="sales",
        revenue_per_kpi=2.5,
        controls=controls,
        channels=NATIONAL.channels,
    )


def test_equal_constant_and_empty_controls_do_not_block():
    dummy = (np.arange(60) == 20).astype(float)
    frame, mapping = with_controls(
        friday=dummy, thanksgiving=dummy, closed=0, missing=np.nan
    )
    findings = check_table(frame, mapping)
    assert of(findings, "error") == []
    warned = " ".join(of(findings, "warning"))
    assert "thanksgiving (as friday)" in warned
    assert "closed is left out" in warned and "missing is left out" in warned
    assert assemble(frame, mapping).control_names == ("temperature", "friday")


def test_controls_that_others_add_up_to_are_left_out():
    parts = np.random.default_rng(1).normal(size=(60, 2))
    frame, mapping = with_controls(
        north=parts[:, 0], south=parts[:, 1], both=parts.sum(axis=1)
    )
    assert "both" not in assemble(frame, mapping).control_names
    assert "both" in " ".join(of(check_table(frame, mapping), "warning"))


def test_a_control_with_holes_is_still_an_error():
    holes = np.where(np.arange(60) < 3, np.nan, np.arange(60) % 7)
    frame, mapping = with_controls(rain=holes)
    assert "rain is empty in 3 rows" in of(check_table(frame, mapping), "error")[0]
