"""Assembly of InputData."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data.assemble import assemble
from core.data.files.load import load_table
from core.data.mapping import ChannelColumns
from core.errors import CoverageError, DataError, SchemaError, ValueRangeError
from tests.data.data_tables import GEO, NATIONAL, by_geo, national
from tests.reference import case, case_mapping, needs_reference, reference_data


def arrays(data):
    """Every array of an InputData, flattened by name."""
    found = {}
    for name, value in vars(data).items():
        inner = vars(value) if hasattr(value, "units") else {"": value}
        found |= {f"{name}.{key}": entry for key, entry in inner.items()}
    return found


def assert_same(one, other):
    for name, value in arrays(one).items():
        expected = arrays(other)[name]
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, expected, err_msg=name)
        else:
            assert value == expected, name


def test_national():
    frame = national()
    data = assemble(frame, NATIONAL)
    assert data.geos == ("national_geo",)
    assert data.kpi.shape == (1, 60)
    assert data.kpi.dtype == data.media.units.dtype == np.float64
    assert data.times.dtype == np.dtype("datetime64[D]")
    np.testing.assert_array_equal(data.media.units[0, :, 0], frame["TV_impressions"])
    np.testing.assert_array_equal(data.media.spend[0, :, 1], frame["Radio_spend"])
    np.testing.assert_array_equal(data.media.units[0, :, 1], frame["Radio_spend"])
    np.testing.assert_array_equal(data.controls[0, :, 0], frame["temperature"])
    assert (data.revenue_per_kpi == 2.5).all()
    assert data.population.tolist() == [1.0]
    assert len(data.non_media) == 0


def test_geos_in_order_of_appearance_and_times_in_order():
    frame = by_geo(("Rome", "Berlin")).iloc[::-1]
    data = assemble(frame, GEO)
    assert data.geos == ("Berlin", "Rome")
    assert (np.diff(data.times).astype(int) == 7).all()
    assert data.population.tolist() == [2000.0, 1000.0]
    first = frame[(frame["geo"] == "Rome") & (frame["week"] == "2021-01-04")]
    assert data.kpi[1, 0] == first["sales"].item()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter(seed):
    frame = by_geo()
    shuffled = frame.sample(frac=1, random_state=seed)
    first = shuffled["geo"].drop_duplicates().tolist()
    ordered = pd.concat([frame[frame["geo"] == geo] for geo in first])
    assert_same(assemble(shuffled, GEO), assemble(ordered, GEO))


@pytest.mark.parametrize("seed", range(3))
def test_other_columns_and_their_order_do_not_matter(seed):
    frame = by_geo()
    columns = pd.Series(frame.columns).sample(frac=1, random_state=seed)
    extra = frame[columns].assign(notes="x", other=np.nan)
    assert_same(assemble(extra, GEO), assemble(frame, GEO))


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y%m%d", "%d %b %Y", "%G-W%V"])
def test_the_way_of_writing_dates_does_not_matter(form):
    frame = national()
    written = frame.assign(week=pd.to_datetime(frame["week"]).dt.strftime(form))
    assert_same(assemble(written, NATIONAL), assemble(frame, NATIONAL))


@pytest.mark.parametrize("form", ["csv", "german", "xlsx", "parquet"])
def test_the_form_of_the_file_does_not_matter(form, tmp_path):
    frame = by_geo()
    path = tmp_path / "table"
    if form == "csv":
        frame.to_csv(path)
    elif form == "german":
        frame.to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False)
    elif form == "xlsx":
        frame.assign(week=pd.to_datetime(frame["week"])).to_excel(
            path.with_suffix(".xlsx"), index=False
        )
        path = path.with_suffix(".xlsx")
    else:
        frame.to_parquet(path)
    assert_same(assemble(load_table(path, "table"), GEO), assemble(frame, GEO))


def test_one_geo_is_national():
    frame = by_geo(("Berlin",))
    data = assemble(frame, GEO)
    assert data.is_national
    assert data.geos == ("national_geo",)
    assert data.population.tolist() == [1.0]


def test_numeric_codes_are_geos():
    frame = by_geo()
    codes = {"Berlin": 501.0, "Paris": 502.0, "Rome": 503.0}
    coded = frame.assign(geo=frame["geo"].map(codes).astype(float))
    assert assemble(coded, GEO).geos == ("501", "502", "503")


def test_history_without_a_kpi_lengthens_media_only():
    frame = by_geo()
    early = frame["week"] < "2021-03-01"
    lagged = frame.assign(
        sales=frame["sales"].where(~early),
        temperature=frame["temperature"].where(~early),
        TV_spend=frame["TV_spend"].where(~early),
    )
    data, whole = assemble(lagged, GEO), assemble(frame, GEO)
    assert (data.n_times, data.n_media_times) == (52, 60)
    np.testing.assert_array_equal(data.times, whole.times[8:])
    np.testing.assert_array_equal(data.media_times, whole.times)
    np.testing.assert_array_equal(data.media.units, whole.media.units)
    np.testing.assert_array_equal(data.media.spend, whole.media.spend[:, 8:])
    np.testing.assert_array_equal(data.kpi, whole.kpi[:, 8:])
    assert data.controls.shape == data.revenue_per_kpi.shape + (1,) == (3, 52, 1)


def test_empty_media_counts_as_zero():
    frame = national()
    frame["TV_impressions"] = frame["TV_impressions"].where(frame["TV_impressions"] > 0)
    frame["TV_spend"] = frame["TV_spend"].where(frame["TV_spend"] > 0)
    assert_same(assemble(frame, NATIONAL), assemble(national(), NATIONAL))


def test_the_mean_of_a_changing_population():
    frame = by_geo()
    frame["population"] = frame["population"].astype(float)
    frame.loc[0, "population"] = 7000.0
    frame.loc[1, "population"] = np.nan
    assert assemble(frame, GEO).population[0] == pytest.approx((7000 + 58 * 1000) / 59)


def test_without_population_a_geo_counts_by_what_it_usually_sells():
    data = assemble(by_geo(), replace(GEO, population=None))
    usual = data.kpi.mean(axis=1)
    assert np.ptp(usual) > 0
    assert data.population == pytest.approx(3 * usual / usual.sum())


def test_money_has_no_value_per_unit():
    data = assemble(national(), replace(NATIONAL, kpi_type="revenue"))
    assert data.revenue_per_kpi is None
    assert data.outcome_unit == "revenue"


def test_every_kind_of_treatment():
    frame = national()
    frame["reach"], frame["frequency"], frame["promo"] = 10.0, 2.0, 0.0
    frame.loc[5:9, "reach"] = 30.0
    frame.loc[8:12, "promo"] = 3.0
    mapping = replace(
        NATIONAL,
        controls=(),
        channels=(
            ChannelColumns("mail", "organic_media", media="TV_impressions"),
            ChannelColumns(
                "yt",
                "reach_frequency",
                reach="reach",
                frequency="frequency",
                spend="Radio_spend",
            ),
            ChannelColumns("promo", "non_media", column="promo"),
        ),
    )
    data = assemble(frame, mapping)
    assert data.organic_media.names == ("mail",)
    assert data.organic_media.spend is None
    assert data.reach_frequency.frequency.shape == (1, 60, 1)
    assert data.non_media.units[0, 9, 0] == 3.0
    assert data.controls.shape == (1, 60, 0)
    assert len(data.media) == 0


@needs_reference
@pytest.mark.parametrize("name", ["geo6_organic_rf", "geo_all_channels_aks"])
def test_reference_tables(name):
    given = case(name)
    frame = load_table(reference_data(given["dataset"]), given["dataset"])
    frame = frame[frame["geo"].isin(given["geos"]) & frame["time"].isin(given["times"])]
    data = assemble(frame, case_mapping(given["columns"]))
    assert data.geos == tuple(frame["geo"].unique())
    assert np.datetime_as_string(data.times).tolist() == given["times"]
    expected = frame.pivot(index="geo", columns="time", values="conversions")
    np.testing.assert_array_equal(data.kpi, expected.loc[list(data.geos)].to_numpy())


def test_one_error_holds_all_findings():
    frame = by_geo().drop(index=[3, 70])
    frame["sales"] = frame["sales"].astype(object)
    frame.loc[10, "sales"] = "n/k"
    frame.loc[11, "TV_spend"] = -5.0
    with pytest.raises(SchemaError) as caught:
        assemble(frame, GEO)
    messages = [finding.message for finding in caught.value.findings]
    assert '"n/k" (row 12)' in messages[0]
    assert sum("has no row for" in message for message in messages) == 2
    assert any("TV_spend is negative" in message for message in messages)
    assert "3 more errors" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda frame: frame.drop(columns="TV_spend"), SchemaError),
        (lambda frame: frame.drop(index=[4]), CoverageError),
        (lambda frame: frame.assign(TV_spend=0.0), ValueRangeError),
    ],
)
def test_the_error_says_what_kind_of_fault(change, error):
    with pytest.raises(DataError) as caught:
        assemble(change(national()), NATIONAL)
    assert type(caught.value) is error
    assert caught.value.hint
    assert caught.value.where
