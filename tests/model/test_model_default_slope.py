"""Which slope a channel's curve has before a fit, by what its name says."""

import pytest

from core.model.priors.prior import prior
from core.model.shares.settled import default_of
from core.model.shares.totals import totals
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import market

USUAL, CONCAVE = (
    prior("LogNormal", loc=loc, scale=scale) for loc, scale in ((0.2, 0.3), (0.1, 0.2))
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("TV", USUAL),
        ("Facebook", USUAL),
        ("Channel 4", USUAL),
        ("Google Search", CONCAVE),
        ("paid_search_spend", CONCAVE),
        ("Affiliates", CONCAVE),
        ("Google Shopping", CONCAVE),
    ],
)
def test_what_answers_demand_needs_no_threshold(name, expected):
    channel = ChannelSpec(name)
    spec = ModelSpec((channel,))
    assert spec.channel_prior(channel, "slope") == expected
    assert default_of(spec, channel, "slope", totals(market())) == expected


def test_a_stated_slope_comes_first():
    stated = prior("LogNormal", loc=0.5, scale=0.1)
    channel = ChannelSpec("Search")
    of_all = ModelSpec((channel,), priors=(("slope_m", stated),))
    assert of_all.channel_prior(channel, "slope") == stated
    own = ChannelSpec("Search", priors=(("slope", stated),))
    assert ModelSpec((own,)).channel_prior(own, "slope") == stated


def test_meridians_slope_is_one_whatever_the_name():
    channel = ChannelSpec("Search")
    spec = ModelSpec((channel,), preset="meridian")
    assert spec.channel_prior(channel, "slope") == prior("Deterministic", loc=1.0)


def test_organic_media_and_frequency_keep_theirs():
    for kind in ("organic_media", "reach_frequency"):
        named, plain = ChannelSpec("Search", kind), ChannelSpec("TV", kind)
        spec = ModelSpec((named, plain))
        assert spec.channel_prior(named, "slope") == spec.channel_prior(plain, "slope")
