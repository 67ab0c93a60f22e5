"""What people state of files, where the guess is wrong or leaves something open.

A field of `StatedColumns` is declared once: it is an option of the command line and an
argument of the agents' tool. What it means is said by `core.data.layout.answers` for
how files become one table, by `core.service.projects.columns` for roles of columns.
`--help` reads this module, which imports little.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from core.data.layout.recipe import Cancelled, GeoColumns, Overlap, WeekDates, Weekday
from core.data.mapping import DateReading, Decimal, SpendUnit
from core.declared import declared, meaning

Name = Annotated[str, Meta(max_length=300)]
Names = Annotated[Sequence[Name], Meta(max_length=200)]
Groups = Annotated[Sequence[tuple[Name, Names]], Meta(max_length=200)]
Rate = Annotated[float, Meta(gt=0)]
Rates = Annotated[Sequence[tuple[Name, Rate]], Meta(max_length=50)]
Part = Literal["files", "table", "reading", "layout", "twice", "rates", "roles"]


def _is(part: Part, about: str, metavar: str = "COLUMN") -> Meta:
    """What a field asks for, with the fields that it stands among."""
    return meaning(about, part=part, metavar=metavar)


class StatedColumns(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Answers to what files leave open; None and empty where the guess stands."""

    sheet: Annotated[
        Names, _is("files", "sheet of a workbook, or file in a zip archive", "NAME")
    ] = ()
    kpi: Annotated[
        Name | None, _is("table", "the column to explain, if the guess is wrong")
    ] = None
    currency: Annotated[
        Name | None,
        _is("table", "of spend and revenue, such as EUR; else the files' own", "CODE"),
    ] = None
    holidays: Annotated[
        Name | None,
        _is(
            "table", "whose public holidays may move the KPI: US, DE, DE-BY", "COUNTRY"
        ),
    ] = None
    decimal: Annotated[
        Decimal | None,
        _is("reading", "the decimal sign of ambiguous numbers such as 12.345"),
    ] = None
    dates: Annotated[
        DateReading | None,
        _is("reading", "how to read ambiguous dates such as 03/04/2021 or 202301"),
    ] = None
    channel_by: Annotated[
        Names, _is("layout", "one channel per value of this column")
    ] = ()
    first_word: Annotated[
        bool | None, _is("layout", "only the first word of that name", "")
    ] = None
    pattern: Annotated[
        Name | None,
        _is(
            "layout",
            "the channel is what the first group matches: '^([a-z]+)_'",
            "REGEX",
        ),
    ] = None
    group: Annotated[
        Groups,
        _is(
            "layout",
            "put campaigns together by hand; * stands for any text",
            "CHANNEL=NAME,NAME*",
        ),
    ] = ()
    period: Annotated[
        Literal["day", "week", "month"] | None, _is("layout", "what one row covers")
    ] = None
    week_begins: Annotated[
        Weekday | None, _is("layout", "first day of a week (monday)")
    ] = None
    sum_geos: Annotated[bool, _is("layout", "sum all geos to one market", "")] = False
    zero_outside: Annotated[
        bool,
        _is(
            "layout",
            "nothing ran before the first and after the last row of a file of "
            "campaigns; without it those periods are left out",
            "",
        ),
    ] = False
    overlap: Annotated[
        Overlap | None,
        _is(
            "twice",
            "rows that several files have: those of the newest export count, every "
            "file is a platform or country with channels of its own, or a place "
            "(geo), or all are added",
        ),
    ] = None
    cancelled: Annotated[
        Cancelled | None, _is("twice", "whether cancelled and refunded orders count")
    ] = None
    week_dates: Annotated[
        WeekDates | None,
        _is("layout", "the day of its week that a row of weeks is dated with"),
    ] = None
    geo_columns: Annotated[
        GeoColumns | None,
        _is(
            "layout",
            "columns that differ by a place (revenue_Bayern, revenue_Hessen): a row "
            "per place, or columns of their own",
        ),
    ] = None
    rate: Annotated[
        Rates,
        _is("rates", "what a currency is worth in the project's: USD=0.92", "CODE=X"),
    ] = ()
    kpi_is: Annotated[
        Literal["money", "count"] | None,
        _is("roles", "what the KPI is; else guessed from its name"),
    ] = None
    control: Annotated[Names, _is("roles", "a control that the guess leaves out")] = ()
    ignore: Annotated[
        Names,
        _is("roles", "a column that the guess should not use, a channel's too"),
    ] = ()
    paid: Annotated[
        Names,
        _is(
            "roles",
            "paid exposure without spend: it takes the place of spend, in its own "
            "unit; * stands for any text",
        ),
    ] = ()
    events: Annotated[
        Names, _is("roles", "a column of text whose values are events of the model")
    ] = ()
    value: Annotated[
        float | Name | None,
        _is(
            "roles",
            "what one unit of the KPI is worth, or the column of it",
            "X|COLUMN",
        ),
    ] = None
    spend_unit: Annotated[
        SpendUnit | None,
        _is(
            "roles",
            "currency: spend is in the KPI's money; other: thousands, an index, scaled",
        ),
    ] = None


NOTHING = StatedColumns()
#: As they are declared.
FIELDS = declared(StatedColumns)
#: What new files of a project may leave open again.
AGAIN = tuple(each for each in FIELDS if each.part in ("twice", "reading"))
