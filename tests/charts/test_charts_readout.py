"""Figures of a read-out: what is drawn is what was read."""

import numpy as np
import pytest

from core.charts.drawing import style
from core.charts.fits import experiment as readout
from core.experiments.reading.geo_test import GeoTest
from core.experiments.reading.readout import read_out
from tests.experiments.geo_panels import panel, with_lift


@pytest.fixture(scope="module")
def told():
    treated, start, end = ("g03", "g07", "g11"), "2024-09-02", "2024-10-13"
    given = with_lift(panel(24, seed=4), treated, start, end, 0.3)
    return read_out(given, GeoTest(treated, start, end)).record()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_observed_and_counterfactual_part_when_the_test_begins(told, theme):
    with style.in_theme(theme):
        drawn = readout.treated_and_counterfactual(told, "EUR")
    expected, observed = (np.array(trace.y, float) for trace in drawn.data[:2])
    n_test = len(told.cumulative.time)
    gap = observed / expected - 1
    assert gap[-n_test:].mean() == pytest.approx(told.lift.mean, rel=0.05)
    assert abs(gap[:-n_test].mean()) < 0.02
    assert len(observed) == 5 * n_test
    assert "2024-09-02" in str(drawn.layout.shapes[0].x0)


def test_the_cumulative_effect_ends_at_the_result(told):
    drawn = readout.cumulative(told, "EUR")
    line = next(trace for trace in drawn.data if not trace.fill)
    largest = max(abs(np.array(told.cumulative.hi)))
    divisor = readout.marks.scaled("EUR", largest)[0]
    assert line.y[-1] * divisor == pytest.approx(told.incremental.mean)
