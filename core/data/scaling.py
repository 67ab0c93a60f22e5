"""Scaling: the units in which the model sees KPI, media and controls.

As in Meridian: everything is computed over all cells, held-out ones included, with
the population standard deviation (ddof 0).
"""

from typing import NamedTuple

import numpy as np


class KpiScale(NamedTuple):
    """How KPI is centred and scaled.

    Attributes:
        mean: Of KPI over the size of its geo.
        std: The same.
        size: Of each geo: people, or what it usually sells (`sized_by_kpi`).
    """

    mean: float
    std: float
    size: np.ndarray


def kpi_scale(kpi: np.ndarray, size: np.ndarray) -> KpiScale:
    """Mean and standard deviation of KPI over its geo's size, of geos and periods.

    Args:
        kpi: geo time, KPI units.
        size: geo.
    """
    relative = kpi / size[:, None]
    return KpiScale(float(relative.mean()), float(relative.std()), size)


def sized_by_kpi(kpi: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Size of each geo by what it usually sells, adding up to the population.

    What geos have in common is then a share of what each of them usually sells. Per
    head it would be the same amount everywhere, and where sales per head differ, what
    is left of a high season goes to whoever spends more in it.

    Args:
        kpi: geo time, KPI units.
        population: geo, persons; kept where some geo usually sells nothing, or less.
    """
    usual = kpi.mean(axis=1)
    if (usual <= 0).any():
        return population
    return usual * (population.sum() / usual.sum())


def scaled_kpi(kpi: np.ndarray, scale: KpiScale) -> np.ndarray:
    """KPI over its geo's size, centred and scaled; geo time, dimensionless."""
    return (kpi / scale.size[:, None] - scale.mean) / scale.std


def media_median(units: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Median over geos and periods of non-zero media units per capita.

    Args:
        units: geo media_time channel, media units (or people reached).
        population: geo, persons.

    Returns:
        channel; one where a channel has no media at all.
    """
    per_capita = units / population[:, None, None]
    flat = np.where(per_capita > 0, per_capita, np.nan).reshape(-1, units.shape[-1])
    has_media = np.isfinite(flat).any(axis=0)
    median = np.ones(units.shape[-1])
    median[has_media] = np.nanmedian(flat[:, has_media], axis=0)
    return median


def scaled_media(
    units: np.ndarray, population: np.ndarray, median: np.ndarray
) -> np.ndarray:
    """Media units per capita over their median; geo media_time channel."""
    return units / (population[:, None, None] * median)


class TreatmentScale(NamedTuple):
    """How controls and non-media treatments are centred and scaled.

    Attributes:
        by_population: Whether values are divided by population first; channel.
        mean: channel.
        std: channel; zero for a constant column.
    """

    by_population: np.ndarray
    mean: np.ndarray
    std: np.ndarray


def treatment_scale(
    values: np.ndarray, population: np.ndarray, by_population: np.ndarray
) -> TreatmentScale:
    """Mean and standard deviation of each column, after dividing by population.

    Args:
        values: geo time channel.
        population: geo, persons.
        by_population: Which columns are per capita; channel, bool.
    """
    per_capita = _per_capita(values, population, by_population)
    return TreatmentScale(
        by_population, per_capita.mean((0, 1)), per_capita.std((0, 1))
    )


def scaled_treatment(
    values: np.ndarray, population: np.ndarray, scale: TreatmentScale
) -> np.ndarray:
    """Columns centred and scaled; zero for a constant column. geo time channel."""
    centred = _per_capita(values, population, scale.by_population) - scale.mean
    return np.divide(
        centred, scale.std, out=np.zeros_like(centred), where=scale.std > 0
    )


def _per_capita(
    values: np.ndarray, population: np.ndarray, by_population: np.ndarray
) -> np.ndarray:
    return np.where(by_population, values / population[:, None, None], values)
