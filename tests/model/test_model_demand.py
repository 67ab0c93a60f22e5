"""The demand term: which channels get a column, what is in it, what a fit keeps."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.checking.residual import demand_noise
from core.analysis.incremental import baseline_outcome
from core.analysis.learning.demand import follows_demand, of_channel
from core.data.demand.spend import deviation
from core.data.input_data import InputData
from core.errors import SpecError
from core.model.build import build
from core.model.density import baseline_kpi, column_scale
from core.model.media.experiment import Experiment
from core.model.priors.prior_draws import prior_draws
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.demand import TERM, demand_terms
from tests.small_market import market

WEEKS = 60


def two_channels(n_geos: int = 1) -> InputData:
    """A market whose second channel is video by reach, with spend of its own."""
    data = market(n_geos=n_geos, n_times=WEEKS, every_kind=True)
    return replace(data, kpi_type="revenue", revenue_per_kpi=None)


def options(**follows) -> ModelSpec:
    kinds = {
        "tv": "media",
        "search": "media",
        "video": "reach_frequency",
        "blog": "organic_media",
        "price": "non_media",
    }
    channels = tuple(
        ChannelSpec(name, kind, follows_demand=follows.get(name, "auto"))
        for name, kind in kinds.items()
    )
    return ModelSpec(channels, max_lag=3)


def followers(model) -> list[str]:
    return [one.channel for one in model.demand if one.follows]


def test_spend_without_any_link_has_no_term():
    model = build(two_channels(), options())
    assert not model.structure.cell_terms
    assert followers(model) == []
    assert not any(latent.name == "xi_demand" for latent in model.structure.latents)


def test_a_channel_that_is_said_to_follow_has_a_column():
    data = two_channels(n_geos=2)
    model = build(data, options(search=True, video=True, tv=False))
    assert followers(model) == ["search", "video"]
    design = model.arrays.baseline.terms[TERM].design
    assert design.shape == (2, WEEKS, 2)
    expected = deviation(data.media.spend[:, :, 1], data.times).values
    np.testing.assert_allclose(design[:, :, 0], expected, rtol=1e-6)
    assert {one.channel: one.by for one in model.demand} == {
        "tv": "you",
        "search": "you",
        "video": "you",
    }


def test_meridian_s_preset_and_knots_have_no_term():
    data, spec = two_channels(), options(search=True)
    assert build(data, replace(spec, preset="meridian")).demand == ()
    assert followers(build(data, replace(spec, knots=5))) == ["search"]
    by_data = replace(options(), knots=5)
    assert followers(build(data, by_data)) == []


def test_organic_channels_cannot_follow():
    with pytest.raises(SpecError, match="no spend that could follow demand"):
        ChannelSpec("blog", "organic_media", follows_demand=True)


def spent(data: InputData, spend: np.ndarray) -> InputData:
    both = np.stack([spend, data.media.spend[:, :, 1]], axis=2)
    return replace(data, media=replace(data.media, spend=both))


@pytest.mark.parametrize(
    ("spend", "part"),
    [
        (np.full(WEEKS, 7.0), "spends the same amount"),
        (np.where(np.arange(WEEKS) < 5, 7.0, 0.0), "only 5 periods"),
    ],
    ids=["constant", "five weeks"],
)
def test_spend_that_reveals_nothing_leaves_the_term_out(spend, part):
    data = two_channels()
    model = build(spent(data, spend[None]), options(tv=True, search=True))
    assert followers(model) == ["search"]
    assert part in of_channel(model, "tv")["reason"]
    assert of_channel(model, "tv")["reason"].endswith("it has no demand term.")


def test_two_channels_that_follow_each_other_share_a_column():
    data = two_channels()
    model = build(
        spent(data, 3.0 * data.media.spend[:, :, 1]), options(tv=True, search=True)
    )
    assert followers(model) == ["tv"]
    assert "bought together with tv" in of_channel(model, "search")["reason"]


def test_spend_of_one_geo_only_has_a_column_in_that_geo():
    data = two_channels(n_geos=2)
    spend = data.media.spend[:, :, 0].copy()
    spend[1] = 0.0
    model = build(spent(data, spend), options(tv=True))
    design = np.asarray(model.arrays.baseline.terms[TERM].design)
    assert design[0].any() and not design[1].any()


def test_a_short_history_has_the_term_if_wanted_and_none_by_itself():
    data = market(n_geos=1, n_times=24, every_kind=True)
    assert followers(build(data, options())) == []
    assert followers(build(data, options(search=True))) == ["search"]


def test_the_term_is_part_of_the_baseline_and_scales_with_its_column():
    model = build(two_channels(n_geos=2), options(search=True))
    structure, arrays = model.structure, model.arrays
    drawn = {
        name: jnp.asarray(one[0]) for name, one in prior_draws(model, 1, 3).items()
    }
    without = drawn | {"gamma_demand_dev": jnp.zeros(1)}
    added = drawn["xi_demand"] * drawn["gamma_demand_dev"][0]
    expected = added * np.asarray(arrays.baseline.terms[TERM].design)[:, :, 0]
    both = [baseline_kpi(structure, arrays, one) for one in (drawn, without)]
    np.testing.assert_allclose(both[0] - both[1], expected, atol=1e-10)
    outcomes = [
        baseline_outcome(
            structure, arrays, posterior_variables(structure, arrays, one), 0.0
        )
        for one in (drawn, without)
    ]
    difference = np.asarray(outcomes[0] - outcomes[1])
    np.testing.assert_allclose(
        difference, expected * np.asarray(arrays.outcome_scale), rtol=1e-6, atol=1e-6
    )
    scale = jax.jit(column_scale, static_argnums=0)(structure, arrays, drawn)
    assert scale[-1] == pytest.approx(float(drawn["xi_demand"]))


def test_later_periods_have_no_column_and_noise_of_the_past():
    data = two_channels(n_geos=2)
    model = build(data, options(search=True))
    (ahead,) = demand_terms(data, model.demand, n_ahead=8)
    assert ahead.term.design.shape == (2, 8, 1)
    assert not ahead.term.design.any()
    draws = {"sigma": np.ones(4000), "gamma_demand": np.full((4000, 1), 0.5)}
    noise = demand_noise(model, draws, 8, 1)
    assert noise.shape == (4000, 2, 8)
    design = np.asarray(model.arrays.baseline.terms[TERM].design)[:, :, 0]
    np.testing.assert_allclose(
        noise.std(axis=(0, 2)), 0.5 * design.std(axis=1), rtol=0.05
    )
    together = np.corrcoef(noise[:, 0, 0], noise[:, 1, 0])[0, 1]
    assert together == pytest.approx(np.corrcoef(*design)[0, 1], abs=0.06)
    none = build(data, options())
    assert not demand_noise(none, draws, 8, 1).any()


def test_held_out_cells_do_not_decide():
    data = two_channels()
    late = tuple(("g0", str(day)) for day in data.times[-10:])
    spec = replace(options(search=True), holdout=late)
    kpi = data.kpi.copy()
    kpi[:, -10:] *= 50
    assert build(data, spec).demand == build(replace(data, kpi=kpi), spec).demand


def test_a_lift_test_settles_what_the_return_rests_on():
    data = two_channels()
    spec = options(search=True, tv=True)
    told = follows_demand(build(data, spec))
    assert told["channels"] == told["untested"] == ["tv", "search"]
    assert told["sentence"].startswith("tv and search follow demand")
    test = Experiment("tv", str(data.times[4]), str(data.times[8]), 1e4, 1e3)
    told = follows_demand(build(data, replace(spec, experiments=(test,))))
    assert told["untested"] == ["search"]
    assert told["sentence"] == (
        "search follows demand: its return rests on carryover and prior; a lift test "
        "would settle it."
    )
