"""An old plan by a new fit: parts that add up, and causes told apart."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import random_dataset

from core.errors import PlanError
from core.plan.against.rescore import Between, rescored
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario


@pytest.fixture
def old():
    return response_curves(random_dataset(0, n_channels=3))


def better(curves, by: float):
    return replace(curves, value=by * curves.value, slope=by * curves.slope)


def test_spend_and_response_add_up(old):
    kept = plan(old, scenario(old)).record.money
    new = replace(better(old, 1.2), spend=2 * old.spend)
    told = rescored(kept, old, new, same_data=False, same_model=True)
    change = told.after.mean - told.before.mean
    assert told.response + told.spend == pytest.approx(change)
    assert told.response == pytest.approx(0.2 * told.before.mean)
    assert told.cause == "data" and told.parts == {"data": told.response}
    assert sum(row["spend"] for row in told.channels) == pytest.approx(told.spend)


@pytest.mark.parametrize(("changed", "other"), [("data", "model"), ("model", "data")])
def test_a_fit_between_tells_data_and_model_apart(old, changed, other):
    kept = plan(old, scenario(old)).record.money
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
    kept = plan(old, scenario(old)).record.money
    back = [2, 0, 1]
    new = replace(
        old,
        names=tuple(old.names[i] for i in back),
        spend=old.spend[back],
        value=old.value[:, back],
        slope=old.slope[:, back],
        seen=old.seen[back],
    )
    told = rescored(kept, old, new, same_data=True, same_model=True)
    assert told.cause == "simulation"
    np.testing.assert_allclose([told.response, told.spend], 0, atol=1e-6)


def test_other_channels_are_refused(old):
    kept = plan(old, scenario(old)).record.money
    new = replace(old, names=("Channel0", "Channel1", "Other"))
    with pytest.raises(PlanError, match="other channels"):
        rescored(kept, old, new, same_data=True, same_model=True)
