"""InputData: the trusted arrays of one market, checked once and never again.

Axes are geo, time, channel; a national market keeps a geo axis of size one with
population one. Media reaches back further than the KPI where history is given: its
time axis is `media_times`, whose last `n_times` entries are `times`.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from core.data.mapping import KpiType, PriceIndex, SpendUnit


def outcome_unit(
    kpi_type: KpiType, has_value: bool, spend_unit: SpendUnit | None
) -> Literal["revenue", "kpi"]:
    """`revenue` where the outcome is money that spend can be compared with, else `kpi`.

    Args:
        kpi_type: Whether the KPI is money.
        has_value: Whether a unit of the KPI has a value in money.
        spend_unit: What spend is counted in, as somebody said.
    """
    is_money = kpi_type == "revenue" or has_value
    return "revenue" if is_money and spend_unit != "other" else "kpi"


@dataclass(frozen=True)
class Treatments:
    """Channels of one kind: names and their arrays, None where the kind has none.

    Attributes:
        names: Channel names, length n_channels.
        units: Media units, reach, or treatment values; geo media_time channel
            (geo time channel for non-media treatments).
        frequency: Average frequency, geo media_time channel; reach-and-frequency only.
        spend: Cost in currency, geo time channel; paid kinds only.
    """

    names: tuple[str, ...] = ()
    units: np.ndarray | None = None
    frequency: np.ndarray | None = None
    spend: np.ndarray | None = None

    @property
    def exposures(self) -> np.ndarray:
        """Units, of reach times its frequency; geo media_time channel."""
        return self.units if self.frequency is None else self.units * self.frequency

    def __len__(self) -> int:
        """Number of channels."""
        return len(self.names)


@dataclass(frozen=True)
class InputData:
    """One market, ready for a model. All floats are float64.

    Attributes:
        geos: Names of geos; `("national_geo",)` for a national market.
        times: Period starts, datetime64[D], length n_times.
        media_times: Period starts of media, datetime64[D]; ends with `times`.
        kpi: Outcome counted, geo time, KPI units.
        kpi_type: `revenue` where the KPI is money.
        revenue_per_kpi: Currency per KPI unit, geo time; None if unknown.
        population: People per geo; ones for a national market.
        controls: geo time control.
        control_names: Length n_controls.
        media: Paid media with spend.
        reach_frequency: Paid media measured by reach and frequency.
        organic_media: Media without spend.
        organic_reach_frequency: Reach and frequency without spend.
        non_media: Price, promotion and the like.
        spend_unit: What spend is counted in, as somebody said: `currency` or `other`;
            None where nobody did.
        price_index: Channels of `media` whose units are spend over a price index, and
            that index.
    """

    geos: tuple[str, ...]
    times: np.ndarray
    media_times: np.ndarray
    kpi: np.ndarray
    kpi_type: KpiType
    revenue_per_kpi: np.ndarray | None
    population: np.ndarray
    controls: np.ndarray
    control_names: tuple[str, ...]
    media: Treatments = field(default_factory=Treatments)
    reach_frequency: Treatments = field(default_factory=Treatments)
    organic_media: Treatments = field(default_factory=Treatments)
    organic_reach_frequency: Treatments = field(default_factory=Treatments)
    non_media: Treatments = field(default_factory=Treatments)
    spend_unit: SpendUnit | None = None
    price_index: tuple[tuple[str, PriceIndex], ...] = ()

    @property
    def n_geos(self) -> int:
        """Number of geos; one for a national market."""
        return len(self.geos)

    @property
    def n_times(self) -> int:
        """Number of KPI periods."""
        return len(self.times)

    @property
    def n_media_times(self) -> int:
        """Number of media periods, at least `n_times`."""
        return len(self.media_times)

    @property
    def is_national(self) -> bool:
        """Whether there is one geo only."""
        return self.n_geos == 1

    @property
    def outcome_unit(self) -> str:
        """`revenue` where the outcome is money that spend can be compared with."""
        return outcome_unit(
            self.kpi_type, self.revenue_per_kpi is not None, self.spend_unit
        )

    @property
    def outcome(self) -> np.ndarray:
        """Revenue where KPI units have a value, else the KPI; geo time."""
        if self.revenue_per_kpi is None:
            return self.kpi
        return self.kpi * self.revenue_per_kpi
