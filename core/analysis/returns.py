"""Returns: what each channel brought, per draw and per unit of currency."""

import jax.numpy as jnp
import numpy as np
import xarray as xr

from core.analysis.incremental import (
    baseline_outcome,
    expected_outcome,
    non_media_outcome,
    on_cores,
    per_draw,
    treatment_outcome,
)
from core.analysis.multiples import response
from core.data.mapping import KINDS, PAID
from core.data.scaling import media_median
from core.dims import CHANNEL, DRAW
from core.model.build import Model
from core.model.compiled.executables import PLAIN
from core.model.media.group_arrays import MARGINAL_STEP


def channel_names(model: Model) -> tuple[list[str], list[str]]:
    """Names and kinds of all treatments, in the order of every channel axis."""
    pairs = [(name, kind) for kind in KINDS for name in model.channels(kind)]
    return [name for name, _ in pairs], [kind for _, kind in pairs]


def spend_of(model: Model, cells: np.ndarray | None = None) -> np.ndarray:
    """Spend of each treatment, currency; NaN where it has none.

    Args:
        model: The model.
        cells: Weight of each cell in the sum, geo time; all where not given.
    """
    where = np.ones_like(model.data.kpi) if cells is None else cells
    parts = []
    for kind in KINDS:
        treatments = getattr(model.data, kind)
        if kind in PAID and treatments:
            parts.append((treatments.spend * where[:, :, None]).sum(axis=(0, 1)))
        else:
            parts.append(np.full(len(treatments), np.nan))
    return np.concatenate(parts)


def units_of(model: Model, cells: np.ndarray | None = None) -> np.ndarray:
    """Media units of each treatment in the KPI's periods; NaN for non-media ones.

    Impressions, that is reach times frequency, where frequency is given.
    """
    where = np.ones_like(model.data.kpi) if cells is None else cells
    parts = []
    for kind in KINDS:
        treatments = getattr(model.data, kind)
        if not treatments or kind == "non_media":
            parts.append(np.full(len(treatments), np.nan))
            continue
        units = treatments.exposures[:, -model.data.n_times :] * where[:, :, None]
        parts.append(units.sum(axis=(0, 1)))
    return np.concatenate(parts)


def _totals(structure, arrays, draw, kpi_zero, where, per_outcome):
    """Per draw: outcome by channel, in KPI units, marginal; expected; baseline.

    `per_outcome`: KPI units per unit of outcome, geo time.
    """
    once_and_more = jnp.array([1.0, 1.0 + MARGINAL_STEP], arrays.kpi.dtype)
    carrying = treatment_outcome(structure, arrays, draw)
    static = non_media_outcome(structure, arrays, draw)
    everything = jnp.concatenate([carrying, static]) * where
    value, _ = response(structure, arrays, draw, once_and_more, where)
    expected = expected_outcome(structure, arrays, draw, kpi_zero)
    baseline = baseline_outcome(structure, arrays, draw, kpi_zero)
    return (
        everything.sum(axis=(1, 2)),
        (everything * per_outcome).sum(axis=(1, 2)),
        value[:, 1] - value[:, 0],
        (expected * where).sum(),
        (baseline * where).sum(),
    )


#: Of geos, whose cells take longer to add up, and of one market (`is_national`).
_TOTALS = {
    False: per_draw(over=on_cores)(_totals),
    True: per_draw(options=PLAIN, over=on_cores)(_totals),
}


def returns(
    model: Model,
    draws: dict[str, np.ndarray],
    *,
    where: np.ndarray | None = None,
) -> xr.Dataset:
    """Incremental outcome, ROI, marginal ROI, CPIK, effectiveness, contribution.

    Marginal ROI is the return of one per cent more media, as in Meridian; CPIK is
    spend over incremental KPI.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        where: Weight of each cell in the sums, geo time; all where not given.

    Returns:
        Dims draw, channel (all treatments); `expected_outcome` and
        `baseline_outcome` per draw. NaN where a number means nothing.
    """
    data = model.data
    cells = np.ones_like(data.kpi) if where is None else where
    outcome, kpi, more, expected, baseline = totals(model, draws, cells)
    names, kinds = channel_names(model)
    spend = spend_of(model, cells)
    units = units_of(model, cells)
    marginal = np.full_like(outcome, np.nan)
    marginal[:, : more.shape[1]] = more
    with np.errstate(divide="ignore", invalid="ignore"):
        variables = {
            "incremental_outcome": outcome,
            "roi": outcome / spend,
            "mroi": marginal / (MARGINAL_STEP * spend),
            "cpik": spend / kpi,
            "effectiveness": outcome / units,
            # Over the mean, not draw by draw: shares of channels and baseline then add
            # up with their means.
            "contribution": outcome / expected.mean(),
        }
    return xr.Dataset(
        {name: ((DRAW, CHANNEL), value) for name, value in variables.items()}
        | {
            "expected_outcome": (DRAW, expected),
            "baseline_outcome": (DRAW, baseline),
        },
        coords={
            CHANNEL: names,
            "kind": (CHANNEL, kinds),
            "spend": (CHANNEL, spend),
        },
    )


def totals(
    model: Model, draws: dict[str, np.ndarray], cells: np.ndarray
) -> list[np.ndarray]:
    """Outcome and KPI units by channel, outcome of one per cent more; the whole's.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        cells: Weight of each cell in the sums, geo time.

    Returns:
        Draw channel of all treatments, the same, draw channel of those that carry over;
        expected outcome and that of the baseline, draw. In double precision.
    """
    value, dtype = model.data.revenue_per_kpi, model.arrays.kpi.dtype
    with np.errstate(divide="ignore"):  # a KPI without a value has no cost per unit
        per_outcome = np.ones_like(model.data.kpi) if value is None else 1.0 / value
    by_cell = [model.filled.fill(each) for each in (cells, per_outcome)]
    numbers = (model.scale.mean / model.scale.std, *by_cell)
    others = [np.asarray(each, dtype) for each in numbers]
    parts = model.filled.in_chunks(_TOTALS[model.data.is_national], draws, *others)
    return [part.astype(np.float64) for part in parts]


def current_media(model: Model) -> np.ndarray:
    """Scaled media (or frequency) of a typical exposure, per channel that carries over.

    The median of running periods with preset `meridian`, else `media.typical`.
    """
    parts = []
    for group in model.structure.groups:
        if model.spec.preset != "meridian":
            parts.append(np.asarray(model.arrays.groups[group.suffix].typical))
            continue
        treatments = getattr(model.data, group.kind)
        median = media_median(treatments.units, model.data.population)
        scaled = treatments.units / (model.data.population[:, None, None] * median)
        if treatments.frequency is not None:
            scaled = treatments.frequency
        flat = np.where(scaled > 0, scaled, np.nan).reshape(-1, scaled.shape[-1])
        parts.append(np.nanmedian(flat, axis=0))
    return np.concatenate(parts) if parts else np.zeros(0)
