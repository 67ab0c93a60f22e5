"""How often to reach people: the frequency that pays most, by channel."""

from collections.abc import Sequence

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import OptimalFrequency
from core.text.languages.language import say
from core.view.sections.section import Note, Section


def section(fit: FitRecord) -> Section | None:
    """A note per channel with reach and frequency; None without any."""
    known = [
        (channel.name, frequency)
        for channel in fit.channels
        if (frequency := channel.optimal_frequency) and frequency.is_known
    ]
    notes = [Note(best_of(frequency), name) for name, frequency in known]
    if not notes:
        return None
    elsewhere = {
        "page": "its section on frequency has a figure and a sentence for each",
        "screen": "Channels says it of the channel that is looked at",
    }
    title = say("How often to reach people")
    claim = _claim(known)
    return Section("best-frequency", title, notes, elsewhere, claim=claim)


def _claim(known: Sequence[tuple[str, OptimalFrequency]]) -> str:
    """The channel farthest from its best frequency; empty where none is known."""
    seen = [(name, each) for name, each in known if each.current > 1]
    if not seen:
        return ""
    name, most = max(seen, key=lambda pair: abs(pair[1].best / pair[1].current - 1))
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
