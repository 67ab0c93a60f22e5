import numpy as np
import pytest
import xarray as xr
from arviz_stats.base import array_stats

from core.analysis.draws import chain_of, flat_draws
from core.analysis.refreshing.reweighted import (
    monte_carlo_errors,
    with_monte_carlo_errors,
)


def chains(n_chains=4, n_draws=500, correlation=0.8, seed=0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_chains, n_draws))
    for i in range(1, n_draws):
        x[:, i] += correlation * x[:, i - 1]
    return x


def test_errors_are_those_of_arviz():
    x = chains()
    chain = np.repeat(np.arange(4), 500)
    given = monte_carlo_errors(x.reshape(-1, 1), chain)
    expected = array_stats.mcse(x, chain_axis=0, draw_axis=1, method="mean")
    np.testing.assert_allclose(given, expected, rtol=1e-3)


def test_means_of_many_runs_scatter_as_the_error_says():
    runs = [chains(seed=seed) for seed in range(60)]
    chain = np.repeat(np.arange(4), 500)
    errors = [monte_carlo_errors(x.reshape(-1, 1), chain)[0] for x in runs]
    scatter = np.std([x.mean() for x in runs], ddof=1)
    assert np.mean(errors) == pytest.approx(scatter, rel=0.3)


def test_what_has_no_error_is_no_number():
    draws = np.stack([np.ones(40), np.full(40, np.nan), np.arange(40.0)], axis=1)
    errors = monte_carlo_errors(draws, np.repeat([0, 1], 20))
    assert np.isnan(errors).tolist() == [True, True, False]
    assert np.isnan(monte_carlo_errors(draws[:6], np.repeat([0, 1], 3))).all()


def test_chain_of_thinned_draws():
    posterior = xr.Dataset(
        {"x": (("chain", "draw"), np.repeat([[0], [1], [2]], 50, 1))}
    )
    for most in (None, 40, 100, 1000):
        np.testing.assert_array_equal(
            chain_of(posterior, most), flat_draws(posterior, most)["x"]
        )


def test_the_summary_gets_an_error_for_every_mean():
    x = chains().reshape(-1, 1)
    dims = ("draw", "channel")
    names = ("roi", "mroi", "incremental_outcome", "contribution")
    views = xr.Dataset({name: (dims, x) for name in names}, {"channel": ["TV"]})
    views["mroi"] = views["mroi"] * np.nan
    told = {"channels": [{"name": "TV"}], "run": "r"}
    made = with_monte_carlo_errors(told, views, np.repeat(np.arange(4), 500))
    (row,) = made["channels"]
    assert row["mcse"]["mroi"] is None
    assert row["mcse"]["roi"] == row["mcse"]["contribution"] > 0
    assert told == {"channels": [{"name": "TV"}], "run": "r"}


def test_four_draws_a_chain_are_enough_for_an_error():
    draws = np.random.default_rng(1).normal(size=(8, 1))
    assert np.isfinite(monte_carlo_errors(draws, np.repeat([0, 1], 4))).all()
    assert np.isnan(monte_carlo_errors(draws[:6], np.repeat([0, 1], 3))).all()
