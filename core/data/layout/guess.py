"""The guess: how some files most likely become one table, before anybody is asked.

Which day of its week a row of weeks is dated with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.data.cells.words import word_set
from core.data.layout import currencies
from core.data.layout.kinds.dating import (
    period_start,
    read_dates,
    settled_days,
    weekday_of,
)
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.kinds.geo_columns import apart, rows_of_places
from core.data.layout.kinds.geo_totals import without_geo_totals
from core.data.layout.kinds.money import codes_of
from core.data.layout.kinds.platforms import schema_of
from core.data.layout.kinds.vocabulary import (
    MEASURES,
    is_bare,
    measure,
    of_account,
    spoken,
)
from core.data.layout.recipe import (
    Layout,
    Period,
    Source,
    WeekDates,
)
from core.data.layout.stated import NOTHING, StatedColumns
from core.data.layout.tables.common_range import is_national
from core.data.layout.tables.doubles import read_all
from core.data.layout.tables.one_account import of_one_account
from core.data.layout.tables.people import with_people
from core.data.layout.tables.recognise import guess_sources, without_amounts
from core.data.layout.tables.tall import Tall
from core.data.layout.tables.wide import Table, assembled
from core.data.layout.twice.overlaps import stem, together
from core.data.layout.twice.place_files import with_places
from core.data.periods import periods
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding
from core.errors import CoverageError
from core.text.languages.language import marked
from core.text.sentences import listed

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
            text = _note(source, file, days)
            noted = [text if other is file else other for other in noted]
        result[at] = replace(source, date_is_end=week_dates == "last")
    return result, noted


def _note(source: Source, file: File, days: np.ndarray) -> File:
    message = (
        f"The weeks of {file.called} are taken to begin on the date that stands there, "
        f"such as {days.min()}, a {weekday_of(days.min()).capitalize()}."
    )
    hint = "If it is the last day of the week, say so with --week-dates last."
    return file.noted(message, source.date, hint)


def _question(source: Source, file: File, days: np.ndarray, weekday: str) -> Doubtful:
    example = str(days.min())
    message = (
        f"The weeks of {file.called} are dated with a {weekday.capitalize()} "
        f"({example}), and other files have days: whether it is the first or the last "
        f"day of the week moves {file.called} by six days."
    )
    last = ("last", marked("the last day of its week"))
    first = ("first", marked("the first day of its week"))
    question = Question(source.date, example, len(days), (last, first))
    return Doubtful("week_dates", question, file, message)


#: Fewer whole weeks than this tell a model less than the days do.
MIN_WEEKS = 26
_EQUAL = 1e-6


@dataclass(frozen=True)
class Guess:
    """A layout and the files that it reads.

    Attributes:
        layout: How the files are read.
        files: One file per source of the layout.
        has_people: Whether a file of the people of each geo is joined to one of them.
    """

    layout: Layout
    files: tuple[File, ...]
    has_people: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether one file is a wide table already and nothing was chosen."""
        sources = self.layout.sources
        if len(sources) != 1 or self.layout.period != "as_is":
            return False
        mixed = currencies.is_mixed(sources[0])
        plain = sources[0].kind == "table" and not sources[0].repeats and not mixed
        has_places = self.layout.geo_columns or self.layout.overlap == "places"
        plain = plain and not (has_places or self.has_people or self._is_moved)
        return plain and self.layout.geos == "kept" and not self.layout.rates

    @property
    def _is_moved(self) -> bool:
        """Whether weeks are dated with their last day, and so are moved."""
        source, file = self.layout.sources[0], self.files[0]
        if not source.date_is_end:
            return False
        days = np.unique(read_dates(file.frame[source.date], source.dates).values)
        return periods(days[~np.isnat(days)]).frequency == "weekly"


def guess(files: Sequence[File], stated: StatedColumns = NOTHING) -> Guess:
    """The most likely layout of one or more files of one market.

    Args:
        files: The files.
        stated: What a person said of what could be read in several ways.

    Raises:
        DataError: A file is not a table with dates, or two files are the same.
        Doubtful: Something is open that no answer says.
    """
    overlap, dates = stated.overlap, stated.dates
    n_files, files = len(files), with_people(files)
    has_people = len(files) < n_files
    if overlap == "places":
        files = with_places(files)
    elif overlap != "apart":
        files = of_one_account(files, dates)
    files = together(files, overlap=overlap, dates=dates)
    if overlap == "places":
        files = [without_geo_totals(file) for file in files]
    sources, tables, has_places = [], [], False
    for file in files:
        file, once, has_some = rows_of_places(file, stated.geo_columns)
        has_places |= has_some
        for source in guess_sources(file):
            source = replace(source, dates=dates, decimal=stated.decimal)
            if overlap == "apart" and source.kind == "campaigns":
                source = replace(source, prefix=stem(file))
            several = apart(source, once)
            sources += several
            tables += [file] * len(several)
    if len(files) > 1:
        are_platforms = sum(_bare_spend(source) is not None for source in sources) > 1
        sources = [
            _named(source, file, beside_others=are_platforms)
            for source, file in zip(sources, tables, strict=True)
        ]
        for at, (source, file) in enumerate(zip(sources, tables, strict=True)):
            sources[at], tables[at] = _of_some_days(source, file)
    sources, tables = settled(sources, tables, stated.week_dates)
    layout = Layout(
        tuple(sources),
        currency=_currency(sources, tables),
        overlap=overlap,
        cancelled=stated.cancelled,
        geo_columns=stated.geo_columns if has_places else None,
    )
    if len(sources) == 1 and sources[0].kind == "table":
        return Guess(layout, tuple(tables), has_people)
    if len(files) == 1 and layout.geo_columns and sources[0].kind == "table":
        layout = replace(fitted(layout, tables), period="as_is")
        return Guess(layout, tuple(tables))
    return Guess(fitted(layout, tables), tuple(tables))


def _bare_spend(source: Source) -> str | None:
    """The one column of spend of a table, where its name says no channel."""
    spent = [name for name, _ in source.amounts if measure(name) == "spend"]
    is_one = source.kind == "table" and not source.repeats and len(spent) == 1
    return spent[0] if is_one and is_bare(spent[0]) else None


def _named(source: Source, file: File, *, beside_others: bool) -> Source:
    """A table whose columns name no channel, beside other files: that of its file.

    `google.csv` with Cost and Impr. gives `google Cost` and `google Impr.`. With
    outcomes, which may be the KPI, where its platform is known or other files have
    spend of no name, too.
    """
    outcomes = any(measure(name) == "outcome" for name, _ in source.amounts)
    is_platform = beside_others or bool(schema_of(file))
    if _bare_spend(source) is None or (outcomes and not is_platform):
        return source
    bare = [name for name, _ in source.amounts if is_bare(name)]
    renamed = tuple(
        (f"{stem(file)} {of_account(name, bare)}" if name in bare else name, column)
        for name, column in source.amounts
    )
    return replace(source, amounts=renamed)


def _of_some_days(source: Source, file: File) -> tuple[Source, File]:
    """A table of media with rows only where something ran: nothing ran between them."""
    is_media = {measure(name) for name, _ in source.amounts} <= {*MEASURES}
    if source.kind != "table" or source.averages or not (is_media and source.amounts):
        return source, file
    days = settled_days(file.frame, source.date, source.dates)
    if days is None or periods(np.unique(days)).frequency != "irregular":
        return source, file
    n_days = len(np.unique(days))
    message = f"{file.called} has rows on {n_days:,} days, and 0 counts on all others."
    hint = (
        "If nothing ran before the first and after the last of them, say so with "
        "--zero-outside. If a row stands for more than its day, export the file by day "
        "or by week."
    )
    return replace(source, kind="orders"), file.noted(message, source.date, hint)


def fitted(layout: Layout, files: Sequence[File]) -> Layout:
    """A layout whose period, first day of the week and geos suit its files."""
    blind = replace(layout, currency=None)  # dates and geos do not depend on money
    sources = [
        replace(source, currency=None, currency_column=None, currencies=())
        for source in layout.sources
    ]
    talls = read_all(replace(blind, sources=tuple(sources)), files)
    layout = _with_period(layout, talls)
    has_geos = [tall.geos is not None for tall in talls]
    if any(has_geos) and any(is_national(tall) for tall in talls):
        layout = replace(layout, geos="summed")
    return layout


def without_doubles(
    wide_of: Guess, talls: Sequence[Tall]
) -> tuple[Guess, list[Finding]]:
    """The layout without columns of tables that are sums of another file's channels.

    A table's `social` that equals the spend of all campaigns on every date would be
    counted twice.
    """
    layout, files = wide_of.layout, wide_of.files
    if len(layout.sources) < 2:
        return wide_of, []
    wide = assembled(layout, talls)
    findings: list[Finding] = []
    sources = list(layout.sources)
    for at, source in enumerate(sources):
        if source.kind != "campaigns":
            continue
        for what, _ in source.amounts:
            total = _total_of(wide, what)
            for place, other in enumerate(sources):
                if other.kind != "table" or total is None:
                    continue
                equal = [
                    name for name, _ in other.amounts if _equals(wide, name, total)
                ]
                for name in equal:
                    findings.append(_double(files[place], name, what, files[at]))
                amounts = tuple(pair for pair in other.amounts if pair[0] not in equal)
                sources[place] = replace(other, amounts=amounts)
    if not findings:
        return wide_of, []
    return Guess(replace(layout, sources=tuple(sources)), files), findings


def _total_of(wide: Table, what: str) -> np.ndarray | None:
    names = [role.column for role in wide.roles if role.column.endswith(f"_{what}")]
    if not names:
        return None
    return wide.frame[names].to_numpy(dtype=np.float64).sum(axis=1)


def _equals(wide: Table, name: str, total: np.ndarray) -> bool:
    if name not in wide.frame.columns:
        return False
    values = wide.frame[name].to_numpy(dtype=np.float64)
    return bool(total.any()) and bool(
        np.allclose(values, total, rtol=_EQUAL, atol=1e-6)
    )


def _double(file: File, name: str, what: str, other: File) -> Finding:
    message = (
        f"Column {name} of {file.called} is the {what} of all channels of "
        f"{other.called} together, so it is left out: it would count twice."
    )
    return Finding("info", file.where(name), message)


def _currency(sources: Sequence[Source], files: Sequence[File]) -> str | None:
    code = currencies.common(list(sources))
    if code is not None:
        return code
    for source, file in zip(sources, files, strict=True):
        if source.currency_column:
            counts = codes_of(file.frame[source.currency_column]).value_counts()
            if len(counts):
                return str(counts.index[0])
    return None


def _with_period(layout: Layout, talls: Sequence[Tall]) -> Layout:
    """The period that suits all files: weeks where there are days."""
    frequencies = {tall.frequency for tall in talls}
    weekly = [tall for tall in talls if tall.frequency == "weekly"]
    begins = layout.week_begins
    if weekly:
        begins = weekday_of(weekly[0].dates.min())
    if frequencies == {"daily"}:
        period: Period = "week" if _n_weeks(talls) >= MIN_WEEKS else "day"
    elif frequencies == {"weekly"}:
        same = {weekday_of(tall.dates.min()) for tall in talls}
        period = "as_is" if len(same) == 1 else "week"
    elif frequencies <= {"daily", "weekly"}:
        period = "week"
    elif frequencies <= {"daily", "monthly"}:
        period = "month"
    elif len(frequencies) == 1:
        period = "as_is"
    else:
        for tall in talls:
            if not (tall.sums or tall.means):
                raise without_amounts(tall.file)
        named = {t.file.called: t.frequency for t in talls}
        often = listed([f"{called} is {each}" for called, each in named.items()])
        raise CoverageError(
            f"{often}: rows of these files cannot be summed to one period.",
            hint="Export all files by day or by week.",
            where=talls[0].file.called,
        )
    return replace(layout, period=period, week_begins=begins)


def _n_weeks(talls: Sequence[Tall]) -> int:
    """Whole weeks that all files cover, at most."""
    first = max(tall.span[0] for tall in talls)
    last = min(tall.span[1] for tall in talls)
    if last < first:
        return MIN_WEEKS
    days = np.arange(first, last + 1)
    _, counts = np.unique(period_start(days, "week"), return_counts=True)
    return int((counts == 7).sum())
