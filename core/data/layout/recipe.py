"""The layout as data: what has to be done to some files to get one wide table.

A wide table has one row per period and geo, and a column per KPI, channel measure and
control. project.toml keeps the layout under `[data.layout]`, so that next month's
files go the same way without a question.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.data.mapping import DateReading, Decimal

Kind = Literal["table", "campaigns", "variables", "orders"]
Period = Literal["as_is", "day", "week", "month"]
Weekday = Literal[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
]
Geos = Literal["kept", "summed"]
Outside = Literal["left_out", "zero"]
#: Rows that several files, or two places of one, have: those of the newest count; every
#: file is a platform or country with channels of its own, or a place with rows of its
#: own; all are added.
Overlap = Literal["newest", "apart", "places", "all"]
Cancelled = Literal["left_out", "counted"]
#: The day of a week that a file of weeks is dated with.
WeekDates = Literal["first", "last"]
#: Columns that differ by a place: a row per place, or columns of their own.
GeoColumns = Literal["places", "apart"]

KINDS: tuple[Kind, ...] = get_args(Kind)
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)

#: Names and values, or names and lists of values, in an order.
Pairs = tuple[tuple[str, str], ...]
Groups = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Source:
    """How the rows of one file become columns by date and geo.

    Attributes:
        name: The file the layout was made from; later files may have other names.
        kind: `table` has one row per date and geo, `campaigns` a row per campaign (ad,
            outlet) and date, `variables` a row per variable and date with its value
            in one column, `orders` rows that are summed to dates.
        date: Column of dates.
        date_is_end: Whether the date is the last day of its week.
        geo: Column of geos; None where the file has none.
        part: Sheet of a workbook, or file in a zip archive.
        channel: Columns whose values name the channel of a row (`campaigns`), or tell
            rows of one variable apart (`variables`).
        first_word: Whether only the first word of that name counts.
        pattern: Regular expression whose first group is the channel.
        prefix: Put before the name of every channel.
        groups: Channels put together by hand: a name, and the names that it replaces;
            `*` stands for any text.
        amounts: What is summed: the measure or column of the wide table, and the
            column of the file it comes from.
        averages: Columns that are averaged over the days of a period (`table`).
        texts: Columns of text that are kept (`table`, where nothing is summed).
        repeats: Whether rows of one date and geo repeat the same values (`table`).
        variable: Column of variable names (`variables`).
        value: Column of their values (`variables`).
        count: Column of the wide table that counts rows (`orders`).
        order: Column of order numbers, where lines repeat the total of their order.
        once: Columns of the file with such a total, which counts once per order.
        status: Columns that say which orders are cancelled, refunded or a test.
        currency: Code of the currency that amounts of money are in, where known.
        currency_column: Column that has the code of each row.
        currencies: Columns that are in a currency of their own, and its code.
        money: Columns of the file that are money.
        dates: How dates are read that could be several.
        decimal: Decimal sign of numbers that could be two.
    """

    name: str
    kind: Kind
    date: str
    date_is_end: bool = False
    geo: str | None = None
    part: str | None = None
    channel: tuple[str, ...] = ()
    first_word: bool = False
    pattern: str | None = None
    prefix: str = ""
    groups: Groups = ()
    amounts: Pairs = ()
    averages: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    repeats: bool = False
    variable: str | None = None
    value: str | None = None
    count: str | None = None
    order: str | None = None
    once: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    currency: str | None = None
    currency_column: str | None = None
    currencies: Pairs = ()
    money: tuple[str, ...] = ()
    dates: DateReading | None = None
    decimal: Decimal | None = None

    def beside(self, kind: Kind, **more: Any) -> "Source":
        """Other columns of the same rows, read in another way.

        Args:
            kind: How they are read.
            more: What is read of them.
        """
        rows = ("name", "part", "date", "date_is_end", "geo")
        same = {key: getattr(self, key) for key in rows}
        return Source(kind=kind, **same | more)

    def columns(self) -> tuple[str, ...]:
        """Every column that a file needs, each once."""
        single = (self.date, self.geo, self.variable, self.value, self.currency_column)
        single += (self.order,)
        several = (*(column for _, column in self.amounts), *self.averages, *self.texts)
        every = (*single, *self.status, *self.channel, *several)
        return tuple(dict.fromkeys(column for column in every if column))


@dataclass(frozen=True)
class Layout:
    """How some files become one wide table.

    Attributes:
        sources: One per file, or several where one file is read in several ways.
        period: What one row of the wide table covers; `as_is` keeps the files' dates.
        week_begins: First day of a week.
        geos: Whether geos are kept, or summed to one market.
        outside: Periods before the first and after the last row of a file of
            campaigns: left out, or zero because nothing ran.
        overlap: What becomes of rows that are in several files; None where nobody has
            said, so that a difference is a question.
        cancelled: Whether cancelled and refunded orders count; None likewise.
        geo_columns: What columns that differ by a place are; None where there are none.
        currency: Code of the currency that money is converted to, where known.
        rates: What one unit of another currency is worth in it.
    """

    sources: tuple[Source, ...]
    period: Period = "as_is"
    week_begins: Weekday = "monday"
    geos: Geos = "kept"
    outside: Outside = "left_out"
    overlap: Overlap | None = None
    cancelled: Cancelled | None = None
    geo_columns: GeoColumns | None = None
    currency: str | None = None
    rates: tuple[tuple[str, float], ...] = ()
