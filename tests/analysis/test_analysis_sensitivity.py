"""Least squares beside the model: timing, and how strong a hidden cause must be."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest

from core.analysis.checking.pointwise import scaled_means
from core.analysis.learning.evidence import Shift, _bias, shifts
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.sensitivity import timing as by_timing
from core.analysis.sensitivity.fading import cut_off
from core.analysis.sensitivity.least_squares import SEASON, Regression, regression
from core.analysis.sensitivity.timing import ALL, late_carryover, next_media, timing
from core.data.input_data import Treatments
from core.model.build import build
from core.model.priors.prior import prior
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from tests.small_market import market, spec

NAMES = ("tv", "search")


@pytest.fixture(scope="module")
def world():
    """A market whose KPI is the model's own mean at one draw, and noise."""
    data = market(n_geos=1, n_times=130)
    units = np.random.default_rng(1).gamma(1.0, 100.0, (1, 130, 2))
    media = Treatments(NAMES, units, spend=units)
    data = replace(data, media=media, non_media=Treatments())
    fixed = {"alpha": 0.3, "ec": 1.0, "slope": 1.2}
    own = tuple((x, prior("Deterministic", loc=at)) for x, at in fixed.items())
    channels = tuple(ChannelSpec(name, priors=own) for name in NAMES)
    priors = tuple((x, prior("Deterministic", loc=0.3)) for x in ("sigma", "rho"))
    model = build(data, ModelSpec(channels, max_lag=3, priors=priors))
    draws = one_draw(model)
    return model, draws, np.asarray(scaled_means(model, draws))[0]


def one_draw(model):
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 1, 3))
    return {name: np.asarray(value) for name, value in drawn.items()}


def with_kpi(world, added, seed=0):
    model, draws, mean = world
    noise = np.random.default_rng(seed).normal(size=mean.shape)
    for t in range(1, noise.shape[1]):
        noise[:, t] = 0.3 * noise[:, t - 1] + np.sqrt(1 - 0.09) * noise[:, t]
    kpi = mean + 0.3 * noise + added
    return replace(model, arrays=model.arrays._replace(kpi=kpi)), draws


def moved(world, place, periods):
    """Media of a channel some periods earlier (below zero: later), sd one."""
    media = np.roll(world[0].data.media.units[0, :, place], periods)
    return (media - media.mean()) / media.std()


def test_t_values_are_those_of_generalised_least_squares(world):
    model, draws = with_kpi(world, 0.0)
    fitted = regression(model, draws)
    column = moved(world, 0, 5)
    covariance = np.linalg.inv(fitted.whiten.T @ fitted.whiten)
    lag = np.abs(np.subtract.outer(*[np.arange(130)] * 2))
    scale = draws["xi_smooth"][0]
    followers = np.asarray(model.arrays.baseline.terms["demand"].design[0], float)
    demand = followers * draws["gamma_demand"][0].astype(float) ** 2 @ followers.T
    near = covariance - 0.09 * 0.3**lag - demand
    assert 0.2 * scale**2 < near.diagonal().mean() < 3 * scale**2
    design = [fitted.whiten @ column, *(x for g in fitted.groups.values() for x in g.T)]
    design = np.column_stack(design)
    slope, *_ = np.linalg.lstsq(design, fitted.kpi, rcond=1e-9)
    left = fitted.kpi - design @ slope
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-12)
    freedom = 130 - np.linalg.matrix_rank(design, rtol=1e-9)
    t = slope[0] / np.sqrt(inverse[0, 0] * (left @ left) / freedom)
    assert fitted.t_value(column) == pytest.approx(t, rel=1e-6)
    assert fitted.t_value(np.ones(130)) == 0
    assert fitted.t_value(np.zeros(130)) == 0


@pytest.mark.parametrize("still", [False, True])
def test_a_channel_whose_spend_cannot_deviate_is_not_said_of(world, still):
    """Too few periods with media, or the same in all: no check has a column for it."""
    media = world[0].data.media
    units = media.units.copy()
    units[:, :, 0] = 70.0 if still else np.where(np.arange(130) % 20 == 3, 90.0, 0.0)
    data = replace(world[0].data, media=replace(media, units=units, spend=units))
    model = build(data, world[0].spec)
    kpi = np.random.default_rng(2).normal(size=(1, 130))
    model = replace(model, arrays=model.arrays._replace(kpi=kpi))
    draws = one_draw(model)
    assert next_media(model, draws)["tv"] == 0.0
    assert not any("tv" in note for note in timing(model, draws))


def test_nothing_wrong_says_nothing(world):
    loud = 0
    for seed in range(20):
        model, draws = with_kpi(world, 0.0, seed)
        loud += bool(timing(model, draws))
    assert loud <= 3  # two checks at 2 % each: more than 3 once in 200


def test_carryover_beyond_the_window_and_next_weeks_media_are_found(world):
    model, draws = with_kpi(world, 0.25 * moved(world, 1, 4))
    late = late_carryover(model, draws)
    assert late["search"] > 1 > late["tv"] and set(late) == {*NAMES, ALL}
    (note,) = timing(model, draws)
    assert "media of search that ran before the longest carryover, 3 weeks" in note
    model, draws = with_kpi(world, 0.3 * moved(world, 0, -1))
    ahead = next_media(model, draws)
    assert ahead["tv"] > 1 > abs(ahead["search"])
    (note,) = timing(model, draws)
    assert "media of tv that runs only 1 week later" in note


def test_a_carryover_that_its_window_cuts_off_is_said_of(world):
    model, draws = with_kpi(world, 0.0)
    lasting = np.array([0.3, 0.6, 0.3])  # of four weeks: 0.6 ** 3 is above 0.15
    draws = draws | {"alpha_m": np.tile(lasting[: len(NAMES)], (50, 1))}
    assert cut_off(model, draws) == {
        name: float(own == 0.6) for name, own in zip(NAMES, lasting, strict=False)
    }
    (note,) = timing(model, draws)
    assert f"carryover of {NAMES[1]} has not faded after 3 weeks" in note
    # A few draws that have faded leave it open.
    draws["alpha_m"][:4] = 0.3
    assert timing(model, draws) == []


def test_a_hidden_cause_moves_as_much_as_the_known_one_that_it_is_like():
    rng = np.random.default_rng(3)
    n = 40_000
    known, hidden, own, noise = rng.normal(size=(4, n))
    media = 0.6 * known + 0.6 * hidden + own
    kpi = media + 0.8 * known + 0.8 * hidden + noise
    groups = {"level": np.ones((n, 1)), "tv": media[:, None], "price": known[:, None]}
    fitted = Regression(kpi, groups, np.zeros((0, 0)), np.arange(n), {})
    design = np.column_stack(list(groups.values()))
    off = np.linalg.lstsq(design, kpi, rcond=None)[0][1] - 1.0
    assert off > 0.3
    assert _bias(fitted, "tv", "price") == pytest.approx(off, rel=0.1)
    said = Shift(SEASON, 0.354).text
    assert said == (
        "A hidden cause as strong as the season would move its ROI by 35\u00a0%."
    )


@pytest.mark.parametrize("held_out", [0.0, 0.3, 1.0])
def test_geos_and_held_out_cells(held_out):
    """Every period has some cell held out; where all are, nothing is said."""
    data = market(n_geos=6, n_times=60, every_kind=True)
    model = build(
        data, spec(every_kind=True, baseline="structural", preset="mixwright")
    )
    seen = np.random.default_rng(2).random(data.kpi.shape) >= held_out
    model = replace(model, arrays=model.arrays._replace(is_seen=seen.astype(float)))
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, 2, 3))
    draws = {name: np.asarray(value) for name, value in drawn.items()}
    found = [late_carryover(model, draws), next_media(model, draws)]
    assert all(np.isfinite(list(one.values())).all() for one in found)
    assert (len(shifts(model, draws)) == 3) == (held_out < 1)
    assert all(bool(one) == (held_out < 1) for one in found)


def test_every_paid_channel_has_a_shift(world):
    model, draws = with_kpi(world, 0.0)
    found = shifts(model, draws)
    assert set(found) == set(NAMES)
    assert all(shift.share > 0 for shift in found.values())


@pytest.mark.parametrize(
    ("late", "told"),
    [
        (
            {"tv": 2.0, "search": 1.5, ALL: 0.5},
            [("search", "3 weeks"), ("tv", "13 weeks")],
        ),
        ({"tv": 0.5, "search": 0.5, ALL: 1.5}, [("several channels", "13 weeks")]),
    ],
)
def test_each_channel_is_told_its_own_longest_carryover(monkeypatch, late, told):
    channels = ChannelSpec("tv", max_lag=13), ChannelSpec("search")
    units = np.random.default_rng(1).gamma(1.0, 100.0, (1, 40, 2))
    media = Treatments(NAMES, units, spend=units)
    data = replace(market(1, 40), media=media, non_media=Treatments())
    model = build(data, ModelSpec(channels, max_lag=3))
    for check, says in (("late_carryover", late), ("next_media", {}), ("cut_off", {})):
        monkeypatch.setattr(by_timing, check, lambda *_, says=says: says)
    notes = timing(model, {})
    for name, periods in told:
        said = f"media of {name} that ran before the longest carryover, {periods}:"
        assert any(said in note for note in notes)
    assert len(notes) == len(told)
