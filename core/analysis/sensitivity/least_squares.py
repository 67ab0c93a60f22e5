r"""Least squares beside the model: what data alone say of one more column.

The KPI of the whole market, period by period, on what each channel brings (its shape
as the posterior has it), controls, trend and season, without priors on any of their
coefficients. The smooth deviation and noise with memory are the covariance, with the
posterior's scales:

$V = \sigma^2 R(\rho) + \sum_j s_j^2 x_j x_j'$, whose root whitens both sides.

A tight prior therefore flatters no column. The scale of what is left is estimated.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import numpy as np

from core.analysis.incremental import outcome_at
from core.analysis.returns import channel_names
from core.model.build import Model
from core.model.compiled.executables import PLAIN, Persistent
from core.model.terms.linear_terms import TermDesign
from core.model.terms.smooth import spectral_scale

#: Name of the columns of the season.
SEASON = "~fourier"
#: Periods that are enough, and most that are taken.
_FEWEST, _MOST = 20, 1500
#: Scale of a knot, as good as free.
_KNOTS = 5.0
#: Terms whose columns are regressed on, rather than part of the covariance.
_SPECTRAL_SCALE = Persistent(jax.jit(spectral_scale), 0, options=PLAIN)
_FIXED = ("trend", "fourier", "weekday", "events")


@dataclass(frozen=True)
class Regression:
    """A regression of the market's KPI, whitened.

    Attributes:
        kpi: Whitened, period.
        groups: Whitened columns by what they are (channel, control, `season`, ...);
            period column.
        whiten: Whitens further columns, period column.
        periods: Places of the periods, of those of the data.
        levels: Mean of each group's first column before whitening.
    """

    kpi: np.ndarray
    groups: dict[str, np.ndarray]
    whiten: np.ndarray
    periods: np.ndarray
    levels: dict[str, float]

    def left(self, values: np.ndarray, *without: str) -> np.ndarray:
        """Values less what the columns explain, some groups left out."""
        columns = [own for name, own in self.groups.items() if name not in without]
        design = np.column_stack(columns)
        # Columns may repeat each other: the smallest solution serves any of them.
        return values - design @ np.linalg.lstsq(design, values, rcond=1e-9)[0]

    def freedom(self, *without: str) -> int:
        """Degrees of freedom that the columns leave."""
        columns = [own for name, own in self.groups.items() if name not in without]
        rank = np.linalg.matrix_rank(np.column_stack(columns), rtol=1e-9)
        return len(self.kpi) - int(rank)

    def t_value(self, column: np.ndarray) -> float:
        """T of one more column, given all others; zero where it adds nothing.

        Args:
            column: Before whitening, in the regression's periods.
        """
        white = self.whiten @ column
        own, noise = self.left(white), self.left(self.kpi)
        size, freedom = float(own @ own), self.freedom() - 1
        # Not less alone: a column of nothing is no larger than its own share.
        if size <= 1e-9 * float(white @ white) or freedom < 3:
            return 0.0
        slope = float(own @ noise) / size
        rest = noise - slope * own
        return slope * np.sqrt(size / (float(rest @ rest) / freedom))


def regression(
    model: Model, draws: Mapping[str, np.ndarray], periods: np.ndarray | None = None
) -> Regression | None:
    """The regression of a fit.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        periods: Places of the periods to use; all where not given. Of those, the last
            1,500 of which the likelihood saw some cell.

    Returns:
        None where there are too few periods to say anything.
    """
    observed = np.asarray(model.arrays.is_seen, np.float64)
    # Of what the likelihood saw, by size: held-out cells stay unseen here, too.
    weight = model.scale.size[:, None] * observed
    places = np.arange(model.data.n_times) if periods is None else periods
    places = places[weight.sum(axis=0)[places] > 0][-_MOST:]
    if len(places) < _FEWEST:
        return None
    share = (weight / np.maximum(weight.sum(axis=0), 1e-300))[:, places]
    middle = {name: np.asarray(own).mean(axis=0) for name, own in draws.items()}
    root = np.linalg.inv(np.linalg.cholesky(_covariance(model, draws, share, places)))
    columns = {
        name: np.einsum("gt,gtc->tc", share, own[:, places])
        for name, own in _columns(model, middle).items()
    }
    kpi = np.asarray(model.arrays.kpi, np.float64)
    # Less each geo's mean: where cells are held out, geos of other levels come and go.
    count = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    kpi = kpi - (kpi * observed).sum(axis=1, keepdims=True) / count
    return Regression(
        kpi=root @ (share * kpi[:, places]).sum(axis=0),
        groups={name: root @ own for name, own in columns.items()},
        whiten=root,
        periods=places,
        levels={name: float(own[:, 0].mean()) for name, own in columns.items()},
    )


def _columns(model: Model, middle: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns by what they are, geo period column; those of the baseline begin with ~.

    Args:
        model: The model.
        middle: Posterior means.
    """
    scale = np.asarray(model.arrays.outcome_scale, np.float64)
    worth = np.where(scale > 0, scale, np.inf)
    effects = outcome_at(model, middle) / worth
    results = dict(zip(channel_names(model)[0], effects[..., None], strict=True))
    controls = np.asarray(model.arrays.baseline.controls, np.float64)
    for place, name in enumerate(model.data.control_names):
        results[name] = controls[:, :, place, None]
    shape = model.data.kpi.shape
    results["~level"] = np.ones((*shape, 1))
    for design in model.terms:
        term, columns = design.structure, np.asarray(design.term.design, np.float64)
        if term.name in _FIXED and not (term.by_geo or term.by_cell):
            results[f"~{term.name}"] = np.broadcast_to(
                columns, (shape[0], *columns.shape)
            )
    return results


def _covariance(
    model: Model,
    draws: Mapping[str, np.ndarray],
    share: np.ndarray,
    places: np.ndarray,
) -> np.ndarray:
    """Of the market's KPI in the given periods, beside the columns.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        share: Of each geo in a period; geo period.
        places: The periods.
    """
    middle = {name: np.asarray(own).mean(axis=0) for name, own in draws.items()}
    sigma = np.broadcast_to(middle["sigma"], model.data.n_geos)
    spread = share * sigma[:, None]
    common = float(middle.get("xi_common", 0.0)) ** 2
    apart = np.abs(places[:, None] - places[None, :])
    memory = float(middle.get("rho", 0.0)) ** apart
    covariance = (spread.T @ spread + common) * memory
    for design in model.terms:
        term = design.structure
        if term.by_geo or term.is_noise or term.name in _FIXED:
            continue
        columns = np.asarray(design.term.design, np.float64)
        if term.by_cell:
            columns = np.einsum("gt,gtc->tc", share, columns[:, places])
            # What the draws say of its size, those included in which it is absent.
            scale = np.sqrt((np.asarray(draws[f"gamma_{term.name}"]) ** 2).mean(axis=0))
        else:
            columns, scale = columns[places], _scale(design, middle)
        covariance = covariance + (columns * scale**2) @ columns.T
    knots = np.asarray(model.arrays.baseline.knot_weights, np.float64)[:, places]
    if len(knots) > 1:
        covariance = covariance + _KNOTS**2 * knots.T @ knots
    return covariance + 1e-9 * np.diag(covariance).mean() * np.eye(len(places))


def _scale(design: TermDesign, middle: Mapping[str, np.ndarray]) -> np.ndarray:
    """Scale of each column of a term, at the posterior means."""
    name, term = design.structure.name, design.term
    amplitude = np.asarray(middle[f"xi_{name}"], np.float64)
    if not design.structure.is_smooth:
        return np.full(len(term.mean), float(amplitude))
    kind = jax.dtypes.canonicalize_dtype(np.float64)
    numbers = (term.frequency, amplitude, middle[f"length_{name}"])
    weights = _SPECTRAL_SCALE(*(np.asarray(each, kind) for each in numbers))
    return np.asarray(weights, np.float64)
