"""Units of the model: geos are as large as what they usually sell."""

from dataclasses import replace

import numpy as np

from core.data.scaling import sized_by_kpi
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


def test_geos_are_as_large_as_their_people_where_one_sells_nothing():
    people = np.array([3.0, 1.0])
    sized = sized_by_kpi(np.array([[5.0, 7.0], [1.0, -1.0]]), people)
    assert np.array_equal(sized, people)
