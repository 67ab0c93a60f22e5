from dataclasses import replace

import numpy as np
import pytest
from synthetic import curves_dataset, random_dataset

from core.plan.advice.information import ranked, worth_of_knowing
from core.plan.response.curves import response_curves
from core.plan.solve.bisection import best_split

YEAR = {
    "horizon_start": "2024-01-01",
    "horizon_end": "2024-12-23",
    "horizon_periods": 52,
}


def alone(curves, draw):
    rows = slice(draw, draw + 1)
    return replace(curves, value=curves.value[rows], slope=curves.slope[rows])


@pytest.mark.parametrize("seed", range(3))
def test_worth_is_what_exact_plans_gain(seed):
    curves = response_curves(random_dataset(seed, n_channels=3, n_draws=25))
    low, high = 0.7 * curves.spend, 1.3 * curves.spend
    budget, mean = float(curves.spend.sum()), curves.mean()
    plan = best_split(mean, low, high, budget).spend
    told = worth_of_knowing(curves)
    for place, name in enumerate(curves.names):
        gains = []
        for draw in range(25):
            known = alone(mean, 0)
            value, slope = known.value.copy(), known.slope.copy()
            value[0, place] = curves.value[draw, place]
            slope[0, place] = curves.slope[draw, place]
            known = replace(known, value=value, slope=slope)
            best = best_split(known, low, high, budget)
            gains.append(best.outcome - float(known.outcome(plan).sum()))
        scale = float(mean.outcome(plan).sum())
        assert told[name].outcome == pytest.approx(np.mean(gains), abs=2e-4 * scale)


def test_what_no_answer_would_move_is_worth_nothing():
    """TV returns so much that any draw of it gets all it may; A may change places."""
    rng = np.random.default_rng(0)
    noise = np.exp(0.4 * rng.standard_normal((50, 3)))
    ones = np.ones((50, 3))
    beta = np.stack([100 * noise[:, 0], 1.2 * noise[:, 1], ones[:, 2]], axis=1)
    stored = curves_dataset(beta, 4 * ones, ones, np.ones(3), names=("TV", "A", "B"))
    told = worth_of_knowing(response_curves(stored))
    scale = float(beta.mean(axis=0).sum())
    assert told["TV"].outcome == pytest.approx(0.0, abs=1e-9 * scale)
    assert told["TV"].moved == pytest.approx(0.0, abs=1e-9)
    assert told["B"].outcome == pytest.approx(0.0, abs=1e-9 * scale)
    assert told["A"].outcome > 1e-3
    assert told["A"].moved > 0.01


def test_evidence_is_ranked_by_worth_not_by_width():
    stored = random_dataset(1, n_channels=3)
    names = [str(name) for name in stored["channel"].values]
    rows = [{"name": name, "evidence": {"label": "mostly assumed"}} for name in names]
    rows.append({"name": "Blog", "evidence": None})
    stored = stored.assign_attrs(YEAR)
    told = ranked({"channels": rows}, stored)["channels"]
    assert {row["evidence"]["plan_periods"] for row in told if row.get("evidence")} == {
        52
    }
    worth = [row["evidence"]["worth"] for row in told[:3]]
    span = [told[0]["evidence"][f"plan_{key}"] for key in ("start", "end", "periods")]
    assert span == ["2024-01-01", "2024-12-23", 52]
    ranks = [row["evidence"]["rank"] for row in told[:3]]
    assert [ranks[i] for i in np.argsort(worth)[::-1]] == [1, 2, 3]
    assert sum(row["evidence"]["matters"] for row in told[:3]) == pytest.approx(1.0)
    assert told[3] == {"name": "Blog", "evidence": None}


def test_without_spend_nothing_can_be_moved():
    stored = random_dataset(1, n_channels=2)
    stored["spend"][:] = 0.0
    names = [str(name) for name in stored["channel"].values]
    rows = [{"name": name, "evidence": {"label": "fixed"}} for name in names]
    stored = stored.assign_attrs(YEAR)
    told = ranked({"channels": rows}, stored)["channels"]
    assert [row["evidence"]["worth"] for row in told] == [0.0, 0.0]
    assert [row["evidence"]["rank"] for row in told] == [1, 2]
