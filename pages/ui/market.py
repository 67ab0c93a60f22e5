"""The market at a glance: periods, geos, spend and outcome of the open project."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core import text as fmt
from core.data.input_data import outcome_unit
from core.data.mapping import ChannelColumns, ColumnMapping, SpendUnit
from core.model.shares.totals import Totals
from pages.ui import reading
from pages.ui.reading import Opened


@dataclass(frozen=True)
class Market:
    """What screens need to know of a table before it is modelled.

    Attributes:
        n_times: Number of periods.
        geos: Names of the geos; empty for a national market.
        spend: Total spend of each paid channel.
        outcome: Total outcome.
        units: Words for the units.
        dates: Period starts as ISO texts, in order.
        spend_unit: What spend is counted in, as somebody said.
    """

    n_times: int
    geos: tuple[str, ...]
    spend: dict[str, float]
    outcome: float
    units: fmt.Units
    dates: tuple[str, ...] = ()
    spend_unit: SpendUnit | None = None

    @property
    def totals(self) -> Totals:
        """Totals as priors of shares of the outcome need them."""
        unit = self.units.outcome_unit
        return Totals(self.outcome, self.spend, unit, self.spend_unit)


def market(here: Opened) -> Market:
    """The market of the open project.

    Raises:
        MMMError: Its table cannot be read.
    """
    project = here.project
    return _market(
        here.data_sha,
        repr(project.mapping),
        project.currency,
        reading.table(here),
        project.mapping,
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def _market(
    digest: str,
    key: str,
    currency: str,
    _frame: pd.DataFrame,
    _mapping: ColumnMapping,
) -> Market:
    geos: tuple[str, ...] = ()
    if _mapping.geo in _frame.columns:
        geos = tuple(sorted(_frame[_mapping.geo].dropna().astype(str).unique()))
    n_times, dates = 0, ()
    if _mapping.time in _frame.columns:
        n_times = int(_frame[_mapping.time].nunique())
        dates = _dates(_frame, _mapping)
    spend = {
        channel.name: _spend(_frame, channel, _mapping)
        for channel in _mapping.channels
        if channel.spend
    }
    unit = outcome_unit(
        _mapping.kpi_type, _mapping.revenue_per_kpi is not None, _mapping.spend_unit
    )
    return Market(
        n_times=n_times,
        geos=geos if len(geos) > 1 else (),
        spend=spend,
        outcome=_outcome(_frame, _mapping),
        units=fmt.Units(unit, currency, _mapping.kpi),
        dates=dates,
        spend_unit=_mapping.spend_unit,
    )


def _dates(frame: pd.DataFrame, mapping: ColumnMapping) -> tuple[str, ...]:
    from core.data.observations import dates_of

    found = pd.Series(dates_of(frame, mapping).values).drop_duplicates().dropna()
    return tuple(str(day)[:10] for day in sorted(found))


def _outcome(frame: pd.DataFrame, mapping: ColumnMapping) -> float:
    kpi = _numbers(frame, mapping, mapping.kpi)
    value = None if mapping.spend_unit == "other" else mapping.revenue_per_kpi
    if isinstance(value, str):
        return float((kpi * _numbers(frame, mapping, value)).sum())
    return float(kpi.sum() * (1.0 if value is None else value))


def _spend(
    frame: pd.DataFrame, channel: ChannelColumns, mapping: ColumnMapping
) -> float:
    """Total spend, where a number may stand for all geos or all periods."""
    numbers = _numbers(frame, mapping, channel.spend)
    if channel.spend_level == "total":
        return float(numbers.max())
    if channel.spend_level == "time" and mapping.time in frame.columns:
        return float(numbers.groupby(frame[mapping.time]).max().sum())
    return float(numbers.sum())


def _numbers(frame: pd.DataFrame, mapping: ColumnMapping, column: str) -> pd.Series:
    from core.data.observations import numbers_of

    if column not in frame.columns:
        return pd.Series([0.0])
    return pd.Series(numbers_of(frame, mapping, column).values, index=frame.index)
