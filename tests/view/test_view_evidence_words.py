"""How firmly a return is known: the same sentences on every face, in any language."""

from msgspec import convert, structs

from core.analysis.record.fit_record import as_record
from core.analysis.record.sections import ChannelDemand, Evidence
from core.cli.fits.results import summary_text
from core.text.languages.language import spoken_in
from core.view import evidence_words
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
    told = "70 % that its spend follows demand."
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


def test_what_matters_most_comes_first_and_nothing_is_left_out():
    notes = evidence_words.section(fit()).blocks
    assert [note.about for note in notes] == list(reversed(synthetic.PAID))
    weakest, first = notes[0].text, notes[-1].text
    assert weakest.startswith(f"Mostly assumed: {notes[0].about} moved only 9 %")
    assert "Vary its spend from period to period, or run a lift test." in weakest
    assert "would move its ROI by 35\u00a0%. Knowing its response exactly" in weakest
    assert "for the 52 weeks from 1 Jan 2024, and would move" in weakest
    assert first.endswith("70 % that its spend follows demand.")
    assert all(note.text in summary_text(fit(), "1") for note in notes)


def test_a_channel_that_hardly_may_or_surely_does_has_no_odds():
    for chance in (0.01, 1.0):
        notes = evidence_words.section(fit(probability=chance)).blocks
        (strongest,) = [note for note in notes if note.about == synthetic.PAID[0]]
        assert "follows demand" not in strongest.text


def test_nothing_is_said_without_evidence():
    assert evidence_words.section(as_record(synthetic.summary())) is None


def test_each_part_of_a_reason_is_said_in_the_language():
    """What no message explains stays as it was; what one does is its translation."""
    beyond = "the data pull it beyond what the prior considers likely"
    one = convert(EVIDENCE["TV"] | {"reason": f"a; {beyond}"}, Evidence)
    assert evidence_words.reason(one) == f"a; {beyond}"
    with spoken_in("de"):
        assert evidence_words.reason(one).startswith("a; ")
