"""One account: exports that are each other's continuation, though columns differ.

The newer export of an account has a column more, or the other language of its
program. Put beside each other, each of its channels would have two columns of spend; so
both are given the same columns, and what they share is looked at as in any two exports.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.kinds.dating import settled_days
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.vocabulary import measure
from core.data.layout.recipe import Source
from core.data.layout.tables.recognise import guess_sources
from core.data.mapping import DateReading
from core.errors import DataError
from core.text.sentences import listed, verb

#: Share of a file's channels that another must have, for both to be of one account.
_SHARED = 0.5


def of_one_account(
    files: Sequence[File], dates: DateReading | None = None
) -> list[File]:
    """Files, those of one account with the same columns.

    Args:
        files: The files.
        dates: How dates are read that could be several.
    """
    if len(files) < 2:
        return list(files)
    result = list(files)
    sources = [_source(file) for file in files]
    for at, source in enumerate(sources):
        for before, other in enumerate(sources[:at]):
            first, second = result[before], result[at]
            if source is None or other is None or _same_columns(first, second):
                continue
            pair = _paired(first, other, second, source, dates)
            if pair is not None:
                result[before], result[at] = pair
                kept = _source(pair[0])
                sources[before] = sources[at] = kept
                break
    return result


def _source(file: File) -> Source | None:
    """How a file is read, where that is one way and certain."""
    if file.date is None:
        return None
    try:
        sources = guess_sources(file)
    except DataError:  # it is said where the file is read
        return None
    return sources[0] if len(sources) == 1 else None


def _same_columns(first: File, second: File) -> bool:
    return set(map(str, first.frame.columns)) == set(map(str, second.frame.columns))


def _paired(
    first: File,
    of_first: Source,
    second: File,
    of_second: Source,
    dates: DateReading | None,
) -> tuple[File, File] | None:
    """Two files with the columns that both have; None where they are not one's."""
    if of_first.kind != of_second.kind or bool(of_first.geo) != bool(of_second.geo):
        return None
    if of_first.kind == "campaigns":
        names = _of_campaigns(first, of_first, second, of_second)
    elif of_first.kind == "table":
        names = _of_tables(first, of_first, second, of_second, dates)
    else:
        return None
    if names is None:
        return None
    days = [
        settled_days(first.frame, of_first.date, dates),
        settled_days(second.frame, of_second.date, dates),
    ]
    if days[0] is None or days[1] is None:
        return None
    # Under other names, another platform's export may begin where this one ends.
    renames = any(name != other for name, other in names)
    if renames and not len(np.intersect1d(days[0], days[1])):
        return None
    columns = [first_name for first_name, _ in names]
    renamed = {name: first_name for first_name, name in names}
    one = _with(first, {name: name for name in columns}, of_first, days[0])
    other = _with(second, renamed, of_first, days[1])
    code = of_first.currency or of_second.currency
    if code and not of_first.currency_column:
        one, other = _in(code, one, of_first), _in(code, other, of_first)
    return one, other


def _of_campaigns(
    first: File, of_first: Source, second: File, of_second: Source
) -> list[tuple[str, str]] | None:
    """Columns of two exports by campaign that are each other's, as pairs of names."""
    if len(of_first.channel) != 1 or len(of_second.channel) != 1:
        return None
    if of_first.prefix != of_second.prefix:
        return None
    codes = {of_first.currency, of_second.currency} - {None}
    columns = [s.currency_column for s in (of_first, of_second)]
    if len(codes) > 1 or (None in columns and _is_mixed(of_first, of_second)):
        return None
    mine = _names(first.frame[of_first.channel[0]])
    theirs = _names(second.frame[of_second.channel[0]])
    if len(mine & theirs) < _SHARED * min(len(mine), len(theirs)):
        return None
    amounts, others = dict(of_first.amounts), dict(of_second.amounts)
    both = [what for what in amounts if what in others]
    if "spend" not in both:
        return None
    singles = (
        (of_first.date, of_second.date),
        (of_first.channel[0], of_second.channel[0]),
        (of_first.geo, of_second.geo),
        tuple(columns),
    )
    pairs = [(a, b) for a, b in singles if a and b]
    return [*pairs, *((amounts[what], others[what]) for what in both)]


def _of_tables(
    first: File,
    of_first: Source,
    second: File,
    of_second: Source,
    dates: DateReading | None,
) -> list[tuple[str, str]] | None:
    """Columns of two tables of which one has all that the other has, and later dates.

    What one has more is no media: that would be another table of the same market.
    """
    mine = set(map(str, first.frame.columns))
    theirs = set(map(str, second.frame.columns))
    if not (mine < theirs or theirs < mine) or of_first.date != of_second.date:
        return None
    if any(measure(name) not in (None, "outcome", "ratio") for name in mine ^ theirs):
        return None
    amounts = {name for name, _ in of_first.amounts}
    if not amounts & mine & theirs:
        return None
    spans = [
        settled_days(first.frame, of_first.date, dates),
        settled_days(second.frame, of_second.date, dates),
    ]
    if spans[0] is None or spans[1] is None:
        return None
    apart = [np.setdiff1d(spans[at], spans[1 - at]) for at in (0, 1)]
    if not (len(apart[0]) and len(apart[1])):
        return None
    return [(str(name), str(name)) for name in first.frame.columns if name in theirs]


def _is_mixed(*sources: Source) -> bool:
    return any(s.currency_column and not s.currency for s in sources)


def _names(column: pd.Series) -> set[str]:
    return {" ".join(str(cell).casefold().split()) for cell in column.dropna().unique()}


def _with(
    file: File,
    renamed: dict[str, str],
    source: Source,
    days: np.ndarray,
) -> File:
    """A file with other names, without the columns that the other file lacks."""
    lost = [str(name) for name in file.frame.columns if str(name) not in renamed]
    columns = sorted(renamed.values())
    frame = file.frame.rename(columns=renamed)[columns]
    frame = frame.assign(**{source.date: pd.DatetimeIndex(days)})
    frame.attrs = {
        key: {renamed.get(name, name): value for name, value in each.items()}
        if isinstance(each, dict)
        else each
        for key, each in file.frame.attrs.items()
    }
    whole, file = file.frame, replace(file, frame=frame, date=source.date)
    amounts = [
        name
        for name in lost
        if pd.api.types.is_numeric_dtype(whole[name].dtype) and measure(name) != "ratio"
    ]
    if not amounts:
        return file
    message = (
        f"{listed(amounts)} of {file.called} {verb(len(amounts), 'are')} left out: "
        "another export of the same account lacks this."
    )
    return file.noted(message, amounts[0])


def _in(code: str, file: File, source: Source) -> File:
    """A file whose spend is in a currency that the other export names."""
    attrs = file.frame.attrs
    currencies = {column: code for what, column in source.amounts if what == "spend"}
    attrs["currencies"] = currencies | attrs.setdefault("currencies", {})
    return file
