r"""Synthetic control: what treated geos would have done, from geos left alone.

Treated geos count together, by their mean. Each geo is taken less its own mean before
the test, as in the synthetic control with unit fixed effects (Doudchenko and Imbens
2016; Ferman and Pinto 2021). Weights $w \ge 0$, $\sum w = 1$ of the control geos
minimise the squared difference before the test (Abadie, Diamond and Hainmueller 2010),
with a small penalty on concentration so that they are unique. A ridge regression then
takes out what is left of the imbalance (Ben-Michael, Feller and Rothstein 2021, The
Augmented Synthetic Control Method, eq. 3.5):

    w_aug = w + (X_0 X_0' + lambda I)^-1 X_0 (x_1 - X_0' w)

with periods as columns. Everything needs the Gram matrix of the geos only, so many
groups of geos are worked out at once.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

#: Ridge penalties, as multiples of the mean squared deviation of a geo; the largest is
#: synthetic control by itself.
RIDGES = (0.1, 1.0, 10.0, np.inf)
#: Penalty on the sum of squared weights, in the same unit.
_SPREAD = 1e-3


class Periods(NamedTuple):
    """Periods that a counterfactual is fitted on, and those that it is for.

    Attributes:
        before: Fitted on: from the first to this one, left out.
        end: The window runs from `before` to this one, left out.
    """

    before: int
    end: int

    @property
    def length(self) -> int:
        """Periods of the window."""
        return self.end - self.before


class Fit(NamedTuple):
    """Counterfactuals of groups of geos.

    Attributes:
        total: Sum of each group's geos.
        counterfactual: The same without the test.
        error: Root mean squared difference before the window, as a share of the mean.
        weights: Of the control geos.
    """

    total: Float[np.ndarray, "group time"]
    counterfactual: Float[np.ndarray, "group time"]
    error: Float[np.ndarray, " group"]
    weights: Float[np.ndarray, "group geo"]

    def cumulative(self, periods: Periods) -> Float[np.ndarray, "group period"]:
        """Effect up to each period of the window, as a share of the counterfactual."""
        window = slice(periods.before, periods.end)
        expected = self.counterfactual[:, window].cumsum(axis=1)
        return self.total[:, window].cumsum(axis=1) / expected - 1.0

    def effect(self, periods: Periods) -> Float[np.ndarray, " group"]:
        """Effect over the window, as a share of the counterfactual."""
        return self.cumulative(periods)[:, -1]


class Balance(NamedTuple):
    """Groups of geos that are balanced before a window by weights from 0 to 1.

    Attributes:
        kpi: Of every geo.
        groups: Geos that count as treated.
        controls: Geos that each group is compared with; one or more.
        periods: Of the window, real or not.
        gram: Products of what geos did before the window.
        weights: Of the control geos, as in synthetic control by itself.
    """

    kpi: Float[np.ndarray, "geo time"]
    groups: Bool[np.ndarray, "group geo"]
    controls: Bool[np.ndarray, "group geo"]
    periods: Periods
    gram: Float[np.ndarray, "geo geo"]
    weights: Float[np.ndarray, "group geo"]

    def fit(self, ridge: float) -> Fit:
        """Counterfactuals over the window.

        Args:
            ridge: See `RIDGES`.
        """
        before = slice(0, self.periods.before)
        weights = self.weights
        if np.isfinite(ridge):
            penalty = ridge * _scale(self.gram)
            target = _shares(self.groups) @ self.gram
            weights = _augmented(self.gram, target, weights, self.controls, penalty)
        deviation = self.kpi - self.kpi[:, before].mean(axis=1, keepdims=True)
        total = self.groups @ self.kpi
        level = total[:, before].mean(axis=1, keepdims=True)
        n_treated = self.groups.sum(axis=1, keepdims=True)
        counterfactual = level + n_treated * (weights @ deviation)
        gap = (total - counterfactual)[:, before] / level
        error = np.sqrt((gap**2).mean(axis=1))
        return Fit(total, counterfactual, error, weights)


def balance(
    kpi: Float[np.ndarray, "geo time"],
    groups: Bool[np.ndarray, "group geo"],
    controls: Bool[np.ndarray, "group geo"],
    periods: Periods,
) -> Balance:
    """Synthetic control of groups of geos, to be fitted with one ridge or several.

    Args:
        kpi: Of every geo.
        groups: Geos that count as treated.
        controls: Geos that each group is compared with; one or more.
        periods: Of the window, real or not.
    """
    before = kpi[:, : periods.before]
    deviation = before - before.mean(axis=1, keepdims=True)
    gram = deviation @ deviation.T
    smooth = gram + _SPREAD * _scale(gram) * np.eye(len(gram))
    weights = _simplex_weights(smooth, _shares(groups) @ gram, controls)
    return Balance(kpi, groups, controls, periods, gram, weights)


def fit(
    kpi: Float[np.ndarray, "geo time"],
    groups: Bool[np.ndarray, "group geo"],
    controls: Bool[np.ndarray, "group geo"],
    periods: Periods,
    *,
    ridge: float,
) -> Fit:
    """Counterfactuals of groups of geos over a window; see `balance`.

    Args:
        kpi: Of every geo.
        groups: Geos that count as treated.
        controls: Geos that each group is compared with; one or more.
        periods: Of the window, real or not.
        ridge: See `RIDGES`.
    """
    return balance(kpi, groups, controls, periods).fit(ridge)


def _shares(groups) -> np.ndarray:
    return groups / groups.sum(axis=1, keepdims=True)


def _scale(gram) -> float:
    """Mean squared deviation of a geo, the unit of penalties."""
    return float(np.mean(np.diag(gram))) or 1.0


def _augmented(gram, target, weights, controls, penalty) -> np.ndarray:
    """Weights with the imbalance that is left taken out by ridge regression."""
    imbalance = np.where(controls, target - weights @ gram, 0.0)
    inner = gram[None] * (controls[:, :, None] & controls[:, None, :])
    inner = inner + penalty * np.eye(len(gram))
    return weights + np.linalg.solve(inner, imbalance[..., None])[..., 0]


def _simplex_weights(gram, target, controls) -> np.ndarray:
    r"""Exact weights of each group, by non-negative least squares (Lawson and Hanson).

    With $R'R$ the Gram matrix, $r = R'^{-1} t$ and $C = R - r 1'$, weights that sum to
    one minimise $|R w - r|^2 = |C w|^2$. So do the $u \ge 0$ of $|C u|^2 + (1'u - 1)^2$
    once they are divided by their sum: the best sum for a direction $w$ leaves
    $|C w|^2 / (1 + |C w|^2)$, which rises with $|C w|^2$.
    """
    # SciPy only where a test is read: screens import this module.
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    root = np.linalg.cholesky(gram).T
    aims = solve_triangular(root, target.T, trans="T").T
    unit = np.sqrt(np.mean(np.diag(gram)))
    last = np.append(np.zeros(len(gram)), 1.0)
    weights = np.zeros(controls.shape)
    for row, (aim, inside) in enumerate(zip(aims, controls, strict=True)):
        away = (root[:, inside] - aim[:, None]) / unit
        free, _ = nnls(np.vstack([away, np.ones(away.shape[1])]), last)
        weights[row, inside] = free / free.sum()
    return weights
