"""How often to reach people: the frequency that pays most, by channel."""

from core import text as fmt
from core.analysis.record.fit_record import FitRecord
from core.text.languages.language import say
from core.view.sections.section import Note, Section


def section(fit: FitRecord) -> Section | None:
    """A note per channel with reach and frequency; None without any."""
    notes = [
        Note(
            say(
                "The best frequency is {best} ({low} – {high}); now it is {current}.",
                best=fmt.ratio(frequency.best, decimals=1),
                low=fmt.ratio(frequency.lo, decimals=1),
                high=fmt.ratio(frequency.hi, decimals=1),
                current=fmt.ratio(frequency.current, decimals=1),
            ),
            channel.name,
        )
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
