"""Assembly: from a table and its mapping to the arrays of `InputData`."""

import numpy as np
import pandas as pd

from core.data.checks.adequacy import KnotChoice
from core.data.checks.exposure import people, spend
from core.data.checks.idle_controls import without_idle_controls
from core.data.checks.schema import present_part
from core.data.checks.validate import examine, in_order
from core.data.input_data import InputData, Treatments
from core.data.mapping import ChannelKind, ColumnMapping
from core.data.observations import Observations, observe
from core.data.price_index import index_at
from core.data.reading.findings import Finding, blocks
from core.dims import NATIONAL_GEO
from core.text.sentences import count


def assemble(frame: pd.DataFrame, mapping: ColumnMapping) -> InputData:
    """The arrays of one market.

    Geos are in order of first appearance and dates in order of time. Leading periods
    in which no geo has a KPI are history: they only lengthen `media_times`. Empty
    cells of media and spend count as zero. A table with one geo is a national one,
    with population one; without a population column each geo counts by its mean KPI.

    Raises:
        DataError: The table has errors; `findings` holds all of them. It is the
            subclass of the most fundamental one: schema, then coverage, then values.
    """
    observed, kinds = examine(frame, mapping)
    errors = {
        kind: [finding for finding in findings if finding.severity == "error"]
        for kind, findings in kinds.items()
    }
    for kind, of_kind in errors.items():
        if of_kind:
            everything = [finding for some in errors.values() for finding in some]
            rest = len(everything) - 1
            more = f" {count(rest, 'more error')} in the table." if rest else ""
            raise kind.of(everything, after=more)
    assert observed is not None  # a column that lacks is an error above
    return _input_data(observed)


def checked(
    frame: pd.DataFrame, mapping: ColumnMapping, spec: KnotChoice | None = None
) -> tuple[InputData | None, list[Finding]]:
    """The market, and everything that is worth knowing about its table.

    Args:
        frame: The table as loaded.
        mapping: The roles of its columns.
        spec: The `ModelSpec` it is meant for, to check that there is data enough.

    Returns:
        None for the market where errors block a fit; findings, errors first.
    """
    observed, kinds = examine(frame, mapping, spec)
    findings = in_order(finding for of_kind in kinds.values() for finding in of_kind)
    if observed is None or blocks(findings):
        return None, findings
    return _input_data(observed), findings


def as_far_as_it_goes(frame: pd.DataFrame, mapping: ColumnMapping) -> InputData | None:
    """The arrays of a market whatever its findings: what a fit sees once it may.

    Columns that lack are left out.

    Returns:
        None where dates, KPI or geos cannot be told from the table.
    """
    columns = [str(name) for name in frame.columns]
    needed = {mapping.time, mapping.kpi, *([mapping.geo] if mapping.geo else [])}
    if not needed <= set(columns):
        return None
    observed = observe(frame, present_part(columns, mapping))
    if not observed.fills_grid:
        return None
    return _input_data(without_idle_controls(observed)[0])


def _input_data(observed: Observations) -> InputData:
    mapping = observed.mapping
    history = observed.n_history
    is_national = len(observed.geos) == 1
    kpi = observed.grid(mapping.kpi)[:, history:]
    controls = [observed.grid(name)[:, history:] for name in mapping.controls]
    empty = np.zeros((*kpi.shape, 0))
    return InputData(
        geos=(NATIONAL_GEO,) if is_national else observed.geos,
        times=observed.times[history:],
        media_times=observed.times,
        kpi=kpi,
        kpi_type=mapping.kpi_type,
        revenue_per_kpi=_revenue_per_kpi(observed, kpi.shape),
        population=people(observed),
        controls=np.stack(controls, axis=-1) if controls else empty,
        control_names=mapping.controls,
        media=_treatments(observed, "media"),
        reach_frequency=_treatments(observed, "reach_frequency"),
        organic_media=_treatments(observed, "organic_media"),
        organic_reach_frequency=_treatments(observed, "organic_reach_frequency"),
        non_media=_treatments(observed, "non_media"),
        spend_unit=mapping.spend_unit,
        price_index=tuple(
            (channel.name, channel.price_index)
            for channel in mapping.of_kind("media")
            if channel.price_index
        ),
    )


def _revenue_per_kpi(
    observed: Observations, shape: tuple[int, int]
) -> np.ndarray | None:
    """Value of a KPI unit, geo time; None where unknown or where the KPI is money.

    None, too, where spend is not money: the two could not be compared.
    """
    mapping = observed.mapping
    value = mapping.revenue_per_kpi
    if value is None or mapping.kpi_type == "revenue" or mapping.spend_unit == "other":
        return None
    if isinstance(value, str):
        return observed.grid(value)[:, observed.n_history :]
    return np.full(shape, float(value))


def _treatments(observed: Observations, kind: ChannelKind) -> Treatments:
    """The channels of one kind, in the order of the mapping."""
    channels = observed.mapping.of_kind(kind)
    if not channels:
        return Treatments()
    history = observed.n_history

    def stacked(columns: list[str], *, start: int = 0) -> np.ndarray:
        grids = [observed.grid(name)[:, start:] for name in columns]
        return np.nan_to_num(np.stack(grids, axis=-1), nan=0.0)

    names = tuple(channel.name for channel in channels)
    if kind == "non_media":
        return Treatments(names, stacked([c.column for c in channels], start=history))
    has_reach = kind in ("reach_frequency", "organic_reach_frequency")
    is_paid = kind in ("media", "reach_frequency")
    units = stacked([c.reach if has_reach else c.media for c in channels])
    for place, channel in enumerate(channels):
        if channel.price_index:
            units[:, :, place] /= index_at(channel.price_index, observed.times)
    return Treatments(
        names=names,
        units=units,
        frequency=stacked([c.frequency for c in channels]) if has_reach else None,
        spend=np.stack([spend(observed, channel) for channel in channels], axis=-1)
        if is_paid
        else None,
    )
