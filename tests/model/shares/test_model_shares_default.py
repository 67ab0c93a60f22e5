"""Default priors of paid channels: ROI where money is comparable, else the share."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.input_data import Treatments
from core.model.build import build
from core.model.priors.distribution import quantile
from core.model.priors.prior import prior
from core.model.shares.default import (
    default_parameter_prior,
    is_absurd,
    share_prior,
)
from core.model.shares.settled import settled, unsettled
from core.model.shares.totals import Totals, totals
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import market

MONEY = Totals(1000.0, {"TV": 60.0, "Radio": 40.0}, "revenue")
COUNT = Totals(1000.0, {"TV": 60.0, "Radio": 40.0}, "kpi")
SCALED = Totals(946_000.0, {"TV": 55.0, "Radio": 29.0}, "kpi", "other")
SPEC = ModelSpec(
    (ChannelSpec("TV"), ChannelSpec("Radio"), ChannelSpec("n", "organic_media"))
)


def kinds(of):
    return [channel.effective_prior_kind for channel in of.channels]


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        (MONEY, "roi"),
        (COUNT, "contribution"),
        (SCALED, "contribution"),
        (Totals(946_000.0, {"TV": 84.0}, "revenue"), "contribution"),
        (Totals(946_000.0, {"TV": 84.0}, "revenue", "currency"), "roi"),
        (Totals(100.0, {"TV": 84_000.0}, "revenue"), "contribution"),
    ],
)
def test_the_default_follows_what_spend_is(about, kind):
    assert kinds(settled(SPEC, about)) == [kind, kind, "contribution"]


def test_meridian_keeps_its_ways():
    own = ModelSpec(SPEC.channels, preset="meridian")
    assert settled(own, COUNT).channels[0].prior_kind == "roi"
    given = default_parameter_prior(own, ChannelSpec("TV"), COUNT)
    assert given.family == "LogNormal"
    contribution = ChannelSpec("TV", prior_kind="contribution")
    assert default_parameter_prior(own, contribution, COUNT).values == (1.0, 99.0)


def test_who_says_what_a_prior_is_about_is_heard():
    roi = prior("LogNormal", loc=1.0, scale=0.5)
    own = ModelSpec(
        (ChannelSpec("TV", prior=roi), ChannelSpec("Radio", prior_kind="roi"))
    )
    assert kinds(settled(own, SCALED)) == ["roi", "roi"]
    of_all = ModelSpec(SPEC.channels, priors=(("roi_m", roi),))
    assert kinds(settled(of_all, SCALED))[:2] == ["roi", "roi"]


def test_what_is_settled_by_the_data_is_not_written_down():
    made = settled(SPEC, COUNT)
    assert settled(made, COUNT) == made
    assert unsettled(made, COUNT) == SPEC
    changed = made.with_channel(ChannelSpec("TV", prior_kind="roi"))
    assert unsettled(changed, COUNT).channel("TV").prior_kind == "roi"


@pytest.mark.parametrize("n_channels", [1, 2, 5, 12])
def test_the_share_prior_holds_large_and_small_channels(n_channels):
    low, high = quantile(share_prior(n_channels), [0.05, 0.95])
    assert low < 0.06 / n_channels
    assert high > min(0.45, 0.9 / n_channels)
    rng = np.random.default_rng(1)
    points = quantile(share_prior(n_channels), rng.uniform(size=(20_000, n_channels)))
    assert (points.sum(axis=1) > 1).mean() < 0.03


def test_absurd_is_what_no_ordinary_return_explains():
    assert not is_absurd(MONEY)
    assert is_absurd(Totals(1000.0, {"TV": 1.0}, "revenue"))
    assert is_absurd(Totals(1000.0, {"TV": 5000.0}, "revenue"))
    assert not is_absurd(Totals(1000.0, {"TV": 0.0}, "revenue"))


def test_a_model_without_a_value_of_the_kpi_is_about_shares():
    counted = replace(
        market(n_geos=1),
        kpi_type="non_revenue",
        revenue_per_kpi=None,
        non_media=Treatments(),
    )
    assert totals(counted).outcome_unit == "kpi"
    own = ModelSpec(tuple(ChannelSpec(name) for name in counted.media.names))
    model = build(counted, own)
    names = [latent.name for latent in model.structure.latents]
    assert "contribution_m" in names
    assert "roi_m" not in names
    assert model.spec.channels[0].effective_prior_kind == "contribution"
