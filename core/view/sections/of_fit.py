"""What every medium says of a fit beside its returns, in the order in which it is read.

A section is a function of the record of a fit; it is listed here, and text, page, PDF,
workbook, slides and screen draw it.
"""

from collections.abc import Sequence

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import OptimalFrequency
from core.text.languages.language import say
from core.view.sections import evidence_words, funnel_words
from core.view.sections.lift_tests import results_of
from core.view.sections.section import Medium, Note, Section, drawn_in


def _best_frequency(fit: FitRecord) -> Section | None:
    """A note per channel with reach and frequency; None without any."""
    frequencies = [
        (channel.name, frequency)
        for channel in fit.channels
        if (frequency := channel.optimal_frequency) and frequency.is_known
    ]
    notes = [Note(best_of(frequency), name) for name, frequency in frequencies]
    if not notes:
        return None
    elsewhere = {
        "page": "its section on frequency has a figure and a sentence for each",
        "screen": "Channels says it of the channel that is looked at",
    }
    title = say("How often to reach people")
    claim = _farthest(frequencies)
    return Section("best-frequency", title, notes, elsewhere, claim=claim)


def _farthest(frequencies: Sequence[tuple[str, OptimalFrequency]]) -> str:
    """The channel farthest from its best frequency; empty where none is known."""
    candidates = [(name, each) for name, each in frequencies if each.current > 1]
    if not candidates:
        return ""
    name, most = max(
        candidates, key=lambda pair: abs(pair[1].best / pair[1].current - 1)
    )
    return say(
        "{channel} pays most at a frequency of {best}; it ran at {current}",
        channel=fmt.brief_name(name, 30),
        best=fmt.ratio(most.best, decimals=1),
        current=fmt.ratio(most.current, decimals=1),
    )


def best_of(frequency: OptimalFrequency) -> str:
    """The frequency that pays most; a mean of 1 has none above it to compare with.

    Args:
        frequency: Of a channel.
    """
    if not frequency.current > 1:
        return say("No frequency above 1 was seen, so the best one is not known.")
    return say(
        "The best frequency is {best} ({low} – {high}); now it is {current}.",
        best=fmt.ratio(frequency.best, decimals=1),
        low=fmt.ratio(frequency.lo, decimals=1),
        high=fmt.ratio(frequency.hi, decimals=1),
        current=fmt.ratio(frequency.current, decimals=1),
    )


def _lift_tests(fit: FitRecord) -> Section | None:
    """A row per lift test; None where the fit knows of none."""
    if not fit.experiments:
        return None
    elsewhere = {
        "page": "its section on lift tests has them as a figure, with what each did",
        "screen": "Experiments has them",
    }
    table = results_of(fit.experiments, fit.units)
    agree = sum(test.agrees for test in fit.experiments)
    claim = say(
        "Lift tests that agree with the model: {agree} of {number}",
        agree=agree,
        number=len(fit.experiments),
    )
    title = say("What lift tests say")
    return Section("lift-tests", title, [table], elsewhere, claim=claim)


_SECTIONS = (
    funnel_words.section,
    evidence_words.section,
    _best_frequency,
    _lift_tests,
)


def sections(fit: FitRecord, medium: Medium) -> list[Section]:
    """The sections of a fit that a medium draws.

    Args:
        fit: What the fit says.
        medium: Where they are drawn.
    """
    return drawn_in(medium, [section(fit) for section in _SECTIONS])
