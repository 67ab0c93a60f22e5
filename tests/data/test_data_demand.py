"""Whether spend follows demand, before a fit: rates on simulated markets, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.demand.following import followings
from core.data.demand.names import name_weight
from core.data.demand.spend import LEAST_PERIODS, deviation
from core.data.input_data import InputData, Treatments
from core.data.recognition.campaigns import autoregression

WEEKS = 156
TIMES = np.datetime64("2022-01-03") + 7 * np.arange(WEEKS)
SEASON = np.cos(2 * np.pi * np.arange(WEEKS) / 52.18)


def market(
    seed: int,
    *,
    follows: tuple[float, float] = (0.0, 0.0),
    names: tuple[str, ...] = ("One", "Two", "Three"),
    n_geos: int = 1,
) -> InputData:
    """Sales with a season and hidden demand; the first channel may follow both."""
    rng = np.random.default_rng([seed, 31])
    demand = autoregression(rng, WEEKS, persistence=0.6)
    logs = np.stack(
        [
            0.5 * autoregression(rng, WEEKS, persistence=0.5)
            + 0.3 * rng.standard_normal((n_geos, WEEKS))
            for _ in names
        ],
        axis=2,
    )
    logs[:, :, 0] += follows[0] * demand + follows[1] * SEASON
    spend = 1e4 * np.exp(logs) * (rng.random((1, WEEKS, len(names))) > 0.05)
    effect = 0.05 * np.sqrt(spend / 1e4).sum(axis=2)
    noise = 0.03 * rng.standard_normal((n_geos, WEEKS))
    kpi = 1e6 * (1 + 0.1 * SEASON + 0.05 * demand + effect + noise)
    return InputData(
        geos=tuple(f"g{geo}" for geo in range(n_geos)),
        times=TIMES,
        media_times=TIMES,
        kpi=kpi,
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(n_geos),
        controls=rng.standard_normal((n_geos, WEEKS, 1)),
        control_names=("price",),
        media=Treatments(names, spend, spend=spend),
    )


def with_spend(data: InputData, spend: np.ndarray) -> InputData:
    return replace(data, media=replace(data.media, units=spend, spend=spend))


def rates(**options) -> np.ndarray:
    """Share of markets in which each channel is said to follow."""
    told = [followings(market(seed, **options)) for seed in range(40)]
    return np.array([[one.follows for one in row] for row in told]).mean(axis=0)


def test_channels_bought_by_plan_are_seldom_said_to_follow():
    assert rates().max() <= 0.1


def test_a_channel_that_follows_strongly_is_nearly_always_seen():
    found = rates(follows=(0.35, 0.5))
    assert found[0] >= 0.9
    assert found[1:].max() <= 0.1


def test_a_channel_that_follows_weakly_is_often_seen_with_a_name_that_says_so():
    weak = {"follows": (0.15, 0.3)}
    named = rates(names=("Brand search", "Two", "Three"), **weak)[0]
    assert named >= 0.4
    assert named > rates(**weak)[0]


def test_a_name_alone_does_not_decide():
    assert rates(names=("Brand search", "Affiliates", "TV")).max() <= 0.15


def test_geos_are_judged_by_their_sum():
    found = followings(market(1, follows=(0.35, 0.6), n_geos=4))
    assert [one.follows for one in found] == [True, False, False]


def test_cells_that_are_held_out_are_not_looked_at():
    data = market(2, follows=(0.35, 0.6), n_geos=2)
    is_seen = np.ones((2, WEEKS))
    is_seen[:, -20:] = 0
    is_seen[0, 3] = 0
    kpi = np.where(is_seen > 0, data.kpi, 1e12)
    assert followings(data, is_seen) == followings(replace(data, kpi=kpi), is_seen)


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("Brand search", 1),
        ("google_SEA", 1),
        ("Suche Marke", 1),
        ("Recherche marque", 1),
        ("Affiliazione", 1),
        ("Retargeting", 1),
        ("Páginas directorio", 1),
        ("Fernsehen", -1),
        ("Affichage", -1),
        ("Social", 0),
    ],
)
def test_names_are_read_in_five_languages(name, sign):
    assert np.sign(name_weight(name)) == sign


def test_generic_search_says_less_than_brand_search():
    assert 0 < name_weight("search_nonbrand") < name_weight("search_brand")
    assert name_weight("Search non-brand") == name_weight("Generic search")


def test_a_deviation_has_no_season_and_no_trend_and_is_zero_in_pauses():
    rng = np.random.default_rng(3)
    shock = rng.standard_normal(WEEKS)
    spend = np.exp(0.8 * SEASON + 0.01 * np.arange(WEEKS) + 0.2 * shock)[None]
    spend[0, 40:44] = 0
    found = deviation(spend, TIMES)
    assert not found.why_not
    assert (found.values[0, 40:44] == 0).all()
    ran = spend[0] > 0
    assert abs(np.corrcoef(found.values[0, ran], SEASON[ran])[0, 1]) < 0.05
    assert np.corrcoef(found.values[0, ran], shock[ran])[0, 1] > 0.9
    assert found.values[0, ran].std() == pytest.approx(1.0, rel=1e-6)


def bad(kind: str) -> np.ndarray:
    spend = market(4).media.spend.copy()
    if kind == "constant":
        spend[:, :, 0] = 5000.0
    if kind == "nothing":
        spend[:, :, 0] = 0.0
    if kind == "five weeks":
        spend[:, 5:, 0] = 0.0
    if kind == "hardly":
        spend[:, :, 0] = 5000.0 * (1 + 0.001 * np.sin(np.arange(WEEKS)))
    return spend


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("constant", "the same amount in every period"),
        ("nothing", "has no spend"),
        ("five weeks", f"only 5 periods, and {LEAST_PERIODS} are needed"),
        ("hardly", "hardly deviates"),
    ],
)
def test_spend_that_says_nothing_is_said_to(kind, part):
    first, *rest = followings(with_spend(market(4), bad(kind)))
    assert not first.follows and not first.can_be_modelled
    assert part in first.reason and first.reason.startswith("One ")
    assert all(one.can_be_modelled for one in rest)


@pytest.mark.parametrize("n_times", [1, 8, 30, 52])
def test_a_short_history_is_not_judged(n_times):
    data = market(5, follows=(0.35, 0.6))
    short = replace(
        with_spend(data, data.media.spend[:, :n_times]),
        times=TIMES[:n_times],
        media_times=TIMES[:n_times],
        kpi=data.kpi[:, :n_times],
        controls=data.controls[:, :n_times],
    )
    told = followings(short)
    assert not any(one.follows for one in told)
    assert all("cannot be told" in t.reason or "too short" in t.reason for t in told)


def test_spend_of_one_geo_only_is_judged():
    data = market(6, follows=(0.35, 0.6), n_geos=3)
    spend = data.media.spend.copy()
    spend[1:, :, 0] = 0.0
    found = deviation(spend[:, :, 0], TIMES)
    assert not found.why_not
    assert (found.values[1:] == 0).all() and found.values[0].any()
    assert len(followings(with_spend(data, spend))) == 3


def test_channels_that_say_the_same_are_judged_without_failing():
    data = market(7, follows=(0.35, 0.6))
    spend = data.media.spend.copy()
    spend[:, :, 1] = 2 * spend[:, :, 0]
    assert all(np.isfinite(o.probability) for o in followings(with_spend(data, spend)))


def test_missing_values_of_the_kpi_do_not_matter():
    data = market(8, follows=(0.35, 0.6))
    kpi = data.kpi.copy()
    kpi[0, 10:14] = np.nan
    assert followings(replace(data, kpi=kpi))[0].follows
