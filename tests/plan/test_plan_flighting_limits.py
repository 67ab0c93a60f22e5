"""Limits of weeks: kept to the cent, and refused with the smallest change."""

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.flighting import flight
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money
from core.plan.scenario.reserved import tests_of as carried_out
from core.plan.scenario.week_limits import cells_of, factors
from core.plan.scenario.weeks import week_request, weeks_ahead
from core.plan.solve.rounding import cells_in_whole_steps
from core.plan.solve.weeks.bound import best_linear
from core.plan.solve.weeks.projection import nearest
from tests.plan.flight_limits import WEEKS, cells, refused
from tests.plan.flight_market import market, posterior


def random_cells(rng, n=4, n_columns=6, has_column_limits=True) -> Cells:
    high = rng.uniform(0, 300, (n, n_columns)) * (rng.random((n, n_columns)) > 0.1)
    low = high * rng.uniform(0, 0.5, high.shape) * (rng.random(high.shape) > 0.5)
    inside = low + rng.random(high.shape) * (high - low)
    totals = inside.sum(axis=1)
    columns = inside.sum(axis=0) * rng.uniform(1.0, 1.3, n_columns)
    return Cells(
        tuple("abcd"),
        tuple(map(str, range(n_columns))),
        low,
        high,
        totals * rng.uniform(0.8, 1.0, n),
        totals * rng.uniform(1.0, 1.2, n),
        columns if has_column_limits else np.full(n_columns, np.inf),
        round(float(inside.sum()), 2),
    )


@pytest.mark.parametrize("has_column_limits", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_projection_is_the_nearest(seed, has_column_limits):
    rng = np.random.default_rng(seed)
    limits = random_cells(rng, has_column_limits=has_column_limits)
    scale = np.repeat(rng.uniform(0.5, 2.0, (4, 1)), 6, axis=1)
    request = rng.uniform(-100, 400, (4, 6))
    found = nearest(limits, request, scale)
    assert found.sum() == pytest.approx(limits.budget, abs=1e-6)
    assert (found.sum(axis=0) <= limits.column_most + 1e-3).all()
    assert (found.sum(axis=1) <= limits.most + 1e-6).all()
    assert (found.sum(axis=1) >= limits.least - 1e-6).all()
    pull = (request - found) / scale  # no direction within the limits comes nearer
    farthest = best_linear(limits, pull)
    assert (pull * (farthest - found)).sum() <= 1e-2 * np.abs(pull).max()


@pytest.mark.parametrize("seed", range(5))
def test_whole_cents_within_limits(seed):
    rng = np.random.default_rng(seed)
    limits = random_cells(rng)
    spend = nearest(limits, rng.uniform(-100, 400, (4, 6)), np.ones((4, 6)))
    whole = cells_in_whole_steps(limits, spend, 0.01)
    assert np.abs(100 * whole - np.round(100 * whole)).max() < 1e-6
    assert round(float(whole.sum()), 6) == limits.budget
    assert np.abs(whole - spend).max() < 0.05
    assert (whole.sum(axis=0) <= limits.column_most + 0.01).all()
    assert (whole >= limits.low - 0.01).all()
    assert (whole <= limits.high + 0.01).all()


def test_a_plan_keeps_to_all_limits():
    model = market(np.array([100.0, 60.0]), max_lag=1)
    draws = posterior(model, [500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [1.0, 1.5])
    table = {
        "budget": 500.01,
        "horizon": {"periods": 3},
        "weeks": {
            "most": {"2024-04-01": 150.0},
            "reserved": [
                {"test": "a up", "channel": "a", "weeks": {"2024-04-08": 120.0}}
            ],
        },
        "channel": {
            "a": {"min": 250, "max": "120 %", "dark": ["2024-03-25"]},
            "b": {"min": 0, "max": 240, "weeks": {"2024-04-08": 33.33}},
        },
    }
    made = flight(model, draws, week_request(table))
    spend = made.stored["spend"].to_numpy()
    assert round(float(spend.sum()), 9) == 500.01
    assert spend[0, 0] == 0.0
    assert (spend[1, 2], spend[0, 2]) == (33.33, 120.0)
    assert spend[:, 1].sum() <= 150.01
    assert 250 <= spend[0].sum() <= 360
    assert made.stored["booked"].to_numpy().tolist() == [
        [True, False, True],
        [False, False, True],
    ]
    assert bool(made.stored["beyond_seen"].sel(channel="a").any())
    assert carried_out(table) == ("a up",)


@pytest.mark.parametrize(
    ("channel", "is_limited"),
    [({}, False), ({"a": {"dark": ["2024-03-25"]}}, True)],
    ids=["free", "dark"],
)
def test_what_limits_make_of_last_year_is_not_called_last_year(channel, is_limited):
    model = market(np.array([100.0, 60.0]), max_lag=1)
    draws = posterior(model, [500.0, 300.0], [0.7, 0.3], [80.0, 70.0], [1.0, 1.5])
    table = {"horizon": {"periods": 3}, "channel": channel}
    plan = flight(model, draws, week_request(table)).record
    gain, against = plan.gain.mean, plan.against_today.outcome.mean
    assert (abs(gain - against) > 1e-6 * abs(gain)) == is_limited
    assert plan.horizon.as_it_ran == "the data's weeks as they ran"
    within = "the data's weeks as they ran within these limits"
    assert plan.compared_with == (within if is_limited else plan.horizon.as_it_ran)
    assert any(plan.compared_with in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        ({"budget": -5}, "The budget is −5\u00a0€", "above 0"),
        ({"budget": float("nan")}, "not a number", "above 0"),
        ({"budget": 900}, "room for 780", "lower the budget to 780\u00a0€"),
        (
            {"find": {"kind": "profit", "margin": 1.0, "least": 900}},
            "room for 780",
            "lower the budget to 780\u00a0€",
        ),
        (
            {"budget": 300},
            "add up to 420\u00a0€, 120\u00a0€ more",
            "raise the budget to 420",
        ),
        (
            {"channel": {"TV": {"weeks": {"2025-01-06": 600}}}},
            "TV has 600\u00a0€ booked, and its maximum is 520",
            "Raise it to 600\u00a0€, or book 80\u00a0€ less",
        ),
        (
            {"channel": {"TV": {"weeks": {"2025-01-06": -1}}}},
            "The spend of TV in week 2025-01-06 is negative",
            "below 0",
        ),
        (
            {"channel": {"TV": {"weeks": {"2025-01-06": float("nan")}}}},
            "The spend of TV in week 2025-01-06 is not a number",
            "Give one",
        ),
        (
            {"channel": {"TV": {"min": 500, "max": 400}}},
            "above its maximum",
            "Lower the minimum by 100\u00a0€",
        ),
        (
            {"channel": {"TV": {"dark": [str(week) for week in WEEKS]}}},
            "can take 0\u00a0€ in all, and its minimum is 280",
            "Lower the minimum to 0\u00a0€",
        ),
        (
            {"weeks": {"most": 100}},
            "Whatever the budget, no plan keeps to all limits",
            "raise the maximum of every week by 50\u00a0€",
        ),
        ({"weeks": {"most": 120}}, "room for 480", "or lower the budget to 480\u00a0€"),
        (
            {"channel": {"TV": {"weeks": {"2025-01-07": 5}}}},
            "2025-01-07 is not the first day of a future week",
            "They begin on 2025-01-06",
        ),
        (
            {"weeks": {"most": 50}, "channel": {"TV": {"min": 250}}},
            "Whatever the budget, no plan keeps to all limits",
            "raise the maximum of every week by 100\u00a0€",
        ),
    ],
)
def test_what_cannot_be_met_is_refused(table, message, hint):
    error = refused(table)
    assert message in error.message
    assert hint in error.hint


def test_within_seen_caps_each_week():
    made = cells({"within_seen": True})
    assert made.high.tolist() == [[150.0] * 4, [80.0] * 4]
    error = refused({"within_seen": True, "budget": 930, "bounds": [0, 3]})
    assert "room for 920\u00a0€, 10\u00a0€ less" in error.message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"horizon": {"periods": 0}}, "A plan of 0 weeks is not possible"),
        ({"horizon": {"periods": 2.5}}, "periods in [horizon] must be a whole number"),
        ({"horizon": {"periods": 1000}}, "A plan of 1000 weeks"),
        ({"weeks": {"cuont": 3}}, "[weeks] has an unknown key cuont"),
        ({"objective": "p0"}, "Objective 'p0' is unknown"),
        ({"channel": {"TV": {"dark": "2025-01-06"}}}, "not a list of dates"),
    ],
)
def test_a_table_that_means_nothing(table, message):
    with pytest.raises(PlanError) as caught:
        cells(table) if "channel" in table else week_request(table)
    assert message in caught.value.message


def test_factors_and_start():
    request = week_request(
        {"channel": {"TV": {"price": [1, 2]}}, "horizon": {"periods": 2}}
    )
    price, value = factors(request, ("TV", "Radio"), 2)
    assert price.tolist() == [[1, 2], [1, 1]]
    assert value.tolist() == [1, 1]
    with pytest.raises(PlanError, match="no channel TVV"):
        factors(week_request({"channel": {"TVV": {}}}), ("TV",), 26)
    with pytest.raises(PlanError, match="above zero"):
        factors(week_request({"weeks": {"value": 0.0}}), ("TV",), 26)
    later = week_request({"horizon": {"start": "2025-02-05", "periods": 3}})
    ahead = weeks_ahead(later, WEEKS)
    assert (ahead.skip, ahead.start, ahead.n) == (1, "2025-02-10", 3)
    assert Money("EUR")(1.0) == "1\u00a0€"


@pytest.mark.parametrize(
    ("lock", "kept"), [(True, 300.0), (450, 450.0), ("50 %", 150.0), (False, None)]
)
def test_a_locked_channel_keeps_its_total(lock, kept):
    """Whatever percentages of the others are of."""
    rows = {"a": {"lock": lock}}
    asked = {"channel": rows, "bounds": [0.5, 2.0], "scaled": True, "supported": False}
    limits = cells_of(
        week_request(asked | {"budget": 900.0, "horizon": {"periods": 3}}),
        ("a", "b"),
        np.datetime64("2025-01-06") + 7 * np.arange(3),
        np.full((2, 3), 100.0),
        np.full(2, 1e3),
    )
    ends = (limits.least[0], limits.most[0])
    assert ends == pytest.approx((kept, kept) if kept else (225.0, 900.0))
    assert (limits.least[1], limits.most[1]) == pytest.approx((225.0, 900.0))


@pytest.mark.parametrize(
    ("dates", "runs"),
    [
        ({"from": "2025-01-13", "until": "2025-01-20"}, [0, 1, 1, 0]),
        ({"from": "2025-01-14", "until": "2025-01-26"}, [0, 0, 1, 0]),
        ({"until": "2025-01-06"}, [1, 0, 0, 0]),
        ({"from": "2025-01-27"}, [0, 0, 0, 1]),
    ],
)
def test_a_channel_runs_in_weeks_that_begin_on_its_first_day_to_its_last(dates, runs):
    table = {"budget": 400.0, "bounds": [0, 100], "channel": {"Radio": dates}}
    limits = cells(table)
    assert (limits.high[1] > 0).tolist() == [bool(each) for each in runs]
    assert (limits.high[0] > 0).all()
