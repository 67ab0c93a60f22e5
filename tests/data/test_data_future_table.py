"""Plans as tables: what they change, what they leave, what is refused."""

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.future_table import planned
from core.data.ahead.horizon import ahead
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import CoverageError, SchemaError, ValueRangeError
from tests.small_market import market

CHANNELS = (
    ChannelColumns("tv", "media", media="tv_units", spend="tv_spend"),
    ChannelColumns("search", "media", media="search_units", spend="search_spend"),
    ChannelColumns("video", "reach_frequency", reach="r", frequency="f", spend="s"),
    ChannelColumns("blog", "organic_media", media="blog_views"),
    ChannelColumns("price", "non_media", column="price"),
)
MAPPING = ColumnMapping(
    "week",
    "sales",
    geo="region",
    revenue_per_kpi="value",
    controls=("c0", "c1"),
    channels=CHANNELS,
)


@pytest.fixture(scope="module")
def future():
    return ahead(market(n_geos=1, n_times=60, every_kind=True), 4)


def table(future, **columns) -> pd.DataFrame:
    return pd.DataFrame({"week": future.times.astype(str)} | columns)


def test_what_is_given_replaces_and_the_rest_stays(future):
    plan = table(
        future,
        tv_units=[1.0, 2.0, None, 4.0],
        c1=[9.0] * 4,
        price=[5.0] * 4,
        value=[2.0] * 4,
        f=[3.0] * 4,
    )
    made = planned(future, plan, MAPPING)
    before = future.media.units[0, -4:, 0]
    np.testing.assert_array_equal(made.media.units[0, -4:, 0], [1, 2, before[2], 4])
    np.testing.assert_array_equal(made.media.units[:, :-4], future.media.units[:, :-4])
    np.testing.assert_array_equal(made.media.spend, future.media.spend)
    np.testing.assert_array_equal(made.controls[0, :, 1], 9.0)
    np.testing.assert_array_equal(made.controls[:, :, 0], future.controls[:, :, 0])
    assert (made.non_media.units == 5).all()
    assert (made.revenue_per_kpi == 2).all()
    assert (made.reach_frequency.frequency[:, -4:] == 3).all()


@pytest.mark.parametrize("column", ["tv_spend", "tv"])
def test_spend_buys_media_at_last_years_price(future, column):
    spend = np.array([10.0, 0.0, 20.0, 30.0])
    made = planned(future, table(future, **{column: spend}), MAPPING)
    np.testing.assert_allclose(made.media.spend[0, :, 0], spend)
    np.testing.assert_allclose(made.media.units[0, -4:, 0], spend / 0.02)


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        ({"tv_unit": [1.0] * 4}, SchemaError, "Did you mean tv_units"),
        ({"tv_units": [-1.0] * 4}, ValueRangeError, "negative"),
        ({"tv_units": ["many"] * 4}, SchemaError, "is not a number"),
        ({"week": ["2031-01-06"] * 4}, CoverageError, "not a future period"),
        ({"tv": ["#REF!", "1.5", "2", ""]}, SchemaError, "is the error of a formula"),
        ({"tv": ["-", "1.5", "2.5", "-"]}, SchemaError, '"-" in 2 cells. Does nothing'),
        ({"tv": ["€ -", "€1.5", "€2.5", ""]}, SchemaError, '"€ -" in 1 cell. Does'),
    ],
)
def test_mistakes_are_named(future, columns, error, says):
    with pytest.raises(error) as caught:
        planned(future, table(future, **columns), MAPPING)
    assert says in str(caught.value)


@pytest.mark.parametrize("cell", ["", "n/a", "NaN", None])
def test_cells_without_content_are_as_a_year_earlier(future, cell):
    plan = table(future, tv_units=[cell, "1.5", "2.5", "3.5"])
    made = planned(future, plan, MAPPING)
    assert made.media.units[0, -4, 0] == future.media.units[0, -4, 0]


def test_a_geo_that_the_data_lack_is_named_with_those_that_they_have():
    future = ahead(market(n_times=60, every_kind=True), 2)
    plan = table(future, tv_units=[1.0, 2.0], region=["g1", "g 2x"])
    with pytest.raises(
        CoverageError, match="Geo g 2x of the plan is not in the data, which have g0"
    ):
        planned(future, plan, MAPPING)


def test_several_geos_need_their_column():
    future = ahead(market(n_times=60, every_kind=True), 2)
    with pytest.raises(SchemaError, match="no column region"):
        planned(future, table(future, tv=[1.0, 2.0]), MAPPING)
    plan = table(future, tv_units=[1.0, 2.0], region=["g1", "g1"])
    made = planned(future, plan, MAPPING)
    np.testing.assert_array_equal(made.media.units[1, -2:, 0], [1, 2])
    np.testing.assert_array_equal(made.media.units[0], future.media.units[0])


@pytest.mark.parametrize("times", [100.0, 0.001])
def test_a_plan_in_cents_or_thousands_is_refused(future, times):
    spend = {"tv_spend": 0, "search_spend": 1}
    before = {name: future.media.spend[0, :, at] for name, at in spend.items()}
    planned(future, table(future, **before), MAPPING)
    video = future.reach_frequency.spend[0, :, 0]
    other = {name: amounts * times for name, amounts in before.items()}
    with pytest.raises(ValueRangeError, match="All channels of the plan"):
        planned(future, table(future, s=video * times, **other), MAPPING)
