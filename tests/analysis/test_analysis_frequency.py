"""Optimal frequency: its view model, on made-up and on reference data."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest

from core.analysis.learning.prior_draws import prior_draws
from core.analysis.response.frequency import frequencies, frequency_summary
from core.charts.frequency import sentence
from core.data.assemble import assemble
from core.data.files.load import load_table
from core.model.build import build
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from core.view.sections.of_fit import best_of
from tests.reference import case, case_mapping, needs_reference, reference_data
from tests.small_market import market, spec


def draws_of(model, n=6):
    variables = partial(posterior_variables, model.structure, model.arrays)
    draws = jax.jit(jax.vmap(variables))(prior_draws(model, n, 0))
    return {name: np.asarray(value) for name, value in draws.items()}


@pytest.fixture(scope="module")
def with_frequency():
    model = build(market(every_kind=True), spec(every_kind=True))
    draws = draws_of(model)
    return model, frequencies(model, draws)


def test_without_frequency_there_is_no_view():
    model = build(market(), spec())
    assert frequencies(model, draws_of(model, 2)) is None
    assert frequency_summary(None) == {}


def test_reach_that_was_never_above_one_has_no_best_frequency():
    data = market(every_kind=True)
    once = np.ones_like(data.reach_frequency.frequency)
    data = replace(data, reach_frequency=replace(data.reach_frequency, frequency=once))
    model = build(data, spec(every_kind=True))
    view = frequencies(model, draws_of(model, 2))
    assert view["frequency"].to_numpy().tolist() == [1.0]
    assert view["best"].to_numpy().tolist() == [1.0]
    (name,) = view["channel"].to_numpy()
    assert "no frequency above 1 was seen" in sentence(view, str(name))
    assert np.isfinite(frequency_summary(view)[str(name)].mean)
    optimum = frequency_summary(view)[str(name)]
    assert "No frequency above 1 was seen" in best_of(optimum)


def test_current_frequency_is_impressions_per_person_reached(with_frequency):
    model, view = with_frequency
    video = model.data.reach_frequency
    impressions = (video.units * video.frequency).sum()
    assert float(view["current"][0]) == pytest.approx(impressions / video.units.sum())
    assert float(view["highest_seen"][0]) == video.frequency.max()
    assert view["frequency"][0] == 1.0


def test_best_lies_on_the_grid_and_has_an_interval(with_frequency):
    _, view = with_frequency
    told = frequency_summary(view)["video"]
    assert told.best in view["frequency"].to_numpy()
    assert 1 <= told.lo <= told.median <= told.hi
    assert told.current > 1


@needs_reference
@pytest.mark.parametrize(
    ("name", "is_paid"), [("national_rf_calibration", True), ("geo6_organic_rf", False)]
)
def test_paid_and_organic_reach_of_reference_data(name, is_paid):
    mapping = case_mapping(case(name)["columns"])
    path = reference_data(case(name)["dataset"])
    frame = load_table(path, path.name)
    channels = tuple(ChannelSpec(c.name, c.kind) for c in mapping.channels)
    model = build(assemble(frame, mapping), ModelSpec(channels, knots=3))
    view = frequencies(model, draws_of(model, 3))
    by_reach = mapping.of_kind("reach_frequency", "organic_reach_frequency")
    assert list(view["channel"].to_numpy()) == [c.name for c in by_reach]
    assert np.isfinite(view["spend"].to_numpy()).all() == is_paid
    assert 1 < float(view["current"][0]) <= float(view["highest_seen"][0])
    assert np.isfinite(view["best_of_draw"]).all()
    assert len(view["frequency"]) <= 102
