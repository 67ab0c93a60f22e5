"""What limits cost: the best plan without one, and what a little room brings."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.plan.limit_costs import limit_costs
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table


@pytest.fixture(scope="module")
def curves():
    return response_curves(random_dataset(3, n_channels=4))


def costs_of(curves, **request):
    asked = scenario(curves, **request)
    best = plan(curves, asked)
    asked = replace(asked, budget=best.budget, find=None)
    return asked, best, limit_costs(curves, asked, best.money)


def test_a_cost_is_what_the_best_plan_without_it_brings_more(curves):
    request, best, costs = costs_of(curves, bounds=(0.8, 1.2))
    assert costs and all(each.cost.mean > 0 for each in costs)
    assert [each.cost.mean for each in costs] == sorted(
        (each.cost.mean for each in costs), reverse=True
    )
    dearest = costs[0]
    at = curves.names.index(dearest.name)
    end = max(best.channels[at].high, 2 * float(curves.spend[at]))
    wide = {"low": 0.0, "high": min(best.budget, end)}
    asked = replace(
        request,
        channels=tuple(
            replace(each, **wide) if each.name == dearest.name else each
            for each in request.channels
        ),
    )
    free = plan(curves, asked)
    more = free.draws_of("planned").mean() - best.draws_of("planned").mean()
    assert dearest.cost.mean == pytest.approx(more, rel=1e-3)


def test_a_little_room_brings_what_its_price_says(curves):
    request, best, costs = costs_of(curves, bounds=(0.8, 1.2))
    top = next(each for each in costs if each.kind == "most")
    amount = 1e-4 * best.budget
    asked = replace(
        request,
        channels=tuple(
            replace(each, high=each.high + amount) if each.name == top.name else each
            for each in request.channels
        ),
    )
    more = (
        plan(curves, asked).draws_of("planned").mean() - best.draws_of("planned").mean()
    )
    assert top.room > 0
    assert more == pytest.approx(top.room * amount, rel=0.2)


def test_wide_limits_cost_nothing(curves):
    *_, costs = costs_of(curves, bounds=(0.0, 100.0))
    assert costs == ()


def test_locks_and_groups_cost_too(curves):
    first, second, *_ = curves.names
    half = 0.5 * float(curves.spend[:2].sum())
    group = {"channels": [first, second], "max": half}
    own = {curves.names[3]: {"lock": True}}
    table = {"bounds": [0.2, 3.0], "group": {"Both": group}, "channel": own}
    asked = of_table(table, curves)
    costs = limit_costs(curves, asked, plan(curves, asked).money)
    kinds = {each.kind for each in costs}
    assert kinds & {"group", "locked"}
    assert all(np.isfinite(each.cost.mean) for each in costs)
