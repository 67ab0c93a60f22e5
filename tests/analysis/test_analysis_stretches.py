"""Stretches: what can be chosen, and that parts and changes add up."""

import numpy as np
import pytest
import xarray as xr

from core.analysis import stretches
from core.analysis.weeks import stretches as stretches_of
from tests.charts import synthetic


@pytest.fixture(scope="module")
def sources():
    return synthetic.sources()


def chosen(sources, label):
    return next(one for one in stretches.choices(sources) if one.label == label)


def test_periods_fall_into_quarters_cut_at_the_last_year():
    times = np.datetime64("2022-01-03") + 7 * np.arange(130)
    place, about = stretches_of(times)
    assert (np.diff(place) >= 0).all()
    assert sum(about["n_periods"]) == 130
    of_last = np.asarray(about["last"])[place]
    assert (of_last[-52:] == 0).all() and (of_last[-104:-52] == 1).all()
    assert (of_last[:-104] == -1).all()
    for stretch in range(place.max() + 1):
        months = times[place == stretch].astype("datetime64[M]").astype(int)
        assert len({(m // 12, m % 12 // 3) for m in months}) == 1


def test_what_can_be_chosen(sources):
    labels = [one.label for one in stretches.choices(sources)]
    assert labels[:5] == [
        "All periods",
        "Last 52 weeks",
        "2023",
        "2022",
        "2021",
    ]
    assert labels[5] == "Q4 2023"
    assert chosen(sources, "2022").n_periods == 52


def test_the_year_before_is_of_the_same_quarters(sources):
    before = stretches.year_before(sources, chosen(sources, "Q2 2023"))
    assert before.where == chosen(sources, "Q2 2022").where
    assert before.label == "Q2 2022"
    assert stretches.year_before(sources, chosen(sources, "2022")).label == "2021"
    assert stretches.year_before(sources, chosen(sources, "2021")) is None
    assert stretches.year_before(sources, chosen(sources, "All periods")) is None
    last = stretches.year_before(sources, chosen(sources, "Last 52 weeks"))
    assert last.where == chosen(sources, "2022").where


def weekly(first, n):
    """Sources with nothing but weeks."""
    times = np.datetime64(first) + 7 * np.arange(n)
    _, about = stretches_of(times)
    coords = {name: ("stretch", np.asarray(each)) for name, each in about.items()}
    return xr.Dataset(coords=coords)


def test_a_quarter_that_the_data_cut_short_is_compared_with_as_many_weeks():
    """127 weeks end on 3 June 2024: ten weeks of the quarter, and ten a year before."""
    sources = weekly("2022-01-03", 127)
    for label, n in (("Q2 2024", 10), ("2024", 23)):
        after = chosen(sources, label)
        before = stretches.year_before(sources, after)
        assert (before.n_periods, after.n_periods) == (n, n)
        assert before.label == f"The same periods of {label.replace('2024', '2023')}"
        ends = sources["end"].values[before.mask]
        assert ends[-1] == "2023-06-05"
    whole = stretches.year_before(sources, chosen(sources, "Q1 2024"))
    assert (whole.label, whole.n_periods) == ("Q1 2023", 13)
    short = weekly("2023-02-06", 50)
    assert stretches.year_before(short, chosen(short, "Q1 2024")) is None


def test_where_the_data_begin_there_is_no_whole_year_before():
    """100 weeks from 7 February 2022: five weeks of that quarter and year are not."""
    sources = weekly("2022-02-07", 100)
    for label in ("2023", "Q1 2023", "Last 52 weeks"):
        assert stretches.year_before(sources, chosen(sources, label)) is None
    assert stretches.year_before(sources, chosen(sources, "Q2 2023")).n_periods == 13
    from_january = weekly("2022-01-03", 104)
    for label in ("2023", "Q1 2023", "Last 52 weeks"):
        after = chosen(from_january, label)
        assert stretches.year_before(from_january, after) is not None


def test_periods_are_compared_with_others_as_long():
    sources = weekly("2022-02-07", 100)
    year, quarter = chosen(sources, "2023"), chosen(sources, "Q3 2023")
    assert stretches.comparable(sources, year) == []
    labels = [each.label for each in stretches.comparable(sources, quarter)]
    assert labels[0] == "Q3 2022" and "Q2 2023" in labels
    assert not {"2022", "2023", "Q1 2022", "Last 52 weeks"} & set(labels)


def test_days_and_months_have_a_year_before():
    days = np.arange("2022-01-01", "2024-03-11", dtype="datetime64[D]")
    months = np.arange("2022-01", "2024-03", dtype="datetime64[M]")
    for times in (days, months.astype("datetime64[D]")):
        _, about = stretches_of(times)
        coords = {name: ("stretch", np.asarray(each)) for name, each in about.items()}
        sources = xr.Dataset(coords=coords)
        for label in ("2023", "Q1 2023", "Q1 2024"):
            assert stretches.year_before(sources, chosen(sources, label)) is not None


def test_years_add_up_to_all_periods(sources):
    whole = stretches.returned(sources, chosen(sources, "All periods"))
    parts = [
        stretches.returned(sources, chosen(sources, year))
        for year in ("2021", "2022", "2023")
    ]
    for name in ("incremental_outcome", "baseline_outcome", "expected_outcome"):
        np.testing.assert_allclose(sum(part[name] for part in parts), whole[name])
    spend = sum(part["spend"] for part in parts)
    np.testing.assert_allclose(spend, whole["spend"])
    np.testing.assert_allclose(
        whole["baseline_part"].sum("part"), whole["baseline_outcome"]
    )
    tv = whole.sel(channel="TV")
    np.testing.assert_allclose(tv["roi"] * tv["spend"], tv["incremental_outcome"])
    assert whole["roi"].sel(channel="Newsletter").isnull().all()


def test_the_steps_of_a_bridge_add_up_to_the_difference(sources):
    steps, first, last = stretches.bridge(
        sources, chosen(sources, "2022"), chosen(sources, "2023")
    )
    assert sum(step["mean"] for step in steps) == pytest.approx(last - first)
    assert steps[-1]["name"] == stretches.UNEXPLAINED
    tv = next(step for step in steps if step["name"] == "TV")
    assert tv["lo"] < tv["mean"] < tv["hi"]
    assert tv["mean"] > 0  # it grows by 5 % a year


def test_fewer_draws_bring_what_the_table_says(sources):
    """Chart and table of one fit have one mean, whichever draws were kept."""
    whole = stretches.returned(sources, chosen(sources, "All periods"))
    few = sources.isel(draw=slice(0, 7))
    accident = stretches.returned(few, chosen(few, "All periods"))
    wanted = whole["incremental_outcome"].mean("draw")
    assert not np.allclose(accident["incremental_outcome"].mean("draw"), wanted)
    shown = stretches.levelled(few, whole)
    again = stretches.returned(shown, chosen(few, "All periods"))
    np.testing.assert_allclose(
        again["incremental_outcome"].mean("draw")[:5], wanted[:5], rtol=1e-6
    )
    np.testing.assert_allclose(
        again["baseline_outcome"].mean(), whole["baseline_outcome"].mean(), rtol=1e-6
    )
    assert again["baseline_part"].sizes["part"] == 3


def test_means_that_no_accident_explains_are_left_alone(sources):
    whole = stretches.returned(sources, chosen(sources, "All periods"))
    other = whole.assign(
        incremental_outcome=2 * whole["incremental_outcome"],
        baseline_outcome=2 * whole["baseline_outcome"],
    )
    left = stretches.levelled(sources, other)
    for name in ("incremental_outcome", "baseline"):
        np.testing.assert_allclose(left[name], sources[name])
