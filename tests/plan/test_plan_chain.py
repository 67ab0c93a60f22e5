"""Chains of weeks with limits of change: against an interior-point method."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.plan.limits.cells import Cells
from core.plan.limits.change import change_of
from core.plan.solve.weeks.chain import Ties, nearest_on_chains
from core.plan.solve.weeks.projection import Projection, nearest_by_program
from tests.plan.flight_limits import excess


def limits(seed, *, share, n=3, width=9):
    """Limits around a plan that keeps to them, with dark and booked weeks."""
    rng = np.random.default_rng(seed)
    inside = rng.uniform(50, 90, (n, 1)) * rng.uniform(0.9, 1.1, (n, width))
    dark, booked = rng.random((2, n, width)) < 0.1
    inside = np.where(dark, 0.0, inside)
    low = np.where(dark | booked, inside, 0.0)
    high = np.where(dark | booked, inside, rng.uniform(100, 300, inside.shape))
    shares = np.where(np.arange(n) % 2 == 0, share, np.nan)
    change = change_of(shares, np.where(np.isnan(shares), 20.0, np.nan), low, high)
    budget = 1e4
    totals = np.zeros(n), np.full(n, budget)
    columns = tuple(map(str, range(width)))
    free = np.full(width, np.inf)
    names = tuple("abcde"[:n])
    return Cells(names, columns, low, high, *totals, free, budget, change, budget)


@pytest.mark.parametrize("share", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_spend(seed, share):
    cells = limits(seed, share=share)
    rng = np.random.default_rng(seed)
    goal, scale = rng.uniform(-100, 250, cells.low.shape), rng.uniform(0.5, 2.0, 3)
    change = cells.change
    with jax.enable_x64(True):
        sides = cells.low, cells.high, change.rise[:, 0], change.fall[:, 0], change.room
        ties = Ties(*map(jnp.asarray, sides))
        made = nearest_on_chains(ties, jnp.asarray(goal), jnp.asarray(scale))
    spend = np.asarray(made)
    assert excess(change, spend).max() <= 1e-9
    rows = np.repeat(scale[:, None], goal.shape[1], axis=1)
    other = nearest_by_program(cells, goal, rows)

    def far(plan):
        return ((plan - goal) ** 2 / rows).sum()

    assert spend == pytest.approx(other, abs=1e-3)
    assert far(spend) <= far(other) + 1e-5 * far(other)


@pytest.mark.parametrize("has_change", [False, True])
def test_it_begins_where_it_was(has_change):
    cells = limits(1, share=0.25)
    change = cells.change if has_change else None
    budget = round(float(cells.low.sum() / 2 + cells.high.sum() / 2), 2)
    cells = Cells(
        cells.names,
        cells.columns,
        cells.low,
        cells.high,
        np.array([0.0, 0.0, 0.0]),
        np.array([900.0, 1e4, 1e4]),
        cells.column_most,
        budget if not has_change else 1500.0,
        change,
    )
    rng = np.random.default_rng(0)
    again = Projection(cells, np.ones(cells.low.shape))
    for step in (1.0, 0.1, 30.0):
        request = 60 + step * rng.normal(0, 100, cells.low.shape)
        spend = again(request, step)
        assert spend == pytest.approx(
            Projection(cells, np.ones(request.shape))(request), abs=1e-6
        )
        assert spend.sum() == pytest.approx(cells.budget, rel=1e-9)
        assert (spend.sum(axis=1) <= cells.most * (1 + 1e-9)).all()
