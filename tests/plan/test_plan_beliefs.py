"""Channels without history: their curve is a belief, and is marked as that."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.frontier import frontier
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.belief import Belief, believed, kin
from core.plan.response.curves import response_curves
from core.plan.scenario.table import of_table
from tests.plan import synthetic


@pytest.fixture
def curves():
    stored = synthetic.random_dataset(3, n_channels=3, n_draws=200)
    return response_curves(stored)


def test_the_range_typed_is_the_90_percent_interval_at_its_spend(curves):
    spend = 2e5
    joint = believed(curves, [Belief("Podcast", spend, (0.8, 3.0))])
    amounts = np.append(curves.spend, spend)
    roi = joint.outcome(amounts)[:, -1] / spend
    np.testing.assert_allclose(np.quantile(roi, [0.05, 0.95]), [0.8, 3.0], rtol=0.03)
    # Concave, nothing for nothing, and independent of what was measured.
    along = joint.outcome(np.linspace(0, 4, 41)[:, None] * np.full(4, spend))[..., -1]
    assert (np.diff(along, 2, axis=1) < 1e-6 * along.max()).all()
    np.testing.assert_allclose(along[:, 0], 0, atol=1e-6)
    others = np.corrcoef(roi, curves.outcome(curves.spend).sum(axis=1))[0, 1]
    assert abs(others) < 0.2


@pytest.mark.parametrize("multiple", [0.0, 0.37, 1.0, 2.9, 3.0, 3.7, 8.0])
def test_what_was_measured_stays(curves, multiple):
    joint = believed(curves, [Belief("Podcast", 2e5), Belief("Radio", 3e7, (1, 2))])
    spend = multiple * curves.spend
    for before, after in zip(
        curves.outcome_and_marginal(spend),
        joint.outcome_and_marginal(np.append(spend, [0, 0])),
        strict=True,
    ):
        np.testing.assert_allclose(after[:, :3], before, rtol=1e-6, atol=1e-7)


def test_a_prior_from_its_kind(curves):
    named = replace(curves, names=("Google Search", "Bing Search", "TV"))
    assert kin("Yahoo Search", named.names) == ("Google Search", "Bing Search")
    assert kin("Wonderful", named.names) == named.names
    joint = believed(named, [Belief("Yahoo Search", 1e5)])
    roi = np.log(joint.outcome(np.append(named.spend, 1e5))[:, -1] / 1e5)
    own = np.log(named.outcome(named.spend) / named.spend)[:, :2]
    assert abs(roi.mean() - own.mean()) < 0.05
    assert roi.std() > own.mean(axis=1).std()  # one more is less certain


def test_the_plan_finds_what_a_fine_grid_finds(curves):
    table = {
        "bounds": ["50 %", "150 %"],
        "budget": float(curves.spend.sum()),
        "supported": False,
        "belief": {"Podcast": {"spend": 3e5, "roi": [5.0, 9.0]}},
    }
    asked = of_table(table, curves)
    record = plan(curves, asked, verdict="trustworthy")
    assert as_record(as_dict(record)) == record
    line = record.channels[-1]
    assert (line.name, line.is_belief, line.multiplier) == ("Podcast", True, None)
    told = [each["is_belief"] for each in as_dict(record)["channels"]]
    assert told == [False] * (len(told) - 1) + [True]
    assert (line.current, line.high) == (0.0, 3e5)
    assert sum(each.planned for each in record.channels) == pytest.approx(
        table["budget"], abs=0.006
    )
    assert any("belief" in reason for reason in record.reasons)
    joint = believed(curves, asked.beliefs)
    rng = np.random.default_rng(0)
    low, high = asked.ranges(joint.names)
    tried = rng.uniform(low, high, (20_000, 4))
    tried[:, 0] = table["budget"] - tried[:, 1:].sum(axis=1)
    tried = tried[(tried[:, 0] >= low[0]) & (tried[:, 0] <= high[0])]
    outcome = joint.total(tried).mean(axis=0)
    assert outcome.max() <= record.objective.planned <= record.bound.best_possible
    # A budget scaled, other budgets and a second reading keep the belief.
    again = of_table(dict(record.scenario), curves)
    assert again.beliefs == asked.beliefs
    assert len(frontier(curves, replace(again, budget=table["budget"]))[0].spend) == 4


@pytest.mark.parametrize(
    ("belief", "message"),
    [
        ({"Channel0": {"spend": 1.0}}, "is a channel of this fit"),
        ({"Podcast": {"roi": [1, 2]}}, "not an amount above 0"),
        ({"Podcast": {"spend": -5}}, "not an amount above 0"),
        ({"Podcast": {"spend": 5, "roi": [2, 1]}}, "not a range of an ROI"),
        ({"Podcast": {"spend": 5, "roi": 2}}, "not a range of an ROI"),
        ({"Podcast": {"spend": 5, "rio": [1, 2]}}, "rio"),
    ],
)
def test_a_belief_that_means_nothing_is_refused(curves, belief, message):
    with pytest.raises(PlanError, match=message):
        of_table({"belief": belief}, curves)


@pytest.mark.parametrize("spend", [5e4, 2e5, 3e7])
def test_without_a_budget_a_plan_with_a_belief_spends_what_was_spent(curves, spend):
    scenario = of_table(
        {"belief": {"Podcast": {"spend": spend, "roi": [1, 2]}}}, curves
    )
    assert scenario.budget == float(curves.spend.sum())


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ({"step": 5e4}, 0.0, 2e5),
        ({"max": 1e5}, 0.0, 1e5),
        ({"min": "50 %"}, 1e5, 2e5),
        ({"lock": True}, 2e5, 2e5),
    ],
)
def test_what_is_not_said_of_a_belief_is_as_where_nothing_is(curves, said, low, high):
    belief = {"Podcast": {"spend": 2e5, "roi": [1, 2]}}
    asked = of_table({"belief": belief, "channel": {"Podcast": said}}, curves)
    assert asked.channels[-1].range == (low, high)
