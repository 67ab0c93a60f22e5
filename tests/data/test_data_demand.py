"""How likely spend follows demand, before a fit: names, spend, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.demand.following import LEAST_PERIODS, deviation, followings
from core.data.demand.names import (
    BRAND_SEARCH,
    GENERIC_SEARCH,
    KINDS,
    OTHER,
    SEARCH,
    kind_of,
)
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


def chances(**options) -> list[float]:
    return [one.probability for one in followings(market(1, **options))]


def test_the_kpi_is_not_looked_at():
    """The likelihood sees it: what it says of demand would be counted twice."""
    data = market(2, follows=(0.35, 0.6), n_geos=2)
    other = replace(data, kpi=np.random.default_rng(1).permuted(data.kpi, axis=1))
    assert followings(data) == followings(other)


def test_a_season_of_its_spend_makes_it_likelier_and_pauses_less():
    plain, seasonal = chances()[0], chances(follows=(0.0, 0.8))[0]
    assert plain < seasonal
    data = market(1)
    spend = data.media.spend.copy()
    spend[:, np.arange(WEEKS) % 8 > 3, 0] = 0
    paused = followings(with_spend(data, spend))[0]
    assert paused.probability < plain - 0.1
    assert "it pauses in 5" in paused.reason


def test_nothing_decides_by_itself():
    names = ("Brand search", "TV", "One")
    for follows in ((0.0, 0.0), (0.5, 1.5)):
        found = chances(names=names, follows=follows)
        assert all(0.02 < one < 0.98 for one in found)
        assert found[0] > found[2] > found[1]


def test_missing_weeks_and_geos_do_not_matter():
    found = followings(market(1, follows=(0.35, 0.6), n_geos=4))
    assert len(found) == 3 and all(one.can_be_modelled for one in found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Brand search", "search for the brand"),
        ("brand", "search for the brand"),
        ("google_ads_brand_search", "search for the brand"),
        ("Suche Marke", "search for the brand"),
        ("Recherche marque", "search for the brand"),
        ("BusquedaMarca", "search for the brand"),
        ("search", "search of an unknown kind"),
        ("google_SEA", "search of an unknown kind"),
        ("Paid Search Spend", "search of an unknown kind"),
        ("paid_search_nonbrand", "search for a need, not for the brand"),
        ("Search non-brand", "search for a need, not for the brand"),
        ("Generic search", "search for a need, not for the brand"),
        ("Suche nicht Marke", "search for a need, not for the brand"),
        ("Google Shopping", "shopping ads"),
        ("PMax", "shopping ads"),
        ("Affiliazione", "paid by sales"),
        ("Páginas directorio", "paid by sales"),
        ("Retargeting", "retargeting of visitors"),
        ("Facebook retargeting", "retargeting of visitors"),
        ("Facebook", "bought by algorithm"),
        ("Display", "bought by algorithm"),
        ("Soziale Medien", "bought by algorithm"),
        ("Fernsehen", "booked ahead"),
        ("Brand TV", "booked ahead"),
        ("Affichage", "booked ahead"),
        ("channel_5", OTHER.name),
        ("Kanal drei", OTHER.name),
    ],
)
def test_names_are_read_in_many_languages(name, kind):
    assert kind_of(name).name == kind


def test_the_table_ranks_as_the_field_does():
    chance = {kind.name: kind.probability for kind in KINDS}
    assert GENERIC_SEARCH.probability < SEARCH.probability < BRAND_SEARCH.probability
    assert 0.5 < GENERIC_SEARCH.probability
    assert chance["booked ahead"] < OTHER.probability <= 0.5
    assert all(0 < one < 1 for one in chance.values())


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
    assert not first.probability and not first.can_be_modelled
    assert part in first.reason and first.reason.startswith("One ")
    assert all(one.can_be_modelled for one in rest)


@pytest.mark.parametrize("n_times", [1, 8, 30, 52])
def test_a_short_history_has_the_probability_of_its_name(n_times):
    data = market(5, follows=(0.35, 0.6), names=("Search", "TV", "Three"))
    short = replace(
        with_spend(data, data.media.spend[:, :n_times]),
        times=TIMES[:n_times],
        media_times=TIMES[:n_times],
        kpi=data.kpi[:, :n_times],
        controls=data.controls[:, :n_times],
    )
    for one in followings(short):
        assert one.season is None
        if n_times < 30:
            assert "cannot be told" in one.reason
        else:
            assert one.pauses < 0.2 and one.probability > 0


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
