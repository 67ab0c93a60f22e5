r"""By geo: what the weeks of a plan tell where geos are read one by one.

With multiples m of geos' shares (`core.plan.teaching.shares`) the KPI of geo g in week
w is expected at z_dgw(x, m) in draw d. Noise has the covariance of geos times that of
weeks. Read are, in units of the noise,

    the KPI of all geos in each week, that of each geo over all weeks, and that along
    the pattern over geos and weeks that each channel's media are expected to leave

which are linear in what is seen. They hold what is read of all geos together, and tell
less than every cell would, so that G is a lower bound again; and they are few enough
that draws are not told apart by chance.
"""

from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

from core.analysis.incremental import treatment_outcome
from core.model.compiled.executables import persistent
from core.plan.response.felt import Felt, by_cell, in_single
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import media_of
from core.plan.teaching.knowledge import Knowledge, Reading, reading
from core.plan.teaching.shares import Multiple

Spend = Float[np.ndarray, "channel week"]

#: Noise added to each number that is read, as a share of its own: two that are nearly
#: the same are not read twice.
_JITTER = 1e-3


class BesideByGeo(NamedTuple):
    """The KPI of each geo's weeks beside paid media.

    Attributes:
        expected: Of each draw, outcome.
        geos: Covariance of the noise of geos, in `unit`.
        weeks: Its correlation over weeks.
        unit: Outcome per unit of the noise.
    """

    expected: Float[np.ndarray, "draw geo week"]
    geos: Float[np.ndarray, "geo geo"]
    weeks: Float[np.ndarray, "week week"]
    unit: Float[np.ndarray, "geo week"]


class _Seen(NamedTuple):
    """What is seen, in units of the noise.

    Attributes:
        base: KPI beside channels that carry over and saturate; draw geo week.
        patterns: Of the others; channel geo week.
        rows: What is read whatever the plan; row geo week.
        geos: Takes noise of geos apart; geo geo.
        weeks: Takes noise of weeks apart; week week.
        unit: Outcome per unit of the noise; geo week.
        pull: Of the draws; draw direction.
    """

    base: Array
    patterns: Array
    rows: Array
    geos: Array
    weeks: Array
    unit: Array
    pull: Array


class KnowledgeByGeo:
    """What is learned from the weeks of each geo, in outcome of the next horizon.

    Args:
        knowledge: Of all geos together, over the same draws.
        beside: The KPI of the geos beside paid media.
    """

    def __init__(self, knowledge: Knowledge, beside: BesideByGeo):
        self.knowledge, self.beside = knowledge, beside
        self._fixed: tuple[bytes, _Seen] | None = None

    def __call__(self, spend: Spend, multiple: Multiple) -> tuple[float, Multiple]:
        """G and its gradient in the multiples, in single precision."""
        knowledge = self.knowledge
        numbers = in_single((self._parts, self._seen(spend)))
        at = jnp.asarray(knowledge.response.at_one_price(spend), jnp.float32)
        value, slope = _worth(
            knowledge.response.structure,
            *numbers,
            at,
            jnp.asarray(multiple, jnp.float32),
        )
        return float(value), np.nan_to_num(np.asarray(slope, np.float64))

    def reading(
        self,
        spend: Spend,
        multiple: Multiple,
        quantities: Float[np.ndarray, "draw quantity"] | None = None,
    ) -> Reading:
        """How the weeks of geos are read for quantities; for what the next plan needs.

        Args:
            spend: The plan.
            multiple: Of geos' shares.
            quantities: Quantities by draw; the knowledge's `pull` where not given.
        """
        knowledge = self.knowledge
        at = jnp.asarray(knowledge.response.at_one_price(spend))
        readings, noise = _jitted_reading(
            knowledge.response.structure,
            self._parts,
            self._seen(spend),
            at,
            jnp.asarray(multiple),
        )
        quantities = knowledge.pull if quantities is None else quantities
        return reading(
            np.asarray(readings, np.float64), np.asarray(noise, np.float64), quantities
        )

    @property
    def _parts(self) -> tuple[Felt | None, ...]:
        """Channels whose geos may have other shares; None for a group of others."""
        return tuple(
            part if isinstance(part, Felt) else None for part in self.knowledge.parts
        )

    def _seen(self, spend: Spend) -> _Seen:
        """What a plan's weeks are whatever the shares; kept for the last plan."""
        key = np.ascontiguousarray(spend).tobytes()
        if self._fixed is None or self._fixed[0] != key:
            self._fixed = key, self._at(spend)
        return self._fixed[1]

    def _at(self, spend: Spend) -> _Seen:
        knowledge, beside = self.knowledge, self.beside
        n_geos, n = beside.unit.shape
        base, patterns, first = beside.expected, [], 0
        at_price = knowledge.response.at_one_price(spend)
        for part, group in zip(
            knowledge.parts, knowledge.response.structure.groups, strict=True
        ):
            own = at_price[first : first + group.n_channels]
            first += group.n_channels
            if not isinstance(part, Felt):
                cells = _by_reach(knowledge.response, group, knowledge.draws, own)[
                    ..., :n
                ]
                base = base + cells.sum(axis=1)
                patterns.append(cells.mean(axis=0))
        roots = np.linalg.cholesky(beside.geos), np.linalg.cholesky(beside.weeks)
        none = np.zeros((0, n_geos, n))
        return _Seen(
            jnp.asarray(base),
            jnp.asarray(np.concatenate([none, *patterns])),
            jnp.asarray(_contrasts(beside.unit, *roots)),
            *(jnp.asarray(np.linalg.inv(root)) for root in roots),
            jnp.asarray(beside.unit),
            jnp.asarray(knowledge.pull),
        )


def _contrasts(
    unit: Float[np.ndarray, "geo week"],
    geos: Float[np.ndarray, "geo geo"],
    weeks: Float[np.ndarray, "week week"],
) -> Float[np.ndarray, "row geo week"]:
    """All geos in each week, and each geo but one over all weeks, in units of noise.

    Args:
        unit: Outcome per unit.
        geos: Root of the noise of geos.
        weeks: Root of the noise of weeks.
    """
    n_geos, n = unit.shape
    each_week = np.eye(n)[:, None, :] * np.ones((1, n_geos, 1))
    each_geo = np.eye(n_geos)[:-1, :, None] * np.ones((1, 1, n))
    summed = np.concatenate([each_week, each_geo]) * unit
    return np.einsum("hg,rhv,vw->rgw", geos, summed, weeks)


def _by_reach(
    response: WeekResponse, group, draws: dict[str, Array], spend: np.ndarray
) -> Float[np.ndarray, "draw channel geo time"]:
    """What channels of a group by reach bring at a spend."""
    structure = replace(response.structure, groups=(group,))
    dtype = response.arrays.kpi.dtype
    media = media_of(structure, response.bought, jnp.asarray(spend, dtype), dtype)

    def of_draw(draw):
        return treatment_outcome(structure, response.arrays, draw, media)

    outcome = jax.jit(lambda some: jax.lax.map(of_draw, some))(draws)
    return np.asarray(outcome, np.float64)


def brought_by_cell(structure, parts, spend, multiple) -> list[Array]:
    """What channels that carry over and saturate bring, by group.

    Args:
        structure: Of the weeks.
        parts: Of each group; None for what is left out.
        spend: At one price.
        multiple: Of geos' shares.

    Returns:
        Channel draw geo time.
    """
    cells, first = [], 0
    for part, group in zip(parts, structure.groups, strict=True):
        own = slice(first, first + group.n_channels)
        first += group.n_channels
        if part is not None:
            per_money = part.bought.per_money * multiple[own, :, None]
            moved = part._replace(bought=part.bought._replace(per_money=per_money))
            cells.append(by_cell(moved, group, spend[own]))
    return cells


def _reading_of(structure, parts, view: _Seen, spend, multiple) -> tuple[Array, Array]:
    """What is read in each draw, draw row; and the covariance of its noise."""
    n = view.unit.shape[1]

    def white(outcome):
        return jnp.einsum("gh,xhv,wv->xgw", view.geos, outcome / view.unit, view.weeks)

    total, patterns = view.base, [view.patterns]
    for cells in brought_by_cell(structure, parts, spend, multiple):
        total = total + cells[..., :n].sum(axis=0)
        patterns.append(cells[..., :n].mean(axis=1))
    rows = jnp.concatenate([view.rows, white(jnp.concatenate(patterns))])
    length = jnp.sqrt((rows**2).sum(axis=(1, 2), keepdims=True) + 1e-12)
    rows = rows / length
    readings = jnp.einsum("rgw,dgw->dr", rows, white(total - total.mean(axis=0)))
    noise = jnp.einsum("rgw,sgw->rs", rows, rows)
    return readings, noise + _JITTER * jnp.eye(len(noise), dtype=noise.dtype)


_jitted_reading = jax.jit(_reading_of, static_argnums=0)


@persistent()
def _worth(structure, parts, view, spend, multiple):
    def of(multiple):
        readings, noise = _reading_of(structure, parts, view, spend, multiple)
        n = len(readings) - 1
        root = jnp.linalg.cholesky(noise + readings.T @ readings / n)
        whitened = solve_triangular(root, readings.T @ view.pull / n, lower=True)
        return 0.5 * (whitened**2).sum()

    return jax.value_and_grad(of)(multiple)
