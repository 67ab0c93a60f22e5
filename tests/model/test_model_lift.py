"""The lift test's equation, evaluated directly: geos, window, carryover in and out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.learning.experiments import lifts_and_totals
from core.analysis.learning.prior_draws import prior_draws
from core.errors import SpecError
from core.model.build import build
from core.model.density import treatment_kpi_and_lifts
from core.model.media.result import Result
from core.model.reconstruct import posterior_variables
from tests.given_latents import log_likelihood
from tests.small_market import lift_test, market, spec

MAX_LAG = 3
TESTS = (
    lift_test("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, geos=("g2", "g0")),
    lift_test("tv", "2024-01-01", "2024-05-19", -1e3, 2e3),
    lift_test("search", "2024-03-04", "2024-03-04", 0.0, 1e3, geos=("g1",)),
    lift_test("tv", "2024-02-05", "2024-03-03", 1e4, 1e3, multiple=0.5),
    lift_test(
        "tv", "2024-02-05", "2024-03-03", 1e4, 1e3, ("g1",), ("search",), multiple=1.5
    ),
    lift_test("search", "2024-02-05", "2024-02-26", 1e3, 1e3, ("g0", "g2"), amount=9.0),
)


def drawn_and_lifts(model, latents):
    """The draw that latents make, and the lifts and totals of its tests."""

    @jax.jit
    def of(arrays, latents):
        draw = posterior_variables(model.structure, arrays, latents)
        return draw, *lifts_and_totals(model.structure, arrays, draw)

    return of(model.arrays, latents)


def density_and_lifts(model, latents):
    """The log likelihood, and the lifts that are part of it."""

    @jax.jit
    def of(arrays, latents):
        _, lifts = treatment_kpi_and_lifts(model.structure, arrays, latents)
        return log_likelihood(model.structure, arrays, latents), lifts

    return of(model.arrays, latents)


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


def one_draw(model, seed):
    drawn = prior_draws(model, 1, seed)
    return {name: jnp.asarray(values[0]) for name, values in drawn.items()}


def carried(media, alpha):
    """Geometric carryover of one geo, written as the sum that it is."""
    weights = alpha ** np.arange(MAX_LAG + 1)
    weights /= weights.sum()
    padded = np.concatenate([np.zeros(MAX_LAG), media])
    return np.array(
        [weights @ padded[t : t + MAX_LAG + 1][::-1] for t in range(len(media))]
    )


def direct(data, test, draw, scale, *, first_saturates=False):
    """Effect of the arm with more media less that of the arm with less."""
    parts = [
        _direct(data, test, data.media.names.index(name), draw, scale, first_saturates)
        for name in test.channels
    ]
    return sum(parts)


def amount_units(data, test, place, inside):
    """Media units per geo and week that the other arm's money buys."""
    units = data.media.units[:, :, place]
    price = data.media.spend[:, :, place].sum() / units.sum()
    here = np.array([geo in test.geos for geo in data.geos])
    usual = units[:, ~inside].sum(axis=1) * here
    return test.amount / price * usual / usual.sum() / inside.sum()


def _direct(data, test, place, draw, scale, first_saturates):
    units = data.media.units[:, :, place] / data.population[:, None]
    units = units / np.median(units[units > 0])
    low, high = np.datetime64(test.start), np.datetime64(test.end)
    inside = (data.times >= low) & (data.times <= high)
    alpha, ec = draw["alpha_m"][place], draw["ec_m"][place]
    total = 0.0
    for g, geo in enumerate(data.geos):
        if test.geos and geo not in test.geos:
            continue
        other = (test.multiple or 0.0) * units[g]
        if test.amount is not None:
            bought = amount_units(data, test, place, inside)[g] / data.population[g]
            other = np.full(len(inside), bought / _median(data, place))
        without = np.where(inside, other, units[g])
        curves = []
        for media in (units[g], without):
            if first_saturates:
                curves.append(carried(media / (media + ec), alpha))
            else:
                x = carried(media, alpha)
                curves.append(x / (x + ec))
        per_week = draw["beta_gm"][g, place] * (curves[0] - curves[1])
        value = data.revenue_per_kpi[g] * data.population[g] * scale
        total += (per_week * value)[inside].sum()
    return -total if (test.multiple or 0.0) > 1 else total


def _median(data, place):
    per_head = data.media.units[:, :, place] / data.population[:, None]
    return np.median(per_head[per_head > 0])


@pytest.mark.parametrize("first", [False, True])
def test_lift_is_its_equation(x64, first):
    data = market(every_kind=True)
    given = spec(every_kind=True, experiments=TESTS, hill_before_adstock=first)
    model = build(data, given)
    latents = one_draw(model, seed=4)
    draw, after, _ = drawn_and_lifts(model, latents)
    wanted = [
        direct(data, test, draw, model.scale.std, first_saturates=first)
        for test in TESTS
    ]
    _, in_density = density_and_lifts(model, latents)
    np.testing.assert_allclose(np.array(in_density), wanted, rtol=1e-9)
    np.testing.assert_allclose(after, wanted, rtol=1e-9)


def test_tests_are_observations_with_normal_error(x64):
    data = market(every_kind=True)
    with_tests = build(data, spec(every_kind=True, experiments=TESTS))
    without = build(data, spec(every_kind=True))
    latents = one_draw(with_tests, seed=5)
    gained, lifts = density_and_lifts(with_tests, latents)
    gained -= density_and_lifts(without, latents)[0]
    wanted = sum(
        -0.5 * ((test.incremental_outcome - lift) / test.standard_error) ** 2
        - np.log(test.standard_error * np.sqrt(2 * np.pi))
        for test, lift in zip(TESTS, lifts, strict=True)
    )
    assert gained == pytest.approx(float(wanted), rel=1e-9)


def test_carryover_into_the_window_is_no_lift_and_out_of_it_is_not_counted(x64):
    """With no saturation, only media of the window counts, and only within it."""
    data = market(n_geos=1)
    linear = {"tv": {"saturation": "none"}}
    window = lift_test("tv", "2024-03-04", "2024-03-18", 1e3, 1e2)
    model = build(data, spec(channels=linear, experiments=(window,)))
    latents = one_draw(model, seed=6)
    draw, (lift, *_), _ = drawn_and_lifts(model, latents)
    units = data.media.units[0, :, 0]
    inside = (data.times >= np.datetime64(window.start)) & (
        data.times <= np.datetime64(window.end)
    )
    own = carried(np.where(inside, units, 0.0) / np.median(units), draw["alpha_m"][0])
    value = draw["beta_gm"][0, 0] * model.scale.std * data.revenue_per_kpi[0]
    assert lift == pytest.approx(float((own * value)[inside].sum()), rel=1e-9)
    assert own[np.flatnonzero(inside)[-1] + 1] > 0  # what flows out and is left out


def test_an_arm_with_more_money_than_ran_turns_the_sign(x64):
    """Where a channel was off, its result is what the money would have brought."""
    data = market(every_kind=True)
    data.media.units[1, 5:9, 0] = 0.0
    dark = lift_test("tv", "2024-02-05", "2024-02-26", 1e3, 1e2, ("g1",), amount=50.0)
    model = build(data, spec(every_kind=True, experiments=(dark,)))
    draw, lifts, _ = drawn_and_lifts(model, one_draw(model, seed=7))
    lift = float(lifts[0])
    wanted = direct(data, dark, draw, model.scale.std)
    assert lift > 0
    assert lift == pytest.approx(-float(wanted), rel=1e-9)


def test_an_old_test_counts_less_by_its_half_life():
    data = market(every_kind=True)
    weeks = (data.times[-1] - np.datetime64("2024-03-03")).astype(int) / 7
    now, old = (
        lift_test("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, half_life=half_life)
        for half_life in (None, weeks)
    )
    model = build(data, spec(every_kind=True, experiments=(now, old)))
    errors = [float(test.result.error) for test in model.arrays.lifts]
    assert errors == pytest.approx([5e3, 5e3 * np.sqrt(2)])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"multiple": 1.0}, "1 times as much"),
        ({"multiple": -0.5}, "-0.5 times as much"),
        ({"amount": 5.0, "together": ("search",)}, "one amount for "),
        ({"amount": -1.0}, "the amount -1 in its other arm"),
        ({"half_life": 0.0}, "a half-life of 0 weeks"),
    ],
)
def test_impossible_arms_are_refused(change, said):
    test = lift_test("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, **change)
    with pytest.raises(SpecError, match=said):
        build(market(every_kind=True), spec(every_kind=True, experiments=(test,)))


@pytest.mark.parametrize("skewness", [-0.9, -0.3, 0.0, 0.5])
def test_a_skewed_result_is_a_density_with_gradients_everywhere(x64, skewness):
    def log_density(modelled):
        result = Result(1e3, 200.0, skewness)
        return result.log_density(modelled, jnp)

    far = jnp.array([-1e6, 0.0, 1e3, 2e3, 1e6])
    assert np.isfinite(jax.vmap(jax.grad(log_density))(far)).all()
    for side, value in ((1 + skewness, 1e6), (1 - skewness, -1e6)):
        curvature = float(jax.grad(jax.grad(log_density))(value))
        assert -curvature == pytest.approx((200 * side) ** -2, rel=1e-2)
    if not skewness:
        wanted = -0.5 * 25 - np.log(200) - 0.5 * np.log(2 * np.pi)
        assert float(log_density(0.0)) == pytest.approx(wanted)
