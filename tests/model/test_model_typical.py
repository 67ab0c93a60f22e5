"""The unit of half-saturation: where money is typically spent, whatever the pattern."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.input_data import Treatments
from core.model.media.group_arrays import typical_exposure
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec, ModelSpec

RNG = np.random.default_rng(5)
UNITS = RNG.gamma(0.5, 2.0, (3, 40, 2))
WINDOWS = np.array([5, 3])


def typical(units, spec, *, frequency=None, scale=1.0):
    names = tuple(channel.name for channel in spec.channels)
    treatments = Treatments(names, units, frequency=frequency)
    scaled = np.moveaxis(units, 2, 0) * scale
    return typical_exposure(spec, treatments, scaled, WINDOWS[: units.shape[2]])


@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_is_the_mean_of_carried_over_media_over_units_of_media(alpha):
    fixed = (("alpha", prior("Deterministic", loc=alpha)),)
    spec = ModelSpec((ChannelSpec("TV", priors=fixed), ChannelSpec("Search")))
    for place, own in enumerate((alpha, 0.5)):
        weights = own ** np.arange(WINDOWS[place])
        media, total = UNITS[:, :, place], 0.0
        for geo in range(3):
            for week in range(40):
                lags = range(min(week + 1, WINDOWS[place]))
                felt = sum(weights[lag] * media[geo, week - lag] for lag in lags)
                total += media[geo, week] * 0.1 * felt / weights.sum()
        found = typical(UNITS, spec, scale=0.1)[place]
        assert found == pytest.approx(total / media.sum(), rel=1e-12)


def test_a_trickle_between_bursts_moves_a_median_and_not_the_unit():
    spec = ModelSpec((ChannelSpec("TV"),))
    bursts = np.where(np.arange(60) % 10 < 3, 1.0, 0.0)[None, :, None]
    trickle = np.where(bursts > 0, bursts, 0.01)
    for units in (bursts, trickle):
        assert typical(units, spec)[0] == pytest.approx(68 / 93, abs=0.02)
    assert np.median(trickle) < 0.02 < np.median(bursts[bursts > 0])


def test_reach_counts_in_frequency_over_impressions():
    spec = ModelSpec((ChannelSpec("TV", "reach_frequency"), ChannelSpec("Web")))
    frequency = RNG.uniform(1, 6, UNITS.shape)
    found = typical(UNITS, spec, frequency=frequency)
    weight = UNITS * frequency
    expected = (weight * frequency).sum((0, 1)) / weight.sum((0, 1))
    np.testing.assert_allclose(found, expected)


def test_other_orders_presets_and_channels_that_never_ran():
    channels = (ChannelSpec("TV"), ChannelSpec("Search"))
    first = ModelSpec(channels, hill_before_adstock=True)
    np.testing.assert_allclose(
        typical(UNITS, first), (UNITS**2).sum((0, 1)) / UNITS.sum((0, 1))
    )
    assert (typical(UNITS, replace(first, preset="meridian")) == 1).all()
    assert (typical(0 * UNITS, ModelSpec(channels)) == 1).all()
    late = ModelSpec(tuple(replace(one, adstock="weibull_pdf") for one in channels))
    assert np.isfinite(typical(UNITS, late)).all()
