"""An old plan by a new fit: parts that add up, and causes told apart."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.errors import PlanError
from core.plan.against.rescore import Between, narrowed, rescored
from core.plan.plan import judged_amounts, plan
from core.plan.response.belief import NOTHING, Belief, believed
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table


@pytest.fixture
def old():
    return response_curves(random_dataset(0, n_channels=3))


def better(curves, by: float):
    return replace(curves, value=by * curves.value, slope=by * curves.slope)


def test_spend_and_response_add_up(old):
    kept = plan(old, scenario(old)).money
    new = replace(better(old, 1.2), spend=2 * old.spend)
    told = rescored(kept, old, new, same_data=False, same_model=True)
    change = told.after.mean - told.before.mean
    assert told.response + told.spend == pytest.approx(change)
    assert told.response == pytest.approx(0.2 * told.before.mean)
    assert told.cause == "data" and told.parts == {"data": told.response}
    assert sum(row.spend for row in told.channels) == pytest.approx(told.spend)


@pytest.mark.parametrize(("changed", "other"), [("data", "model"), ("model", "data")])
def test_a_fit_between_tells_data_and_model_apart(old, changed, other):
    kept = plan(old, scenario(old)).money
    new, middle = better(old, 1.5), better(old, 1.1)
    told = rescored(
        kept,
        old,
        new,
        same_data=False,
        same_model=False,
        between=Between(middle, changed),
    )
    brought = told.before.mean
    assert told.parts[changed] == pytest.approx(0.1 * brought)
    assert told.parts[other] == pytest.approx(0.4 * brought)
    assert sum(told.parts.values()) == pytest.approx(told.response)
    alone = rescored(kept, old, new, same_data=False, same_model=False)
    assert alone.parts == {"data and model": alone.response}


def test_channels_in_another_order(old):
    kept = plan(old, scenario(old)).money
    back = [2, 0, 1]
    new = replace(
        old,
        names=tuple(old.names[i] for i in back),
        spend=old.spend[back],
        value=old.value[:, back],
        slope=old.slope[:, back],
        highest_seen=old.highest_seen[back],
    )
    told = rescored(kept, old, new, same_data=True, same_model=True)
    assert told.cause == "simulation"
    np.testing.assert_allclose([told.response, told.spend], 0, atol=1e-6)


def test_a_channel_without_history_keeps_its_money(old):
    """Believed by both fits it is the same twice; measured by now it may differ."""
    spend = 1e5
    belief = Belief("Podcast", spend, (2.0, 4.0))
    joint = believed(old, [belief])
    table = {"belief": {"Podcast": {"spend": spend, "roi": [2.0, 4.0]}}}
    table["channel"] = {"Podcast": {"min": spend, "max": spend}}
    kept = plan(old, of_table(table, old)).money
    told = rescored(kept, joint, joint, same_data=False, same_model=True)
    assert told.before.mean == pytest.approx(told.after.mean)
    np.testing.assert_allclose([told.response, told.spend], 0, atol=1e-6)
    measured = replace(
        better(joint, 1.0),
        grid=joint.grid * NOTHING / spend,
        spend=np.append(old.spend, spend),
        beliefs=(),
    )
    value = np.moveaxis(joint.outcome(measured.spend * measured.grid[:, None]), 1, 2)
    measured = replace(
        measured, value=value, slope=np.gradient(value, measured.grid, axis=2)
    )
    (row,) = (
        row
        for row in rescored(
            kept, joint, measured, same_data=False, same_model=True
        ).channels
        if row.name == "Podcast"
    )
    assert row.spend == 0
    assert row.after == pytest.approx(row.before, rel=0.05)
    judged = judged_amounts(joint, kept)
    (line,) = (line for line in judged.channels if line.name == "Podcast")
    assert line.planned == pytest.approx(spend)
    # Default limits of the others, not multiples of a channel that had no spend.
    assert max(each.high / each.comparison for each in judged.channels[:-1]) < 2


def test_intervals_are_narrower_by_the_share_that_their_width_fell(old):
    """Half as wide around the same mean, at the same money a week."""
    old = replace(old, horizon=replace(old.horizon, periods=26))
    mean, slope = old.value.mean(axis=0), old.slope.mean(axis=0)
    longer = replace(old.horizon, periods=52)
    sure = replace(
        old,
        names=(*old.names[:-1], "Other"),
        value=(mean + 0.5 * (old.value - mean)) * 2,
        slope=(slope + 0.5 * (old.slope - slope)) * 2,
        spend=2 * old.spend,
        horizon=longer,
    )
    told = narrowed(old, sure)
    assert told == pytest.approx({"Channel0": 0.5, "Channel1": 0.5})
    back = narrowed(sure, replace(old, names=sure.names))
    assert back["Channel0"] == pytest.approx(-1.0)


def test_other_channels_are_refused(old):
    kept = plan(old, scenario(old)).money
    new = replace(old, names=("Channel0", "Channel1", "Other"))
    with pytest.raises(PlanError, match="other channels"):
        rescored(kept, old, new, same_data=True, same_model=True)
