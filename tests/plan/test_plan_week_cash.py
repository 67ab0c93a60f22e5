"""Cash of a plan of weeks: own spend, and what it makes us spend elsewhere."""

import numpy as np

from core.plan.record.week_plans import WeekPlans, cash_of_plans

PLANNED, TODAY = np.array([[3.0, 5.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [1.0, 0.0]])
SPENDS = WeekPlans(PLANNED, current=PLANNED, even=PLANNED, fixed=PLANNED, today=TODAY)


def test_what_is_spent_elsewhere_comes_on_top_in_every_draw():
    planned = np.array([[4.0, 0.0], [6.0, 1.0]])
    today = np.array([[2.0, 0.0], [3.0, 0.5]])
    induced = WeekPlans(
        planned, current=planned, even=planned, fixed=today, today=today
    )
    cash = cash_of_plans(SPENDS, induced)
    np.testing.assert_allclose(cash.planned, [10 + 4, 10 + 7])
    np.testing.assert_allclose(cash.today, [5 + 2, 5 + 3.5])


def test_a_plan_without_mediators_has_no_cash_beside_its_spend():
    assert cash_of_plans(SPENDS, None) is None
