"""Figure of what each test did: every row in its place, names as typed."""

import pytest
from msgspec import convert, structs

from core import text as fmt
from core.analysis.record.sections import LiftTestResult
from core.charts.drawing import style
from core.charts.fits import experiment
from core.estimate import OptionalEstimate
from tests.charts import synthetic


def records(*names) -> list[LiftTestResult]:
    """Lift tests as the record of a fit has them."""
    return convert(synthetic.experiments(*names), list[LiftTestResult])


UNITS = fmt.Units("revenue", "EUR", "Orders")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_test_has_a_block_and_what_is_unknown_says_so(theme):
    tests = records()
    with style.in_theme(theme):
        drawn = experiment.results(tests, units=UNITS, order=synthetic.NAMES)
    bars = [trace for trace in drawn.data if trace.type == "bar"]
    # Four and three of the incremental outcome's rows; three of the paid one's ROI.
    assert len(bars) == 4 + 3 + 3
    said = [note.text for note in drawn.layout.annotations]
    assert sum("not known" in text for text in said) == 1
    assert any("1 Mar 2021 to 28 Mar 2021, North, South" in text for text in said)
    # Channel and verdict stand on a line of their own, so that a phone cuts neither.
    assert any(text.startswith("<b>TV</b> · agrees<br>") for text in said)
    assert any("in tension" in text for text in said)
    assert drawn.layout.xaxis.title.text == "k\u00a0€"
    assert not drawn.layout.xaxis4.visible  # unpaid: no ROI


def test_a_wide_prior_does_not_hide_the_rest():
    (test, _) = records()
    test = structs.replace(
        test, prior=convert(synthetic.estimate(9e6, 5e6), OptionalEstimate)
    )
    drawn = experiment.results([test], units=UNITS)
    low, high = drawn.layout.xaxis.range
    assert low <= 0 and high < 400


@pytest.mark.parametrize("name", synthetic.HOSTILE)
def test_names_are_drawn_as_typed(name):
    tests = records((name, *synthetic.NAMES[1:]))
    drawn = experiment.results(tests, units=fmt.Units("kpi", "EUR", name))
    said = drawn.to_json()
    assert "<img" not in said and "\\u003cimg" not in said
    assert "$" not in "".join(note.text for note in drawn.layout.annotations)


def test_many_geos_are_shortened():
    _, everywhere = records()
    assert experiment.places(everywhere) == ""
    many = structs.replace(everywhere, geos=tuple("abcde"))
    assert experiment.places(many) == "a, b, c and 2 more"
