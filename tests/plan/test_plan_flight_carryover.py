"""Plans of weeks with every carryover, and of reach & frequency, against equations."""

from dataclasses import replace

import numpy as np
import pytest

from core.model.build import build
from core.model.spec import ChannelSpec
from core.plan.flighting import flight
from core.plan.scenario.weeks import week_request
from tests.plan.flight_market import STEEP, by_reach, market, posterior, splits

LAG, BETA, ALPHA, EC = 3, 500.0, 0.6, 90.0
LAGS = np.arange(LAG + 1)


def _normalised(weights):
    return weights / weights.sum()


def _density(k, lam):
    time = (LAGS + 1) / lam
    density = time ** (k - 1) * np.exp(-(time**k))
    return density - density.min()


SHAPES = {
    "binomial": ({}, (1 - LAGS / (LAG + 1)) ** (1 / ALPHA - 1)),
    "delayed": ({"theta": 1.5}, ALPHA ** ((LAGS - 1.5) ** 2)),
    "weibull_cdf": (
        {"lam": 2.0, "k": 1.5},
        np.cumprod(np.exp(-((LAGS / 2.0) ** 1.5))),
    ),
    "weibull_pdf": ({"lam": 2.0, "k": 2.5}, _density(2.5, 2.0)),
}


def by_hand(plans, weights, slope):
    """What the plan adds, in its weeks and after them."""
    ends = [np.full((len(plans), LAG), 100.0)] * 2
    felt = [
        _felt(np.hstack([ends[0], x, ends[1]]), weights) for x in (plans, 0 * plans)
    ]
    power = [(one / EC) ** slope for one in felt]
    made, none = (BETA * one / (1 + one) for one in power)
    return made.sum(axis=1) - none.sum(axis=1)


def _felt(run, weights):
    n = run.shape[1] - LAG
    return sum(w * run[:, LAG - lag : LAG - lag + n] for lag, w in enumerate(weights))


@pytest.mark.parametrize("slope", [1.0, 2.5])
@pytest.mark.parametrize("adstock", SHAPES)
def test_the_best_pattern_of_a_grid(adstock, slope):
    more, weights = SHAPES[adstock]
    weights = _normalised(np.asarray(weights, float))
    model = market(np.array([100.0]), max_lag=LAG)
    channel = ChannelSpec("a", "media", adstock=adstock, priors=(("slope", STEEP),))
    model = build(model.data, replace(model.spec, channels=(channel,)))
    draws = posterior(model, [BETA], [ALPHA], [EC], [slope])
    for name, value in more.items():
        row = np.full((1, 1, 1), value)
        draws[f"{name}_m"] = (("chain", "draw", "channel"), row)
    table = {"bounds": [0, 100], "horizon": {"periods": 4}}
    made = flight(model, draws, week_request(table))
    spend = made.stored["spend"].to_numpy()
    assert by_hand(spend, weights, slope)[0] == pytest.approx(
        made.record.objective.planned
    )
    best = by_hand(20.0 * splits(20, 4), weights, slope).max()
    assert made.record.objective.planned >= best * (1 - 1e-9)
    assert made.record.bound.best_possible >= best


def test_reach_and_frequency():
    """Outcome is linear in reach, so the cheap weeks are filled, and the bound is met.

    A week's reach of 100 at a frequency of 2 brings b h(2), whenever it is felt.
    """
    model, draws = by_reach(BETA)
    table = {
        "budget": 200.0,
        "bounds": [0, 100],
        "within_seen": True,
        "horizon": {"periods": 3},
        "channel": {"v": {"price": [1.0, 2.0, 1.0]}},
    }
    made = flight(model, draws, week_request(table))
    assert made.stored["spend"].values[0] == pytest.approx(
        [100.0, 0.0, 100.0], abs=0.01
    )
    level = BETA * 2.0**2 / (2.0**2 + 1.5**2)
    own = float(made.stored["outcome_channel"][0, 0])
    assert own == pytest.approx(2 * level, rel=1e-6)
    assert float(made.stored["inherited"][0]) == pytest.approx(level * (0.5 / 1.5))
    assert 0 <= made.record.bound.gap < 1e-6
