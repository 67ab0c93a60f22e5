import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.view.suggestions.next_test import next_step

MAPPING = ColumnMapping(
    time="Week",
    kpi="Sales_units",
    channels=tuple(
        ChannelColumns(name=name, kind="media", media=name) for name in ("TV", "Radio")
    ),
)


def test_a_project_that_was_never_fitted_says_what_it_holds_and_what_comes_next():
    assert next_step("ready", MAPPING) == (
        "Sales units and 2 channels. Next: look at the findings on Data, then fit."
    )


def test_a_name_that_begins_the_sentence_has_a_capital():
    mapping = ColumnMapping(time="week", kpi="revenue", channels=())
    assert next_step("ready", mapping).startswith("Revenue and 0 channels. ")


@pytest.mark.parametrize(
    ("state", "word"), [("empty", "drop a file"), ("out_of_date", "fit again")]
)
def test_a_project_that_lacks_something_says_what_to_do(state, word):
    assert word in next_step(state)


@pytest.mark.parametrize("state", ["fitted", "running", "damaged"])
def test_a_project_that_needs_nothing_says_nothing(state):
    assert next_step(state, MAPPING) == ""
