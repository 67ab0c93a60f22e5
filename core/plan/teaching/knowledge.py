r"""Knowledge: what the weeks of a plan tell about what the next plan needs to know.

In draw d the KPI of the plan's weeks is expected at $z_d(x) = y_d(x) + b_d$, what its
media bring plus everything else, and is seen with noise of covariance V. Of quantities
g that the next plan needs, the best linear reading of the weeks leaves the covariance
Cov g - K (S + V)^{-1} K', with S = Cov z and K = Cov(g, z) over the draws. With A of
`core.plan.teaching.stakes` what is learned is worth

    G(x) = 1/2 tr( A K(x) (S(x) + V)^{-1} K(x)' )      in outcome, per horizon

With phi the parameters, J = dz/dphi and C = dg/dphi this is the second-order gain
1/2 tr(C' A C (Sigma0 - Sigma1)), Sigma1 = (Sigma0^{-1} + J' V^{-1} J)^{-1}: the same
number, by Woodbury's identity, where both are linear in phi. Taken over the draws it
needs no parameters by name, counts what the baseline and media share, and says less
than a full reading would, never more. Between zero and the value of knowing g exactly.
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
from core.plan.response.felt import Felt, felt, in_single, outcome_by_period
from core.plan.response.horizon import WeekResponse
from core.plan.response.weeks import media_of

#: As of `core.plan.solve.weeks.objective`: a Hill curve may be vertical at zero.
_FLOOR = 1e-5


class Beside(NamedTuple):
    """The KPI of the plan's weeks beside its paid media.

    Attributes:
        expected: Of each draw, outcome.
        noise: Covariance of what is seen around it.
    """

    expected: Float[np.ndarray, "draw week"]
    noise: Float[np.ndarray, "week week"]


class _ByReach(NamedTuple):
    """Channels whose outcome is linear in spend."""

    base: Float[Array, "draw time"]
    per_money: Float[Array, "draw time channel week"]


class Knowledge:
    """What is learned from a plan's weeks, in outcome of the next horizon."""

    def __init__(
        self,
        response: WeekResponse,
        draws: dict[str, np.ndarray],
        beside: Beside,
        pull: Float[np.ndarray, "draw direction"],
    ):
        self.response, self.beside = response, beside
        self.pull = pull - pull.mean(axis=0)
        dtype = response.arrays.kpi.dtype
        draws = {name: jnp.asarray(each, dtype) for name, each in draws.items()}
        self.draws, self.parts = draws, felt(response, draws)
        parts = tuple(
            part if isinstance(part, Felt) else _by_reach(response, group, draws)
            for part, group in zip(self.parts, response.structure.groups, strict=True)
        )
        root = np.linalg.cholesky(beside.noise)
        self._exact = (parts, jnp.asarray(beside.expected), jnp.asarray(root))
        self._exact += (jnp.asarray(self.pull),)
        self._single = in_single(self._exact)
        self._floor = _FLOOR * response.usual.mean(axis=1, keepdims=True)

    def __call__(
        self, spend: Float[np.ndarray, "channel week"]
    ) -> tuple[float, Float[np.ndarray, "channel week"]]:
        """G and its gradient, in single precision."""
        moved = spend + self._floor
        at_price = jnp.asarray(self.response.at_one_price(moved), jnp.float32)
        value, slope = _worth(self.response.structure, self._single, at_price)
        slope = np.nan_to_num(np.asarray(slope, np.float64))
        if self.response.is_dearer:
            slope = slope * self.response.units_per_money(moved)
        return float(value), slope

    def expected(
        self, spend: Float[np.ndarray, "channel week"]
    ) -> Float[np.ndarray, "draw week"]:
        """z: the KPI that each draw expects, outcome."""
        at_price = jnp.asarray(self.response.at_one_price(np.asarray(spend)))
        parts, beside = self._exact[:2]
        expected = _expected(self.response.structure, parts, beside, at_price)
        return np.asarray(expected, np.float64)

    def reading(
        self,
        spend: Float[np.ndarray, "channel week"],
        quantities: Float[np.ndarray, "draw quantity"] | None = None,
    ) -> "Reading":
        """How the weeks are read for quantities; for what the next plan needs.

        Args:
            spend: The plan.
            quantities: Quantities by draw; `pull` where not given.
        """
        expected = self.expected(spend)
        return reading(
            expected, self.beside.noise, self.pull if quantities is None else quantities
        )


class Reading(NamedTuple):
    """The best linear reading of the weeks for some quantities.

    Attributes:
        deviation: z less its mean; draw week.
        noise: V.
        weight: K (S + V)^-1; quantity week.
        learned: Covariance of the quantities that it tells, K (S + V)^-1 K'.
        share: Of each quantity's variance that it tells, less what so many directions
            would seem to tell of any quantity over so few draws.
    """

    deviation: Float[np.ndarray, "draw week"]
    noise: Float[np.ndarray, "week week"]
    weight: Float[np.ndarray, "quantity week"]
    learned: Float[np.ndarray, "quantity quantity"]
    share: Float[np.ndarray, " quantity"]


def reading(
    expected: Float[np.ndarray, "draw week"],
    noise: Float[np.ndarray, "week week"],
    quantities: Float[np.ndarray, "draw quantity"],
) -> Reading:
    """How weeks are read for quantities.

    Args:
        expected: KPI that each draw expects.
        noise: Covariance of what is seen around it.
        quantities: Quantities by draw.
    """
    z, g = expected - expected.mean(axis=0), quantities - quantities.mean(axis=0)
    n = len(z) - 1
    spread, cross = z.T @ z / n, g.T @ z / n
    weight = np.linalg.solve(spread + noise, cross.T).T
    learned = weight @ cross.T
    variance = (g**2).sum(axis=0) / n
    fraction = np.divide(
        np.diag(learned), variance, out=np.zeros_like(variance), where=variance > 0
    )
    directions = float(np.trace(np.linalg.solve(spread + noise, spread)))
    by_chance = n / max(n - directions, 1.0)
    share = np.clip(1 - (1 - fraction) * by_chance, 0.0, 1.0)
    return Reading(z, noise, weight, learned, share)


def _by_reach(response: WeekResponse, group, draws: dict[str, Array]) -> _ByReach:
    """The line of a group by reach, in each draw and period."""
    structure = replace(response.structure, groups=(group,))
    dtype = response.arrays.kpi.dtype

    def of_draw(draw, spend):
        media = media_of(structure, response.bought, spend, dtype)
        return treatment_outcome(structure, response.arrays, draw, media).sum((0, 1))

    none = jnp.zeros((group.n_channels, len(response.weeks)), dtype)

    def line(draw):
        return of_draw(draw, none), jax.jacrev(of_draw, argnums=1)(draw, none)

    return _ByReach(*jax.jit(lambda some: jax.lax.map(line, some))(draws))


def _seen_by(structure, parts, beside, spend) -> Float[Array, "draw week"]:
    """KPI that each draw expects in the plan's weeks."""
    total, first = beside, 0
    n = beside.shape[1]
    for part, group in zip(parts, structure.groups, strict=True):
        own = spend[first : first + group.n_channels]
        first += group.n_channels
        if isinstance(part, _ByReach):
            added = jnp.einsum("dtcw,cw->dt", part.per_money, own)
            total = total + (part.base + added)[:, :n]
        else:
            total = total + outcome_by_period(part, group, own)[:, :n]
    return total


_expected = jax.jit(_seen_by, static_argnums=0)


@persistent()
def _worth(structure, numbers, spend):
    parts, beside, root, pull = numbers

    def of(spend):
        expected = _seen_by(structure, parts, beside, spend)
        # In units of the noise: S + V is I and something, whatever the currency.
        apart = expected - expected.mean(axis=0)
        z = solve_triangular(root, apart.T, lower=True)
        n = z.shape[1] - 1
        chol = jnp.linalg.cholesky(jnp.eye(len(z), dtype=z.dtype) + z @ z.T / n)
        whitened = solve_triangular(chol, z @ pull / n, lower=True)
        return 0.5 * (whitened**2).sum()

    return jax.value_and_grad(of)(spend)
