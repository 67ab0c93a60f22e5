"""Plans of what channels cost altogether: own media, and what they make us spend."""

import itertools

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.against.planned_spend import planned_spend
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.curves import response_curves
from core.plan.response.price import all_in, curves_all_in, priced
from core.plan.scenario.scenario import scenario
from tests.plan.synthetic import random_dataset


def stored(seed=3, share=0.4):
    """Curves of three channels, of which the first makes us spend elsewhere.

    Draw by draw (0.5 to 1.5 times) a saturating share of its own spend.
    """
    made = random_dataset(seed, n_channels=3)
    grid = made["spend_multiplier"].values
    n = made.sizes["draw"]
    top = share * float(made["spend"][0]) * np.linspace(0.5, 1.5, n)[:, None]
    induced = np.zeros(made["incremental_outcome"].shape)
    slope = np.zeros_like(induced)
    induced[:, 0] = top * 2 * grid / (1 + grid)
    slope[:, 0] = top * 2 / (1 + grid) ** 2
    dims = made["incremental_outcome"].dims
    return made.assign(induced=(dims, induced), induced_slope=(dims, slope))


def test_a_curve_over_cost_is_that_of_the_media_it_pays_for():
    made = stored()
    own, altogether = response_curves(made), curves_all_in(made)
    today = float(made["spend"][0])
    assert altogether.spend[0] == pytest.approx(1.4 * today)
    np.testing.assert_allclose(altogether.spend[1:], own.spend[1:])
    for multiple in (0.3, 1.0, 2.0):
        media = multiple * today
        cost = media + 0.4 * today * 2 * multiple / (1 + multiple)
        spend = np.array([cost, own.spend[1], own.spend[2]])
        wanted = own.outcome(np.array([media, own.spend[1], own.spend[2]]))
        np.testing.assert_allclose(altogether.outcome(spend), wanted, rtol=2e-4)


def test_without_a_mediator_that_costs_nothing_changes():
    made = random_dataset(3, n_channels=3)
    own, altogether = response_curves(made), curves_all_in(made)
    assert altogether.bill is None
    np.testing.assert_array_equal(own.value, altogether.value)
    free = stored(share=0.0)
    np.testing.assert_allclose(curves_all_in(free).value, own.value, rtol=1e-9)


def test_the_budget_is_met_in_expectation_and_the_plan_is_the_best():
    curves = curves_all_in(stored())
    asked = scenario(curves, bounds=(0.5, 1.5), supported=False)
    found = plan(curves, asked)
    record = found.record
    tv, *others = record.channels
    budget = sum(line.media or line.planned for line in record.channels)
    budget += tv.induced["mean"]
    assert budget == pytest.approx(record.budget, abs=0.01)
    assert record.bound.gap <= 1e-3
    assert tv.induced["lo"] < tv.induced["mean"] < tv.induced["hi"]
    assert all(line.media is None and line.induced is None for line in others)
    mean = curves.mean()
    steps = np.linspace(0.5, 1.5, 41)
    best = -np.inf
    for one, two in itertools.product(steps, steps):
        split = np.array([one, two, 0.0]) * curves.spend
        split[2] = record.budget - split.sum()
        if 0.5 <= split[2] / curves.spend[2] <= 1.5:
            best = max(best, float(mean.outcome(split).sum()))
    assert record.outcome["planned"]["mean"] >= best * (1 - 1e-4)
    assert any("make us spend elsewhere" in reason for reason in record.reasons)
    assert as_record(as_dict(record)).channels == record.channels


def test_what_makes_us_spend_elsewhere_gets_less_than_if_that_were_free():
    made = stored(share=0.8)
    own = response_curves(made)
    free = plan(own, scenario(own, bounds=(0.5, 1.5), supported=False)).record
    altogether = curves_all_in(made)
    paid = plan(altogether, scenario(altogether, bounds=(0.5, 1.5), supported=False))
    assert paid.record.channels[0].multiplier < free.channels[0].multiplier


def test_a_forecast_takes_the_media_of_a_plan(monkeypatch):
    import xarray as xr

    curves = curves_all_in(stored())
    record = plan(curves, scenario(curves, bounds=(0.5, 1.5), supported=False)).record
    names = [line.name for line in record.channels]
    view = xr.Dataset(
        {"spend": (("paid", "time"), np.ones((3, 2)))},
        coords={
            "paid": names,
            "time": np.array(["2024-01-01", "2024-01-08"], "datetime64[ns]"),
        },
    )
    covered = "core.plan.against.planned_spend._covered"
    monkeypatch.setattr(covered, lambda plan, times: np.ones(len(times), bool))
    line = record.channels[0]
    spent = planned_spend(record, view, 2)[line.name]
    np.testing.assert_allclose(spent, line.media / line.media_today)
    assert line.media / line.media_today != pytest.approx(line.multiplier, rel=1e-3)


def test_a_price_that_rises_with_volume_is_refused_beside_it():
    with pytest.raises(PlanError, match="cannot also get dearer"):
        priced(curves_all_in(stored()), {"Channel1": 0.2})


def test_spend_elsewhere_that_falls_is_met_all_the_same():
    """Draws of little effect may cause a little less of the mediator."""
    made = stored()
    curves = response_curves(made)
    down = -0.05 * made["induced"].values, -0.05 * made["induced_slope"].values
    altogether = all_in(curves, *down)
    assert (altogether.spend <= curves.spend).all()
    assert np.isfinite(altogether.value).all()
