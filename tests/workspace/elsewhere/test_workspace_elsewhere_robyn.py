"""A model file of Robyn: roles, options, priors, and what has no counterpart."""

import json

import pandas as pd
import pytest

from core.errors import SchemaError
from core.service.data.elsewhere import is_model_file, read_model_file

INPUTS = {
    "date_var": ["DATE"],
    "dep_var": ["revenue"],
    "dep_var_type": ["revenue"],
    "prophet_vars": ["trend", "season", "holiday"],
    "prophet_country": ["DE"],
    "context_vars": ["competitor_sales_B", "events"],
    "context_signs": ["default", "default"],
    "paid_media_vars": ["tv_S", "facebook_I"],
    "paid_media_spends": ["tv_S", "facebook_S"],
    "organic_vars": ["newsletter"],
    "factor_vars": ["events"],
    "window_start": ["2016-01-04"],
    "window_end": ["2018-12-31"],
    "adstock": ["geometric"],
    "hyperparameters": {
        "tv_S_alphas": [0.5, 3],
        "tv_S_gammas": [0.3, 1],
        "tv_S_thetas": [0.3, 0.8],
        "newsletter_thetas": [0.1],
        "train_size": [0.5, 0.8],
    },
    "calibration_input": {},
}


def table() -> pd.DataFrame:
    dates = pd.date_range("2020-01-06", periods=60, freq="W-MON").astype(str)
    numbers = {
        name: [float(n + at) for n in range(60)]
        for at, name in enumerate(
            [
                *("revenue", "tv_S", "facebook_I", "facebook_S", "newsletter"),
                "competitor_sales_B",
            ]
        )
    }
    return pd.DataFrame({"DATE": dates, **numbers, "events": ["na"] * 59 + ["x"]})


def content(extras=None, **changes) -> bytes:
    document = {"InputCollect": INPUTS | changes}
    return json.dumps(document | ({"Extras": extras} if extras else {})).encode()


def said(robyn) -> str:
    return " ".join(finding.message for finding in robyn.findings)


def test_roles_are_taken_over():
    robyn = read_model_file(content(), "m.json", table())
    mapping = robyn.mapping
    assert (mapping.time, mapping.kpi, mapping.kpi_type) == (
        "DATE",
        "revenue",
        "revenue",
    )
    assert [(c.name, c.kind, c.media, c.spend) for c in mapping.channels] == [
        ("tv", "media", "tv_S", "tv_S"),
        ("facebook", "media", "facebook_I", "facebook_S"),
        ("newsletter", "organic_media", "newsletter", None),
    ]
    assert mapping.controls == ("competitor_sales_B",)
    assert [event.name for event in robyn.spec.events] == ["x"]
    assert "x are events of the model" in said(robyn)


def test_ranges_become_uniform_priors_and_the_rest_is_listed():
    robyn = read_model_file(content(), "m.json", table())
    by_name = {channel.name: dict(channel.priors) for channel in robyn.spec.channels}
    assert by_name["tv"]["alpha"].parameters() == {"low": 0.3, "high": 0.8}
    assert by_name["tv"]["slope"].parameters() == {"low": 0.5, "high": 3.0}
    assert by_name["newsletter"]["alpha"].family == "Deterministic"
    assert by_name["facebook"] == {}
    assert robyn.spec.holidays == "DE"
    for word in ("gammas", "train_size", "2016-01-04"):
        assert word in said(robyn)


def test_a_weibull_adstock_is_not_passed_off_as_ours():
    robyn = read_model_file(content(adstock=["weibull_pdf"]), "m.json", table())
    tv = dict(robyn.spec.channels[0].priors)
    assert set(tv) == {"slope"}
    assert "weibull_pdf adstock" in said(robyn)


def test_a_conversion_is_no_money():
    robyn = read_model_file(content(dep_var_type=["conversion"]), "m.json", table())
    assert robyn.mapping.kpi_type == "non_revenue"


def test_the_table_may_be_in_the_file():
    extras = {"raw_data": table().to_dict("records")}
    robyn = read_model_file(content(extras), "m.json")
    assert len(robyn.frame) == 60
    with pytest.raises(SchemaError, match="does not hold the table"):
        read_model_file(content(), "m.json")


def test_columns_that_the_table_lacks_are_named():
    with pytest.raises(SchemaError, match="facebook_S"):
        read_model_file(content(), "m.json", table().drop(columns="facebook_S"))


@pytest.mark.parametrize(
    "bad",
    [
        b'{"paid_media_spends": [',
        b'{"InputCollect": [], "x": "paid_media_spends"}',
        b'{"InputCollect": {"paid_media_spends": []}}',
        content(dep_var=[]),
        content(hyperparameters="none", paid_media_spends=[None]),
    ],
)
def test_a_damaged_file_is_explained(bad):
    with pytest.raises(SchemaError) as raised:
        read_model_file(bad, "m.json", table())
    assert "m.json" in raised.value.message


def test_other_json_is_no_model():
    assert is_model_file("m.json")
    assert not is_model_file("m.csv")
    with pytest.raises(SchemaError, match="not a model of Robyn"):
        read_model_file(b'{"designs": {}}', "m.json", table())


@pytest.mark.parametrize("odd", [["a", None], "wide", {"low": 0.1}, None])
def test_a_range_of_no_numbers_is_said(odd):
    ranges = INPUTS["hyperparameters"] | {"tv_S_thetas": odd}
    robyn = read_model_file(content(hyperparameters=ranges), "RobynModel.json", table())
    assert "tv_S_thetas is" in said(robyn)
    assert "not a range of numbers" in said(robyn)
