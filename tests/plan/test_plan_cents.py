from decimal import Decimal

import numpy as np
import pytest

from core.plan.limits.cents import apportion, in_money, in_steps, limits_in_steps, step


def test_one_cent_unless_the_budget_is_tiny():
    assert step(1_000_000.0) == Decimal("0.01")
    assert step(1_000.0) == Decimal("0.01")
    assert step(121.74) == Decimal("0.001")


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_is_the_budget_and_limits_hold(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    spend = rng.uniform(0, 1e6, n)
    low, high = spend * rng.uniform(0.9, 1, n), spend * rng.uniform(1, 1.1, n)
    size = step(spend.sum())
    floors, ceilings = limits_in_steps(low, high, size)
    budget = in_steps(spend.sum(), size)
    steps = apportion(spend, floors, ceilings, budget, size)
    assert sum(steps) == budget
    assert all(a <= b <= c for a, b, c in zip(floors, steps, ceilings, strict=True))
    assert abs(in_money(steps, size) - spend).max() <= 0.011


def test_locks_at_uneven_cents_can_be_met():
    spend = np.array([10.003, 20.004, 30.004]) * 1000 / 7
    size = Decimal("0.01")
    floors, ceilings = limits_in_steps(spend, spend, size)
    budget = in_steps(spend.sum(), size)
    steps = apportion(spend, floors, ceilings, budget, size)
    assert sum(steps) == budget
