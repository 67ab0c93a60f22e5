"""Conditions for cron: read, refused, and true or not."""

import pytest

from core.errors import SpecError
from core.plan.record.actuals import PlanBesideActuals
from core.project.refresh.record import Came, ScoredPlan
from core.service.refreshes import condition
from tests.plan.records import about, refresh_record

DAYS = {"start": "2024-01-01", "end": "2024-01-01", "periods": 1}
RECORD = refresh_record(
    moved=1.4,
    came=Came(n_changed=2, periods=("2024-01-01",)),
    plan=ScoredPlan(
        name="Plan", before=about(100.0), after=about(90.0), gain=about(1.0), **DAYS
    ),
    actuals=PlanBesideActuals(
        planned=about(50.0),
        actual=60.0,
        expected=about(55.0),
        difference=about(10.0),
        probability_below=0.9,
        **DAYS,
    ),
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("moved > 1 sd", True),
        ("moved>1.4", False),
        ("moved >= 1.4 sd", True),
        ("plan < -5 %", True),
        ("plan < -10.1%", False),
        ("actual > 19 %", True),
        ("actual < 0", False),
        ("changed > 0 cells", True),
        ("new > 1 periods", False),
        ("  Moved  >  1  SD ", True),
    ],
)
def test_conditions_compare_what_the_refresh_says(text, holds):
    assert condition(text).holds(RECORD, "trustworthy") is holds


def test_what_is_not_there_fulfils_nothing():
    assert not condition("moved > 0").holds(None, "trustworthy")
    nothing = refresh_record()
    assert not condition("plan < 5 %").holds(nothing, "trustworthy")
    assert not condition("actual > -5 %").holds(nothing, "trustworthy")


def test_the_verdict_is_a_condition_too():
    assert condition("not trustworthy").holds(None, "doubtful")
    assert not condition("not trustworthy").holds(None, "trustworthy")


@pytest.mark.parametrize("text", ["", "moved", "moved > 1 %", "roi > 1", "plan = 3"])
def test_other_words_are_no_condition(text):
    with pytest.raises(SpecError, match="not a condition"):
        condition(text)
