"""Roles of columns, to a mapping and back."""

import pytest

from core.data.recognition.roles import ColumnRole, mapping_from_roles, roles_of
from core.errors import SchemaError
from tests.data.data_tables import GEO, NATIONAL, by_geo, national

BASE = [ColumnRole("week", "time"), ColumnRole("sales", "kpi")]


@pytest.mark.parametrize(
    ("frame", "mapping"), [(national(), NATIONAL), (by_geo(), GEO)]
)
def test_there_and_back(frame, mapping):
    roles = roles_of(frame.columns, mapping)
    assert [entry.column for entry in roles] == list(frame.columns)
    again = mapping_from_roles(roles, kpi_type=mapping.kpi_type, value=2.5)
    assert again == mapping


def test_the_kind_of_a_channel_follows_from_its_columns():
    roles = [
        *BASE,
        ColumnRole("a_i", "media", "A"),
        ColumnRole("b_r", "reach", "B"),
        ColumnRole("b_f", "frequency", "B"),
        ColumnRole("c_r", "reach", "C"),
        ColumnRole("c_f", "frequency", "C"),
        ColumnRole("c_s", "spend", "C"),
        ColumnRole("d_s", "spend", "D"),
        ColumnRole("e", "non_media", "E"),
        ColumnRole("f", "spend"),
    ]
    mapping = mapping_from_roles(roles, kpi_type="revenue")
    assert {channel.name: channel.kind for channel in mapping.channels} == {
        "A": "organic_media",
        "B": "organic_reach_frequency",
        "C": "reach_frequency",
        "D": "media",
        "E": "non_media",
        "f": "media",
    }


def test_every_fault_is_told_at_once():
    roles = [
        ColumnRole("week", "time"),
        ColumnRole("day", "time"),
        ColumnRole("a", "media", "A"),
        ColumnRole("a2", "media", "A"),
        ColumnRole("b", "reach", "B"),
    ]
    with pytest.raises(SchemaError) as caught:
        mapping_from_roles(roles, kpi_type="revenue")
    messages = [finding.message for finding in caught.value.findings]
    assert len(messages) == 4
    assert any("week and day" in message for message in messages)
    assert any("the KPI" in message for message in messages)
    assert any("two columns of media" in message for message in messages)
    assert any("Channel B is mapped as reach" in message for message in messages)
