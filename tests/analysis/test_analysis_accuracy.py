"""Measures of fit beside each other, where some periods have next to no KPI."""

import numpy as np
import pytest

from core.analysis.summary import accuracy_sets

WEEKS = np.full((1, 20), 100.0)
NEAR = 0.9 * WEEKS


@pytest.mark.parametrize("nothing", [0.0, 0.1, -0.1])
def test_a_week_with_next_to_no_kpi_does_not_rule_the_mean_error(nothing):
    actual = WEEKS.copy()
    actual[0, 3] = nothing
    national = accuracy_sets(actual, NEAR, np.ones_like(actual))["all"]["national"]
    assert national.mape == pytest.approx(0.1)
    assert national.mape_left_out == 1
    assert national.wmape == pytest.approx((190 + 90 - nothing) / 1900, rel=1e-3)


def test_every_week_counts_where_all_have_a_kpi():
    actual = WEEKS.copy()
    actual[0, 3] = 20.0
    national = accuracy_sets(actual, NEAR, np.ones_like(actual))["all"]["national"]
    assert national.mape_left_out == 0
    assert national.mape == pytest.approx((19 * 0.1 + 70 / 20) / 20)


def test_a_small_geo_is_measured_beside_itself():
    actual = np.concatenate([WEEKS, 0.001 * WEEKS])
    seen = np.ones_like(actual)
    seen[:, :5] = 0
    sets = accuracy_sets(actual, 0.9 * actual, seen)
    assert [each["geo"].mape_left_out for each in sets.values()] == [0, 0, 0]
    assert sets["test"]["geo"].mape == pytest.approx(0.1)


def test_a_kpi_of_nothing_has_no_error_in_percent():
    none = np.zeros((1, 4))
    national = accuracy_sets(none, none + 1, np.ones_like(none))["all"]["national"]
    assert np.isnan([national.mape, national.wmape, national.r2]).all()
    assert national.mape_left_out == 4
