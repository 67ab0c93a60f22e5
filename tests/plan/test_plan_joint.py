"""Joint limits, channels that may be off, steps: against every split of a fine grid."""

import numpy as np
import pytest
from synthetic import random_dataset

from core.plan.limits.polytope import (
    Polytope,
    dense_rows,
    polytope,
)
from core.plan.limits.program import can_be_met
from core.plan.response.curves import response_curves
from core.plan.scenario.measure import Measure
from core.plan.solve.branch_and_price import best_in
from core.plan.solve.conditional_gradient import climbed_split, measured
from core.plan.solve.cutting_planes import cautious_split
from core.plan.solve.draws_bound import draws_bound
from core.plan.solve.per_draw import own_plans

POINTS = {2: 1001, 3: 121, 4: 31}


def problem(seed: int):
    """A random market of 2 to 4 channels with limits of every kind."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    stored = random_dataset(seed, n_channels=n, n_draws=10, s_shaped=seed % 2 == 1)
    curves = response_curves(stored)
    low = curves.spend * rng.uniform(0.1, 0.8, n)
    high = curves.spend * rng.uniform(1.1, 3.2, n)
    off = rng.random(n) < (0.4 if seed % 3 == 0 else 0.0)
    step = np.zeros(n)
    if seed % 4 == 0:
        step[:-1] = np.where(rng.random(n - 1) < 0.6, (high - low)[:-1] / 23, 0.0)
    inside = curves.spend * rng.uniform(0.9, 1.1, n)
    inside = np.clip(inside, low, high)
    inside = np.where(
        step > 0, np.ceil(inside / np.where(step > 0, step, 1)) * step, inside
    )
    inside = np.minimum(inside, high)
    if seed % 7 == 0:  # the first channel is locked
        low[0] = high[0] = inside[0]
        off[0], step[0] = False, 0.0
    rows, least, most = [np.ones(n)], [inside.sum()], [inside.sum()]
    if seed % 5 == 0:  # the budget is free, money has a price
        least[0], most[0] = 0.7 * least[0], 1.3 * most[0]
        curves = curves.charged(0.3)
    for _ in range(int(rng.integers(0, 3))):
        row = (rng.random(n) < 0.5).astype(float)
        rows.append(row)
        least.append(rng.uniform(0.6, 1.0) * (row @ inside))
        most.append(rng.uniform(1.0, 1.3) * (row @ inside))
    names = [f"row {row}" for row in range(len(rows))]
    joint = dense_rows(names, np.stack(rows), least, most)
    domain = polytope(curves.names, low, high, joint, off=off, step=step)
    return curves, domain


def every_split(domain: Polytope) -> np.ndarray:
    """Allowed splits: all steps, or a fine grid; the last channel spends the rest."""
    n = len(domain.low)
    axes = []
    for c in range(n):
        axis = np.linspace(domain.low[c], domain.high[c], POINTS[n])
        if domain.step[c]:
            first, last = (
                domain.low[c] / domain.step[c],
                domain.high[c] / domain.step[c],
            )
            axis = np.arange(np.ceil(first - 1e-9), np.floor(last + 1e-9) + 1)
            axis = axis * domain.step[c]
        axis = np.unique(axis)
        axes.append(np.append(axis, 0.0) if domain.off[c] else axis)
    last = axes.pop()
    mesh = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, n - 1)
    splits = []
    totals = np.linspace(*domain.budgets, 11)
    for total in np.unique(totals):
        rest = total - mesh.sum(axis=1)
        fits = (rest >= domain.low[-1]) & (rest <= domain.high[-1])
        fits |= domain.off[-1] & (np.abs(rest) < 1e-9)
        splits.append(np.column_stack([mesh, rest])[fits])
    del last
    splits = np.concatenate(splits)
    return splits[domain.keeps(splits, 1e-6 * domain.budgets[1])]


@pytest.mark.parametrize(
    "start",
    [0, 25, 50, *(pytest.param(n, marks=pytest.mark.slow) for n in range(75, 200, 25))],
)
def test_no_split_on_a_fine_grid_is_better_or_above_the_bound(start):
    for seed in range(start, start + 25):
        curves, domain = problem(seed)
        mean = curves.mean()
        assert can_be_met(domain), seed
        found = best_in(mean, domain)
        splits = every_split(domain)
        grid = max(mean.outcome(splits)[0].sum(axis=1).max(), -np.inf)
        size = abs(found.bound)
        assert found.outcome >= grid - 1e-3 * size, seed
        assert found.bound >= max(grid, found.outcome) - 1e-9 * size, seed
        assert found.bound - found.outcome <= 1e-3 * size, seed
        assert domain.keeps(found.spend, 1e-6 * domain.budgets[1]), seed
        on = (found.spend >= domain.low - 1e-6) & (found.spend <= domain.high + 1e-6)
        assert (on | (domain.off & (found.spend == 0))).all(), seed
        has_steps = domain.step > 0
        count = found.spend[has_steps] / domain.step[has_steps]
        np.testing.assert_allclose(count, np.round(count), atol=1e-6)


def test_problems_are_of_every_kind():
    domains = [problem(seed)[1] for seed in range(200)]
    kinds = {
        "fixed budget": [one.budgets[0] == one.budgets[1] for one in domains],
        "free budget": [one.budgets[0] < one.budgets[1] for one in domains],
        "groups": [one.rows.n > 1 for one in domains],
        "minimum when on": [one.off.any() for one in domains],
        "steps": [one.step.any() for one in domains],
        "locks": [(one.low == one.high).any() for one in domains],
        "groups, steps and off": [
            one.rows.n > 1 and one.step.any() and one.off.any() for one in domains
        ],
    }
    assert all(np.sum(given) >= 3 for given in kinds.values()), kinds
    assert {len(one.low) for one in domains} == {2, 3, 4}


def test_groups_bind_and_their_price_is_the_gap_between_marginals():
    curves = response_curves(random_dataset(3, n_channels=5)).mean()
    spend = curves.spend
    rows = np.array([np.ones(5), [1, 1, 0, 0, 0]])
    limits = np.array([spend.sum(), 0.7 * spend[:2].sum()])
    joint = dense_rows(("the budget", "group"), rows, [limits[0], 0.0], limits)
    domain = polytope(curves.names, 0 * spend, 3 * spend, joint)
    found = best_in(curves, domain)
    assert rows[1] @ found.spend == pytest.approx(limits[1], rel=1e-6)
    margin = curves.marginal(found.spend)[0]
    inner = (found.spend > 0.01 * spend) & (found.spend < 2.99 * spend)
    for part in (inner & (rows[1] > 0), inner & (rows[1] == 0)):
        np.testing.assert_allclose(
            margin[part], margin[part][:1].repeat(part.sum()), rtol=1e-3
        )


@pytest.mark.parametrize("kind", ["cvar", "reach", "quantile"])
@pytest.mark.parametrize("has_groups", [False, True])
def test_cautious_objectives_against_a_grid(kind, has_groups):
    for seed in range(4):
        stored = random_dataset(seed, n_channels=3, n_draws=60, s_shaped=seed == 3)
        curves = response_curves(stored)
        spend = curves.spend
        rows, least, most = [np.ones(3)], [spend.sum()], [spend.sum()]
        if has_groups:
            rows.append(np.array([1.0, 0.0, 1.0]))
            least.append(0.0)
            most.append(0.95 * (spend[0] + spend[2]))
        joint = dense_rows(
            ("the budget", "group")[: len(rows)], np.stack(rows), least, most
        )
        domain = polytope(curves.names, 0.4 * spend, 2 * spend, joint)
        mean = best_in(curves.mean(), domain)
        splits = every_split(domain)
        level = 0.2
        if kind == "reach":
            level = float(np.quantile(curves.outcome(mean.spend).sum(axis=1), 0.3))
        measure = Measure(kind, level)
        if kind == "cvar":
            split, bound = cautious_split(curves, domain, measure, mean.spend)
        else:
            split = climbed_split(curves, domain, measure, starts=(mean.spend,))
            own = own_plans(
                curves, domain.low, domain.high, spend.sum(), spend, groups=mean.groups
            )
            bound = draws_bound(
                curves,
                (domain.low, domain.high),
                float(spend.sum()),
                own.price,
                measure=measure,
                reached=0.0,
                groups=mean.groups,
            )
        reached = float(measured(curves, split[None], measure)[0])
        grid = measured(curves, splits, measure).max()
        assert domain.keeps(split, 1e-6 * spend.sum())
        assert bound >= max(grid, reached) - 1e-9 * abs(bound)
        near = 1.01 / 60 if kind == "reach" else 2e-3 * abs(grid)
        assert reached >= grid - near, (seed, reached, grid)
