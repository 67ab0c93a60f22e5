"""Tables that others made, as they lie: the roles of their columns, no edits."""

import pytest

from core.data.assemble import assemble
from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.recognition.questions import guess_findings
from core.data.recognition.recognise import guess_mapping
from tests.data.data_tables import of
from tests.data.test_data_recognise import channels
from tests.reference import REFERENCE

PUBLIC = REFERENCE / "public"
pytestmark = pytest.mark.skipif(
    not PUBLIC.is_dir(), reason=f"no public tables at {PUBLIC}"
)


def opened(name):
    frame = load_table(PUBLIC / name, name)
    return frame, guess_mapping(frame)


def test_the_market_of_mmm_stan_passes_as_it_is():
    frame, mapping = opened("mmm_stan_data.csv")
    assert of(check_table(frame, mapping), "error") == []
    data = assemble(frame, mapping)
    assert data.media.names == (
        *("dm", "inst", "nsp", "auddig", "audtr", "vidtr", "viddig", "so", "on", "sem"),
    )
    assert data.organic_media.names == ("em", "sms", "aff")
    assert "hldy_Black Friday" in data.control_names
    assert "hldy_Thanksgiving" not in data.control_names
    assert not {"yr_nbr", "qtr_nbr", "wk_nbr"} & set(mapping.controls)


def test_robyns_events_are_offered():
    frame, mapping = opened("robyn_dt_simulated_weekly.csv")
    assert any("events holds text" in f.message for f in guess_findings(frame, mapping))
    assert mapping.kpi_type == "revenue"


def test_the_four_kpis_of_a_table_are_a_choice():
    frame, mapping = opened("pymc_mock_cgp_data.csv")
    assert mapping.kpi == "target1"
    named = "Google Search, DV360, Facebook, AMS, TV, VOD, OOH, Radio".split(", ")
    assert [c.name for c in mapping.of_kind("media")] == named
    asked = " ".join(f.message for f in guess_findings(frame, mapping))
    assert "target2, target_seasonal and target_upwards could be it" in asked


def test_a_kpi_called_target_var():
    frame, mapping = opened("pymc_funnel_data.csv")
    assert mapping.kpi == "target_var"
    assert len(mapping.controls) == 5
    assert of(check_table(frame, mapping), "error") == []


def test_columns_that_hold_the_answer_are_not_used():
    frame, mapping = opened("pymc_media_tvp_data.csv")
    assert channels(mapping) == {"x1": ("media", "x1"), "x2": ("media", "x2")}
    assert mapping.controls == ("event_1", "event_2")


def test_an_ad_id_is_no_geo_and_no_control():
    frame, mapping = opened("fivetran_ad_report.csv")
    assert mapping.geo is None
    assert mapping.controls == ()
    assert channels(mapping) == {"Media": ("media", "impressions", "spend")}
