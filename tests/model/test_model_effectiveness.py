"""Effectiveness over time: a random walk of mean zero, and a return that stays."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.incremental import treatment_outcome
from core.analysis.multiples import response
from core.model.build import build
from core.model.latents import n_dims
from core.model.reconstruct import latents_of, posterior_variables
from core.model.shares.settled import settled, unsettled
from core.model.shares.totals import totals
from core.model.spec import ModelSpec
from core.model.terms.effectiveness import effectiveness, n_waves, waves
from tests.small_market import market, spec

WEEKS = np.datetime64("2022-01-03") + 7 * np.arange(156)


def walks(at, n=4000):
    """Draws of the walk at some dates, for a change of one a year."""
    design = waves(at, WEEKS)
    return np.random.default_rng(1).standard_normal((n, design.shape[1])) @ design.T


def test_the_waves_are_those_of_a_random_walk():
    ends = WEEKS[[0, 26, 78, 130, 155]]
    design = waves(ends, WEEKS)
    years = (ends - WEEKS[0]).astype(float) / 365.25
    for i in range(len(ends)):
        for j in range(i):
            variance = ((design[i] - design[j]) ** 2).sum()
            # What the waves that are left out would add is about a seventh of a year.
            assert 0.0 < years[i] - years[j] - variance < 0.17


def test_the_mean_over_the_data_is_zero_and_the_future_is_wider():
    assert np.abs(waves(WEEKS, WEEKS).mean(axis=0)).max() < 1e-12
    ahead = WEEKS[-1] + 7 * np.array([0, 26, 52])
    spread = walks(ahead).std(axis=0)
    assert spread[0] < spread[1] < spread[2]


def test_beyond_its_domain_the_walk_stays_where_it_is():
    late = WEEKS[-1] + np.array([570, 800])
    assert np.allclose(*waves(late, WEEKS))


def test_some_new_weeks_leave_the_waves_as_they_are():
    """But for their mean over the data, which is taken out."""
    more = WEEKS[0] + 7 * np.arange(156 + 13)
    change = waves(WEEKS, more) - waves(WEEKS, WEEKS)
    assert np.allclose(change, change[0]) and np.abs(change).max() < 0.2


def test_channels_that_do_not_drift_keep_their_effect():
    design = jnp.asarray(waves(WEEKS, WEEKS))
    deviation = jnp.ones((2, n_waves(WEEKS)))
    made = effectiveness(jnp.array([1.0, 0.0]), design, deviation, jnp.asarray(0.3))
    assert np.asarray(made[1] == 1.0).all()
    assert np.abs(np.log(made[0]).mean()) < 1e-6
    assert float(made[0].max()) > 1.05


def drifting(**options):
    return spec(effectiveness="drifting", **options)


@pytest.fixture(scope="module")
def model():
    return build(market(), drifting())


@pytest.fixture(scope="module")
def outcome_of(model):
    """Outcome of each channel, geo and period, of a draw."""
    return jax.jit(partial(treatment_outcome, model.structure, model.arrays))


@pytest.fixture(scope="module")
def draw(model):
    size = n_dims(model.structure.latents)
    position = 0.5 * jax.random.normal(jax.random.key(0), (size,))
    block = model.arrays.block
    noise = (
        jnp.zeros(len(block.precision)),
        jnp.zeros(block.local_scale.shape),
        jnp.zeros(()),
    )

    @jax.jit
    def variables(position, noise):
        latents = latents_of(model.structure, model.arrays, position, noise)
        return posterior_variables(model.structure, model.arrays, latents)

    return variables(position, noise)


def test_a_return_stays_the_return_over_all_periods(model, draw, outcome_of):
    """The drift moves effects between periods and leaves the ROI parameter true."""
    outcome = outcome_of(draw).sum(axis=(1, 2))
    spend = model.data.media.spend.sum(axis=(0, 1))
    assert float(draw["xi_drift"]) > 0
    made = np.asarray(outcome[: len(spend)] / spend)
    assert np.allclose(made, draw["roi_m"], rtol=1e-6)


def test_effects_change_over_time_as_the_drift_says(model, draw, outcome_of):
    draw, still = ({**draw, "xi_drift": jnp.asarray(xi)} for xi in (0.4, 0.0))
    moved, plain = outcome_of(draw), outcome_of(still)
    (group,) = model.structure.groups
    own = model.arrays.groups[group.suffix]
    times = effectiveness(own.change, own.drift, draw["drift_m"], draw["xi_drift"])
    assert np.allclose(moved, plain * times[:, None, :], rtol=1e-6)
    assert not np.allclose(moved, plain, rtol=1e-3)


def test_the_response_at_the_media_that_ran_is_the_outcome(model, draw, outcome_of):
    outcome = outcome_of(draw).sum(axis=(1, 2))
    respond = jax.jit(partial(response, model.structure, model.arrays))
    value, _ = respond(draw, jnp.ones(1))
    assert np.allclose(value[:, 0], outcome, rtol=1e-6)


def test_nothing_is_sampled_where_nothing_drifts():
    names = [latent.name for latent in build(market(), spec()).structure.latents]
    assert "xi_drift" not in names and "drift_m" not in names


def test_by_default_effects_change_over_the_years_in_national_markets_only():
    """A saturated channel that changes would take up what geos' baselines do."""

    def of(data, **options):
        options = {"preset": "mixwright", "baseline": "structural"} | options
        latents = build(data, spec(**options)).structure.latents
        return "xi_drift" in {latent.name for latent in latents}

    nation, geos = market(n_geos=1), market(n_geos=3)
    assert of(nation) and not of(geos)
    assert of(geos, effectiveness="drifting")
    assert not of(nation, effectiveness="constant")
    assert not of(nation, baseline="knots")


@pytest.mark.parametrize("n_geos", [1, 3])
def test_what_the_data_settle_is_left_out_of_the_project(n_geos):
    about = totals(market(n_geos=n_geos))
    for chosen in (None, "constant", "drifting"):
        asked = ModelSpec(effectiveness=chosen)
        whole = settled(asked, about)
        assert settled(whole, about) == whole and whole.effectiveness
        kept = unsettled(whole, about)
        assert settled(kept, about) == whole
    assert unsettled(settled(ModelSpec(), about), about) == ModelSpec()


def test_one_channel_alone_may_drift():
    only = spec(channels={"tv": {"effectiveness": "drifting"}})
    assert build(market(), only).structure.groups[0].drifts == (True,)
    both = {"tv": {"effectiveness": "constant"}}
    still = spec(channels=both, effectiveness="drifting")
    assert build(market(), still).structure.groups[0].drifts == ()


@pytest.mark.parametrize("follows", [False, 0.3, 0.75, True])
def test_what_follows_demand_changes_less(follows):
    """Growth of demand would pass for a growing effect."""
    channels = {"tv": {"follows_demand": follows}}
    options = {"preset": "mixwright", "baseline": "structural"}
    model = build(market(n_geos=1, n_times=60), spec(channels=channels, **options))
    own = model.arrays.groups["m"]
    np.testing.assert_allclose(own.change**2, 1 - follows, rtol=1e-5)
    deviation = jnp.asarray(np.random.default_rng(2).normal(size=own.drift.shape[1:]))[
        None
    ]
    log = np.log(effectiveness(own.change, own.drift, deviation, jnp.asarray(0.3)))
    all_of_it = 0.3 * deviation @ np.asarray(own.drift).T
    np.testing.assert_allclose(log, np.sqrt(1 - follows) * all_of_it, atol=1e-5)


def test_a_channel_that_is_said_to_change_changes_though_it_follows_demand():
    channels = {"tv": {"follows_demand": 0.9, "effectiveness": "drifting"}}
    options = {"preset": "mixwright", "baseline": "structural"}
    model = build(market(n_geos=1, n_times=60), spec(channels=channels, **options))
    assert model.arrays.groups["m"].change.tolist() == [1.0]
