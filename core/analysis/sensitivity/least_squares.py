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

import jax.numpy as jnp
import numpy as np

from core.analysis.incremental import non_media_outcome, treatment_outcome
from core.model.build import Model
from core.model.terms.smooth import spectral_scale

#: Name of the columns of the season.
SEASON = "season"
#: Scale of a knot, as good as free.
_KNOTS = 5.0
#: Terms whose columns are regressed on, rather than part of the covariance.
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
        if size < 1e-9 * float(white @ white) or freedom < 3:
            return 0.0
        slope = float(own @ noise) / size
        rest = noise - slope * own
        return slope * np.sqrt(size / (float(rest @ rest) / freedom))


def regression(
    model: Model, draws: Mapping[str, np.ndarray], periods: np.ndarray | None = None
) -> Regression:
    """The regression of a fit.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
        periods: Places of the periods to use; all where not given. Of those, periods
            in which a cell is held out are left out.
    """
    middle = {name: np.asarray(own).mean(axis=0) for name, own in draws.items()}
    seen = np.asarray(model.arrays.is_seen).all(axis=0)
    places = np.arange(model.data.n_times) if periods is None else periods
    places = places[seen[places]]
    root = _root(model, middle, places)
    columns = {name: own[places] for name, own in _columns(model, middle).items()}
    groups = {name: root @ own for name, own in columns.items()}
    levels = {name: float(own[:, 0].mean()) for name, own in columns.items()}
    kpi = np.asarray(model.arrays.kpi, np.float64)
    whitened = root @ (_people(model) @ kpi)[places]
    return Regression(whitened, groups, root, places, levels)


def _people(model: Model) -> np.ndarray:
    """Share of each geo in the market; scaled KPI is per head."""
    return model.data.population / model.data.population.sum()


def _columns(model: Model, middle: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns of the market by what they are; period column."""
    given = {name: jnp.asarray(value) for name, value in middle.items()}
    scale = np.asarray(model.arrays.outcome_scale, np.float64)
    parts = [
        np.asarray(outcome(model.structure, model.arrays, given), np.float64) / scale
        for outcome in (treatment_outcome, non_media_outcome)
    ]
    names = [
        name for group in model.structure.groups for name in model.channels(group.kind)
    ] + list(model.channels("non_media"))
    share = _people(model)
    found = {"level": np.ones((model.data.n_times, 1))}
    for name, own in zip(names, np.concatenate(parts), strict=True):
        found[name] = (share @ own)[:, None]
    controls = np.asarray(model.arrays.baseline.controls, np.float64)
    for place, name in enumerate(model.data.control_names):
        found[name] = (share @ controls[:, :, place])[:, None]
    for design in model.terms:
        term = design.structure
        if term.name in _FIXED and not (term.by_geo or term.by_cell):
            name = SEASON if term.name == "fourier" else term.name
            found[name] = np.asarray(design.term.design)
        if term.by_cell:
            by_geo = np.asarray(design.term.design, np.float64)
            found[term.name] = np.einsum("g,gtc->tc", share, by_geo)
    return found


def _root(
    model: Model, middle: Mapping[str, np.ndarray], places: np.ndarray
) -> np.ndarray:
    """What whitens the noise of the given periods."""
    sigma = np.broadcast_to(middle["sigma"], model.data.n_geos)
    variance = float((_people(model) ** 2 * sigma**2).sum())
    variance += float(middle.get("xi_common", 0.0)) ** 2
    apart = np.abs(places[:, None] - places[None, :])
    covariance = variance * float(middle.get("rho", 0.0)) ** apart
    for design in model.terms:
        term = design.structure
        if term.by_geo or term.by_cell or term.is_noise or term.name in _FIXED:
            continue
        columns = np.asarray(design.term.design, np.float64)[places]
        scale = float(middle[f"xi_{term.name}"]) * np.ones(columns.shape[1])
        if term.is_smooth:
            length = jnp.asarray(middle[f"length_{term.name}"])
            amplitude = jnp.asarray(middle[f"xi_{term.name}"])
            weights = spectral_scale(
                jnp.asarray(design.term.frequency), amplitude, length
            )
            scale = np.asarray(weights, np.float64)
        covariance = covariance + (columns * scale**2) @ columns.T
    knots = np.asarray(model.arrays.baseline.knot_weights, np.float64)[:, places]
    if len(knots) > 1:
        covariance = covariance + _KNOTS**2 * knots.T @ knots
    lower = np.linalg.cholesky(covariance + 1e-9 * variance * np.eye(len(places)))
    return np.linalg.inv(lower)
