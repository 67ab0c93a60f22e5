"""A lift test settles what sales data leave open: narrower, and still the truth."""

import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.analysis.learning.experiments import experiments
from core.analysis.returns import returns
from core.data.assemble import assemble
from core.data.simulate import adstock, saturation, scaled_media, simulate_market
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import lift_test

SEED, CHANNEL = 5, "Display"
SETTINGS = SamplerSettings(chains=2, warmup=300, draws=500, seed=2, precision="float64")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("optimised")]


def true_lift(market, data, inside):
    """What the simulation itself loses without the channel's media of the window."""
    truth = market.truth[CHANNEL]
    place = data.media.names.index(CHANNEL)
    media = scaled_media(data.media.units[:, :, place], data.population)
    arms = []
    for one in (media, np.where(inside, 0.0, media)):
        carried = adstock(one, truth["alpha"], 8)
        arms.append(saturation(carried, truth["ec"], truth["slope"]))
    ran, without = (
        arm * data.population[:, None] * data.revenue_per_kpi for arm in arms
    )
    outcome = truth["roi"] * data.media.spend[:, :, place].sum()
    return outcome * (ran - without)[:, inside].sum() / ran.sum()


def interval_of_roi(data, channels, tests=()):
    spec = ModelSpec(channels=channels, knots=16, experiments=tests)
    model = build(data, spec, precision="float64")
    draws = flat_draws(fit(model, SETTINGS).posterior)
    roi = returns(model, draws)["roi"].sel(channel=CHANNEL)
    return np.quantile(roi, [0.05, 0.95]), experiments(model, draws, seed=1)


def test_a_lift_test_narrows_roi_and_keeps_the_truth():
    market = simulate_market(SEED, n_times=100)
    data = assemble(market.frame, market.mapping)
    channels = tuple(ChannelSpec(c.name, c.kind) for c in market.mapping.channels)
    inside = np.zeros(100, dtype=bool)
    inside[50:70] = True
    lift = true_lift(market, data, inside)
    start, end = data.times[inside][[0, -1]]
    test = lift_test(CHANNEL, str(start), str(end), lift, 0.1 * lift)
    before, nothing = interval_of_roi(data, channels)
    after, (told,) = interval_of_roi(data, channels, (test,))
    truth = market.truth[CHANNEL]["roi"]
    assert nothing == []
    assert after[0] <= truth <= after[1]
    assert np.ptp(after) < 0.5 * np.ptp(before), (before, after)
    assert told.agrees
    assert told.posterior.lo < lift < told.posterior.hi
    assert told.posterior.sd < told.prior.sd
