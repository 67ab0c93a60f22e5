"""Total effects: direct, and through a mediator that is another model's KPI."""

from dataclasses import replace
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from msgspec import structs

from core.analysis.ahead.forecast import forecast
from core.analysis.ahead.forecast_view import media_responses
from core.analysis.ahead.planned_periods import works_on
from core.analysis.incremental import (
    baseline_outcome,
    direct_outcome,
    expected_outcome,
    incremental_outcome,
    over_draws,
)
from core.analysis.learning.experiments import lifts_and_totals
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.response.curves import geo_curves, response_curves, shape_curves
from core.analysis.response.levelled import levelled
from core.analysis.response.mediated import _hidden, funnel_summary, split
from core.analysis.returns import returns
from core.data.ahead.horizon import ahead, multiplied, plan_horizon
from core.data.scaling import media_median
from core.errors import SpecError
from core.model.build import build
from core.model.media.result import Result
from core.model.mediation.mediators import draws_of as theirs_of
from core.model.mediation.mediators import (
    log_densities_by_pair,
    with_mediators,
    with_tests_by_way,
)
from core.model.spec import ChannelSpec
from tests.given_latents import log_likelihood
from tests.small_funnel import drawn, small_funnel, spec_with_blog
from tests.small_market import lift_test


@pytest.fixture(scope="module")
def funnel():
    """Sales with tv, search and blog; blog is the KPI of a model with tv alone."""
    return small_funnel()


def over(function, model, draws):
    compiled = mapped(function, model.structure)
    return np.asarray(compiled(model.arrays, jax.tree.map(jnp.asarray, draws)))


@cache
def mapped(function, structure):
    """A function of structure, arrays and a draw, over many draws, compiled once."""

    @jax.jit
    def of(arrays, draws):
        return over_draws(lambda draw: function(structure, arrays, draw), draws)

    return of


def lifts_of(*given):
    return lifts_and_totals(*given)[0]


def totals_of(*given):
    return lifts_and_totals(*given)[1]


def by_hand(sales, other, draws):
    """What tv brings by way of the blog, written out; draw geo time."""
    theirs = theirs_of(0, draws)
    caused = over(direct_outcome, other, theirs)[:, 0]
    units, people = sales.data.organic_media.units, sales.data.population
    scaled = caused / (people[:, None] * media_median(units, people)[0])
    alpha = draws["alpha_om"][:, 0]
    weights = alpha[:, None] ** np.arange(4)
    weights /= weights.sum(axis=1, keepdims=True)
    carried = np.zeros_like(scaled)
    for lag in range(4):
        moved = np.roll(scaled, lag, axis=2)
        moved[:, :, :lag] = 0
        carried += weights[:, lag, None, None] * moved
    scale = np.asarray(sales.arrays.outcome_scale)
    return carried * draws["beta_gom"][:, :, :1] * scale


def test_a_total_is_direct_and_through(funnel):
    sales, other, whole, draws = funnel
    direct = over(direct_outcome, sales, draws)
    total = over(incremental_outcome, whole, draws)
    through = by_hand(sales, other, draws)
    tv, search, blog = range(3)
    np.testing.assert_allclose(total[:, tv], direct[:, tv] + through, rtol=1e-9)
    np.testing.assert_allclose(total[:, search], direct[:, search])
    np.testing.assert_allclose(total[:, blog], direct[:, blog] - through, rtol=1e-9)


def test_nothing_is_counted_twice(funnel):
    _, _, whole, draws = funnel
    zero = whole.scale.mean / whole.scale.std
    parts = over(incremental_outcome, whole, draws).sum(axis=1)
    base = over(partial(baseline_outcome, kpi_zero=zero), whole, draws)
    expected = over(partial(expected_outcome, kpi_zero=zero), whole, draws)
    np.testing.assert_allclose(parts + base, expected, rtol=1e-9)


def test_curves_are_of_totals(funnel):
    _, _, whole, draws = funnel
    curves = response_curves(whole, draws)
    at_one = curves["incremental_outcome"].sel(spend_multiplier=1.0, method="nearest")
    channels = returns(whole, draws)
    total = channels["incremental_outcome"].sel(channel=["tv", "search"])
    np.testing.assert_allclose(at_one, total, rtol=1e-6)
    value = curves["incremental_outcome"].to_numpy()
    step = float(np.diff(curves["spend_multiplier"])[0])
    between = (value[..., 2:] - value[..., :-2]) / (2 * step)
    slope = curves["slope"].to_numpy()[..., 1:-1]
    np.testing.assert_allclose(slope[..., 5:], between[..., 5:], rtol=0.02)


@pytest.mark.parametrize("n", [None, 4])
def test_geos_add_up_to_the_market(funnel, n):
    _, _, whole, draws = funnel
    horizon = None if n is None else plan_horizon(whole.data.times, n)
    market_curves = response_curves(whole, draws, horizon)["incremental_outcome"]
    by_geo = geo_curves(whole, draws, horizon)["incremental_outcome"].sum("geo")
    for multiple in (0.5, 1.0, 2.0):
        added, whole_market = (
            each.sel(spend_multiplier=multiple, method="nearest")
            for each in (by_geo, market_curves)
        )
        np.testing.assert_allclose(added, whole_market, rtol=1e-5)


def test_what_geos_make_us_spend_adds_up_to_the_market(funnel):
    _, _, whole, draws = funnel
    paid = replace(whole, mediator_prices=(0.7,))
    market_curves = response_curves(paid, draws)
    few = geo_curves(paid, {name: each[:3] for name, each in draws.items()})
    by_geo = geo_curves(paid, draws)
    level = levelled(few, market_curves)
    names = ("through", "through_slope", "induced", "induced_slope")
    for name in names:
        market_wide = market_curves[name].sel(
            spend_multiplier=by_geo["spend_multiplier"].values, method="nearest"
        )
        np.testing.assert_allclose(by_geo[name].sum("geo"), market_wide, rtol=1e-4)
        np.testing.assert_allclose(
            level[name].sum("geo").mean("draw"), market_wide.mean("draw"), rtol=1e-3
        )
    assert float(by_geo["induced"].sel(channel="tv", spend_multiplier=1.0).min()) > 0
    assert not by_geo["induced"].sel(channel="search").any()


def test_a_plan_counts_what_comes_after_its_end(funnel):
    """The media of a plan moves the blog after it, and the blog sells later still."""
    sales, _, whole, draws = funnel
    assert works_on(sales) == 3 and works_on(whole) == 6
    horizon = plan_horizon(whole.data.times, 4)
    total, direct = (
        response_curves(model, draws, horizon)["incremental_outcome"]
        .sel(spend_multiplier=1.0, method="nearest")
        .to_numpy()
        for model in (whole, sales)
    )
    assert (total[:, 0] > direct[:, 0]).all()
    np.testing.assert_allclose(total[:, 1], direct[:, 1], rtol=1e-6)


def test_a_forecast_moves_the_mediator_with_its_channels(funnel):
    _, _, whole, draws = funnel
    future = ahead(whole.data, 6)
    planned = forecast(whole, draws, future, 1)
    parts = planned["baseline"] + planned["events"]
    parts = parts + planned["contribution"].sum("channel")
    np.testing.assert_allclose(parts, planned["expected"], rtol=1e-8)
    more = forecast(whole, draws, multiplied(future, {"tv": 2.0}), 1)
    responses = media_responses(whole, draws, future, np.array([1.0, 2.0]))
    rise = responses[:, 1, 0] - responses[:, 0, 0]
    np.testing.assert_allclose(
        more["expected"] - planned["expected"], rise, rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(
        planned["contribution"].sel(channel="tv"), responses[:, 0, 0], rtol=1e-6
    )
    rest = [each["contribution"].sel(channel="blog") for each in (planned, more)]
    np.testing.assert_allclose(*rest, rtol=1e-6, atol=1e-6)


def test_a_forecast_has_the_errors_of_both_models(funnel):
    _, _, whole, draws = funnel
    planned = forecast(whole, draws, ahead(whole.data, 6), 1)
    quiet = {
        name: np.zeros_like(values) if name == "through0_sigma" else values
        for name, values in draws.items()
    }
    still = forecast(whole, quiet, ahead(whole.data, 6), 1)
    assert (planned["outcome"] != still["outcome"]).all()
    np.testing.assert_allclose(planned["expected"], still["expected"])


def test_a_mediator_that_saturates_is_refused(funnel):
    sales, other, _, _ = funnel
    bent = build(sales.data, spec_with_blog("hill"))
    with pytest.raises(SpecError, match="blog is no organic channel without"):
        with_mediators(bent, [("blog", other)])


def test_a_chain_of_mediators_adds_up(funnel):
    """Television moves the blog, the blog moves searches, both move sales."""
    sales, other, _, draws = funnel
    data = sales.data
    two = replace(
        data,
        organic_media=replace(
            data.organic_media,
            names=("blog", "visits"),
            units=np.concatenate(
                [data.organic_media.units, data.media.units[:, :, 1:] * 3], axis=2
            ),
        ),
    )
    visits = ChannelSpec("visits", "organic_media", saturation="none")
    options = spec_with_blog()
    top = build(two, replace(options, channels=(*options.channels, visits)))
    middle = with_mediators(sales, [("blog", other)])
    whole = with_mediators(top, [("blog", other), ("visits", middle)])
    blog = theirs_of(0, draws)
    every = drawn(top, 4, 7) | {f"through0_{x}": value for x, value in blog.items()}
    every |= {f"through1_{x}": value for x, value in draws.items()}
    total = over(incremental_outcome, whole, every)
    direct = over(incremental_outcome, top, every)
    np.testing.assert_allclose(total.sum(axis=1), direct.sum(axis=1), rtol=1e-8)
    assert (total[:, 0].sum((1, 2)) > direct[:, 0].sum((1, 2))).all()


def test_the_split_adds_up_to_the_totals_and_says_what_is_paid_elsewhere(funnel):
    _, other, whole, draws = funnel
    parts = split(replace(whole, mediator_prices=(0.5,)), draws)
    total = returns(whole, draws)["incremental_outcome"].sel(channel=parts["channel"])
    added = parts["direct"] + parts["through"].sum("mediator")
    np.testing.assert_allclose(added.transpose("draw", "channel"), total, rtol=1e-6)
    caused = over(direct_outcome, other, theirs_of(0, draws))[:, 0].sum(axis=(1, 2))
    np.testing.assert_allclose(
        parts["induced"].sel(channel="tv"), 0.5 * caused, rtol=1e-6
    )
    spend = {"tv": 100.0, "search": 50.0}
    summary = funnel_summary(parts, ["Blog"], spend)
    (row,), (mediator,) = summary["channels"], summary["mediators"]
    assert row["name"] == "tv" and mediator["project"] == "Blog"
    mean = row["direct"]["mean"] + row["through"]["blog"]["mean"]
    assert row["total"]["mean"] == pytest.approx(mean)
    with_both = (total.sel(channel="tv") / (100 + 0.5 * caused)).mean()
    assert row["roi_with_induced"]["mean"] == pytest.approx(float(with_both))
    assert split(other, theirs_of(0, draws)) is None
    assert (
        "induced"
        not in funnel_summary(split(whole, draws), ["B"], spend)["channels"][0]
    )


def test_hidden_demand_takes_what_a_regression_would(funnel):
    """Errors that correlate bias a regression of sales on the mediator by so much."""
    rng = np.random.default_rng(1)
    beta, own, rho = 0.8, 0.5, 0.3
    both = rng.multivariate_normal([0, 0], [[1, rho * own], [rho * own, own**2]], 10**6)
    mediator, error = both.T
    found = mediator @ (beta * mediator + error) / (mediator @ mediator)
    left = np.std(beta * mediator + error - found * mediator)
    told = _hidden(np.array([found / left]))
    assert told["left"]["mean"] == pytest.approx(beta / found, rel=0.01)
    gone = told["vanishes_at"]["mean"]
    assert found == pytest.approx(gone / np.sqrt(1 - gone**2) * left, rel=1e-6)


def test_a_total_is_felt_later_than_what_is_direct(funnel):
    """By an impulse: tv in one week, the blog from then on, and sales after that."""
    _, other, whole, draws = funnel
    shapes = shape_curves(whole, draws)
    shares = shapes["carried"].sel(channel="tv").values
    assert shares.sum() == pytest.approx(1.0, rel=1e-6) and len(shares) == 7
    own, theirs = (
        alpha[:, None] ** np.arange(4)
        for alpha in (draws["alpha_m"][:, 0], draws["through0_alpha_m"][:, 0])
    )
    onward = draws["alpha_om"][:, :1] ** np.arange(4)
    own, theirs, onward = (
        x / x.sum(axis=1, keepdims=True) for x in (own, theirs, onward)
    )
    parts = split(whole, draws)
    direct = parts["direct"].sel(channel="tv").values
    through = parts["through"].sel(channel="tv").values[:, 0]
    by_hand = [
        (
            direct[i] * np.append(own[i], np.zeros(3))
            + through[i] * np.convolve(theirs[i], onward[i])
        )
        / (direct[i] + through[i])
        for i in range(4)
    ]
    np.testing.assert_allclose(shares, np.mean(by_hand, axis=0), rtol=1e-5)
    alone = shapes["adstock"].sel(channel="tv").values
    later = (shares * np.arange(7)).sum()
    assert later > (alone * np.arange(4)).sum() / alone.sum()


TEST = lift_test("tv", "2024-02-05", "2024-03-03", 3e3, 2e3, geos=("g1", "g2"))


@pytest.fixture(scope="module")
def tested():
    """Sales with a lift test of tv, the blog, both, and joint draws."""
    sales, other, _, draws = small_funnel()
    sales = build(sales.data, replace(sales.spec, experiments=(TEST,)))
    return sales, other, with_mediators(sales, [("blog", other)]), draws


def lift_by_hand(model, other, draws):
    """What tv's media of the test brought, directly and by way of the blog; draw."""
    inside = np.asarray(model.arrays.lifts[0].where).astype(bool)

    def outcome(sales, blog):
        return over(direct_outcome, sales, draws)[:, 0] + by_hand(sales, blog, draws)

    idle = without_tv(model, inside), without_tv(other, inside)
    change = outcome(model, other) - outcome(*idle)
    return (change * inside).sum(axis=(1, 2))


def without_tv(model, inside, kind="m"):
    """The model without tv's media in some cells, all else as it was scaled.

    Args:
        model: The model.
        inside: The cells.
        kind: Of the media whose first channel is left out: that of tv, or `om`.
    """
    media = model.arrays.groups[kind].media
    lags = np.array(media.lags)
    for lag in range(lags.shape[1]):
        off = np.pad(inside, ((0, 0), (lag, 0)))[:, : inside.shape[1]]
        lags[0, lag][off] = 0.0
    media = media._replace(lags=jnp.asarray(lags))
    group = model.arrays.groups[kind]._replace(media=media)
    groups = {**model.arrays.groups, kind: group}
    return replace(model, arrays=model.arrays._replace(groups=groups))


def test_a_lift_test_measures_the_total(tested):
    sales, other, whole, draws = tested
    by_model = over(lifts_of, whole, draws)[:, 0]
    direct = over(lifts_of, sales, draws)[:, 0]
    expected = lift_by_hand(sales, other, draws)
    np.testing.assert_allclose(by_model, expected, rtol=1e-8)
    assert (by_model > 1.01 * direct).all()
    total = over(totals_of, whole, draws)[:, 0]
    of_channel = returns(whole, draws)["incremental_outcome"].sel(channel="tv")
    np.testing.assert_allclose(total, of_channel, rtol=1e-6)


def test_the_likelihood_of_a_test_is_its_mean_over_the_mediators_draws(tested):
    """Each draw with each of the other model's, by brute force."""
    sales, other, whole, _ = tested
    own, theirs = drawn(sales, 4, 5), drawn(other, 7, 6)
    beside = {f"through0_{name}": values for name, values in theirs.items()}
    fitted = with_tests_by_way(sales, whole, beside)
    table = log_densities_by_pair(fitted, own)
    assert table.shape == (4, 7)
    one = Result(TEST.incremental_outcome, TEST.standard_error)
    pairs = {name: np.repeat(values, 7, axis=0) for name, values in own.items()}
    pairs |= {
        name: np.tile(values, (4, *[1] * (values.ndim - 1)))
        for name, values in beside.items()
    }
    lifts = over(lifts_of, whole, pairs)[:, 0]
    for pair, lift in enumerate(lifts):
        mine, its = divmod(pair, 7)
        assert table[mine, its] == pytest.approx(one.log_density(lift), rel=1e-7)
    latents = prior_draws(sales, 4, 5)
    assert np.ptp(table, axis=1).min() > 1e-6

    @jax.jit
    def gain(one_draw):
        silent = replace(fitted.structure, lifts=()), fitted.arrays._replace(lifts=())
        gained = log_likelihood(fitted.structure, fitted.arrays, one_draw)
        return gained - log_likelihood(*silent, one_draw)

    for mine in range(4):
        one_draw = {name: jnp.asarray(values[mine]) for name, values in latents.items()}
        gained = float(gain(one_draw))
        assert gained == pytest.approx(np.log(np.exp(table[mine]).mean()), abs=1e-6)


def test_a_test_of_a_channel_that_moves_no_mediator_stays_one_number(tested):
    sales, other, _, _ = tested
    test = structs.replace(TEST, channel="search")
    sales = build(sales.data, replace(sales.spec, experiments=(test,)))
    whole = with_mediators(sales, [("blog", other)])
    beside = {f"through0_{n}": each for n, each in drawn(other, 3, 6).items()}
    assert with_tests_by_way(sales, whole, beside) is sales


def test_a_test_of_the_mediator_itself_is_of_all_that_it_brings(tested):
    """Whoever caused it: what all of it brings, by this model alone."""
    sales, other, _, draws = tested
    test = structs.replace(TEST, channel="blog")
    sales = build(sales.data, replace(sales.spec, experiments=(test,)))
    whole = with_mediators(sales, [("blog", other)])
    inside = np.asarray(sales.arrays.lifts[0].where).astype(bool)
    alone, idle = (
        over(direct_outcome, model, draws).sum(axis=1)
        for model in (sales, without_tv(sales, inside, "om"))
    )
    expected = ((alone - idle) * inside).sum(axis=(1, 2))
    assert (expected > 0).all()
    for model in (sales, whole):
        by_model = over(lifts_of, model, draws)[:, 0]
        np.testing.assert_allclose(by_model, expected, rtol=1e-8)
    beside = {f"through0_{n}": each for n, each in drawn(other, 3, 6).items()}
    assert with_tests_by_way(sales, whole, beside) is sales
