"""Forecasts: the model's own equation at later dates."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from msgspec import UNSET

from core.analysis.ahead.forecast import forecast
from core.analysis.ahead.forecast_view import forecast_view, media_responses
from core.analysis.ahead.outlook import goal_odds, outlook, replanned
from core.analysis.checking.residual import later_noise, mean_correlation, with_memory
from core.analysis.incremental import expected_outcome, scaled_expected_kpi
from core.analysis.learning.prior_draws import prior_draws
from core.data.ahead.horizon import ahead, between, is_short, multiplied
from core.data.scaling import media_median
from core.errors import SpecError, WorkspaceError
from core.fit.posterior import write_netcdf
from core.model.build import build
from core.model.inputs.events import Event
from core.model.reconstruct import posterior_variables
from core.model.terms.effectiveness import waves
from core.model.terms.linear_terms import linear_terms
from tests.small_market import market, spec

EVENTS = (
    Event("Sale", "2024-02-05", "2024-02-12"),
    Event("Sale", "2024-06-03", "2024-06-09"),
)


def draws_of(model, n=3):
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(prior_draws(model, n, 5))
    return {name: np.asarray(value) for name, value in drawn.items()}


@pytest.fixture(scope="module")
def geo():
    options = {"baseline": "structural", "preset": "mixwright", "events": EVENTS}
    model = build(market(every_kind=True), spec(every_kind=True, **options))
    return model, draws_of(model)


def test_at_the_datas_own_dates_it_is_the_expected_outcome():
    """But for demand that spend revealed: that of periods ahead is noise."""
    options = {"baseline": "structural", "preset": "mixwright", "events": EVENTS}
    asked = spec(every_kind=True, **options)
    by_plan = [replace(channel, follows_demand=False) for channel in asked.channels]
    model = build(market(every_kind=True), replace(asked, channels=tuple(by_plan)))
    draws = draws_of(model)
    made = forecast(model, draws, between(model.data, 0, 20), 1)
    zero = model.scale.mean / model.scale.std
    expected = jax.vmap(
        lambda draw: expected_outcome(model.structure, model.arrays, draw, zero)
    )
    theirs = jax.jit(expected)(draws)
    np.testing.assert_allclose(made["expected"], theirs.sum(axis=1), rtol=1e-9)


def test_it_adds_up_and_noise_has_no_mean(geo):
    model, draws = geo
    made = forecast(model, draws, ahead(model.data, 12), 1)
    parts = made["baseline"] + made["events"] + made["contribution"].sum("channel")
    np.testing.assert_allclose(parts, made["expected"], rtol=1e-8)
    np.testing.assert_allclose(made["outcome_geo"].sum("geo"), made["outcome"])
    assert np.abs(made["outcome"] - made["expected"]).min() > 0
    assert (np.abs(made["events"].sel(time="2024-06-03")) > 0).all()
    again = forecast(model, draws, ahead(model.data, 12), 1)
    np.testing.assert_array_equal(made["outcome"], again["outcome"])


def test_noise_goes_on_from_the_last_seen_cell_and_fades():
    """A geo's mean falls by rho a period, its variance grows to that of the noise."""
    given = market(n_geos=2)
    held = tuple(("g0", str(day)) for day in given.times[-2:])
    model = build(given, spec(baseline="structural", holdout=held))
    one = draws_of(model, 1)
    draws = {name: np.repeat(value, 4000, axis=0) for name, value in one.items()}
    rho, sigma, xi = 0.8, 0.3, 0.2
    for name, value in (("rho", rho), ("sigma", sigma), ("xi_common", xi)):
        draws[name] = np.full(4000, value)
    times = ahead(given, 6).times
    drawn = later_noise(model, draws, times, 1)
    draw = {name: jnp.asarray(value[0]) for name, value in one.items()}
    of = jax.jit(partial(scaled_expected_kpi, model.structure))
    expected = of(model.arrays, draw)
    left = np.asarray(model.arrays.kpi - expected)
    steps = np.arange(1, 7) + np.array([[2], [0]])
    last = left[[0, 1], [-3, -1]][:, None]
    sd = np.sqrt((1 - rho ** (2 * steps)) * (sigma**2 + xi**2))
    assert np.abs(drawn.mean(axis=0) - rho**steps * last).max() < 0.02
    np.testing.assert_allclose(drawn.std(axis=0), sd, rtol=0.05)
    again = later_noise(model, draws, given.times, 1)  # no forecast of its own data
    assert np.abs(again.mean(axis=0)).max() < 0.05
    np.testing.assert_allclose(
        again[:, :, 0].std(axis=0), np.hypot(sigma, xi), rtol=0.05
    )


def test_noise_with_memory_keeps_its_variance():
    fresh = np.random.default_rng(1).normal(size=(4000, 30))
    made = with_memory(fresh, np.full(4000, 0.7))
    np.testing.assert_allclose(made.std(axis=0), 1.0, atol=0.05)
    found = np.corrcoef(made[:, 20], made[:, 23])[0, 1]
    assert found == pytest.approx(0.7**3, abs=0.04)
    np.testing.assert_array_equal(with_memory(fresh, np.zeros(4000)), fresh)


def test_draws_of_an_earlier_version_are_refused(geo):
    model, draws = geo
    older = {name: value for name, value in draws.items() if name != "gamma_common"}
    with pytest.raises(WorkspaceError, match="no gamma_common") as refused:
        forecast(model, older, ahead(model.data, 4), 1)
    assert "Fit the model again" in refused.value.hint


def test_one_draw_by_hand():
    """National, in NumPy: level, terms, carryover, effectiveness, controls, price."""
    options = {"baseline": "structural", "preset": "mixwright"}
    model = build(market(n_geos=1, n_times=60), spec(**options))
    draws = draws_of(model, 2)
    future = multiplied(ahead(model.data, 6), {"tv": 1.4})
    made = forecast(model, draws, future, 1)
    draw = {name: value[1] for name, value in draws.items()}
    data = model.data

    mu = np.full(6, draw["knot_values"][0])
    for one in linear_terms(model.spec, data.times, n_geos=1, at=future.times):
        mu = mu + one.term.design @ draw[f"gamma_{one.structure.name}"]
    for place in range(2):
        column = data.controls[0, :, place]
        scaled = (future.controls[0, :, place] - column.mean()) / column.std()
        mu = mu + draw["gamma_gc"][0, place] * scaled
    price = data.non_media.units[0, :, 0]
    mu = mu + draw["gamma_gn"][0, 0] * (
        (future.non_media.units[0, :, 0] - price.mean()) / price.std()
    )
    units = data.media.units[0, :, 0]
    ran = np.concatenate([units, 1.4 * units[8:14]]) / np.median(units)
    weights = draw["alpha_m"][0] ** np.arange(4)
    weights /= weights.sum()
    carried = np.array([(weights * ran[t - np.arange(4)]).sum() for t in range(60, 66)])
    slope = draw["slope_m"][0]
    ec = draw["ec_m"][0] * float(model.arrays.groups["m"].typical[0])
    (tv,) = model.demand
    xi = draw["xi_drift"] * np.sqrt(1 - tv.probability)
    change = waves(future.times, data.times) @ draw["drift_m"][0] * xi
    media = draw["beta_gm"][0, 0] * np.exp(change) / (1 + (carried / ec) ** -slope)
    scale = data.kpi.std() * data.revenue_per_kpi[0, 8:14]
    expected = (mu + media + data.kpi.mean() / data.kpi.std()) * scale
    np.testing.assert_allclose(made["expected"][1], expected, rtol=1e-9)
    np.testing.assert_allclose(made["contribution"][1, 0], media * scale, rtol=1e-9)
    assert media_median(data.media.units, data.population) == np.median(units)


def test_multiples_of_the_plan_keep_what_ran_before(geo):
    model, draws = geo
    future = ahead(model.data, 6)
    grid = np.array([0.0, 1.0, 1.5])
    made = media_responses(model, draws, future, grid)
    planned = forecast(model, draws, future, 1)["contribution"].to_numpy()
    np.testing.assert_allclose(made[:, 1], planned[:, :4], rtol=1e-8)
    names = ["tv", "search", "video", "blog"]
    more = multiplied(future, dict.fromkeys(names, 1.5))
    theirs = forecast(model, draws, more, 1)["contribution"].to_numpy()
    np.testing.assert_allclose(made[:, 2], theirs[:, :4], rtol=1e-8)
    assert (made[:, 0, :, :3] > 0).all()  # carryover
    np.testing.assert_allclose(made[:, 0, :, 3:], 0.0, atol=1e-9)


def test_uncertainty_widens():
    """The smooth deviation leaves what the data said behind."""
    options = {"baseline": "structural", "preset": "mixwright"}
    model = build(market(n_geos=1, n_times=60), spec(**options))
    draws = draws_of(model, 400)
    # As data would: they fix the smooth deviation where they are.
    seen = linear_terms(model.spec, model.data.times, n_geos=1)
    design = next(one.term.design for one in seen if one.structure.name == "smooth")
    fixed = np.linalg.pinv(design, rcond=1e-3) @ design
    draws["gamma_smooth"] = draws["gamma_smooth"] - draws["gamma_smooth"] @ fixed.T
    still = {"gamma_trend", "gamma_fourier", "knot_values", "gamma_gc", "beta_gm"}
    for name in still | {"gamma_gn"}:
        draws[name] = np.repeat(draws[name][:1], 400, axis=0)
    draws["sigma"] = np.full_like(draws["sigma"], 0.01)
    spread = forecast(model, draws, ahead(model.data, 40), 1)["expected"].std("draw")
    assert spread[0] < 0.3 * spread[-1]


def test_knots_are_no_forecast():
    model = build(market(), spec())
    with pytest.raises(SpecError, match="cannot be forecast"):
        forecast(model, draws_of(model), ahead(model.data, 4), 1)
    draws = draws_of(model)
    held = forecast(model, draws, ahead(model.data, 4), 1, holds_last_knot=True)
    assert np.isfinite(held["outcome"]).all()


def as_posterior(draws):
    return xr.Dataset(
        {
            name: (
                ("chain", "draw", *(f"{name}_{i}" for i in range(value.ndim - 1))),
                value[None],
            )
            for name, value in draws.items()
            if value.size
        }
    )


def test_the_view_answers_other_plans_without_the_model(geo, tmp_path):
    model, _ = geo
    draws = draws_of(model, 60)
    view = forecast_view(model, as_posterior(draws), 1)
    assert is_short(model.data) and view.attrs["horizon_repeated"] == 1
    assert view.sizes["time"] == 20
    write_netcdf(view, tmp_path / "forecast.nc")
    view = xr.open_dataset(tmp_path / "forecast.nc", engine="h5netcdf").load()
    by = {"tv": 1.37, "video": 0.5}
    direct = forecast(model, draws, multiplied(ahead(model.data, 20), by), 1)
    made = replanned(view, by)
    some = ["expected", "outcome"]
    scale = float(np.abs(direct["contribution"]).sum("channel").max())
    for name in some:
        assert float(np.abs(made[name] - direct[name]).max()) < 3e-3 * scale
    assert replanned(view, {"tv": 1.0}) is view
    assert forecast_view(build(market(), spec()), as_posterior(draws), 1) is None


def test_the_outlook_adds_up_and_odds_fall_with_the_goal(geo):
    model, draws = geo[0], draws_of(geo[0], 200)
    made = forecast(model, draws, ahead(model.data, 8), 1)
    told = outlook(made.isel(time=slice(5)), goal=0.0)
    assert told.periods == len(told.weeks) == 5
    total = told.total
    assert total.lo < total.lo50 < total.median < total.hi50 < total.hi
    parts = sum(part.mean for part in told.parts)
    expected = float(made["expected"][:, :5].sum("time").mean())
    assert parts == pytest.approx(expected, rel=1e-9)
    assert [part.name for part in told.parts[:2]] == ["Baseline", "Events"]
    goals = np.linspace(total.lo, total.hi, 5)
    odds = [goal_odds(made.isel(time=slice(5)), goal) for goal in goals]
    assert odds == sorted(odds, reverse=True)
    assert odds[0] == pytest.approx(0.95, abs=0.02)
    sums = made["outcome"].isel(time=slice(5)).sum("time")
    assert told.goal.probability == float((sums >= 0).mean())


def test_an_outlook_counts_the_kpi_where_its_units_have_a_value(geo):
    model, draws = geo
    made = forecast(model, draws, ahead(model.data, 8), 1)
    counted = float(made["kpi"][:, :5].sum("time").mean())
    assert outlook(made.isel(time=slice(5))).total_kpi.mean == pytest.approx(counted)
    assert outlook(made.drop_vars("kpi")).total_kpi is UNSET


@pytest.mark.parametrize("share", [0.0, 0.4, 0.9])
def test_what_residuals_of_geos_have_in_common_is_found(share):
    rng = np.random.default_rng(7)
    own, common = rng.normal(size=(12, 4000)), rng.normal(size=4000)
    residual = np.sqrt(share) * common + np.sqrt(1 - share) * own
    scale = np.arange(1, 13)[:, None]
    assert mean_correlation(residual * scale) == pytest.approx(share, abs=0.03)


def test_hidden_demand_to_come_widens_a_forecast_and_does_not_move_it():
    """The demand term is zero ahead on average, and unknown."""
    follows = {"tv": {"follows_demand": True}}
    options = {"baseline": "structural", "preset": "mixwright", "channels": follows}
    model = build(market(n_geos=1, n_times=60), spec(**options))
    draws = draws_of(model, 400)
    draws["sigma"] = np.full_like(draws["sigma"], 1e-6)
    draws["rho"] = np.zeros_like(draws["rho"])  # nothing of the last residual goes on
    draws["gamma_demand"] = np.full((400, 3), [0.5, 0.0, 0.0])
    without = draws | {"gamma_demand": np.zeros((400, 3))}
    future = ahead(model.data, 8)
    made, plain = (forecast(model, one, future, 1) for one in (draws, without))
    np.testing.assert_allclose(made["expected"], plain["expected"])
    noise = (made["outcome"] - made["expected"]).to_numpy()
    assert np.abs(plain["outcome"] - plain["expected"]).max() < 1.0
    scale = model.scale.std * future.revenue_per_kpi[0]
    np.testing.assert_allclose(noise.std(axis=0), 0.5 * scale, rtol=0.15)
    past = forecast(model, draws, between(model.data, 0, 20), 1)["expected"]
    assert past.shape == (400, 20)


@pytest.mark.parametrize("change", ["term", "columns"])
def test_draws_of_a_model_with_other_terms_are_refused(change):
    """A fit that is kept may have been made before a term was what it is."""
    follows = {"tv": {"follows_demand": True}}
    options = {"baseline": "structural", "preset": "mixwright", "channels": follows}
    model = build(market(n_geos=1, n_times=60), spec(**options))
    draws = draws_of(model, 4)
    for name in [f"gamma_{term.name}" for term in model.structure.terms]:
        other = {key: value for key, value in draws.items() if key != name}
        if change == "columns":
            other[name] = draws[name][..., :-1]
        with pytest.raises(WorkspaceError, match=f"earlier version.* {name}") as failed:
            forecast(model, other, ahead(model.data, 8), 1)
        assert failed.value.hint == "Fit the model again, then forecast."
