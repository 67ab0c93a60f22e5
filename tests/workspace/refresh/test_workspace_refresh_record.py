"""Records of refreshes that earlier versions wrote: read, or refused in a sentence."""

import numpy as np
import pytest
from msgspec import to_builtins

from core.analysis.record.fit_record import part_of_result
from core.errors import WorkspaceError
from core.estimate import estimate, gain_of
from core.project.refresh.record import (
    Moved,
    RefreshRecord,
    ScoredPlan,
)
from core.view.refresh_words import sections

DRAWS = np.array([1.0, 2.0, 4.0])


@pytest.fixture
def content():
    number, gain = estimate(DRAWS), gain_of(DRAWS)
    plan = ScoredPlan(
        name="Plan",
        before=number,
        after=number,
        gain=gain,
        start="2024-01-01",
        end="2024-01-08",
        periods=2,
    )
    moved = Moved(name="TV", before=number, after=number, move=0.0, sds=0.0, units=None)
    record = RefreshRecord(
        before="a",
        after="b",
        causes=("new data",),
        channels=(moved,),
        moved=0.0,
        moved_channel="TV",
        noise=2.0,
        plan=plan,
    )
    return to_builtins(record)


def test_what_is_written_is_read_again(content):
    assert to_builtins(part_of_result(content, RefreshRecord, "refresh")) == content


def test_a_gain_without_odds_is_refused_in_a_sentence(content):
    del content["plan"]["gain"]["probability_positive"]
    for kind, part in ((RefreshRecord, content), (ScoredPlan, content["plan"])):
        with pytest.raises(WorkspaceError, match="cannot be read") as told:
            part_of_result(part, kind, "refresh")
        assert "fit again" in told.value.hint


@pytest.mark.parametrize("priors", [{}, {"response": 0.1, "level": 0.03}])
def test_actuals_of_versions_that_told_no_causes_are_told_in_short(content, priors):
    number = content["plan"]["before"]
    content["actuals"] = {
        "actual": 3.0,
        "planned": number,
        "expected": number,
        "difference": number,
        "probability_below": 0.5,
        "priors": priors,
        **{key: content["plan"][key] for key in ("start", "end", "periods")},
    }
    record = part_of_result(content, RefreshRecord, "refresh")
    (since,) = sections(record, "text")
    assert any("2 weeks of the plan so far" in str(each) for each in since.blocks)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_move_from_or_to_nothing_is_refused_in_a_sentence(content, side):
    content["channels"][0][side] = dict.fromkeys(content["channels"][0][side])
    with pytest.raises(WorkspaceError, match="cannot be read") as told:
        part_of_result(content, RefreshRecord, "refresh")
    assert side in told.value.where
