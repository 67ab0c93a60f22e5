"""Answers: what a person said about a layout, put into the guess."""

from collections.abc import Sequence
from dataclasses import replace

from core.data.layout.currencies import codes_in
from core.data.layout.guess import Guess, fitted
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import currency_of, rate_of
from core.data.layout.recipe import Source
from core.data.layout.stated import StatedColumns
from core.errors import SchemaError
from core.text.near import near_name
from core.text.sentences import listed


def answered(guess: Guess, stated: StatedColumns) -> Guess:
    """The guess with what a person said about it.

    Raises:
        SchemaError: An answer names a column that no file has.
    """
    sources = [
        _source(source, file, stated)
        for source, file in zip(guess.layout.sources, guess.files, strict=True)
    ]
    _check_channel(sources, guess.files, stated)
    files = list(guess.files)
    _add_kpi(sources, files, stated)
    layout = replace(guess.layout, sources=tuple(sources))
    rates = tuple((code.upper(), rate) for code, rate in stated.rate)
    if stated.currency:
        layout = replace(layout, currency=stated.currency.upper())
    elif layout.currency and rate_of(layout.currency, dict(rates)) is not None:
        # A rate is for what is converted.
        layout = replace(layout, currency=_other_currency(guess, rates))
    layout = replace(layout, rates=rates or layout.rates)
    if len(sources) != len(guess.layout.sources):
        layout = fitted(layout, files)
    # A day on which weeks begin asks for weeks, where days would be kept.
    layout = replace(
        layout,
        period=stated.period or ("week" if stated.week_begins else layout.period),
        week_begins=stated.week_begins or layout.week_begins,
        geos="summed" if stated.sum_geos else layout.geos,
        outside="zero" if stated.zero_outside else layout.outside,
    )
    return replace(guess, layout=layout, files=tuple(files))


def _other_currency(guess: Guess, rates: tuple[tuple[str, float], ...]) -> str | None:
    """A currency of the files that has no rate, so that others are converted to it."""
    pairs = zip(guess.layout.sources, guess.files, strict=True)
    codes = [code for source, file in pairs for code in codes_in(source, file)]
    return next((code for code in codes if rate_of(code, dict(rates)) is None), None)


def _source(source: Source, file: File, stated: StatedColumns) -> Source:
    if source.kind != "campaigns":
        return source
    own = [name for name in stated.channel_by if name in file.frame.columns]
    if own:
        source = replace(source, channel=tuple(own), first_word=False, pattern=None)
    if stated.first_word is not None:
        source = replace(source, first_word=stated.first_word, pattern=None)
    if stated.pattern:
        source = replace(source, pattern=stated.pattern, first_word=False)
    groups = tuple((name, tuple(globs)) for name, globs in stated.group)
    return replace(source, groups=groups or source.groups)


def _check_channel(
    sources: Sequence[Source], files: Sequence[File], stated: StatedColumns
) -> None:
    names = [
        str(name)
        for source, file in zip(sources, files, strict=True)
        if source.kind == "campaigns"
        for name in file.frame.columns
    ]
    grouping = stated.channel_by or stated.pattern or stated.group or stated.first_word
    if grouping and not names:
        raise SchemaError(
            "No file has a row per campaign, so there is nothing to group.",
            hint="Leave out how channels are named.",
            where="channels",
        )
    for name in stated.channel_by:
        if name not in names:
            raise _no_column(name, names)


def _add_kpi(sources: list[Source], files: list[File], stated: StatedColumns) -> None:
    """Read the column of the KPI too, where the guess did not."""
    kpi = stated.kpi
    if not kpi:
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
            sources.append(source.beside("orders", amounts=(pair,), **money))
            files.append(file)
        return
    raise _no_column(kpi, [*names, *(str(c) for f in files for c in f.frame.columns)])


def _no_column(name: str, names: Sequence[str]) -> SchemaError:
    near = near_name(name, names)
    shown = listed(list(dict.fromkeys(names)), limit=12)
    hint = f"Did you mean {near}?" if near else f"There are {shown}."
    return SchemaError(f"There is no column {name}.", hint=hint, where=name)
