"""How often to reach people: the frequency that pays most, by channel."""

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import OptimalFrequency
from core.text.languages.language import say
from core.view.sections.section import Note, Section


def section(fit: FitRecord) -> Section | None:
    """A note per channel with reach and frequency; None without any."""
    notes = [
        Note(best_of(frequency), channel.name)
        for channel in fit.channels
        if (frequency := channel.optimal_frequency) and frequency.is_known
    ]
    if not notes:
        return None
    elsewhere = {
        "page": "its section on frequency has a figure and a sentence for each",
        "screen": "Channels says it of the channel that is looked at",
    }
    return Section("best-frequency", say("How often to reach people"), notes, elsewhere)


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
