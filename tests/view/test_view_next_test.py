import pytest

from core.text import Units
from core.text.languages.language import spoken_in
from core.view.suggestions.next_test import named, next_test, worth_nothing
from tests.view.designs import design

EUROS = Units("revenue", "EUR")


@pytest.mark.parametrize("net", [-1_000.0, 0.0])
def test_no_test_is_advised_where_the_best_costs_what_it_brings(net):
    advice, reason = next_test([design("TV", net=net)], EUROS)
    assert (advice, reason) == ("None is worth its cost:", "plan without a test.")
    assert next_test([], EUROS) == (advice, reason)


@pytest.mark.parametrize("net", [-1_000.0, 0.0])
def test_a_planned_test_that_does_not_pay_says_so(net):
    said = worth_nothing(design("TV", net=net), EUROS)
    assert "not worth its cost" in said and EUROS.show(net, signed=True) in said
    assert worth_nothing(design("TV", net=1.0), EUROS) == ""


@pytest.mark.parametrize("geos", [(), ("North", "West")])
@pytest.mark.parametrize(("weeks", "said"), [(1, "1 week from"), (8, "8 weeks from")])
def test_the_best_design_is_named_with_what_it_brings(geos, weeks, said):
    best = design("TV", net=12_000.0, geos=geos, weeks=weeks)
    advice, reason = next_test([best, design("Radio", net=5.0)], EUROS)
    assert advice == "Run this:"
    assert reason.startswith("TV, spend off, ") and said in reason
    assert ("in North and West" in reason) == bool(geos)
    assert "12.0\xa0k\xa0€" in reason and "Radio" not in reason


def test_a_planned_test_is_named_in_the_readers_language():
    assert named(design("TV", net=1.0)).startswith("TV, spend off, ")
    with spoken_in("de"):
        assert "spend off" not in named(design("TV", net=1.0))
