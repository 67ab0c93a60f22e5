"""Units of the model: geos are as large as what they have in common says."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.scaling import sized, sized_by_kpi
from core.model.build import build
from tests.small_market import market, spec


def of_levels():
    """Three geos of as many people, whose season and shocks are shares of sales."""
    given = market(n_geos=3, n_times=30)
    wave = 900.0 + 300.0 * np.sin(np.arange(30) / 4)
    return replace(
        given, kpi=np.outer([1.0, 2.5, 0.5], wave), population=np.full(3, 1000.0)
    )


def test_what_geos_share_is_a_share_of_what_each_sells():
    given = of_levels()
    model = build(given, spec(preset="mixwright"))
    scaled = np.asarray(model.arrays.kpi)
    assert np.abs(scaled - scaled[0]).max() < 1e-5
    assert model.scale.size.sum() == given.population.sum()
    # In money again it is as much as there is.
    back = (scaled + model.scale.mean / model.scale.std) * model.scale.std
    assert np.allclose(back * model.scale.size[:, None], given.kpi, rtol=1e-5)


def test_with_the_preset_meridian_geos_are_as_large_as_their_people():
    given = of_levels()
    model = build(given, spec())
    assert np.array_equal(model.scale.size, given.population)


@pytest.mark.parametrize("size_of", [sized, sized_by_kpi])
def test_geos_are_as_large_as_their_people_where_one_sells_nothing(size_of):
    people = np.array([3.0, 1.0])
    sizes = size_of(np.array([[5.0, 7.0], [1.0, -1.0]]), people)
    assert np.array_equal(sizes, people)


def drawn(seed, share, n_geos=6, n_times=156):
    """KPI, people and levels of geos whose season and trend go with level^share."""
    rng = np.random.default_rng(seed)
    level, people = np.exp(rng.standard_normal((2, n_geos)) * [[0.25], [1.0]])
    level /= (people * level).sum() / people.sum()
    t = np.arange(n_times)
    common = 0.15 * np.cos(2 * np.pi * t / 52)
    common += 0.01 * np.cumsum(rng.standard_normal(n_times))
    noise = 0.03 * rng.standard_normal((n_geos, n_times))
    per_head = level[:, None] + np.outer(level**share, common) + noise
    level = per_head.mean(axis=1)
    return people[:, None] * per_head, people, level


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_sizes_lie_between_people_and_sales_where_the_data_say(share):
    learned = []
    for seed in range(20):
        kpi, people, level = drawn(seed, share)
        size = sized(kpi, people)
        assert size.sum() == pytest.approx(people.sum())
        slope, _ = np.polyfit(np.log(level), np.log(size / people), 1)
        learned.append(slope)
    assert np.mean(learned) == pytest.approx(share, abs=0.06)
    assert np.std(learned) < 0.1


def test_two_geos_say_little_and_the_size_stays_between():
    slopes = []
    for share in (0.0, 1.0):
        kpi, people, level = drawn(3, share, n_geos=2, n_times=52)
        size = sized(kpi, people)
        slopes.append(np.polyfit(np.log(level), np.log(size / people), 1)[0])
    assert 0.0 < slopes[0] < slopes[1] < 1.0


def test_a_geo_that_never_changes_tells_nothing():
    kpi, people, level = drawn(0, 1.0)
    kpi[0] = people[0]
    level = kpi.mean(axis=1) / people
    slope, _ = np.polyfit(np.log(level), np.log(sized(kpi, people) / people), 1)
    assert slope == pytest.approx(0.5)
