"""The demand term: which channels get a column, what is in it, what a fit keeps."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from core.analysis.checking.residual import demand_noise
from core.analysis.following import probabilities, untested
from core.analysis.incremental import baseline_outcome
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.summary import demand_of_channels, follows_demand
from core.data.demand.following import deviation
from core.data.input_data import InputData, Treatments
from core.errors import SpecError
from core.model.build import build
from core.model.density import baseline_kpi, column_scale
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.demand import PRESENT, TERM, demand_terms, usual_level
from tests.small_market import lift_test, market

WEEKS = 60


def two_channels(n_geos: int = 1) -> InputData:
    """A market whose second channel is video by reach, with spend of its own."""
    data = market(n_geos=n_geos, n_times=WEEKS, every_kind=True)
    return replace(data, kpi_type="revenue", revenue_per_kpi=None)


def options(default=False, **follows) -> ModelSpec:
    kinds = {
        "tv": "media",
        "search": "media",
        "video": "reach_frequency",
        "blog": "organic_media",
        "price": "non_media",
    }
    channels = tuple(
        ChannelSpec(name, kind, follows_demand=follows.get(name, default))
        for name, kind in kinds.items()
    )
    return ModelSpec(channels, max_lag=3)


def followers(model) -> list[str]:
    return [one.channel for one in model.demand if one.column != "none"]


def test_channels_bought_by_plan_have_no_term():
    model = build(two_channels(), options())
    assert not model.structure.cell_terms
    assert followers(model) == []
    assert not any(latent.name == "xi_demand" for latent in model.structure.latents)


def test_every_paid_channel_may_follow_by_default():
    """A name moves the probability; the KPI is not looked at."""
    data = two_channels()
    model = build(data, options("auto"))
    told = {one.channel: one for one in model.demand}
    assert followers(model) == ["tv", "search", "video"]
    assert all(one.column == "open" and one.by == "data" for one in model.demand)
    assert 0 < told["tv"].probability < told["video"].probability < 0.5
    assert 0.5 < told["search"].probability < 1
    (term,) = [one for one in model.terms if one.structure.name == TERM]
    chance = 1 / (1 + np.exp(-term.term.log_odds[:, 0]))
    np.testing.assert_allclose(chance, [one.probability for one in model.demand])
    other = replace(data, kpi=data.kpi[:, ::-1] * 3)
    assert build(other, options("auto")).demand == model.demand


def test_a_probability_stands_before_certain_ones():
    model = build(two_channels(), options("auto", search=True, tv=0.7, video=False))
    assert [(one.column, one.probability) for one in model.demand] == [
        ("open", 0.7),
        ("fixed", 1.0),
        ("none", 0.0),
    ]
    (term,) = [one for one in model.terms if one.structure.name == TERM]
    assert term.columns[::3] == ("search", "tv")  # those that may be absent come last
    assert "70 %" in model.demand[0].reason


@pytest.mark.parametrize("chance", [0.0, 1.0, -0.2, 1.3])
def test_a_probability_is_between_none_and_one(chance):
    with pytest.raises(SpecError, match="between 0 and 1"):
        ChannelSpec("tv", follows_demand=chance)


def test_a_channel_that_is_said_to_follow_has_a_column():
    data = two_channels(n_geos=2)
    model = build(data, options(search=True, video=True))
    assert followers(model) == ["search", "video"]
    design = model.arrays.baseline.terms[TERM].design
    assert design.shape == (2, WEEKS, 2)
    revealed = deviation(data.media.spend[:, :, 1], data.times).values
    np.testing.assert_allclose(design[:, :, 0], revealed, rtol=1e-6)
    assert {one.channel: one.by for one in model.demand} == {
        "tv": "you",
        "search": "you",
        "video": "you",
    }


def test_meridian_s_preset_and_knots_have_no_term():
    data, spec = two_channels(), options(search=True)
    assert build(data, replace(spec, preset="meridian")).demand == ()
    assert followers(build(data, replace(spec, knots=5))) == ["search"]
    by_data = replace(options("auto"), knots=5)
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
    reason = model.demand[0].reason
    assert part in reason and reason.endswith("it has no demand term.")


def test_two_channels_that_follow_each_other_share_a_column():
    data = two_channels()
    model = build(
        spent(data, 3.0 * data.media.spend[:, :, 1]), options(tv=True, search=True)
    )
    assert followers(model) == ["tv"]
    assert "bought together with tv" in model.demand[1].reason
    model = build(
        spent(data, 3.0 * data.media.spend[:, :, 1]), options(tv=0.2, search=0.8)
    )
    assert followers(model) == ["search"]
    draws = {PRESENT: np.repeat([[1.0], [0.0]], [30, 10], axis=0)}
    assert probabilities(model, draws) == {"tv": 0.75, "search": 0.75, "video": 0.0}
    assert untested(model, draws) == ("tv", "search")
    assert untested(model, {PRESENT: 1 - draws[PRESENT]}) == ()


def test_demand_moves_more_where_more_is_sold_anyway():
    data = two_channels()
    days = data.times.astype("datetime64[D]").astype(int)
    kpi = 500 * (1 + 0.4 * np.cos(2 * np.pi * days / 365.25))[None]
    usual = usual_level(replace(data, kpi=kpi))
    np.testing.assert_allclose(usual, kpi / kpi.mean())
    (term,) = demand_terms(
        replace(data, kpi=kpi), build(data, options(search=True)).demand
    )
    revealed = deviation(data.media.spend[:, :, 1], data.times).values
    lasting, passing, peaks = np.moveaxis(term.term.design / usual[:, :, None], 2, 0)
    size = (lasting * revealed).sum() / (lasting**2).sum()
    np.testing.assert_allclose(size * lasting + passing, revealed, atol=1e-9)
    above = np.maximum(revealed, 0.0)
    np.testing.assert_allclose(peaks, (above - above.mean()) / 2, atol=1e-9)
    assert (usual_level(replace(data, kpi=-kpi)) == 1).all()
    rare = np.where(np.arange(WEEKS) < 20, kpi, 0.0)
    assert usual_level(replace(data, kpi=rare)).min() == pytest.approx(0.1)
    assert (usual_level(two_channels(n_geos=2)) == 1).all()


@pytest.mark.parametrize("seed", range(4))
def test_peaks_that_spend_follows_are_demand_where_the_rest_is_chance(seed):
    """One slope for chance and peaks leaves peaks of sales to the channel."""
    rng, weeks = np.random.default_rng(seed), 120
    peaks = 0.3 * (rng.random(weeks) < 0.1)
    chance = rng.standard_normal(weeks)
    times = np.datetime64("2022-01-03") + 7 * np.arange(weeks)
    gains = []
    for demand, other in ((peaks, 0.12), (0.1 * chance, 0.0)):
        spend = np.exp(1.2 * demand + other * chance)[None, :, None]
        noise = 0.02 * rng.standard_normal(weeks)
        data = InputData(
            geos=("national",),
            times=times,
            media_times=times,
            kpi=100 * (1 + demand + noise)[None],
            kpi_type="revenue",
            revenue_per_kpi=None,
            population=np.ones(1),
            controls=np.zeros((1, weeks, 0)),
            control_names=(),
            media=Treatments(("search",), spend, spend=spend),
        )
        spec = ModelSpec((ChannelSpec("search", follows_demand=True),))
        (term,) = [x for x in build(data, spec).terms if x.structure.name == TERM]
        kpi, columns = data.kpi[0] - data.kpi.mean(), term.term.design[0]
        without, whole = (
            1 - np.linalg.lstsq(part, kpi)[1][0] / (kpi @ kpi)
            for part in (columns[:, :2], columns)
        )
        gains.append(whole / without)
    assert gains[0] > 1.3
    assert gains[1] < 1.01


def test_spend_of_one_geo_only_has_a_column_in_that_geo():
    data = two_channels(n_geos=2)
    spend = data.media.spend[:, :, 0].copy()
    spend[1] = 0.0
    model = build(spent(data, spend), options(tv=True))
    design = np.asarray(model.arrays.baseline.terms[TERM].design)
    assert design[0].any() and not design[1].any()


def test_a_short_history_has_the_term_by_its_names():
    data = market(n_geos=1, n_times=24, every_kind=True)
    assert followers(build(data, options("auto"))) == ["tv", "search", "video"]
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

    @jax.jit
    def of(one):
        draw = posterior_variables(structure, arrays, one)
        outcome = baseline_outcome(structure, arrays, draw, 0.0)
        return baseline_kpi(structure, arrays, one), outcome

    both, outcomes = zip(of(drawn), of(without), strict=True)
    np.testing.assert_allclose(both[0] - both[1], expected, atol=1e-10)
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


def told_of(model, present: list[list[float]]) -> tuple[dict, dict]:
    """What is said of a fit whose indicators these are, 100 draws of each row."""
    draws = {PRESENT: np.repeat(present, 100, axis=0)}
    # An ROI of 2 where search follows, and of 8 where it does not.
    follows = draws[PRESENT][:, -1:]
    rng = np.random.default_rng(1)
    roi = np.where(follows > 0, 2.0, 8.0) * np.exp(
        0.1 * rng.standard_normal((len(follows), 5))
    )
    names = ["tv", "search", "blog", "video", "price"]
    channels = xr.Dataset({"roi": (("draw", "channel"), roi)}, {"channel": names})
    told = demand_of_channels(model, draws, channels)
    return told, follows_demand(model, told)


def test_both_readings_are_told_where_both_live():
    model = build(two_channels(), options(tv=0.5, search=0.5))
    told, of_all = told_of(model, [[0, 1], [0, 1], [0, 1], [0, 0]])
    search = told["search"]
    assert search["probability"] == 0.75 and search["prior"] == 0.5
    readings = search["readings"]
    assert readings["follows"]["mean"] == pytest.approx(2.0, rel=0.05)
    assert readings["not"]["mean"] == pytest.approx(8.0, rel=0.05)
    words = search["sentence"].replace("\u00a0", " ")
    begins = (
        "Probability that its spend follows demand: 75 %. If it does, its ROI is 2.0"
    )
    assert words.startswith(begins)
    assert "; if not, 8" in words
    assert of_all["channels"] == ["search"]
    assert of_all["sentence"] == f"search: {search['sentence']}"
    # Nearly sure: one reading, and no sentence on two.
    told, of_all = told_of(model, [[0, 1]] * 50 + [[0, 0]])
    assert told["search"]["readings"] is None
    sentence = "Probability that its spend follows demand: 98\u00a0%."
    assert told["search"]["sentence"] == sentence
    words = of_all["sentence"].replace("\u00a0", " ")
    assert words.startswith("search probably follows demand (98 %): its return then")


def test_a_lift_test_settles_what_the_return_rests_on():
    data = two_channels()
    spec = options(search=True, tv=True)

    def told(spec):
        return told_of(build(data, spec), [[1.0]])[1]

    found = told(spec)
    assert found["channels"] == found["untested"] == ["tv", "search"]
    assert found["sentence"].startswith("tv and search follow demand")
    test = lift_test("tv", str(data.times[4]), str(data.times[8]), 1e4, 1e3)
    tested = replace(spec, experiments=(test,))
    assert untested(build(data, tested), {}) == ("search",)
    found = told(tested)
    assert found["untested"] == ["search"]
    assert found["sentence"] == (
        "search follows demand: its return rests on carryover and prior; a lift test "
        "would settle it."
    )
