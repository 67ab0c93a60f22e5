"""Budgets are looked for from the least that joint limits and steps leave."""

import pytest
from synthetic import random_dataset

from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.table import of_table


@pytest.mark.parametrize("kind", ["roi", "outcome"])
def test_a_group_or_a_step_above_the_minimums_is_no_crash(kind):
    curves = response_curves(random_dataset(5, n_channels=3))
    spend = curves.spend
    outcome = float(curves.outcome(spend).sum(axis=1).mean())
    target = 0.7 * outcome / float(spend.sum()) if kind == "roi" else 0.9 * outcome
    joint = float(spend[:2].sum())
    limits = {
        "bounds": [0.2, 1.5],
        "group": {"G": {"channels": list(curves.names[:2]), "min": 0.8 * joint}},
        "channel": {curves.names[2]: {"step": float(round(spend[2] / 3))}},
        "find": {"kind": kind, "target": target},
    }
    planned = {
        line.name: line.planned
        for line in plan(curves, of_table(limits, curves)).channels
    }
    assert sum(planned[name] for name in curves.names[:2]) >= 0.8 * joint - 0.01
    step = limits["channel"][curves.names[2]]["step"]
    assert planned[curves.names[2]] % step == pytest.approx(0.0, abs=0.01)
