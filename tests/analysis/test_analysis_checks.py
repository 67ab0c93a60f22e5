"""Model check: quiet where the model is right, and loud at the side that is wrong."""

import numpy as np
import pytest

from core.analysis.checking import checks
from core.analysis.checking.check_words import LABELS
from core.analysis.checking.checks import (
    Cells,
    Check,
    Market,
    as_values,
    coverage,
    goes_on,
    held_out,
    p_value,
    patterns,
    status,
    together,
)
from core.analysis.checking.quality import quality
from core.analysis.checking.residual import with_memory
from core.data.input_data import InputData, Treatments
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.spec import ChannelSpec, ModelSpec

N, S = 156, 600
WEEKS = np.datetime64("2022-01-03") + 7 * np.arange(N)
DAYS = np.datetime64("2022-01-03") + np.arange(2 * 365)


def checked(actual, mean, times=WEEKS, seed: int = 5, rho=None) -> dict[str, dict]:
    """Checks of a model that knows the mean, and the spread of what is left.

    Its draws are those of a posterior that knows level and spread as n periods tell.
    """
    rng = np.random.default_rng(seed)
    n = len(times)
    sd = (actual - mean).std()
    spread = sd * np.exp(rng.normal(size=(S, 1)) / np.sqrt(2 * n))
    level = sd / np.sqrt(n) * rng.normal(size=(S, 1))
    made = Market(
        times=times,
        actual=actual,
        mean=mean + level,
        spread=np.broadcast_to(spread, (S, n)),
        is_seen=np.ones(n, dtype=bool),
        rho=None if rho is None else np.full(S, rho),
    )
    return {row["name"]: row for row in as_values(patterns(made, rng), made)["checks"]}


def season(times, per_year: float = 365.25):
    return 10 * np.sin(2 * np.pi * times.astype(float) / per_year)


@pytest.mark.parametrize("seed", range(5))
def test_a_right_model_passes(seed):
    noise = np.random.default_rng(seed).normal(0, 3, N)
    rows = checked(100 + season(WEEKS) + noise, 100 + season(WEEKS))
    assert set(rows) == {
        *("level", "highest", "lowest", "outliers"),
        *("season", "neighbours", "year before"),
    }
    assert all(0.01 < row["p"] < 0.995 for row in rows.values())
    assert all(row["status"] != "missed" for row in rows.values())


def test_a_model_without_the_season_misses_it():
    noise = np.random.default_rng(1).normal(0, 3, N)
    row = checked(100 + season(WEEKS) + noise, np.full(N, 100.0))
    assert row["season"]["status"] == "missed"
    assert row["season"]["p"] < 0.01
    assert "misses part of the season" in row["season"]["text"]
    assert "seasonality" in row["season"]["advice"]
    assert row["neighbours"]["status"] == "missed"
    assert row["year before"]["status"] == "missed"


def test_a_season_at_the_wrong_time_is_missed():
    noise = np.random.default_rng(2).normal(0, 3, N)
    late = season(WEEKS - np.timedelta64(42, "D"))
    rows = checked(100 + season(WEEKS) + noise, 100 + late)
    assert rows["season"]["status"] == "missed"


def test_spikes_are_missed_peaks_with_their_dates():
    noise = np.random.default_rng(3).normal(0, 3, N)
    spikes = np.zeros(N)
    spikes[[20, 75, 130]] = 40.0
    rows = checked(100 + noise + spikes, np.full(N, 100.0))
    assert rows["highest"]["status"] == "missed"
    assert rows["highest"]["p"] < 0.01
    assert rows["outliers"]["status"] == "missed"
    assert "misses the peaks" in rows["highest"]["text"]
    for place in (20, 75, 130):
        assert str(WEEKS[place]) in rows["highest"]["advice"]
    assert rows["level"]["status"] == "ok"
    lows = checked(100 + noise - spikes, np.full(N, 100.0))
    assert lows["lowest"]["status"] == "missed"
    assert "misses the troughs" in lows["lowest"]["text"]


def test_days_of_the_week():
    rng = np.random.default_rng(4)
    noise = rng.normal(0, 3, len(DAYS))
    day = DAYS.astype(int) % 7
    rows = checked(100 + noise + 4 * (day == 5), np.full(len(DAYS), 100.0), DAYS)
    assert rows["weekday"]["status"] == "missed"
    assert "weekday" in rows["weekday"]["advice"]
    quiet = checked(100 + noise, np.full(len(DAYS), 100.0), DAYS)
    assert quiet["weekday"]["status"] != "missed"


def test_residuals_that_go_on():
    rng = np.random.default_rng(6)
    noise = np.zeros(N)
    for t in range(1, N):
        noise[t] = 0.7 * noise[t - 1] + rng.normal()
    row = checked(100 + noise, np.full(N, 100.0))["neighbours"]
    assert row["status"] == "missed"
    assert row["actual"] == pytest.approx(0.7, abs=0.15)
    assert "too narrow" in row["advice"]
    assert "autocorrelation" in row["advice"]


@pytest.mark.parametrize(("memory", "wanted"), [(0.7, "ok"), (0.2, "missed")])
def test_residuals_that_go_on_as_the_model_expects(memory, wanted):
    noise = with_memory(np.random.default_rng(6).normal(size=(1, N)), np.array([0.7]))
    rows = checked(100 + noise[0], np.full(N, 100.0), rho=memory)
    assert rows["neighbours"]["status"] == wanted
    assert "autocorrelation" not in rows["neighbours"]["advice"]
    if wanted == "ok":
        assert all(row["status"] != "missed" for row in rows.values())


@pytest.mark.parametrize(("memory", "wanted"), [(0.6, "ok"), (0.0, "missed")])
def test_geos_whose_noise_goes_on_as_the_model_expects(memory, wanted):
    _, means, sigma, rng = geos(0.0)
    kpi = with_memory(rng.normal(size=(4, N)), np.full(4, 0.6))
    seen = np.ones(kpi.shape, dtype=bool)
    rho = np.full(S, memory)
    row = told_one(goes_on(Cells(kpi, means, 1.0 + 0 * sigma, seen, rho), rng))
    assert row["status"] == wanted
    if wanted == "ok":
        both = coverage(Cells(kpi, means, 1.0 + 0 * sigma, seen, rho), rng)
        both.append(together(Cells(kpi, means, sigma, seen, rho), rng))
        assert [status(p_value(one), one.sides) for one in both] == ["ok"] * 3


def geos(common: float, factor: float = 1.0, seed: int = 7):
    rng = np.random.default_rng(seed)
    kpi = rng.normal(size=(4, N)) + common * rng.normal(size=N)
    means = 0.05 * rng.normal(size=(S, 4, N)).astype(np.float32)
    return kpi, means, np.full((S, 4), kpi.std() * factor), rng


def told_one(check: Check) -> dict:
    """One check with its words."""
    zero = np.zeros((S, N))
    quiet = Market(WEEKS, np.zeros(N), zero, zero + 1.0, np.ones(N, dtype=bool))
    return as_values([check], quiet)["checks"][0]


def test_coverage_of_intervals_too_narrow_and_too_wide():
    for factor, wanted in ((0.5, "missed"), (1.0, "ok"), (2.0, "missed")):
        kpi, means, sigma, rng = geos(0.0, factor)
        all_cells = np.ones(kpi.shape, dtype=bool)
        both = coverage(Cells(kpi, means, sigma, all_cells), rng)
        assert [status(p_value(one), one.sides) for one in both] == [wanted] * 2
        (unseen,) = held_out(Cells(kpi, means, sigma, all_cells), rng)
        assert status(p_value(unseen), unseen.sides) == wanted
    assert held_out(Cells(kpi, means, sigma, ~all_cells), rng) == []


def test_what_geos_have_in_common():
    for common, wanted in ((0.0, "ok"), (0.8, "missed")):
        kpi, means, _, rng = geos(common)
        found = together(Cells(kpi, means, means, np.ones(kpi.shape, dtype=bool)), rng)
        assert status(p_value(found), found.sides) == wanted


@pytest.mark.parametrize(("persistence", "wanted"), [(0.0, "ok"), (0.6, "missed")])
def test_geos_that_drift_on_their_own(persistence, wanted):
    kpi, means, sigma, rng = geos(0.0)
    for t in range(1, N):
        kpi[:, t] += persistence * kpi[:, t - 1]
    seen = rng.random(kpi.shape) < 0.95
    row = told_one(goes_on(Cells(kpi, means, kpi.std() + 0 * sigma, seen), rng))
    assert row["status"] == wanted
    assert row["actual"] == pytest.approx(0.95 * persistence, abs=0.1)
    assert ("varies_by_geo" in row["advice"]) == (wanted == "missed")


def test_a_drift_too_slight_to_matter_is_none():
    noise = np.random.default_rng(9).normal(0.0, 0.002, 500)
    for actual, wanted in ((0.05, "ok"), (0.15, "missed")):
        check = Check("within a geo", "correlation", actual + noise, noise, 1, 0.1)
        assert told_one(check)["status"] == wanted


def test_p_values_count_ties_half():
    same = np.zeros(4)
    assert p_value(Check("level", "kpi", same, same)) == 0.5
    assert status(0.5, 2) == "ok"
    assert status(0.996, 2) == "missed"
    assert status(0.996, 1) == "ok"
    assert status(0.03, 1) == "borderline"


def test_every_check_has_words():
    names = {*LABELS}
    assert {"within 50%", "within 90%", "held out", "weekday"} <= names
    assert {"geos", "within a geo"} <= names


def test_a_fit_without_the_season_says_so():
    """The whole way: a market with a season, fitted without one."""
    rng = np.random.default_rng(8)
    tv = rng.gamma(2.0, 50.0, (1, N, 1))
    data = InputData(
        geos=("national_geo",),
        times=WEEKS,
        media_times=WEEKS,
        kpi=(500 + 6 * season(WEEKS) + 0.2 * tv[:, :, 0] + rng.normal(0, 10, N)),
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=np.zeros((1, N, 0)),
        control_names=(),
        media=Treatments(("TV",), tv, spend=tv * 0.1),
    )
    spec = ModelSpec(
        channels=(ChannelSpec("TV"),),
        seasonality=0,
        smooth=0,
        autocorrelation=False,  # or noise takes the season for its memory
        max_lag=2,
    )
    settings = SamplerSettings(chains=1, warmup=100, draws=100, precision="float64")
    model = build(data, spec, precision="float64")
    made, views, _ = quality(model, fit(model, settings).posterior, 1)
    rows = {row["name"]: row for row in made["model_check"]["checks"]}
    assert rows["season"]["status"] == "missed"
    assert made["model_check"]["status"] == "missed"
    assert rows["level"]["status"] == "ok"
    assert made["loo"]["n"] == N == int(views["loo"]["loo"].count())
    simulated = views["replicated"]
    areas = np.trapezoid(simulated["simulated"], simulated["grid"], axis=1)
    assert areas == pytest.approx(1, abs=0.1)
    assert 2 < made["loo"]["p_loo"] < 20


@pytest.mark.parametrize("level", [3.0, 4e5, 2e8])
@pytest.mark.parametrize("n_geos", [1, 3])
def test_what_is_checked_is_the_kpi_as_it_was_counted(level, n_geos):
    rng = np.random.default_rng(int(level) % 97 + n_geos)
    kpi = level * rng.gamma(4.0, 0.25, (n_geos, N))
    kpi[:, 40] = 0.0  # a week without sales
    tv = rng.gamma(2.0, 50.0, (n_geos, N, 1))
    data = InputData(
        geos=tuple(f"Geo {at}" for at in range(n_geos)),
        times=WEEKS,
        media_times=WEEKS,
        kpi=kpi,
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=1e6 * (1 + np.arange(n_geos)),
        controls=np.zeros((n_geos, N, 0)),
        control_names=(),
        media=Treatments(("TV",), tv, spend=tv * 0.1),
    )
    spec = ModelSpec(channels=(ChannelSpec("TV"),), max_lag=2)
    model = build(data, spec, precision="float32")
    means, sigma = np.zeros((2, n_geos, N)), np.ones((2, n_geos))
    seen = np.ones((n_geos, N), bool)
    actual = checks.summed(model, means, sigma, seen).actual
    assert actual.min() == actual[40] == 0.0
    assert actual == pytest.approx(kpi.sum(axis=0), rel=1e-12)
