"""Spend for all geos together: spread by media units, its total kept."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.errors import ValueRangeError
from tests.data.data_tables import GEO, NATIONAL, by_geo, national


def with_level(level, mapping=GEO):
    tv, *rest = mapping.channels
    return replace(mapping, channels=(replace(tv, spend_level=level), *rest))


def of_tv(findings):
    return [f for f in findings if f.where in ("column TV_spend", "channel TV")]


def per_week(frame):
    """The table with TV's spend of each week in every geo."""
    frame = frame.copy()
    frame["TV_spend"] = frame.groupby("week")["TV_spend"].transform("sum")
    return frame


def test_spend_per_period_is_spread_by_media_units():
    frame = by_geo()
    data = assemble(per_week(frame), with_level("time"))
    # TV costs the same per impression in every geo, so spreading restores it.
    np.testing.assert_allclose(
        data.media.spend[:, :, 0], assemble(frame, GEO).media.spend[:, :, 0], atol=0.01
    )
    assert of_tv(check_table(per_week(frame), with_level("time"))) == []


def test_total_is_spread_over_geos_and_periods():
    frame = by_geo()
    total = frame["TV_spend"].sum()
    data = assemble(frame.assign(TV_spend=total), with_level("total"))
    spend, units = data.media.spend[:, :, 0], data.media.units[:, :, 0]
    np.testing.assert_allclose(spend, total * units / units.sum())


def test_one_row_is_enough_and_the_others_may_be_empty():
    frame = by_geo()
    rows = frame["geo"] == "Paris"
    sparse = per_week(frame)
    sparse["TV_spend"] = sparse["TV_spend"].where(rows)
    full = assemble(per_week(frame), with_level("time"))
    np.testing.assert_array_equal(
        assemble(sparse, with_level("time")).media.spend, full.media.spend
    )
    assert of_tv(check_table(sparse, with_level("time"))) == []
    sparse.loc[sparse["week"] == "2021-01-04", "TV_spend"] = np.nan
    (found,) = of_tv(check_table(sparse, with_level("time")))[:1]
    assert "empty in 3 rows" in found.message


def test_spend_without_media_is_spread_evenly_and_pointed_out():
    frame = per_week(by_geo())
    week = frame["week"] == "2021-02-01"
    frame.loc[week, "TV_impressions"] = 0
    frame.loc[week, "TV_spend"] = 900.0
    data = assemble(frame, with_level("time"))
    at = np.flatnonzero(data.times == np.datetime64("2021-02-01"))[0]
    np.testing.assert_allclose(data.media.spend[:, at, 0], 300.0)
    said = [f.message for f in of_tv(check_table(frame, with_level("time")))]
    assert any("without media" in message for message in said)


@pytest.mark.parametrize(
    ("level", "said"),
    [("time", "differs between geos in"), ("total", "different numbers")],
)
def test_numbers_that_differ_are_an_error(level, said):
    with pytest.raises(ValueRangeError, match=said) as caught:
        assemble(by_geo(), with_level(level))
    assert 'spend_level = "geo_time"' in caught.value.hint


def test_the_same_spend_in_every_geo_is_pointed_out():
    (found,) = of_tv(check_table(per_week(by_geo()), GEO))[:1]
    assert found.severity == "warning"
    assert "counts 3 times" in found.message and '"time"' in found.hint


def test_national_spend_per_period_is_spend():
    frame = national()
    np.testing.assert_allclose(
        assemble(frame, with_level("time", NATIONAL)).media.spend,
        assemble(frame, NATIONAL).media.spend,
    )
