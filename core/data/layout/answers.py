"""Answers: what a person said about a layout, put into the guess."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.data.layout.currencies import codes_in
from core.data.layout.guess import Guess, fitted
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import currency_of, rate_of
from core.data.layout.recipe import (
    Cancelled,
    GeoColumns,
    Geos,
    Groups,
    Layout,
    Outside,
    Overlap,
    Period,
    Source,
    WeekDates,
    Weekday,
)
from core.data.layout.stated import StatedColumns
from core.data.mapping import DateReading, Decimal
from core.errors import SchemaError
from core.text.near import near_name
from core.text.sentences import listed


@dataclass(frozen=True)
class Answers:
    """What was said; None and empty where the guess stands.

    Attributes:
        channel: Columns whose values name a channel.
        first_word: Whether only the first word of the name counts.
        pattern: Regular expression whose first group is the channel.
        groups: Channels put together by hand.
        kpi: The column of the wide table, or of a file, that is the KPI.
        period: What one row covers.
        week_begins: First day of a week.
        geos: Whether geos are kept or summed.
        outside: What periods before or after a file of campaigns are.
        currency: Code of the currency of the wide table.
        rates: What one unit of another currency is worth in it.
        dates: How dates are read that could be several.
        decimal: Decimal sign of numbers that could be two.
        overlap: What becomes of rows that are in several files.
        cancelled: Whether cancelled and refunded orders count.
        week_dates: The day of a week that files of weeks are dated with.
        geo_columns: What columns that differ by a place are.
    """

    channel: tuple[str, ...] = ()
    first_word: bool | None = None
    pattern: str | None = None
    groups: Groups = ()
    kpi: str | None = None
    period: Period | None = None
    week_begins: Weekday | None = None
    geos: Geos | None = None
    outside: Outside | None = None
    currency: str | None = None
    rates: tuple[tuple[str, float], ...] = ()
    dates: DateReading | None = None
    decimal: Decimal | None = None
    overlap: Overlap | None = None
    cancelled: Cancelled | None = None
    week_dates: WeekDates | None = None
    geo_columns: GeoColumns | None = None


def answers_of(stated: StatedColumns) -> Answers:
    """What was stated about the layout."""
    same = {each.name for each in fields(Answers)} & {*stated.__struct_fields__}
    return Answers(
        channel=tuple(stated.channel_by),
        groups=tuple((name, tuple(globs)) for name, globs in stated.group),
        geos="summed" if stated.sum_geos else None,
        outside="zero" if stated.zero_outside else None,
        rates=tuple((code.upper(), rate) for code, rate in stated.rate),
        **{name: _or_none(getattr(stated, name)) for name in same},
    )


def _or_none(value: Any) -> Any:
    """What agents send for nothing is no answer."""
    return None if value == "" else value


def answered(guess: Guess, answers: Answers) -> Guess:
    """The guess with what a person said about it.

    Raises:
        SchemaError: An answer names a column that no file has.
    """
    sources = [
        _source(source, file, answers)
        for source, file in zip(guess.layout.sources, guess.files, strict=True)
    ]
    _check_channel(sources, guess.files, answers)
    files = list(guess.files)
    _add_kpi(sources, files, answers)
    layout = replace(guess.layout, sources=tuple(sources))
    if answers.currency:
        layout = replace(layout, currency=answers.currency.upper())
    elif layout.currency and rate_of(layout.currency, dict(answers.rates)) is not None:
        # A rate is for what is converted.
        layout = replace(layout, currency=_other_currency(guess, answers.rates))
    layout = replace(layout, rates=answers.rates or layout.rates)
    if len(sources) != len(guess.layout.sources):
        layout = fitted(layout, files)
    chosen = {
        name: value
        for name in ("period", "week_begins", "geos", "outside")
        if (value := getattr(answers, name)) is not None
    }
    return Guess(_with_weeks(replace(layout, **chosen), answers), tuple(files))


def _other_currency(guess: Guess, rates: tuple[tuple[str, float], ...]) -> str | None:
    """A currency of the files that has no rate, so that others are converted to it."""
    pairs = zip(guess.layout.sources, guess.files, strict=True)
    codes = [code for source, file in pairs for code in codes_in(source, file)]
    return next((code for code in codes if rate_of(code, dict(rates)) is None), None)


def _with_weeks(layout: Layout, answers: Answers) -> Layout:
    """Weeks, where a day on which they begin was named and days would be kept."""
    named = answers.week_begins is not None and answers.period is None
    return replace(layout, period="week") if named else layout


def _source(source: Source, file: File, answers: Answers) -> Source:
    if source.kind != "campaigns":
        return source
    own = [name for name in answers.channel if name in file.frame.columns]
    if own:
        source = replace(source, channel=tuple(own), first_word=False, pattern=None)
    if answers.first_word is not None:
        source = replace(source, first_word=answers.first_word, pattern=None)
    if answers.pattern:
        source = replace(source, pattern=answers.pattern, first_word=False)
    return replace(source, groups=answers.groups) if answers.groups else source


def _check_channel(
    sources: Sequence[Source], files: Sequence[File], answers: Answers
) -> None:
    names = [
        str(name)
        for source, file in zip(sources, files, strict=True)
        if source.kind == "campaigns"
        for name in file.frame.columns
    ]
    grouping = (
        answers.channel or answers.pattern or answers.groups or answers.first_word
    )
    if grouping and not names:
        raise SchemaError(
            "No file has a row per campaign, so there is nothing to group.",
            hint="Leave out how channels are named.",
            where="channels",
        )
    for name in answers.channel:
        if name not in names:
            raise _no_column(name, names)


def _add_kpi(sources: list[Source], files: list[File], answers: Answers) -> None:
    """Read the column of the KPI too, where the guess did not."""
    kpi = answers.kpi
    if kpi is None:
        return
    names = [pair[0] for source in sources for pair in source.amounts]
    names += [name for source in sources for name in source.averages]
    names += [source.count for source in sources if source.count]
    if kpi in names:
        return
    for at, (source, file) in enumerate(zip(sources, files, strict=True)):
        if source.kind == "variables" and kpi in set(
            file.frame[str(source.variable)].dropna().astype("str").str.strip()
        ):
            return
        if kpi not in file.frame.columns:
            continue
        pair = (kpi, kpi)
        money = currency_of(file, [kpi])
        if source.kind == "orders":
            money = (*source.money, kpi) if source.money else ()
            sources[at] = replace(
                source, amounts=(*source.amounts, pair), money=tuple(money)
            )
        elif source.kind == "campaigns":
            sources.append(
                Source(
                    name=source.name,
                    kind="orders",
                    date=source.date,
                    date_is_end=source.date_is_end,
                    geo=source.geo,
                    part=source.part,
                    amounts=(pair,),
                    **money,
                )
            )
            files.append(file)
        return
    raise _no_column(kpi, [*names, *(str(c) for f in files for c in f.frame.columns)])


def _no_column(name: str, names: Sequence[str]) -> SchemaError:
    near = near_name(name, names)
    shown = listed(list(dict.fromkeys(names)), limit=12)
    hint = f"Did you mean {near}?" if near else f"There are {shown}."
    return SchemaError(f"There is no column {name}.", hint=hint, where=name)
