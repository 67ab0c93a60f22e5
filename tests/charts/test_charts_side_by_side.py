"""Spend of several plans in one figure."""

import pytest

from core.charts.planning import side_by_side
from core.plan.response.periods import Horizon
from tests.plan.records import AHEAD, line, record


def test_plans_for_other_periods_are_drawn_per_period():
    quarter = Horizon("2024-01-01", "2024-03-25", 13, as_fitted=False)
    year = record(line("TV", 5200.0), horizon=AHEAD, name="Year")
    part = record(line("TV", 1300.0), horizon=quarter, name="Quarter")
    figure = side_by_side.spends([year, part], currency="EUR")
    assert figure.layout.title.text.startswith("Planned spend per period by channel")
    assert "Grey line" not in figure.layout.title.subtitle.text
    marked = [trace for trace in figure.data if trace.mode == "markers"]
    assert [float(trace.x[0]) for trace in marked] == pytest.approx([100.0, 100.0])
    assert not [trace for trace in figure.data if trace.mode == "lines"]


def test_plans_for_the_same_periods_are_drawn_beside_last_years():
    plans = [record(line("TV", spend), horizon=AHEAD) for spend in (90.0, 120.0)]
    figure = side_by_side.spends(plans, currency="EUR")
    assert "Grey line" in figure.layout.title.subtitle.text
    (ran,) = [trace for trace in figure.data if trace.mode == "lines"]
    assert list(ran.x) == [100.0, 100.0]


def test_outcomes_of_plans_for_other_periods_are_drawn_per_period():
    quarter = Horizon("2024-01-01", "2024-03-25", 13, as_fitted=False)
    year = record(line("TV", 5200.0), horizon=AHEAD, name="Year")
    part = record(line("TV", 1300.0), horizon=quarter, name="Quarter")
    for plans, counted in (([year, part], [52, 13]), ([year], [1])):
        figure = side_by_side.outcomes(plans, units=year.units)
        assert ("per period" in figure.layout.title.text) is (len(plans) > 1)
        means = [trace.x[0] for trace in figure.data if trace.mode == "markers"]
        totals = [float(plan.draws_of("planned").mean()) for plan in plans]
        each = [total / n for total, n in zip(totals, counted, strict=True)]
        assert len(set(each)) == len(plans)
        assert [mean / means[0] for mean in means] == pytest.approx(
            [mean / each[0] for mean in each]
        )
