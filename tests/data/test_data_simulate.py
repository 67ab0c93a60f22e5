"""Simulated markets: reproducible, plausible, and true to their word."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.campaigns import autoregression
from core.data.recognition.recognise import guess_mapping
from core.data.simulate import (
    DEMO_GEOS,
    DEMO_SEED,
    adstock,
    main,
    saturation,
    scaled_media,
    simulate_market,
)
from tests.data.data_tables import of

EXAMPLES = Path(__file__).resolve().parents[2] / "assets" / "examples"
SIZES = {"national": 1, "geo": DEMO_GEOS}


def incremental(market, name, max_lag=8):
    """Incremental revenue of a channel by Meridian's definition, with unit effect."""
    data = assemble(market.frame, market.mapping)
    at = data.media.names.index(name)
    truth = market.truth[name]
    scaled = scaled_media(data.media.units[:, :, at], data.population)
    shape = saturation(
        adstock(scaled, truth["alpha"], max_lag), truth["ec"], truth["slope"]
    )
    value = data.population[:, None] * data.revenue_per_kpi
    return shape, (shape * value).sum(), data.media.spend[:, :, at].sum()


@pytest.mark.parametrize("size", SIZES)
def test_examples_are_reproducible(size):
    market = simulate_market(DEMO_SEED, n_geos=SIZES[size])
    path = EXAMPLES / f"demo_{size}.csv"
    stored = load_table(path, path.name)
    assert list(stored.columns) == list(market.frame.columns)
    for name in stored.columns:
        if stored[name].dtype.kind in "if":
            np.testing.assert_allclose(stored[name], market.frame[name], rtol=1e-9)
        else:
            assert stored[name].tolist() == market.frame[name].tolist()


def test_examples_are_written_by_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["simulate", "--out", str(tmp_path / "new")])
    main()
    for size in SIZES:
        name = f"demo_{size}.csv"
        pd.testing.assert_frame_equal(
            load_table(tmp_path / "new" / name, name), load_table(EXAMPLES / name, name)
        )


@pytest.mark.parametrize("n_geos", [1, 3, 15])
def test_markets_are_good_tables_that_need_no_mapping(n_geos):
    for seed in range(5):
        market = simulate_market(seed, n_geos=n_geos)
        assert guess_mapping(market.frame) == market.mapping
        findings = check_table(market.frame, market.mapping)
        assert of(findings, "error") == of(findings, "warning") == []


def test_the_same_seed_gives_the_same_market():
    one, same, other = (simulate_market(seed, n_geos=2) for seed in (4, 4, 5))
    pd.testing.assert_frame_equal(one.frame, same.frame)
    assert one.truth == same.truth
    assert one.truth != other.truth


def test_truths_are_in_the_promised_ranges():
    rois = []
    for seed in range(20):
        market = simulate_market(seed)
        data = assemble(market.frame, market.mapping)
        spend = dict(zip(data.media.names, data.media.spend.sum((0, 1)), strict=True))
        assert set(market.truth) == set(spend)
        for name, truth in market.truth.items():
            assert 0.3 <= truth["roi"] <= 4.01
            share = truth["roi"] * spend[name] / data.outcome.sum()
            assert 0.017 <= share <= 0.13
            assert 0 < truth["alpha"] < 0.81
            rois.append(truth["roi"])
    assert min(rois) < 0.5
    assert max(rois) > 3


def test_a_market_without_noise_is_what_its_truth_says():
    market = simulate_market(3, noise=0.0, n_times=104)
    data = assemble(market.frame, market.mapping)
    shapes, worth = [], []
    for name in data.media.names:
        shape, total, spend = incremental(market, name)
        shapes.append(shape[0] * market.truth[name]["roi"] * spend / total)
        worth.append(market.truth[name]["roi"] * spend)
    effect = np.stack(shapes, axis=-1)
    value = data.revenue_per_kpi[0]
    np.testing.assert_allclose((effect * value[:, None]).sum(0), worth, rtol=1e-9)
    rest = data.kpi[0] - effect.sum(axis=1)
    season = 2 * np.pi * np.arange(104)[:, None] / 52.18 * np.array([1, 2])
    time = np.arange(104) / 104
    smooth = np.column_stack(
        [np.cos(season), np.sin(season), time**0, time, time**2, time**3, time**4]
    )
    design = np.column_stack([smooth, data.controls[0]])
    left = rest - design @ np.linalg.lstsq(design, rest, rcond=None)[0]
    assert np.abs(left).max() < 0.004 * rest.mean()


def test_truth_does_not_depend_on_what_else_is_drawn():
    assert simulate_market(3, noise=0.0).truth == simulate_market(3, noise=0.2).truth


def test_steeper_saturation():
    market = simulate_market(3, slope=2.5)
    assert {truth["slope"] for truth in market.truth.values()} == {2.5}


def test_adstock_and_saturation():
    media = np.array([[1.0, 0.0, 0.0, 2.0]])
    expected = np.array([[1.0, 0.5, 0.25, 2.0]]) / 1.75
    np.testing.assert_allclose(adstock(media, 0.5, 2), expected)
    np.testing.assert_allclose(adstock(media, 0.0, 8), media)
    np.testing.assert_allclose(saturation(np.array([0.0, 2.0]), 2.0, 3.0), [0, 0.5])
    units = np.array([[0.0, 10.0], [20.0, 60.0]])
    scaled = scaled_media(units, np.array([1.0, 2.0]))
    np.testing.assert_allclose(scaled, [[0.0, 1.0], [1.0, 3.0]])


def test_autoregression_is_stationary():
    series = autoregression(np.random.default_rng(0), 50_000, persistence=0.8)
    assert abs(series.std() - 1) < 0.03
    assert abs(np.corrcoef(series[1:], series[:-1])[0, 1] - 0.8) < 0.01
