r"""Mediated: what channels bring by way of mediators, and make us spend, on a grid.

A plan may pay for what a channel causes on a mediator that costs money, and buy a share
of it (`core.plan.money.elsewhere`); and it asks how much hidden demand behind both its
advice withstands (`core.plan.advice.hidden`).

Split: what of a channel's total is direct, and what comes through each mediator.

And how much hidden demand behind both would take from the latter: with $u$ and $v$ the
errors of the two models, correlated by $\rho$, a regression of the KPI on the mediator
finds $\beta + \rho\sigma_u/\sigma_v$ and a residual of $\sigma_u\sqrt{1 - \rho^2}$, so
that of the effect there is left

$$1 - \frac{\rho}{\sqrt{1 - \rho^2}} / k, \quad
k = \hat\beta\,\lVert w\rVert\,\sigma_v / \hat\sigma$$

and nothing at $\rho = k / \sqrt{1 + k^2}$. Data do not identify $\rho$.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.analysis.ahead.planned_periods import PlannedPeriods
from core.analysis.incremental import (
    direct_outcome,
    over_draws,
    per_draw,
    through_mediator,
    treatment_outcome,
)
from core.analysis.multiples import response
from core.analysis.response.by_way import MEDIATOR, MULTIPLIER, K
from core.dims import CHANNEL, DRAW, GEO
from core.estimate import estimate
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import persistent
from core.model.media.carried import per_mediator
from core.model.media.treatments import carryover
from core.model.mediation.mediators import (
    carrying,
    draws_of,
    mediator_names,
    row_of,
    units_per_scaled,
)


@per_draw()
def _parts(structure, arrays, draw, per_scaled):
    """Per draw: direct outcome by channel; of each mediator outcome through, k, units.

    `per_scaled`: units of each mediator per unit of scaled media; mediator geo.
    """
    direct = direct_outcome(structure, arrays, draw).sum(axis=(1, 2))
    through, noise_ratios, units = [], [], []
    for place, link in enumerate(structure.mediators):
        own = through_mediator(structure, arrays, draw, place).sum(axis=(1, 2))
        row = jnp.zeros_like(direct).at[jnp.array(link.ours, int)].add(own)
        through.append(row.at[row_of(structure, link)].add(-own.sum()))
        noise_ratios.append(noise_ratio(structure, arrays, draw, place))
        caused = treatment_outcome(
            link.structure, arrays.mediators[place], draws_of(place, draw)
        )[jnp.array(link.theirs, int)]
        by_geo = caused.sum(axis=2) @ per_scaled[place]
        units.append(jnp.zeros_like(direct).at[jnp.array(link.ours, int)].set(by_geo))
    return direct, jnp.stack(through), jnp.stack(noise_ratios), jnp.stack(units)


def noise_ratio(structure, arrays, draw, place: int):
    """The mediator's own noise as it moves the KPI, over the KPI's noise: k."""
    link, numbers = structure.mediators[place], arrays.mediators[place]
    group = link.group
    window = arrays.groups[link.suffix].window
    norm = jnp.sqrt((carryover(group, window, draw)[link.place] ** 2).sum())
    noise = draws_of(place, draw)["sigma"] * numbers.outcome_scale[:, 0]
    effect = draw[f"beta_g{link.suffix}"][:, link.place]
    return (effect * norm * noise / draw["sigma"]).mean()


def split(model: Model, draws: dict[str, np.ndarray]) -> xr.Dataset | None:
    """Outcome of channels that carry over, in parts that add up to their totals.

    Args:
        model: The model.
        draws: Posterior variables, draws first, with those of its mediators.

    Returns:
        Dims draw, channel, mediator: `direct`, of a mediator all that comes with it;
        `through`, of a mediator what channels caused, negative; `k` of each mediator;
        `induced`, what channels make be spent on mediators, currency. None where the
        model has no mediators.
    """
    if not model.mediators:
        return None
    scale = np.asarray(units_per_scaled(model), model.arrays.kpi.dtype)
    direct, through, noise_ratios, caused = in_chunks(
        lambda some: _parts(model.structure, model.arrays, some, scale), draws
    )
    price = np.array([*model.mediator_prices] or [0.0] * len(model.mediators))
    induced = np.einsum("dmc,m->dc", caused.astype(np.float64), price)
    return xr.Dataset(
        {
            "direct": ((DRAW, CHANNEL), direct.astype(np.float64)),
            "through": ((DRAW, "mediator", CHANNEL), through.astype(np.float64)),
            "k": ((DRAW, "mediator"), noise_ratios.astype(np.float64)),
            "induced": ((DRAW, CHANNEL), induced),
        },
        coords={CHANNEL: carrying(model), "mediator": list(mediator_names(model))},
    )


def funnel_summary(
    parts: xr.Dataset | None, projects: Sequence[str], spend: Mapping[str, float]
) -> dict[str, Any] | None:
    """The split as summary.json has it; None without mediators.

    Args:
        parts: What `split` gives.
        projects: Of the mediators, in order.
        spend: Of paid channels, currency.

    Returns:
        `mediators` with name, project, `whole`, all that comes with it, `caused`, what
        channels caused of that, and `hidden`, the correlation of the two errors at
        which nothing of it would be left, and what would be at 0.3; `channels` that
        work through one, with `total`, `direct`, `through` by mediator, and `share`,
        that of the total which comes through mediators; where a mediator costs money
        also `induced`, what the channel makes be spent on it, and `roi_with_induced`,
        the total over both spends.
    """
    if parts is None:
        return None
    names = [str(name) for name in parts["mediator"].values]
    mediators = []
    for name, project in zip(names, projects, strict=True):
        own = parts.sel(channel=name)
        about = {"name": name, "project": project}
        about["whole"] = estimate(own["direct"].values)
        about["caused"] = estimate(-own["through"].sel(mediator=name).values)
        about["hidden"] = _hidden(parts["k"].sel(mediator=name).values)
        mediators.append(about)
    channels = []
    for name in parts[CHANNEL].values:
        own = parts.sel(channel=name)
        through = own["through"].values
        if str(name) in names or not through.any():
            continue
        direct = own["direct"].values
        total = direct + through.sum(axis=1)
        # Over the mean, so that shares add up as contributions do.
        share = through.sum(axis=1) / total.mean()
        channels.append(
            {
                "name": str(name),
                "total": estimate(total),
                "direct": estimate(direct),
                "through": {
                    mediator: estimate(through[:, place])
                    for place, mediator in enumerate(names)
                },
                "share": estimate(share),
            }
        )
        induced = own["induced"].values
        if induced.any() and str(name) in spend:
            with_both = total / (spend[str(name)] + induced)
            channels[-1]["induced"] = estimate(induced)
            channels[-1]["roi_with_induced"] = estimate(with_both)
    return {"mediators": mediators, "channels": channels}


#: The correlation of two errors that is told: as strong as demand known to be hidden.
CORRELATION = 0.3


def _hidden(k: np.ndarray) -> dict[str, Any]:
    k = np.maximum(k, 1e-9)
    demand = CORRELATION / np.sqrt(1 - CORRELATION**2)
    return {
        "vanishes_at": estimate(k / np.sqrt(1 + k**2)),
        "correlation": CORRELATION,
        "left": estimate(np.maximum(1 - demand / k, 0.0)),
    }


@persistent(2)
def _mediated(structure, by_geo, arrays, beside, draws, multipliers, cost):
    """Per draw: outcome through each mediator and its slope, what it costs, and k.

    `cost`: currency per unit of scaled media; mediator geo time.
    """
    n = sum(group.n_channels for group in structure.groups)
    geos = (structure.n_geos,) if by_geo else ()
    none = jnp.zeros((n, *geos, len(multipliers)), cost.dtype)

    def of_draw(draw):
        parts = []
        for place, link in enumerate(structure.mediators):
            weights = per_mediator(structure, link, arrays, draw), cost[place]
            ours, theirs = jnp.array(link.ours, int), jnp.array(link.theirs, int)
            rows = []
            for weight in weights:
                caused = response(
                    link.structure,
                    arrays.mediators[place],
                    draws_of(place, draw),
                    multipliers,
                    weight,
                    beside=draws_of(place, beside or {}) or None,
                    by_geo=by_geo,
                )
                rows += [none.at[ours].set(each[theirs]) for each in caused]
            parts.append(jnp.stack(rows))
        places = range(len(structure.mediators))
        noise_ratios = [noise_ratio(structure, arrays, draw, place) for place in places]
        return jnp.stack(parts), jnp.stack(noise_ratios)

    return over_draws(of_draw, draws)


def mediated(
    model: Model,
    periods: PlannedPeriods,
    draws: dict[str, np.ndarray],
    multipliers: Float[np.ndarray, " multiplier"],
    is_paid: Bool[np.ndarray, " channel"],
    *,
    by_geo: bool = False,
) -> dict[str, xr.DataArray]:
    """Variables of response curves about mediators; none without.

    Args:
        model: The model.
        periods: Of the spend.
        draws: Posterior variables, draws first, with those of its mediators.
        multipliers: Multiples of the spend that ran.
        is_paid: Of the channels that carry over.
        by_geo: Whether geos are kept apart.

    Returns:
        `through` and `induced`, zero where a mediator costs nothing, with their slopes;
        draw, mediator, channel, (geo,) spend_multiplier. `mediator_k`: its own noise
        as it moves the KPI over the KPI's (`core.analysis.response.mediated`); draw,
        mediator.
    """
    if not model.mediators:
        return {}
    prices = np.array([*model.mediator_prices] or [0.0] * len(model.mediators))
    dtype = model.arrays.kpi.dtype
    scale = units_per_scaled(model) * prices[:, None]
    n_times = periods.structure.n_times
    cost = jnp.asarray(np.repeat(scale[:, :, None], n_times, axis=2), dtype)
    structure, arrays, beside, _ = periods
    grid = jnp.asarray(multipliers, dtype)
    parts, noise_ratios = in_chunks(
        lambda some: _mediated(structure, by_geo, arrays, beside, some, grid, cost),
        draws,
    )
    parts = np.asarray(parts)[:, :, :, is_paid].astype(np.float32)
    names = list(mediator_names(model))
    dims = (DRAW, MEDIATOR, CHANNEL, *((GEO,) if by_geo else ()), MULTIPLIER)
    stored = ("through", "through_slope", "induced", "induced_slope")
    variables = {
        name: xr.DataArray(parts[:, :, place], dims=dims, coords={MEDIATOR: names})
        for place, name in enumerate(stored)
    }
    k = np.asarray(noise_ratios, np.float64)
    return variables | {K: xr.DataArray(k, dims=(DRAW, MEDIATOR))}
