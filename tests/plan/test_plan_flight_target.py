"""The smallest budget of weeks for a quantile: a plan at every budget that is tried."""

import pytest

from tests.plan.test_plan_flight_goals import made, uncertain

__all__ = ["uncertain"]


def test_a_target_of_a_quantile(uncertain):
    _, plain = made(uncertain, objective="p10")
    target = 1.02 * plain.objective.planned
    find = {"kind": "outcome", "target": target}
    _, plan = made(uncertain, objective="p10", find=find)
    assert plan.objective.planned == pytest.approx(target, rel=2e-3)
    assert plan.budget > plain.budget
