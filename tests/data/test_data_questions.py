"""What a table does not answer is asked: kind of KPI, other KPIs, mediators, events."""

import numpy as np
import pytest

from core.data.mapping import ColumnMapping
from core.data.recognition.outcomes import kind_explained
from core.data.recognition.questions import guess_findings, mapping_findings
from core.data.recognition.recognise import guess_mapping, guess_roles
from core.data.recognition.text_events import text_events
from core.errors import SchemaError
from tests.data.test_data_recognise import channels, table


def asked(frame):
    return " ".join(f.message for f in guess_findings(frame, guess_mapping(frame)))


@pytest.mark.parametrize("name", ["target", "target_var", "y1", "outcome", "y"])
def test_generic_names_of_a_kpi(name):
    frame = table(name, "tv_spend")
    mapping = guess_mapping(frame)
    assert mapping.kpi == name
    assert f"{name} is taken for an amount of money" in asked(frame)
    said, is_sure = kind_explained(frame, mapping)
    assert not is_sure and "A guess" in said


def test_a_name_that_says_money_is_not_asked_about():
    frame = table("revenue", "tv_spend")
    assert asked(frame) == ""
    said, is_sure = kind_explained(frame, guess_mapping(frame))
    assert is_sure and 'says "revenue"' in said


def test_several_kpis_are_a_choice():
    frame = table("target1", "target2", "target_seasonal", "TV", "Radio")
    assert guess_mapping(frame).kpi == "target1"
    assert "target2 and target_seasonal could be it" in asked(frame)
    chosen = {each.role: each.column for each in guess_roles(frame, kpi="target2")}
    assert chosen["kpi"] == "target2"


def test_spend_and_exposure_under_different_words_are_one_channel():
    frame = table("sales", "GRP(TV)", "Advertising Expenses(TV)", "Radio cost")
    found = channels(guess_mapping(frame))
    assert found["TV"] == ("media", "GRP(TV)", "Advertising Expenses(TV)")
    frame = table("sales", "cost", "impr.", "clicks")
    assert channels(guess_mapping(frame)) == {"Media": ("media", "impr.", "cost")}


def test_ids_are_neither_geos_nor_controls():
    frame = table("sales", "TV_spend", account_id=np.arange(60) % 3 + 5)
    frame["ad_id"] = [f"AD{i % 3}" for i in range(60)]
    mapping = guess_mapping(frame)
    assert mapping.geo is None
    assert mapping.controls == ()


def test_what_media_move_is_asked_about_and_not_used():
    frame = table(
        *("sales", "TV_spend", "brand_awareness", "branded_search_volume"),
        *("TV_conversions", "GQV_control"),
    )
    mapping = guess_mapping(frame)
    assert mapping.controls == ("GQV_control",)
    said = asked(frame)
    assert "brand_awareness and branded_search_volume may be moved by media" in said
    assert "TV_conversions look like what platforms count" in said


def test_a_mediator_chosen_as_a_control_is_warned_of():
    chosen = ColumnMapping("date", "sales", controls=("brand_awareness", "rain"))
    (finding,) = mapping_findings(chosen)
    assert finding.severity == "warning"
    assert "brand_awareness" in finding.message and "rain" not in finding.message


def test_text_of_few_values_is_offered_as_events():
    events = np.array(["na"] * 60, dtype=object)
    events[[10, 11, 30]] = "event1"
    events[40] = "event2"
    frame = table("revenue", "tv_S", events=events)
    mapping = guess_mapping(frame)
    assert "Column events holds text of few values (event1 and event2)" in asked(frame)
    found = text_events(frame, mapping, "events")
    assert [event[0] for event in found] == ["event1", "event1", "event2"]
    start, end = found[0][1:]
    assert np.datetime64(end) - np.datetime64(start) == np.timedelta64(13, "D")


def test_what_another_model_worked_out_is_not_used():
    frame = table(
        "y", "x1", "x2", "x1_contribution", "control_contribution", "intercept"
    )
    assert channels(guess_mapping(frame)).keys() == {"x1", "x2"}
    assert guess_mapping(frame).controls == ()


def test_a_kpi_is_not_looked_for_among_dates_places_and_media():
    frame = table("TV_spend", "TV_impressions", "Radio spend", "quality", geo="north")
    frame["geo"] = ["north", "south"] * (len(frame) // 2)
    with pytest.raises(SchemaError) as refusal:
        guess_mapping(frame)
    assert refusal.value.hint.endswith("from quality.")
    with pytest.raises(SchemaError) as refusal:
        guess_mapping(frame.drop(columns="quality"))
    assert refusal.value.hint == "Add a column of it, per period."
