"""Recognition of a layout: what the rows of a file are, from its columns and cells.

One row per date and geo is a table. Rows of one date that a campaign, platform or
outlet tells apart are campaigns; rows with a variable's name and its value are
variables; rows of a shop, with an order's number or a product, are orders.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.data.cells.words import (
    KPI_COUNT,
    KPI_OPEN,
    KPI_REVENUE,
    MEDIA_NAME,
    PER,
    word_set,
)
from core.data.layout.kinds.contents import SAMPLE, Columns, columns_of
from core.data.layout.kinds.dating import holds_clocks, holds_dates, read_dates
from core.data.layout.kinds.exports import File
from core.data.layout.kinds.money import currency_of
from core.data.layout.kinds.platforms import prefix_of, schema_of
from core.data.layout.kinds.vocabulary import (
    LEVELS,
    MEASURES,
    Level,
    is_averaged,
    is_bare,
    is_charge,
    is_end,
    is_id,
    is_money,
    is_planned,
    is_value,
    is_variable,
    level,
    measure,
    spoken,
)
from core.data.layout.recipe import Kind, Source
from core.data.layout.tables import orders
from core.data.multiples import multiple
from core.data.reading.numbers import as_numbers
from core.data.reading.origins import row_numbers
from core.data.recognition.naming import read_name
from core.errors import SchemaError
from core.text import listed

#: More channels than this are not a default that anybody wants.
_MANY = 12
_CONSTANT_DAYS = 6
#: Rows of more days than this cannot be put into weeks or months, if they are few.
_MONTH, _FEW = 31, 10
_WEEK = 7
#: Weeks side by side by their numbers alone, and how many are no chance.
_WEEK_ALONE = re.compile(r"^(?:kw|cw|wk?|week|woche|semaine|semana)\W?\d{1,2}$", re.I)
_SEVERAL = 4
#: Words of the first day of what a row is about.
_START = word_set("exports.start")


def guess_sources(file: File) -> tuple[Source, ...]:
    """How a file is most likely to be read; one source, seldom two.

    Raises:
        SchemaError: No column holds dates.
    """
    if file.date is None:
        raise _undated(file)
    dates = read_dates(file.frame[file.date]).values
    columns = columns_of(file)
    orders.refuse_sides(file, columns.numbers, columns.texts)
    shop = orders.guess(file, columns.numbers, columns.texts, columns.geo)
    if shop is not None and orders.is_shop(file, columns.numbers):
        return (shop,)
    _refuse_long_rows(file, columns, dates)
    if is_one_row_each(file.frame, dates, columns.geo):
        single = _campaigns(file, columns) if _is_one_campaign(file, columns) else None
        return (single or _source_by_date(file, columns),)
    lone = shop is None or not shop.count
    source = _variables(file, columns, lone=lone)
    if source is not None:
        return (source,)
    source = _campaigns(file, columns) if lone else None
    if source is not None:
        again = _repeated(file, columns, source, dates)
        return (source, again) if again else (source,)
    if shop is None:
        return (_source_by_date(file, columns),)
    return _sales(file, columns, shop, dates)


def _undated(file: File) -> SchemaError:
    """The error for a file of several without a column of dates."""
    names = [str(name) for name in file.frame.columns]
    weeks = [name for name in names if _WEEK_ALONE.match(name)]
    shown = ", ".join(names[:8])
    hint = f"Add a column with a date in every row. Its columns are {shown}."
    if len(weeks) >= _SEVERAL:
        first = weeks[0]
        hint = f"Its weeks have no year: write it into their names, as in {first} 2024."
    return SchemaError(
        f"No column of {file.called} holds dates.", hint=hint, where=file.called
    )


def without_amounts(file: File) -> SchemaError:
    """The error for a list of days and their names beside tables of amounts."""
    return SchemaError(
        f"{file.called} has dates and no amounts, as a list of holidays or events has.",
        hint="Leave the file out: the Model screen has holidays by country. For events "
        "write their names into a column of the other table, beside their dates, and "
        "choose it with --events.",
        where=file.called,
    )


def _refuse_long_rows(file: File, columns: Columns, dates: np.ndarray) -> None:
    """Refuse a report whose rows are about more than a month each, or flights.

    A flight begins on one day and ends weeks later: all of it would fall on the first.

    Raises:
        SchemaError: The report was not broken down by day.
    """
    for name in map(str, file.frame.columns):
        column = file.frame[name]
        if not is_end(name) or not holds_dates(name, column):
            continue
        days = (read_dates(column).values - dates).astype(np.float64)
        longest = np.nanmax(days) + 1 if len(days) else 0
        is_long = longest > _MONTH and len(np.unique(dates)) < _FEW
        if is_long or _are_flights(str(file.date), dates, days):
            if not columns.numbers:
                raise without_amounts(file)
            row = int(row_numbers(file.frame)[np.nanargmax(days)])
            raise SchemaError(
                f"Each row of {file.called} covers up to {longest:.0f} days, from "
                f"{file.date} to {name}.",
                hint="Export it again with one row per day (in Meta: Breakdown, By "
                "time, Day), or spread each row's amounts over its days.",
                where=file.where(name, row),
            )


def _are_flights(date: str, dates: np.ndarray, days: np.ndarray) -> bool:
    """Whether most rows go on for more than a week from their first day, and no month.

    Args:
        date: The column of first days; one of the day of a row says more than its end.
        dates: First days.
        days: From the first to the last day of each row.
    """
    if _START.isdisjoint(spoken(date)) or np.nanmedian(days) < _WEEK:
        return False
    months = dates.astype("datetime64[M]")
    lengths = (months + 1).astype("datetime64[D]") - months.astype("datetime64[D]")
    is_first = dates == months.astype("datetime64[D]")
    is_month = is_first & (days + 1 == lengths.astype(int))
    return bool(is_month.mean() < 1 / 2)


def is_one_row_each(frame: pd.DataFrame, dates: np.ndarray, geo: str | None) -> bool:
    """Whether no date, or no date of a geo, has two rows."""
    keys = pd.DataFrame({"date": dates})
    if geo is not None:
        keys["geo"] = frame[geo].to_numpy()
    return not keys.duplicated().any()


def _source(file: File, columns: Columns, kind: Kind, **parts: Any) -> Source:
    """A source of a file, with its dates and geos."""
    date = str(file.date)
    about = {"name": file.name, "part": file.part, "geo": columns.geo}
    return Source(kind=kind, date=date, date_is_end=is_end(date), **about, **parts)


def _source_by_date(file: File, columns: Columns) -> Source:
    """A file with one row per date and geo."""
    sums, averages = [], []
    for name in columns.numbers:
        values = as_numbers(file.frame[name].head(SAMPLE)).values
        averaged = is_averaged(name) or _is_level(name, values)
        (averages if averaged else sums).append(name)
    flags = [
        name
        for name in columns.texts
        if pd.api.types.is_bool_dtype(file.frame[name].dtype)
    ]
    texts = [name for name in columns.texts if name not in flags]
    return _source(
        file,
        columns,
        "table",
        amounts=tuple((name, name) for name in sums),
        averages=(*averages, *flags),
        texts=tuple(texts),
        **currency_of(
            file, [name for name in sums if is_money(name)], [*sums, *averages]
        ),
    )


def _is_one_campaign(file: File, columns: Columns) -> bool:
    """Whether a file with one row per date is an export whose only campaign has it.

    Its one column of spend says nothing of a channel, since a column of text does.
    """
    spent = [name for name in columns.numbers if measure(name) == "spend"]
    if not spent or not all(map(is_bare, spent)) or not _is_one_spend(file, spent):
        return False
    named = any(columns.distinct[name] == 1 for name in naming_columns(columns))
    outcomes = [name for name in columns.numbers if measure(name) == "outcome"]
    return named and (bool(schema_of(file)) or not outcomes)


def _is_one_spend(file: File, spent: list[str]) -> bool:
    """Whether columns of spend are one, or the same money with and without tax."""
    values = [as_numbers(file.frame[name]).values for name in spent]
    return all(multiple(values[0], other) is not None for other in values[1:])


def _is_level(name: str, values: np.ndarray) -> bool:
    """Whether numbers are a state of things rather than amounts: a flag, an index."""
    finite = values[np.isfinite(values)]
    if not len(finite) or measure(name) in (*MEASURES, "outcome"):
        return False
    says = set(spoken(name))
    if (KPI_REVENUE | KPI_COUNT) & says:  # returns on a day, or one deal at most
        return False
    is_flag = np.isin(finite, (0.0, 1.0)).all()  # `Sale` may be a promotion
    is_signed = (finite < 0).mean() > 0.05 and not KPI_OPEN & says
    return bool(is_flag or is_signed)


def _variables(file: File, columns: Columns, *, lone: bool) -> Source | None:
    """A file with a row per variable; by any text beside a lone value, if told so.

    What measures spend and exposure side by side has no variables: Meta's `Result
    indicator` says what its results are.
    """
    measured = {measure(name) for name in columns.numbers} & {*MEASURES}
    if "spend" in measured and len(measured) > 1:
        return None
    named = [name for name in columns.texts if is_variable(name)]
    values = [name for name in columns.numbers if is_value(name) and not is_id(name)]
    real = [name for name in columns.numbers if not is_id(name)]
    is_open = len(real) == 1 and is_value(real[0]) and measure(real[0]) is None
    if lone and not named and is_open:  # `Amount spent` says what it is
        texts = [name for name in columns.texts if not is_id(name)]
        named = [name for name in texts if level(name) is None][:1]
    if not named or not (values or len(real) == 1):
        return None
    variable = max(named, key=lambda name: columns.distinct[name] > 1)
    value = values[0] if values else real[0]
    others = [
        name
        for name in columns.texts
        if name != variable and level(name) is not None and columns.distinct[name] > 0
    ]
    return _source(
        file,
        columns,
        "variables",
        channel=tuple(others),
        variable=variable,
        value=value,
        **currency_of(file, [value]),
    )


def _campaigns(file: File, columns: Columns) -> Source | None:
    """A file with a row per campaign, platform, outlet or ad."""
    amounts = _amounts(columns.numbers)
    if not amounts:
        return None
    channel, first_word = default_channel(file, columns)
    if channel is None:
        return None
    _refuse_channels_beside(file, columns, channel)
    money = [column for what, column in amounts if what == "spend"]
    return _source(
        file,
        columns,
        "campaigns",
        channel=channel,
        first_word=first_word,
        prefix=prefix_of(file),
        amounts=amounts,
        **currency_of(file, money),
    )


def _refuse_channels_beside(
    file: File, columns: Columns, channel: tuple[str, ...]
) -> None:
    """Refuse rows of segments with spend of several channels side by side.

    Raises:
        SchemaError: One column would be read as the spend of segments, the others not.
    """
    names = [read_name(name) for name in columns.numbers]
    spent = {
        name.key: name.column
        for name in names
        if name.measure == "spend" and name.has(MEDIA_NAME) and not name.has(PER)
    }
    if len(spent) < 2:
        return
    segment, beside = channel[0], listed(list(spent.values()), limit=6)
    raise SchemaError(
        f"{file.called} has several rows for a date, told apart by {segment}, and "
        f"spend of several channels in columns: {beside}.",
        hint="Sum the rows of each date, or export one row per date and channel with "
        "its spend in one column.",
        where=file.where(segment),
    )


def _amounts(numbers: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """One column per measure; reach only where nothing else counts contacts.

    What was planned or booked is taken where no column has what was spent, and an
    amount of money beside impressions or clicks, whatever it is called: `amount`.
    """
    by_measure: dict[str, str] = {}
    for name in sorted(numbers, key=is_planned):
        what = measure(name)
        if what in MEASURES:
            by_measure.setdefault(what, name)
    if by_measure and "spend" not in by_measure:
        charged = next(filter(is_charge, numbers), None)
        by_measure |= {} if charged is None else {"spend": charged}
    if len(set(by_measure) - {"spend"}) > 1:
        by_measure.pop("reach", None)
    return tuple((what, by_measure[what]) for what in MEASURES if what in by_measure)


def naming_columns(columns: Columns) -> dict[str, Level]:
    """Columns that can name a channel, from coarse to fine."""
    levels = {name: own for name in columns.texts if (own := level(name)) in LEVELS}
    named = {name: own for name, own in levels.items() if not is_id(name)}
    naming = named or levels
    return dict(sorted(naming.items(), key=lambda pair: LEVELS.index(pair[1])))


def default_channel(
    file: File, columns: Columns
) -> tuple[tuple[str, ...] | None, bool]:
    """The columns that name a channel by default, and whether by their first word.

    The coarsest level with two values or more; campaigns only as long as they are few,
    else their first words, if those are fewer.
    """
    naming = naming_columns(columns)
    varied = [name for name in naming if columns.distinct[name] > 1]
    coarse = [name for name in varied if naming[name] in ("platform", "type")]
    if coarse:
        best = min(coarse, key=lambda name: (naming[name] != "platform", -_rank(name)))
        return (best,), False
    campaigns = [name for name in varied if naming[name] == "campaign"] or varied
    if not campaigns:
        rest = [name for name in columns.texts if columns.distinct[name] > 1]
        plain = [name for name in rest if not is_id(name) and level(name) is None]
        plain = [name for name in plain if not holds_clocks(file.frame[name])]
        constant = list(naming)[:1]
        return (tuple(constant) or tuple(plain[:1]) or None), False
    name = campaigns[0]
    if columns.distinct[name] <= _MANY:
        return (name,), False
    words = file.frame[name].dropna().drop_duplicates().astype("str")
    first = words.str.extract(r"^\W*([^\W_]+)")[0].str.lower().nunique()
    return (name,), bool(1 < first <= columns.distinct[name] / 2)


def _rank(name: str) -> int:
    """How surely a column names platforms: `channel` before `source`."""
    spoken_words = set(spoken(name))
    likely = ("source", "medium", "network", "outlet", "publisher", "platform")
    if spoken_words & {"channel", "kanal", "canal"}:
        return len(likely)
    return next((at for at, word in enumerate(likely) if word in spoken_words), -1)


def _sales(
    file: File, columns: Columns, shop: Source, dates: np.ndarray
) -> tuple[Source, ...]:
    """Sales by product, and once per date what each row of the date repeats: spend."""
    value = next((column for what, column in shop.amounts if what == "revenue"), None)
    own = tuple(pair for pair in shop.amounts if pair[1] == value)
    again = _repeated(file, columns, replace(shop, amounts=own), dates)
    if again is None:
        return (shop,)
    twice = {*again.averages, *(column for _, column in again.amounts)}
    amounts = tuple(pair for pair in shop.amounts if pair[1] not in twice)
    return replace(shop, amounts=amounts), again


def _repeated(
    file: File, columns: Columns, source: Source, dates: np.ndarray
) -> Source | None:
    """Columns that repeat one value in all rows of a date: a KPI, the weather."""
    used = {column for _, column in source.amounts}
    keys = pd.Series(dates).astype("int64")
    if source.geo is not None:
        codes = pd.factorize(file.frame[source.geo])[0]
        keys = keys * (codes.max() + 2) + codes
    groups = keys.to_numpy()
    same: list[str] = []
    for name in columns.numbers:
        if name in used or is_id(name) or measure(name) == "ratio":
            continue
        values = pd.Series(as_numbers(file.frame[name]).values)
        grouped = values.groupby(groups)
        if values.nunique() <= _CONSTANT_DAYS or values.isna().any():
            continue
        if (grouped.max() == grouped.min()).all():
            same.append(name)
    if not same:
        return None
    sums = [name for name in same if not is_averaged(name)]
    return source.beside(
        "table",
        repeats=True,
        amounts=tuple((name, name) for name in sums),
        averages=tuple(name for name in same if name not in sums),
    )
