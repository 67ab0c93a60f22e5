"""How firmly a return is known: the same sentences on every face, in any language."""

import pytest
from msgspec import convert, structs

from core import text as fmt
from core.analysis.record.fit_record import as_record
from core.analysis.record.sections import ChannelDemand, Confounder, Evidence
from core.cli.fits.results import summary_text
from core.text.languages.language import spoken_in
from core.view.sections import evidence_words
from tests.charts import synthetic
from tests.pages.worlds import EVIDENCE

HIDDEN = {
    "cause": "season",
    "share": 0.35,
    "text": "A hidden cause as strong as the season would move its ROI by 35\u00a0%",
}


def fit(*, probability=0.7):
    """A fit whose paid channels have evidence, the first of which may follow demand."""
    record = as_record(synthetic.summary())
    told = "Probability that its spend follows demand: 70 %."
    demand = ChannelDemand(
        follows=True,
        probability=probability,
        prior=0.5,
        by="name",
        reason="its name",
        readings=None,
        sentence=told,
    )
    channels = [
        structs.replace(
            channel,
            evidence=convert(EVIDENCE[channel.name] | {"confounder": HIDDEN}, Evidence),
            demand=demand if channel.name == synthetic.PAID[0] else None,
        )
        if channel.name in EVIDENCE
        else channel
        for channel in record.channels
    ]
    return structs.replace(record, channels=tuple(channels))


def _row(table, name):
    (cells,) = [row for row in table.rows if row[0] == name]
    return dict(zip(table.heads, cells, strict=True))


def test_what_matters_most_comes_first_and_nothing_is_left_out():
    table, *notes = evidence_words.section(fit()).blocks
    order = list(reversed(synthetic.PAID))
    assert [note.about for note in notes] == [row[0] for row in table.rows] == order
    weakest = notes[0]
    assert weakest.text.startswith(f"Mostly assumed: {weakest.about} moved only 9 %")
    assert "Vary its spend from period to period, or run a lift test." in weakest.text
    cells = _row(table, weakest.about)
    assert cells["Evidence"] == "Mostly assumed"
    assert cells["Hidden cause moves ROI"] == "35\u00a0%"
    assert cells["Follows demand"] == "–"
    units, evidence = fit().units, fit().channel(weakest.about).evidence
    assert cells["Worth knowing"] == units.show(evidence.worth)
    assert cells["Budget it would move"] == fmt.share(evidence.moves)
    assert _row(table, synthetic.PAID[0])["Follows demand"] == "70\u00a0%"
    assert "as strong as the season. Worth knowing: what its exact" in table.note
    assert "for the 52 weeks from 1 Jan 2024." in table.note
    said = summary_text(fit(), "1")
    assert table.note in said and all(note.text in said for note in notes)


def test_a_channel_that_hardly_may_has_no_odds_and_one_that_surely_does_has_all():
    table = evidence_words.section(fit(probability=0.01)).blocks[0]
    assert "Follows demand" not in table.heads
    table = evidence_words.section(fit(probability=1.0)).blocks[0]
    assert _row(table, synthetic.PAID[0])["Follows demand"] == ">\u00a099\u00a0%"


def test_each_hidden_cause_is_named_where_they_differ():
    record = fit()
    strong = Confounder("price", 1.7, "A hidden cause as strong as price ...")
    first, *others = record.channels
    first = structs.replace(
        first, evidence=structs.replace(first.evidence, confounder=strong)
    )
    table = evidence_words.section(
        structs.replace(record, channels=(first, *others))
    ).blocks[0]
    assert _row(table, first.name)["Hidden cause moves ROI"] == ">\u00a0100\u00a0%"
    assert f"price for {first.name}" in table.note
    assert "the season for " in table.note


def test_nothing_is_said_without_evidence():
    assert evidence_words.section(as_record(synthetic.summary())) is None


def test_each_part_of_a_reason_is_said_in_the_language():
    """What no message explains stays as it was; what one does is its translation."""
    beyond = "the data pull it beyond what the prior considers likely"
    one = convert(EVIDENCE["TV"] | {"reason": f"a; {beyond}"}, Evidence)
    assert evidence_words.reason(one) == f"a; {beyond}"
    with spoken_in("de"):
        assert evidence_words.reason(one).startswith("a; ")


@pytest.mark.parametrize(
    ("factor", "is_unseen"), [(None, 0), (0.1, 0), (0.4, 1), (3, 1)]
)
def test_a_fit_names_the_channels_that_its_data_would_hardly_miss(factor, is_unseen):
    channels = [
        structs.replace(
            one, evidence=one.evidence and structs.replace(one.evidence, no_effect=None)
        )
        for one in fit().channels
    ]
    first = next(i for i, one in enumerate(channels) if one.evidence)
    own = structs.replace(channels[first].evidence, no_effect=factor)
    channels[first] = structs.replace(channels[first], evidence=own)
    record = structs.replace(fit(), channels=tuple(channels))
    assert record.unseen == ((channels[first].name,) if is_unseen else ())
