"""The market at a glance, before it is modelled: what screens of assumptions need.

It is read off the very arrays that a fit gets, so that a screen and the model agree
about what was spent and sold: periods with media only lengthen the media's history and
count in neither.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.ahead.horizon import last_day
from core.data.assemble import as_far_as_it_goes
from core.data.input_data import outcome_unit
from core.data.mapping import ColumnMapping
from core.data.periods import periods
from core.model.shares.totals import Totals, totals
from core.text import Units, spoken


@dataclass(frozen=True)
class Market:
    """What screens need to know of a table before it is modelled.

    Attributes:
        totals: Spend of each paid channel and the outcome, over the KPI's periods.
        units: Words for the units.
        geos: Names of the geos; empty for a national market.
        dates: Starts of the periods with a KPI as ISO texts, in order.
        period: What a period is called, such as week.
    """

    totals: Totals
    units: Units
    geos: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    period: str = "period"

    @property
    def n_times(self) -> int:
        """Number of periods with a KPI."""
        return len(self.dates)

    @property
    def last_day(self) -> str:
        """Last day of the last period, ISO; empty where there is none."""
        starts = np.array(self.dates, "datetime64[D]")
        return str(last_day(starts)) if self.dates else ""


def market(frame: pd.DataFrame, mapping: ColumnMapping, currency: str) -> Market:
    """The market of a table; an empty one where nothing can be told from it."""
    unit = outcome_unit(
        mapping.kpi_type, mapping.revenue_per_kpi is not None, mapping.spend_unit
    )
    units = Units(unit, currency, spoken(mapping.kpi))
    data = as_far_as_it_goes(frame, mapping)
    if data is None:
        return Market(Totals(0.0, {}, unit, mapping.spend_unit), units)
    times = np.asarray(data.times, "datetime64[D]")
    return Market(
        totals=totals(data),
        units=units,
        geos=data.geos if len(data.geos) > 1 else (),
        dates=tuple(map(str, times)),
        period=periods(times).period if len(times) > 1 else "period",
    )
