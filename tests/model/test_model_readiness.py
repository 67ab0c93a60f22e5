"""Readiness: everything to know before a fit, in one list."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.mapping import ChannelColumns
from core.data.recognition.without_media import with_paid
from core.errors import DataError, SchemaError
from core.model.readiness import readiness, refuse_contradictions
from core.model.spec import ModelSpec
from core.project.settings.defaults import default_spec
from tests.data.data_tables import NATIONAL, national, of

SPEC = default_spec(NATIONAL)


def found(frame, mapping=NATIONAL, spec=SPEC):
    return readiness(frame, mapping, spec)[1]


@pytest.mark.parametrize(
    ("n", "text"), [(40, "no yearly season can be identified"), (60, "came about once")]
)
def test_short_tables_are_told_what_they_cannot_say(n, text):
    assert any(text in message for message in of(found(national(n)), "warning"))


def test_two_years_say_nothing():
    assert not of(found(national(110)), "warning")


def test_errors_of_the_table_come_alone():
    data, findings = readiness(national(5), NATIONAL, SPEC)
    assert data is None
    assert of(findings, "error")


def test_money_that_cannot_be_the_same_is_refused():
    frame = national(110).assign(sales=lambda x: x["sales"] * 1e7)
    data, findings = readiness(frame, NATIONAL, SPEC)
    assert findings[0].severity == "error"
    assert findings[0].where == "data.spend_unit"
    with pytest.raises(DataError, match="cannot be the same money"):
        refuse_contradictions(SPEC, data, "sales")
    answered = replace(NATIONAL, spend_unit="other")
    data, findings = readiness(frame, answered, SPEC)
    assert not of(findings, "error")
    refuse_contradictions(SPEC, data, "sales")


def test_what_media_move_and_dummies_of_the_season_are_pointed_out():
    names = ("brand_awareness", "seas_week_40", "hldy_Christmas")
    rng = np.random.default_rng(1)
    dummies = {name: (rng.random(110) < 0.2).astype(float) for name in names}
    frame = national(110).assign(**dummies)
    mapping = replace(NATIONAL, controls=names)
    said = " ".join(f.message for f in found(frame, mapping))
    assert "brand_awareness is something that media move" in said
    assert "has a season already, beside controls seas_week_40" in said
    assert "has the holidays" not in said
    spec = replace(SPEC, holidays="US")
    said = " ".join(f.message for f in found(frame, mapping, spec))
    assert "has the holidays of US already, beside controls hldy_Christmas" in said


def test_a_table_without_channels_is_not_asked_about_money():
    bare = replace(NATIONAL, channels=())
    assert len(of(found(national(110), bare, ModelSpec()), "error")) == 1


@pytest.mark.parametrize("kept", [(), ("non_media",)])
def test_a_table_without_media_is_refused(kept):
    treatment = ChannelColumns("temperature", "non_media", column="temperature")
    channels = (treatment,) if kept else ()
    mapping = replace(NATIONAL, channels=channels, controls=())
    first = found(national(110), mapping, default_spec(mapping))[0]
    assert (first.severity, first.where) == ("error", "channels")
    assert "no media" in first.message


def test_media_without_spend_say_that_no_budget_follows():
    organic = ChannelColumns("TV", "organic_media", media="TV_impressions")
    mapping = replace(NATIONAL, channels=(organic,))
    said = of(found(national(110), mapping, default_spec(mapping)), "warning")
    assert any("no budget can be planned" in message for message in said)
    paid = with_paid(mapping, ["TV_*"])
    assert [channel.spend for channel in paid.of_kind("media")] == ["TV_impressions"]
    assert paid.spend_unit == "other"
    with pytest.raises(SchemaError, match="not exposure without spend"):
        with_paid(mapping, ["Radio*"])
