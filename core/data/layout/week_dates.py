"""Which day of its week a row of weeks is dated with."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.data.cells.words import word_set
from core.data.layout.kinds.dating import settled_days, weekday_of
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.kinds.vocabulary import spoken
from core.data.layout.recipe import Source, WeekDates
from core.data.periods import periods
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding

_WEEK = word_set("week_dates.week")
_BEGIN = word_set("week_dates.begin")


def settled(
    sources: Sequence[Source], files: Sequence[File], week_dates: WeekDates | None
) -> tuple[list[Source], list[File]]:
    """The sources, with weeks dated with their last day where somebody said so.

    Weeks that begin on Monday are no question, and neither are files of weeks alone. A
    column that is not called week is taken to hold the first day, which is said.

    Raises:
        Doubtful: Weeks are joined with days and could be dated with either end.
    """
    dates = [
        settled_days(file.frame, source.date, source.dates)
        for source, file in zip(sources, files, strict=True)
    ]
    often = [
        None if one is None else periods(np.unique(one)).frequency for one in dates
    ]
    result, noted = list(sources), list(files)
    if not ("weekly" in often and set(often) - {"weekly", "monthly"}):
        return result, noted
    for at, (source, file) in enumerate(zip(sources, files, strict=True)):
        days = dates[at]
        if often[at] != "weekly" or days is None or source.date_is_end:
            continue
        weekday = weekday_of(days.min())
        if weekday == "monday" or set(spoken(source.date)) & _BEGIN:
            continue
        if week_dates is None and set(spoken(source.date)) & _WEEK:
            raise _question(source, file, days, weekday)
        if week_dates is None:
            text = replace(file, findings=(*file.findings, _note(source, file, days)))
            noted = [text if other is file else other for other in noted]
        result[at] = replace(source, date_is_end=week_dates == "last")
    return result, noted


def _note(source: Source, file: File, days: np.ndarray) -> Finding:
    message = (
        f"The weeks of {file.called} are taken to begin on the date that stands there, "
        f"such as {days.min()}, a {weekday_of(days.min()).capitalize()}."
    )
    hint = "If it is the last day of the week, say so with --week-dates last."
    return Finding("warning", file.where(source.date), message, hint)


def _question(source: Source, file: File, days: np.ndarray, weekday: str) -> Doubtful:
    example = str(days.min())
    message = (
        f"The weeks of {file.called} are dated with a {weekday.capitalize()} "
        f"({example}), and other files have days: whether it is the first or the last "
        f"day of the week moves {file.called} by six days."
    )
    last = ("last", "the last day of its week")
    first = ("first", "the first day of its week")
    question = Question(source.date, example, len(days), (last, first))
    return Doubtful("week_dates", question, file, message)
