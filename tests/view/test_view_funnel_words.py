"""What is said of a fit with a funnel, and nothing of one without."""

from core import text as fmt
from core.analysis.record.fit_record import as_record
from core.cli.fits.results import summary_text
from core.view.sections import funnel_words
from tests.charts import synthetic


def fit(**row):
    funnel = synthetic.funnel(**row)
    return as_record(synthetic.summary() | {"funnel": funnel})


def test_returns_are_called_totals():
    said = funnel_words.sentence(fit())
    assert "for TV they include what comes by way of queries" in said
    assert "project Branded queries" in said and "counts twice" in said
    (hidden,) = funnel_words.hidden(fit())
    assert "were correlated by 0.3" in hidden and "58" in hidden


def test_the_split_is_a_table_with_the_paid_part_where_there_is_one():
    plain, paid = (
        fit(),
        fit(
            induced=synthetic.estimate(2e6, 2e5),
            roi_with_induced=synthetic.estimate(2.5, 0.2),
        ),
    )
    assert "Through queries" in funnel_words.titles(plain)
    assert "ROI with that spend" not in funnel_words.titles(plain)
    for told in (plain, paid):
        (row,) = funnel_words.cells(told)
        assert len(row) == len(funnel_words.titles(told))
        assert funnel_words.sentence(told) in summary_text(told, "1")
    assert "ROI with that spend" in summary_text(paid, "1")
    beside = funnel_words.titles(paid)
    at = beside.index("ROI")
    assert beside[at + 1] == "ROI with that spend"
    (own,) = [each.roi for each in paid.channels if each.name == "TV"]
    assert funnel_words.cells(paid)[0][at] == fmt.estimate(own, "ratio")


def test_without_a_funnel_nothing_is_said():
    told = as_record(synthetic.summary())
    assert not funnel_words.sentence(told) and not funnel_words.cells(told)
    assert not funnel_words.hidden(told) and not funnel_words.mediators(told)
    assert "totals" not in summary_text(told, "1")
