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
        size: Of each geo: its people, or between these and its sales (`sized`).
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


def sized(kpi: np.ndarray, population: np.ndarray) -> np.ndarray:
    r"""Size of each geo between its people and its sales, adding up to the population.

    What geos have in common, c, is the same amount per head where a = 0, and the same
    share of what each usually sells where a = 1. So the size is people times l^a, l
    what a geo usually sells a head, with a as the data tell it: its mean over

        d_gt = l_g^a c_t + e_gt,   c_t ~ N(0, k),   e_gt ~ N(0, s_g)

    in deviations d from the mean per head, all values of a from 0 to 1 equally likely
    beforehand, and for each the most likely k and s.

    Args:
        kpi: geo time, KPI units.
        population: geo, persons; kept where some geo usually sells nothing, or less.
    """
    usual = kpi.mean(axis=1) / population
    if (usual <= 0).any():
        return population
    level = usual * population.sum() / kpi.mean(axis=1).sum()
    share = _share_of_sales(kpi / population[:, None], level)
    size = population * level**share
    return size * (population.sum() / size.sum())


#: Exponents that are tried, and steps towards the most likely variances of each.
_EXPONENTS, _STEPS = np.linspace(0.0, 1.0, 11), 60
#: Least share of a geo's variance that is its own.
_OWN = 1e-6


def _share_of_sales(per_head: np.ndarray, level: np.ndarray) -> float:
    """The mean exponent; see `sized`.

    Args:
        per_head: geo time, KPI per person.
        level: geo, its mean, relative.
    """
    apart = per_head - per_head.mean(axis=1, keepdims=True)
    moments = apart @ apart.T / apart.shape[1]
    if (np.diag(moments) <= 0).any():
        return float(_EXPONENTS.mean())
    misfit = np.array([_misfit(level**each, moments) for each in _EXPONENTS])
    chance = np.exp(0.5 * apart.shape[1] * (misfit.min() - misfit))
    return float(_EXPONENTS @ chance / chance.sum())


def _misfit(loads: np.ndarray, moments: np.ndarray) -> float:
    """Minus twice the highest log likelihood of one factor, per period.

    Args:
        loads: geo, how strongly what is common shows in each.
        moments: geo geo, mean products of the deviations.
    """
    variance = np.diag(moments)
    own, common = variance / 2, variance.mean() / 2
    for _ in range(_STEPS):  # expectation and maximisation
        spread = 1.0 / (1.0 / common + (loads**2 / own).sum())
        weights = spread * loads / own
        common = weights @ moments @ weights + spread
        own = variance - 2.0 * loads * (moments @ weights) + loads**2 * common
        own = np.maximum(own, _OWN * variance)
    covariance = np.diag(own) + common * np.outer(loads, loads)
    return float(
        np.linalg.slogdet(covariance)[1]
        + np.trace(np.linalg.solve(covariance, moments))
    )


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
