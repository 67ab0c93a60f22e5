"""The best outcome over budgets: each budget once, and gains that are not rounding."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.errors import PlanError
from core.plan.frontier import frontier
from core.plan.limits.channels import Group
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario


@pytest.fixture(scope="module")
def curves():
    return response_curves(random_dataset(3, n_channels=4))


def test_the_plans_budget_takes_the_place_of_one_beside_it(curves):
    asked = scenario(curves, bounds=(0.7, 1.3))
    points = frontier(curves, replace(asked, budget=asked.budget + 0.01, find=None))
    budgets = np.array([point.budget for point in points])
    assert len(points) == 13
    assert np.diff(budgets).min() > 0.5 * np.diff(budgets).max()
    assert [point.budget for point in points if point.is_plan] == [
        round(asked.budget + 0.01, 2)
    ]


def test_where_limits_leave_one_split_nothing_is_gained(curves):
    asked = scenario(curves, bounds=(0.7, 1.3))
    points = frontier(curves, replace(asked, find=None))
    first, *between, last = (point.gain.mean for point in points)
    assert first == last == 0.0
    assert max(between) > 0


def test_budgets_that_limits_cannot_meet_are_left_out(curves):
    """They are those that the scenario's check refuses."""
    asked = replace(scenario(curves, bounds=(0.7, 1.3)), find=None)
    pair = Group("pair", curves.names[:2], high=float(curves.spend[:2].sum()))
    joint = replace(asked, groups=(pair,))
    budgets = [point.budget for point in frontier(curves, joint)]
    most = pair.high + 1.3 * float(curves.spend[2:].sum())
    assert 0.9 * most < max(budgets) <= most + 0.01
    assert max(budgets) < max(point.budget for point in frontier(curves, asked))
    replace(joint, budget=0.99 * most).check(curves.names)
    above = replace(joint, budget=1.01 * most)
    assert not above.can_be_met(curves.names)
    with pytest.raises(PlanError, match="maximums add up"):
        above.check(curves.names)
