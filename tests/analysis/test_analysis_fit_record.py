"""The record of a fit: what summary.json holds, typed, and nothing else."""

import json

import pytest
from msgspec import to_builtins

from core.analysis.record.fit_record import as_record
from core.errors import WorkspaceError
from tests.charts import synthetic


def stored() -> dict:
    """summary.json of a fit with everything that not every fit has."""
    told = synthetic.summary()
    told.pop("prior")
    told["accuracy_by_geo"] = told["accuracy_held_out"] = told["accuracy"]
    told["model_check"], told["loo"] = synthetic.model_check(), synthetic.loo()[0]
    told["experiments"] = synthetic.experiments()
    told["funnel"] = synthetic.funnel()
    return told


def test_a_record_is_what_was_stored_and_is_stored_the_same():
    told = stored()
    record = as_record(told)
    again = json.dumps(to_builtins(record))
    assert json.loads(again) == told
    assert json.dumps(to_builtins(as_record(json.loads(again)))) == again
    assert record.verdict == told["diagnostics"]["verdict"]
    assert to_builtins(record.channel("TV").roi) == told["channels"][0]["roi"]
    assert [channel.has_roi for channel in record.channels] == [True] * 4 + [False] * 2
    assert record.units.currency == told["currency"] and record.is_money
    with pytest.raises(AttributeError):
        record.start = "2020-01-01"


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (lambda told: told.pop("diagnostics"), "summary"),
        (lambda told: told["channels"][1].pop("roi"), "channels[1]"),
        (lambda told: told["channels"][0].update(spend="much"), "channels[0].spend"),
        (lambda told: told["horizon"].update(periods=None), "horizon.periods"),
    ],
)
def test_what_is_no_record_is_refused_by_its_place(spoil, place):
    told = stored()
    spoil(told)
    with pytest.raises(WorkspaceError) as refused:
        as_record(told)
    assert refused.value.where == place
    assert "fit again" in refused.value.hint
