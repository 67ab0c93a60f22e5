"""Automatic knots: few points in time between which the KPI moves in straight lines.

An adaptive ridge on the second differences of a linear spline with a knot at almost
every period: the penalty's weights are updated until each knot either bends the line
or does not, over a path of penalties, and AIC chooses among the knots so found.

References:
    Goepp, Bouaziz and Nuel (2018), Spline regression with automatic knot selection;
    Frommlet and Nuel (2016), An adaptive ridge procedure for L0 regularization;
    Meridian 2.1, `enable_aks`. Unlike Meridian, held-out cells are not looked at.
"""

import numpy as np
from scipy.linalg import solveh_banded

from core.errors import SpecError
from core.text import count, verb

_PENALTIES = np.logspace(-1, 2, 100)
_EPSILON = 1e-5
_TOLERANCE = 1e-6
_SELECTED = 0.99
_MOST_ITERATIONS = 1000


def automatic_knots(
    kpi: np.ndarray, is_seen: np.ndarray, n_features: int
) -> np.ndarray:
    """Zero-based periods of the knots, first and last period included.

    Args:
        kpi: Scaled KPI, geo time.
        is_seen: Zero where a cell is held out, geo time.
        n_features: Number of treatments and controls; so many fewer interior knots
            than candidates are allowed.

    Raises:
        SpecError: There are too few periods to choose from.
    """
    n_geos, n_times = kpi.shape
    candidates = np.arange(1, n_times - 2)
    most = len(candidates) - n_features
    if most < 1:
        others = count(n_features, "treatment or control", "treatments and controls")
        raise SpecError(
            f"{count(n_times, 'period')} {verb(n_times, 'are')} too few to choose "
            f"knots automatically beside {others}.",
            hint="Give the number of knots.",
            where="model.knots",
        )
    # The mean of each geo is its own level; cells held out count for nothing.
    n_seen = is_seen.sum(axis=1, keepdims=True)
    level = (kpi * is_seen).sum(axis=1, keepdims=True) / np.maximum(n_seen, 1)
    centred = (kpi - level) * is_seen
    spline = _Regression(centred, is_seen)
    # As Meridian has it, the square of the mean squared error: knots must agree with
    # its own.
    sigma_squared = spline.mean_squared_error(candidates) ** 2
    best, best_aic = None, np.inf
    for knots in _path(spline, candidates, _PENALTIES / np.sqrt(n_geos)):
        if not 1 <= len(knots) <= most:
            continue
        aic = 2 * (len(knots) + 2) + spline.squared_error(knots) / sigma_squared
        if aic <= best_aic:  # the largest penalty among equals
            best, best_aic = knots, aic
    if best is None:
        raise SpecError(
            "No number of knots can be chosen automatically for this KPI.",
            hint="Give the number of knots.",
            where="model.knots",
        )
    return np.concatenate([[0], best, [n_times - 1]])


class _Regression:
    """Least squares of the KPI on linear splines; geos share one curve."""

    def __init__(self, kpi: np.ndarray, is_seen: np.ndarray):
        self.n_times = kpi.shape[1]
        self.weight = is_seen.sum(axis=0)
        self.total = kpi.sum(axis=0)
        self.squares = (kpi**2).sum()

    def design(self, knots: np.ndarray) -> np.ndarray:
        """Linear B-splines at every period, time basis."""
        from scipy.interpolate import BSpline  # noqa: PLC0415  most fits need none

        last = self.n_times - 1
        grid = np.concatenate([[0, 0], knots, [last, last]]).astype(float)
        times = np.arange(self.n_times, dtype=float)
        return BSpline.design_matrix(times, grid, 1).toarray()

    def squared_error(self, knots: np.ndarray) -> float:
        """Sum of squared errors of the unpenalised fit."""
        x = self.design(knots)
        gram, moment = (x.T * self.weight) @ x, x.T @ self.total
        coefficients = np.linalg.lstsq(gram, moment, rcond=None)[0]
        return float(self.squares - coefficients @ moment)

    def mean_squared_error(self, knots: np.ndarray) -> float:
        """Squared error per residual degree of freedom."""
        freedom = self.weight.sum() - (len(knots) + 2)
        return self.squared_error(knots) / max(freedom, 1.0)


def _path(spline: _Regression, candidates: np.ndarray, penalties: np.ndarray):
    """The knots that each penalty keeps; weights go on from penalty to penalty."""
    x = spline.design(candidates)
    gram, moment = (x.T * spline.weight) @ x, x.T @ spline.total
    n = len(moment)
    bend = np.diff(np.eye(n), n=2, axis=0)
    band = np.zeros((3, n))
    for offset in range(3):  # upper band storage of a symmetric matrix
        band[2 - offset, offset:] = np.diagonal(gram, offset)
    # Positive definite, should a period have no seen cell.
    band[2] += 1e-20
    weight, selection = np.ones(n - 2), np.ones(n - 2)
    place = 0
    for _ in range(_MOST_ITERATIONS):
        penalty = _penalty_band(penalties[place] * weight)
        bends = bend @ solveh_banded(band + penalty, moment)
        # The adaptive ridge: weight times bend^2 tends to 0 or 1, so the penalty counts
        # the knots, as an L0 norm would.
        weight = 1.0 / (bends**2 + _EPSILON**2)
        before, selection = selection, weight * bends**2
        if np.abs(before - selection).max() < _TOLERANCE:
            yield candidates[selection > _SELECTED]
            place += 1
            if place == len(penalties):
                return


def _penalty_band(weight: np.ndarray) -> np.ndarray:
    """Upper band of D'WD, where row k of D is (1, -2, 1) at k, k + 1, k + 2."""
    band = np.zeros((3, len(weight) + 2))
    band[2, :-2] += weight
    band[2, 1:-1] += 4.0 * weight
    band[2, 2:] += weight
    band[1, 1:-1] -= 2.0 * weight
    band[1, 2:] -= 2.0 * weight
    band[0, 2:] += weight
    return band
