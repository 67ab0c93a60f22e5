"""Controls that explain nothing are left out, which is said, and not refused."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.assemble import assemble
from core.data.checks.schema import roles
from core.data.checks.validate import check_table
from core.data.mapping import ColumnMapping
from core.errors import DataError
from tests.data.data_tables import GEO, NATIONAL, by_geo, national, of


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
    assert "thanksgiving (as friday)" in " ".join(of(findings, "info"))
    assert "closed is left out" in warned and "missing is left out" in warned
    assert assemble(frame, mapping).control_names == ("temperature", "friday")


def test_controls_that_others_add_up_to_are_left_out():
    parts = np.random.default_rng(1).normal(size=(60, 2))
    frame, mapping = with_controls(
        north=parts[:, 0], south=parts[:, 1], both=parts.sum(axis=1)
    )
    assert "both" not in assemble(frame, mapping).control_names
    assert "both" in " ".join(of(check_table(frame, mapping), "info"))


def test_a_control_with_holes_is_still_an_error():
    holes = np.where(np.arange(60) < 3, np.nan, np.arange(60) % 7)
    frame, mapping = with_controls(rain=holes)
    assert "rain is empty in 3 rows" in of(check_table(frame, mapping), "error")[0]


@pytest.mark.parametrize("kind", ["empty", "constant", "twice", "varies"])
def test_a_column_with_two_roles_is_an_error_whatever_it_holds(kind):
    """Every role, also as a control, that would be left out where it is idle."""
    fill = {"empty": np.nan, "constant": 7.0, "twice": None, "varies": None}[kind]
    for geo in (False, True):
        frame = by_geo() if geo else national()
        mapping = GEO if geo else NATIONAL
        mapping = replace(mapping, controls=())
        for column, role in roles(mapping):
            changed = frame.copy()
            if fill is not None:
                changed[column] = fill
            controls = (column, column) if kind == "twice" else (column,)
            doubled = replace(mapping, controls=controls)
            said = " ".join(of(check_table(changed, doubled), "error"))
            assert f"Column {column} has " in said, (column, role)
            with pytest.raises(DataError):
                assemble(changed, doubled)
