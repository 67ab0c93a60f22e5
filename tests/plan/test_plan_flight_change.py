"""Limits of change from week to week: kept, proven against grids, refused."""

import itertools

import numpy as np
import pytest

from core.plan.flighting import flight
from core.plan.limits.cells import Cells
from core.plan.limits.change import change_of
from core.plan.scenario.week_limits import cells_of
from core.plan.scenario.weeks import week_request
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.bound import best_linear
from core.plan.solve.weeks.projection import nearest
from tests.plan.flight_limits import cells, excess, refused
from tests.plan.flight_market import market, outcome, posterior


def random_cells(rng, *, has_column_limits, spare=0.0) -> Cells:
    """Limits around a plan that keeps to them, with booked and dark weeks."""
    n, width = 4, 8
    inside = rng.uniform(50, 90, (n, 1)) * rng.uniform(0.9, 1.1, (n, width))
    dark, booked = rng.random((2, n, width)) < 0.1
    inside = np.where(dark, 0.0, inside)
    locked = dark | booked
    low = np.where(locked, inside, 0.0)
    high = np.where(locked, inside, rng.uniform(100, 300, inside.shape))
    shares = np.where(np.arange(n) % 2 == 0, 0.25, np.nan)
    change = change_of(shares, np.where(np.isnan(shares), 20.0, np.nan), low, high)
    totals = inside.sum(axis=1)
    return Cells(
        tuple("abcd"),
        tuple(map(str, range(width))),
        low,
        high,
        0.9 * totals,
        1.1 * totals,
        1.2 * inside.sum(axis=0) if has_column_limits else np.full(width, np.inf),
        round(float(inside.sum()), 2),
        change,
        spare,
    )


@pytest.mark.parametrize("has_column_limits", [False, True])
@pytest.mark.parametrize("spare", [0.0, 400.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_and_whole_cents(seed, spare, has_column_limits):
    rng = np.random.default_rng(seed)
    limits = random_cells(rng, has_column_limits=has_column_limits, spare=spare)
    scale = np.repeat(rng.uniform(0.5, 2.0, (4, 1)), 8, axis=1)
    request = rng.uniform(-100, 250, (4, 8))
    found = nearest(limits, request, scale)
    assert excess(limits.change, found).max() <= 1e-3
    total = found.sum()
    assert limits.budget - spare - 1e-3 <= total <= limits.budget + 1e-3
    pull = (request - found) / scale  # no direction within the limits comes nearer
    farthest = best_linear(limits, pull)
    assert (pull * (farthest - found)).sum() <= 1e-2 * np.abs(pull).max()
    whole = cells_in_whole_steps(limits, found, 0.01)
    assert np.abs(100 * whole - np.round(100 * whole)).max() < 1e-6
    assert excess(limits.change, whole).max() <= 1e-9
    assert (whole.sum(axis=0) <= limits.column_most + 0.01).all()
    assert np.abs(whole - found).max() < 0.2
    if not spare:
        assert round(float(whole.sum()), 6) == limits.budget


@pytest.mark.parametrize("change", ["20 %", 30.0])
@pytest.mark.parametrize("slope", [1.0, 2.5])
def test_against_every_plan_of_a_grid(change, slope):
    """Weeks of unequal worth: without the limit the best plan is steeper."""
    model = market(np.array([100.0]), max_lag=1)
    known = ([500.0], [0.3], [90.0], [slope])
    weeks = {"value": [1.0, 2.0, 0.5, 1.5], "after": 0.0}
    free = {"bounds": [0, 100], "horizon": {"periods": 4}, "weeks": weeks}
    table = free | {"weeks": weeks | {"change": change}}
    made = flight(model, posterior(model, *known), week_request(table))
    spend = made.stored["spend"].to_numpy()
    limits = change_of(
        [0.2 if change == "20 %" else np.nan],
        [np.nan if change == "20 %" else 30.0],
        np.zeros((1, 4)),
        np.full((1, 4), np.inf),
    )
    assert excess(limits, spend).max() <= 1e-9
    assert round(float(spend.sum()), 9) == 400.0
    steps = np.arange(40.0, 181.0, 4.0)
    first = np.array(list(itertools.product(steps, repeat=3)))
    grid = np.column_stack([first, 400 - first.sum(axis=1)])
    grid = grid[(grid[:, 3] >= 0) & (excess(limits, grid).max(axis=1) <= 1e-9)]
    best = _worth(grid, weeks["value"], known).max()
    assert _worth(spend, weeks["value"], known)[0] >= best * (1 - 1e-7)
    loose = flight(model, posterior(model, *known), week_request(free))
    assert loose.record.objective.planned > made.record.objective.planned
    added = best - _worth(np.zeros((1, 4)), weeks["value"], known)[0]
    assert (
        made.record.bound.best_possible
        >= made.record.objective.planned
        >= added * (1 - 1e-7)
    )


def _worth(row, value, known):
    """Outcome by hand: week t is worth value t; the last one's holds after the plan."""
    beta, alpha, ec, slope = (one[0] for one in known)
    weights = np.array([1.0, alpha]) / (1 + alpha)
    run = np.pad(row, ((0, 0), (1, 1)))
    run[:, 0] = 100.0
    felt = weights[0] * run[:, 1:] + weights[1] * run[:, :-1]
    power = (felt / ec) ** slope
    return (beta * power / (1 + power)) @ [*value, value[-1]]


def test_the_bound_holds_for_other_plans_within_the_limits():
    model = market(np.array([100.0, 60.0]), max_lag=1)
    known = ([500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [3.0, 2.5])
    table = {"bounds": [0.5, 2], "horizon": {"periods": 6}, "weeks": {"change": "40 %"}}
    made = flight(model, posterior(model, *known), week_request(table))
    usual = np.repeat([[100.0], [60.0]], 6, axis=1)
    limits = cells_of(
        week_request(table),
        ("a", "b"),
        made.stored["week"].values,
        usual,
        np.array([1e9] * 2),
    )
    rng = np.random.default_rng(0)
    before = np.array([[100.0], [60.0]])
    for _ in range(30):
        tried = nearest(limits, rng.uniform(-50, 300, (2, 6)), np.ones((2, 6)))
        assert excess(limits.change, tried).max() < 1e-4
        brings = outcome(tried[None], before, before, *map(np.array, known), 1)[0]
        assert brings <= made.record.bound.best_possible


def test_dark_weeks_are_free_of_it_and_booked_ones_hold():
    model = market(np.array([100.0, 60.0]), max_lag=1)
    draws = posterior(model, [500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [1.0, 1.5])
    table = {
        "horizon": {"periods": 6},
        "weeks": {"change": "25 %"},
        "channel": {
            "a": {"dark": ["2024-04-08"]},
            "b": {"weeks": {"2024-04-01": 80.0}, "change": 15},
        },
    }
    made = flight(model, draws, week_request(table))
    a, b = made.stored["spend"].to_numpy()
    assert a[2] == 0
    assert a[1] > 50
    assert a[3] > 50
    assert b[1] == 80
    assert np.abs(np.diff(b)).max() <= 15 + 1e-9
    held = np.abs(a[1:] / np.maximum(a[:-1], 1e-9) - 1)[[0, 3, 4]]
    assert held.max() <= 0.25 + 1e-9
    assert made.record.bound.gap < 0.05


def test_no_change_at_all_is_even_to_the_cent():
    model = market(np.array([100.0]), max_lag=1)
    draws = posterior(model, [500.0], [0.7], [80.0], [2.0])
    table = {
        "budget": 700.01,
        "bounds": [0, 9],
        "horizon": {"periods": 7},
        "weeks": {"change": 0},
    }
    made = flight(model, draws, week_request(table))
    spend = made.stored["spend"].to_numpy()
    assert round(float(spend.sum()), 9) == 700.01
    assert np.ptp(spend) <= 0.01 + 1e-9


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        (
            {
                "weeks": {"change": "10 %"},
                "channel": {"TV": {"weeks": {"2025-01-06": 10, "2025-01-20": 100}}},
            },
            "TV do not go together with a change of at most 10 % from week to week",
            "Allow 216.3 %, or free a booked week",
        ),
        (
            {
                "weeks": {"change": 20},
                "channel": {"TV": {"weeks": {"2025-01-06": 10, "2025-01-20": 100}}},
            },
            "at most 20\u00a0€",
            "Allow 45\u00a0€",
        ),
        (
            {
                "weeks": {"change": "5 %"},
                "bounds": [0, 9],
                "budget": 600,
                "channel": {
                    "TV": {"weeks": {"2025-01-06": 50}},
                    "Radio": {"weeks": {"2025-01-06": 50}},
                },
            },
            "room for 431.01\u00a0€, 168.99\u00a0€ less than the budget of 600\u00a0€",
            "Allow changes of ",
        ),
        ({"weeks": {"change": "-5 %"}}, "of TV from week to week is negative", "30 %"),
        ({"weeks": {"change": float("nan")}}, "not a number", "30 %"),
        ({"weeks": {"change": "fast"}}, "is not an amount", ""),
    ],
)
def test_contradictions_are_refused(table, message, hint):
    error = refused(table)
    assert message in error.message
    assert hint in error.hint


def test_what_the_refusal_proposes_would_do():
    table = {
        "weeks": {"change": "216.3 %"},
        "channel": {"TV": {"weeks": {"2025-01-06": 10, "2025-01-20": 100}}},
    }
    assert cells(table).change is not None
    assert cells({"channel": {"TV": {"change": float("inf")}}}).change is None
