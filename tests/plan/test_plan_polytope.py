"""The polytope of limits, and the elastic program over it."""

from dataclasses import replace

import numpy as np
import pytest

from core.plan.limits.polytope import (
    Polytope,
    budget_row,
    dense_rows,
    polytope,
    stacked,
)
from core.plan.limits.program import Give, can_be_met, cheapest, total_range


def limits(seed: int, *, is_whole: bool = True) -> Polytope:
    """Random ranges and rows, which often contradict each other."""
    rng = np.random.default_rng(seed)
    low, n = np.round(rng.uniform(0, 60, 4), 2), 3
    high = low + np.round(rng.uniform(0, 60, 4), 2)
    weights = (rng.random((n, 4)) < 0.6) * 1.0
    weights[0] -= 0.3 * (rng.random() < 0.5)  # a share of all
    least, most = np.sort(np.round(rng.uniform(-20, 150, (2, n)), 2), axis=0)
    budget = round(float(rng.uniform(100, 300)), 2)
    if seed % 2:  # around a spend that keeps to all of them
        inside = low + 0.5 * (high - low)
        least, most = weights @ inside - least[0] ** 2, weights @ inside + 10
        budget = round(float(inside.sum()), 2)
    rows = stacked(
        budget_row(4, budget, budget), dense_rows("abc", weights, least, most)
    )
    off, step = np.zeros(4, dtype=bool), np.zeros(4)
    if not is_whole:
        off, step = rng.random(4) < 0.5, np.where(rng.random(4) < 0.3, 7.0, 0.0)
    return polytope("wxyz", low, high, rows, off=off, step=step)


def given_way(polytope: Polytope, give: Give, money: float) -> Polytope:
    """The limits after one gave way."""
    side = "most" if give.is_up else "least"
    sign = 1 if give.is_up else -1
    if give.rows is not None:
        ends = getattr(polytope.rows, side) + sign * money * give.rows
        return replace(polytope, rows=replace(polytope.rows, **{side: ends}))
    side = "high" if give.is_up else "low"
    ends = getattr(polytope, side) + sign * money * give.cells
    return replace(polytope, **{side: np.maximum(ends, 0.0)})


def every_give(polytope: Polytope) -> list[Give]:
    rows, cells = np.eye(polytope.rows.n), np.eye(len(polytope.low))
    sides = (True, False)
    gives = [Give(is_up, rows=row) for is_up in sides for row in rows]
    gives += [Give(is_up, cells=cell) for is_up in sides for cell in cells]
    return [*gives, Give(is_up=True, cells=np.full(4, 0.25))]


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("seed", range(0, 24, 2))
def test_what_gives_way_is_enough_and_no_more(seed, is_whole):
    tight = limits(seed, is_whole=is_whole)
    if can_be_met(tight):
        pytest.skip("these limits can be met")
    for give in every_give(tight):
        solved = cheapest(tight, np.zeros(4), give)
        if solved is None:
            assert not can_be_met(given_way(tight, give, 1e3))
            continue
        assert can_be_met(given_way(tight, give, solved.give + 1e-3))
        assert not can_be_met(given_way(tight, give, solved.give - 1e-3))


def test_limits_of_every_kind_are_tried():
    met = [
        can_be_met(limits(seed, is_whole=is_whole))
        for seed in range(12)
        for is_whole in (True, False)
    ]
    assert 3 <= sum(met) <= len(met) - 8


@pytest.mark.parametrize("seed", range(12))
def test_rows_that_are_left_out_forbid_nothing(seed):
    rng = np.random.default_rng(seed)
    whole = limits(seed)
    rows = replace(whole.rows, least=whole.rows.least - 60, most=whole.rows.most + 60)
    whole = replace(whole, rows=rows)
    spend = rng.uniform(whole.low, whole.high, (2000, 4))
    kept = whole.reduced()
    np.testing.assert_array_equal(whole.keeps(spend, 0.0), kept.keeps(spend, 0.0))
    np.testing.assert_allclose(
        [whole.sums(each) for each in spend[:5]], spend[:5] @ whole.matrix.T
    )
    np.testing.assert_allclose(whole.sparse.toarray(), whole.matrix)


def test_some_rows_are_left_out():
    loose = [replace(limits(seed), high=limits(seed).low + 1) for seed in range(12)]
    assert {2, 3} <= {each.reduced().rows.n for each in loose}


@pytest.mark.parametrize("seed", range(12))
def test_moves_from_a_spend_keep_to_the_same_limits(seed):
    whole = limits(seed).with_budget(0.0, 400.0)
    rng = np.random.default_rng(seed)
    centre = rng.uniform(whole.low, whole.high)
    moves = whole.split_at(centre)
    for spend in rng.uniform(whole.low, whole.high, (200, 4)):
        way = spend - centre
        sides = np.concatenate([np.maximum(way, 0), np.maximum(-way, 0)])
        assert (sides <= moves.high + 1e-9).all()
        assert whole.keeps(spend, 1e-9) == moves.keeps(sides, 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_range_of_totals_has_every_spend_in_it(seed):
    whole = limits(seed)
    rng = np.random.default_rng(seed)
    ends = total_range(whole)
    free = whole.with_budget(-np.inf, np.inf)
    spend = rng.uniform(whole.low, whole.high, (4000, 4))
    inside = spend[free.keeps(spend, 0.0)].sum(axis=1)
    if ends is None:
        assert not len(inside)
    elif len(inside):
        assert ends[0] - 1e-6 <= inside.min() <= inside.max() <= ends[1] + 1e-6
