"""Configurations of PyMC-Marketing and Meridian: roles, priors, and what is left."""

import json

import numpy as np
import pandas as pd
import pytest

from core.errors import SchemaError
from core.service.data.elsewhere import read_model_file

PYMC = """
schema_version: 1
model:
  class: pymc_marketing.mmm.multidimensional.MMM
  kwargs:
    date_column: "date"
    channel_columns: [tv, radio]
    control_columns: [weather]
    target_column: "sales"
    dims: ["market"]
    yearly_seasonality: 3
    scaling: {class: pymc_marketing.mmm.scaling.Scaling}
    adstock:
      class: pymc_marketing.mmm.GeometricAdstock
      kwargs:
        l_max: 12
        priors:
          alpha: {distribution: "Beta", alpha: 1, beta: 3, dims: ["market", "channel"]}
    saturation:
      class: pymc_marketing.mmm.HillSaturation
      kwargs:
        priors:
          slope: {distribution: "Gamma", mu: 1.5, sigma: 0.5}
          kappa: {distribution: "Beta", alpha: 2, beta: 2}
    model_config:
      intercept: {distribution: HalfCauchy, beta: 1}
effects:
  - class: pymc_marketing.mmm.additive_effect.LinearTrendEffect
"""
MERIDIAN = {
    "coord_to_columns": {
        "time": "date",
        "geo": "market",
        "kpi": "sales",
        "population": "people",
        "controls": ["weather"],
        "media": ["tv", "radio"],
        "media_spend": ["radio_cost", "tv_cost"],
        "organic_media": ["letters"],
        "non_media_treatments": ["price"],
    },
    "media_to_channel": {"tv": "TV", "radio": "Radio"},
    "media_spend_to_channel": {"tv_cost": "TV", "radio_cost": "Radio"},
    "kpi_type": "non_revenue",
    "model_spec": {
        "prior": {
            "roi_m": {"distribution": "LogNormal", "loc": [0.1, 0.4], "scale": 0.9},
            "alpha_m": {
                "distribution": "Beta",
                "concentration1": 1,
                "concentration0": 3,
            },
            "ec_m": {"distribution": "Sinh", "loc": 1},
        },
        "max_lag": 6,
        "knots": 10,
        "media_effects_dist": "normal",
        "adstock_decay_spec": {"TV": "binomial"},
        "holdout_id": [[True]],
    },
}
NAMES = "sales weather tv radio tv_cost radio_cost letters price people".split()


def table():
    rng = np.random.default_rng(0)
    dates = pd.date_range("2024-01-01", periods=30, freq="W-MON").astype(str)
    numbers = {name: rng.random(30) * 10 for name in NAMES}
    return pd.DataFrame({"date": dates, "market": "north", **numbers})


def read(content, name="model.yml", frame=None):
    content = content if isinstance(content, str) else json.dumps(content)
    return read_model_file(content.encode(), name, table() if frame is None else frame)


def said(brought):
    return " ".join(finding.message for finding in brought.findings)


def test_pymc_marketing_gives_roles_priors_and_season():
    brought = read(PYMC)
    mapping, spec = brought.mapping, brought.spec
    assert (mapping.time, mapping.kpi, mapping.geo) == ("date", "sales", "market")
    assert mapping.controls == ("weather",)
    assert [(c.name, c.kind, c.spend) for c in mapping.channels] == [
        ("tv", "media", "tv"),
        ("radio", "media", "radio"),
    ]
    assert (spec.max_lag, spec.seasonality) == (11, 3)
    for channel in spec.channels:
        priors = dict(channel.priors)
        assert channel.adstock == "geometric"
        assert priors["alpha"].parameters() == {
            "concentration1": 1.0,
            "concentration0": 3.0,
        }
        assert priors["slope"].parameters() == {"concentration": 9.0, "rate": 6.0}
    for word in ("kappa", "scaling", "model_config.intercept", "effects"):
        assert word in said(brought)


@pytest.mark.parametrize(
    ("kind", "read_as"),
    [("revenue", "revenue"), ("REVENUE", "revenue"), ("Non-Revenue", "non_revenue")]
    + [("sales", None), (3, None), (["revenue"], None)],
)
def test_a_kind_of_kpi_that_meridian_does_not_know_is_named(kind, read_as):
    brought = read({**MERIDIAN, "kpi_type": kind}, "model.json")
    assert brought.mapping.kpi_type == (read_as or "non_revenue")
    assert ("is not known: the KPI is taken as a count" in said(brought)) == (
        read_as is None
    )


@pytest.mark.parametrize(
    ("kind", "adstock", "stems"),
    [
        ("DelayedAdstock", "delayed", {"theta"}),
        ("WeibullCDFAdstock", "weibull_cdf", {"lam"}),
        ("MyAdstock", "geometric", set()),
    ],
)
def test_shapes_of_carryover(kind, adstock, stems):
    (stem,) = stems or {"theta"}
    priors = {stem: {"distribution": "HalfNormal", "sigma": 2}}
    options = {
        "date_column": "date",
        "target_column": "sales",
        "channel_columns": ["tv"],
        "adstock": {"class": f"mmm.{kind}", "kwargs": {"priors": priors}},
        "saturation": {"class": "mmm.LogisticSaturation"},
    }
    brought = read({"model": {"kwargs": options}})
    (channel,) = brought.spec.channels
    assert channel.adstock == adstock
    assert set(dict(channel.priors)) == stems
    assert "LogisticSaturation has no counterpart" in said(brought)
    assert ("MyAdstock has no counterpart" in said(brought)) == (not stems)


def test_meridian_gives_roles_by_channel_and_priors_by_name():
    brought = read(MERIDIAN, "m.json")
    mapping, spec = brought.mapping, brought.spec
    assert [(c.name, c.kind, c.media, c.spend) for c in mapping.channels] == [
        ("TV", "media", "tv", "tv_cost"),
        ("Radio", "media", "radio", "radio_cost"),
        ("letters", "organic_media", "letters", None),
        ("price", "non_media", None, None),
    ]
    assert (mapping.population, mapping.geo) == ("people", "market")
    assert (spec.preset, spec.max_lag, spec.knots) == ("meridian", 6, 10)
    assert spec.media_effects == "normal"
    tv, radio = spec.channels[:2]
    assert tv.prior.parameters() == {"loc": 0.1, "scale": 0.9}
    assert radio.prior.parameters() == {"loc": 0.4, "scale": 0.9}
    assert (tv.adstock, radio.adstock) == ("binomial", "geometric")
    assert dict(spec.priors)["alpha_m"].family == "Beta"
    for word in ("prior of ec_m", "holdout_id"):
        assert word in said(brought)


def test_columns_that_the_table_lacks_are_named():
    frame = table().drop(columns=["tv"])
    for content, name in ((PYMC, "m.yaml"), (MERIDIAN, "m.json")):
        with pytest.raises(SchemaError, match="uses tv, which the table lacks"):
            read(content, name, frame)
        with pytest.raises(SchemaError, match="does not hold the table"):
            content = content if isinstance(content, str) else json.dumps(content)
            read_model_file(content.encode(), name)


@pytest.mark.parametrize(
    "content",
    [
        "model: [",
        "- a\n- b",
        "a: &x [1]\nb: *x",
        "model: !!python/object/apply:os.system [ls]",
        "model: {kwargs: {channel_columns: 3, date_column: date}}",
        "model: {kwargs: {channel_columns: [tv]}}",
        "[" * 5000,
        "coord_to_columns: {media: [tv, radio], media_spend: [tv_cost]}",
        "designs: {}",
    ],
)
def test_a_damaged_or_foreign_file_is_explained(content):
    with pytest.raises(SchemaError) as caught:
        read(content)
    assert "model.yml" in caught.value.message
    assert caught.value.hint


def test_brackets_within_brackets_are_refused_before_they_are_read():
    """The reader of YAML takes the square of their number."""
    with pytest.raises(SchemaError, match="hundred brackets within each other"):
        read("a: " + "[{b: " * 60)
    deep = read(f"{PYMC}notes: {'[' * 90}1{']' * 90}\n")
    assert deep.spec == read(PYMC).spec


def test_keys_that_are_no_texts_are_said_like_others():
    brought = read(f"{PYMC}1: x\n")
    assert "effects and 1" in said(brought)


@pytest.mark.parametrize(
    "option",
    [
        {"max_lag": "x"},
        {"max_lag": True},
        {"knots": "ten"},
        {"knots": ["a"]},
        {"hill_before_adstock": "yes"},
        {"baseline_geo": [1]},
    ],
)
def test_an_option_of_another_kind_is_left_out_and_said(option):
    (key,) = option
    brought = read(json.dumps(MERIDIAN | {"model_spec": option}), "model.json")
    assert f"not taken over: {key} " in said(brought)


@pytest.mark.parametrize("length", ["x", -1, 0, "[2]"])
def test_a_length_of_carryover_that_is_none_is_said(length):
    content = PYMC.replace("l_max: 12", f"l_max: {length}")
    assert "no number of periods: not used" in said(read(content))
