"""Column mapping: which column of the table plays which role in the model."""

from dataclasses import dataclass, replace
from typing import Literal

KpiType = Literal["revenue", "non_revenue"]
SpendLevel = Literal["geo_time", "time", "total"]
#: The decimal sign of a column.
Decimal = Literal[".", ","]
#: What dates that can be read in several ways are.
DateReading = Literal[
    "day first", "month first", "year first", "months", "weeks", "1900", "1904"
]
SpendUnit = Literal["currency", "other"]
ChannelKind = Literal[
    "media",
    "reach_frequency",
    "organic_media",
    "organic_reach_frequency",
    "non_media",
]

#: Days, YYYY-MM-DD and rising, and the price of a unit from each on, over any base.
PriceIndex = tuple[tuple[str, float], ...]

#: Order of channel groups wherever channels of several kinds stand on one axis.
KINDS: tuple[ChannelKind, ...] = (
    "media",
    "reach_frequency",
    "organic_media",
    "organic_reach_frequency",
    "non_media",
)
PAID: tuple[ChannelKind, ...] = ("media", "reach_frequency")


@dataclass(frozen=True)
class ChannelColumns:
    """The columns of one channel.

    Attributes:
        name: The channel, as shown everywhere.
        kind: What it is; see `KINDS`.
        media: Column of media units (`media`, `organic_media`).
        reach: Column of people reached (reach-and-frequency kinds).
        frequency: Column of average exposures per person reached.
        column: Column of a non-media treatment (price, promotion).
        spend: Column of cost in currency (paid kinds).
        spend_level: What a number of that column is about: one geo in one period,
            all geos in one period (`time`), or all geos and periods (`total`). The
            latter two are spread in proportion to media units.
        price_index: What a unit of the media cost over the years, where media is known
            by its spend alone; empty for one price (`core.data.price_index`).
    """

    name: str
    kind: ChannelKind
    media: str | None = None
    reach: str | None = None
    frequency: str | None = None
    column: str | None = None
    spend: str | None = None
    spend_level: SpendLevel = "geo_time"
    price_index: PriceIndex = ()

    def columns(self) -> tuple[str, ...]:
        """Every column that this channel reads."""
        fields = (self.media, self.reach, self.frequency, self.column, self.spend)
        return tuple(field for field in fields if field)


@dataclass(frozen=True)
class ColumnMapping:
    """The role of each column; columns without a role are ignored.

    Attributes:
        time: Column of period starts.
        geo: Column of geos; None for a national table.
        kpi: Column of the outcome counted.
        kpi_type: `revenue` where the KPI is money, else `non_revenue`.
        revenue_per_kpi: Column with the value of one KPI unit, or that value.
        spend_unit: What spend is counted in: `currency`, the same money as the value
            of the KPI, or `other`, such as thousands, an index or budgets that were
            scaled. None where nobody has said.
        population: Column of people per geo.
        controls: Columns of control variables.
        channels: The channels, in the table's order.
        dates: How dates are read that could be several.
        decimal: Columns whose cells could be two numbers, with their decimal sign.
        whole_units: Columns of whole units, although a letter in their names says
            thousands.
    """

    time: str
    kpi: str
    geo: str | None = None
    kpi_type: KpiType = "non_revenue"
    revenue_per_kpi: str | float | None = None
    spend_unit: SpendUnit | None = None
    population: str | None = None
    controls: tuple[str, ...] = ()
    channels: tuple[ChannelColumns, ...] = ()
    dates: DateReading | None = None
    decimal: tuple[tuple[str, Decimal], ...] = ()
    whole_units: tuple[str, ...] = ()

    def decimal_of(self, column: str) -> Decimal | None:
        """The decimal sign answered for a column, if it is."""
        return dict(self.decimal).get(column)

    def with_price_indexes(self, other: "ColumnMapping") -> "ColumnMapping":
        """The mapping with the price indexes of another, where media is spend here."""
        indexes = {each.name: each.price_index for each in other.channels}
        channels = tuple(
            replace(each, price_index=indexes.get(each.name, ()))
            if each.kind == "media" and each.media == each.spend
            else each
            for each in self.channels
        )
        return replace(self, channels=channels)

    def of_kind(self, *kinds: ChannelKind) -> tuple[ChannelColumns, ...]:
        """Channels of the given kinds, in order."""
        return tuple(channel for channel in self.channels if channel.kind in kinds)


def money_columns(mapping: ColumnMapping) -> list[str]:
    """The KPI, and spend by period, each once."""
    spends = [
        channel.spend
        for channel in mapping.of_kind(*PAID)
        if channel.spend and channel.spend_level != "total"
    ]
    return list(dict.fromkeys([mapping.kpi, *spends]))
