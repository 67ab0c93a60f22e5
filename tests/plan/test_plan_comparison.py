import math
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.record.fit_record import as_record
from core.plan.against.compared_plans import compared_plans, why_not
from core.plan.comparison import Difference, agreement, difference, differences, limit
from core.plan.response.curves import response_curves
from tests.charts import synthetic


def a_difference(units: float, channel: str = "TV") -> Difference:
    return difference(channel, "roi", 2.0, 2.0 + 0.1 * units, error=0.1, spread=0.5)


def test_differences_are_in_units_of_both_errors():
    first, second = synthetic.summary(), synthetic.summary()
    row = second["channels"][0]
    row["roi"] = row["roi"] | {"mean": row["roi"]["mean"] + 0.1}
    row["mcse"]["roi"] = 0.03
    first["channels"][0]["mcse"]["roi"] = 0.04
    found = differences(as_record(first).channels, as_record(second).channels)
    one = found["TV", "roi"]
    assert one.difference == pytest.approx(0.1)
    assert one.error == pytest.approx(math.hypot(0.03, 0.04))
    assert one.units == pytest.approx(2.0)
    assert found["TV", "contribution"].units == 0.0
    assert ("Newsletter", "roi") not in found
    assert ("Newsletter", "contribution") in found


def test_what_only_one_fit_has_is_left_out():
    first, second = synthetic.summary(), synthetic.summary()
    second["channels"] = second["channels"][1:]
    assert all(
        name != "TV"
        for name, _ in differences(
            as_record(first).channels, as_record(second).channels
        )
    )


def test_the_limit_grows_with_the_number_of_differences():
    assert limit(1) == pytest.approx(2.5758, abs=1e-3)
    assert limit(1) < limit(20) < limit(200) < 5
    rng = np.random.default_rng(0)
    alarms = np.abs(rng.normal(size=(4000, 24))).max(axis=1) > limit(24)
    assert 0.003 < alarms.mean() < 0.02


def test_agreement():
    said = agreement([a_difference(1.0), a_difference(-2.5, "Radio")])
    assert said.n == 2 and not said.beyond and not said.is_identical
    assert said.largest.channel == "Radio"
    assert said.resolution == pytest.approx(said.limit * 0.1 / 0.5)
    said = agreement([a_difference(1.0), a_difference(-9.0, "Radio")])
    assert [one.channel for one in said.beyond] == ["Radio"]


def test_an_error_that_is_not_known_is_no_agreement():
    unknown = difference("TV", "roi", 2.0, 2.4, error=None, spread=0.5)
    said = agreement([unknown, a_difference(0.5, "Radio")])
    assert said.unknown == (unknown,) and said.n == 1
    same = difference("TV", "roi", 2.0, 2.0, error=None)
    assert agreement([same]).is_identical
    assert agreement([]).largest is None


def curves_of(seed: int = 5, names=synthetic.NAMES):
    return response_curves(synthetic.curves(names, seed=seed))


def test_plans_of_two_samples_of_one_posterior_agree():
    made = compared_plans(curves_of(5), curves_of(6))
    assert made.budget == pytest.approx(float(curves_of().spend.sum()))
    for side in ("a", "b"):
        total = sum(getattr(one, side) for one in made.spend)
        assert total == pytest.approx(made.budget)
    assert not agreement(made.spend).beyond
    assert made.costs_nothing
    assert all(loss.mean > -1e-6 * made.budget for loss in made.losses)


def test_plans_of_other_returns_differ_and_cost():
    first, second = curves_of(5), curves_of(6)
    factor = np.array([0.1, 1.0, 1.0, 12.0])[:, None]
    second = replace(second, value=second.value * factor, slope=second.slope * factor)
    made = compared_plans(first, second)
    assert agreement(made.spend).beyond
    assert not made.costs_nothing


def test_the_order_of_channels_does_not_matter():
    first, second = curves_of(5), curves_of(6)
    back = np.arange(4)[::-1]
    turned = replace(
        second,
        names=tuple(second.names[i] for i in back),
        spend=second.spend[back],
        value=second.value[:, back],
        slope=second.slope[:, back],
        highest_seen=second.highest_seen[back],
    )
    plain, other = compared_plans(first, second), compared_plans(first, turned)
    for one, same in zip(plain.spend, other.spend, strict=True):
        assert (one.channel, one.a) == (same.channel, same.a)
        assert one.b == pytest.approx(same.b, rel=1e-6)
    assert plain.losses[1].mean == pytest.approx(other.losses[1].mean, rel=1e-4)


def test_plans_that_cannot_be_compared():
    first = curves_of()
    names = ("TV", "Search", "Social", "Radio", *synthetic.NAMES[4:])
    assert "different paid channels" in why_not(first, curves_of(names=names))
    assert "spend" in why_not(first, replace(first, spend=first.spend * 1.1))
    assert why_not(first, curves_of(6)) == ""
