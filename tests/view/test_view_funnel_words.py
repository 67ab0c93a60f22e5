"""What is said of a fit with a funnel, and nothing of one without."""

from core.cli.fits.results import summary_text
from core.view import funnel_words
from tests.charts import synthetic


def estimate(mean):
    return synthetic.estimate(mean, mean / 10)


def summary(**row):
    told = synthetic.summary()
    channel = {
        "name": "TV",
        "total": estimate(30e6),
        "direct": estimate(10e6),
        "through": {"queries": estimate(20e6)},
        "share": estimate(2 / 3),
    }
    mediator = {
        "name": "queries",
        "project": "Branded queries",
        "whole": estimate(50e6),
        "caused": estimate(20e6),
        "hidden": {
            "vanishes_at": estimate(0.6),
            "correlation": 0.3,
            "left": estimate(0.58),
        },
    }
    funnel = {"mediators": [mediator], "channels": [channel | row]}
    return told | {"funnel": funnel, "run": "runs/1"}


def test_returns_are_called_totals():
    said = funnel_words.sentence(summary())
    assert "for TV they include what comes by way of queries" in said
    assert "project Branded queries" in said and "counts twice" in said
    (hidden,) = funnel_words.hidden(summary())
    assert "correlated by 0.3" in hidden and "58" in hidden


def test_the_split_is_a_table_with_the_paid_part_where_there_is_one():
    plain, paid = (
        summary(),
        summary(induced=estimate(2e6), roi_with_induced=estimate(2.5)),
    )
    assert "Through queries" in funnel_words.titles(plain)
    assert "ROI with that spend" not in funnel_words.titles(plain)
    for told in (plain, paid):
        (row,) = funnel_words.cells(told)
        assert len(row) == len(funnel_words.titles(told))
        assert funnel_words.sentence(told) in summary_text(told)
    assert "ROI with that spend" in summary_text(paid)


def test_without_a_funnel_nothing_is_said():
    told = synthetic.summary() | {"run": "runs/1"}
    assert not funnel_words.sentence(told) and not funnel_words.cells(told)
    assert not funnel_words.hidden(told) and not funnel_words.mediators(told)
    assert "totals" not in summary_text(told)
