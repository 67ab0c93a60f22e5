r"""Leave-one-out: how well the model says a cell of the KPI that it has not seen.

From the draws, by Pareto-smoothed importance sampling (Vehtari, Gelman and Gabry 2017),
without refitting. The linear block is given in every draw, so a cell's
log density is that of a Normal. Where cells are many, the smoothing is done for a
sample of them and the sum is the difference estimator (Magnusson et al. 2020):

    elpd = sum_all lpd_i + N/n sum_sample (loo_i - lpd_i)

Noise with memory is not independent between cells: the density of a cell is that given
its neighbours then, which is what leaves one out (Buerkner, Gabry and Vehtari 2021).
A cell between its neighbours is a gap to be filled: this is no score of a forecast.
"""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from core.analysis.checking.elpd import expected_sum
from core.analysis.checking.pointwise import log_densities
from core.data.periods import periods
from core.dims import GEO, TIME
from core.fit.importance import highest_k, pareto_smoothed
from core.model.build import Model
from core.text.languages.language import say

#: Most cells whose weights are smoothed.
CELLS = 400
#: Fewest draws whose tail, a fifth of them, has a shape.
_FEWEST = 25


class Scores(NamedTuple):
    """Scores of cells.

    Attributes:
        lpd: Log mean density with the cell seen; cell.
        loo: The same with the cell left out; NaN where not in the sample.
        k: Shape of the weights' tail; NaN where not in the sample.
    """

    lpd: np.ndarray
    loo: np.ndarray
    k: np.ndarray


def leave_one_out(
    model: Model, means: np.ndarray, sigma: np.ndarray, rho: np.ndarray | None = None
) -> tuple[dict[str, Any], xr.Dataset]:
    """Score of the model, and of each cell that the likelihood saw.

    Args:
        model: The model.
        means: Of the scaled KPI; draw geo time.
        sigma: Residual scale; draw geo.
        rho: What goes on of the noise, draw; None where it has no memory.

    Returns:
        `elpd`, `se`, `p_loo`, `n` cells, `n_smoothed`, `n_bad_k`, `k_max`, `k_limit`,
        `warnings`; and lpd, loo and k by geo and time, NaN where there is none.
    """
    data = model.data
    observed = np.asarray(model.arrays.is_seen) > 0
    chosen = np.zeros(observed.shape, dtype=bool)
    chosen.ravel()[sample(np.flatnonzero(observed))] = True
    tables = Scores(*(np.full(observed.shape, np.nan) for _ in Scores._fields))
    for geo, density in enumerate(log_densities(model, means, sigma, rho)):
        cells = observed[geo]
        by_cell_scores = scores(density[:, cells], chosen[geo, cells])
        for table, values in zip(tables, by_cell_scores, strict=True):
            table[geo, cells] = values
    word = periods(data.times).period
    score = summed(tables, len(means))
    score["warnings"] = warnings(
        score, word if data.is_national else say("geo and {word}", word=word)
    )
    coords = {GEO: list(data.geos), TIME: data.times.astype("datetime64[ns]")}
    by_cell = {
        name: ((GEO, TIME), table.astype(np.float64))
        for name, table in tables._asdict().items()
    }
    return score, xr.Dataset(by_cell, coords=coords)


def sample(cells: np.ndarray) -> np.ndarray:
    """The cells whose weights are smoothed: the same for every model of the data."""
    if len(cells) <= CELLS:
        return cells
    # A fixed seed: two models are compared on the same cells, or their difference would
    # be noise of the sample.
    rng = np.random.default_rng(20)
    return np.sort(rng.choice(cells, CELLS, replace=False))


def scores(density: np.ndarray, is_chosen: np.ndarray | None = None) -> Scores:
    """Scores of cells from their log densities.

    Args:
        density: draw cell.
        is_chosen: Whether to leave a cell out; all where not given.
    """
    n_draws, n = density.shape
    lpd = _log_sum_exp(density) - np.log(n_draws)
    loo, k = np.full(n, np.nan), np.full(n, np.nan)
    chosen = np.flatnonzero(np.ones(n, bool) if is_chosen is None else is_chosen)
    varies = np.ptp(density[:, chosen], axis=0) >= 1e-12
    same, chosen = chosen[~varies], chosen[varies]
    # Every draw says the same there: there is no tail.
    loo[same], k[same] = lpd[same], -np.inf
    own = density[:, chosen]
    if n_draws < _FEWEST:
        weights, k[chosen] = -own - _log_sum_exp(-own), np.inf
    else:
        smooth, k[chosen] = pareto_smoothed(-own.T)
        weights = smooth.T
    # In logarithms: densities of a cell span more than a float does.
    loo[chosen] = _log_sum_exp(weights + own)
    return Scores(lpd, loo, k)


def _log_sum_exp(values: np.ndarray) -> np.ndarray:
    # Relative to the largest, which then is one: nothing overflows.
    top = values.max(axis=0)
    return top + np.log(np.exp(values - top).sum(axis=0))


def summed(tables: Scores, n_draws: int) -> dict[str, Any]:
    """The score of a model: sum over its cells, with its standard error."""
    has = ~np.isnan(tables.loo)
    total, error = expected_sum(tables.lpd, tables.loo)
    limit = highest_k(n_draws)
    k = tables.k[has]
    return {
        "elpd": total,
        "se": error,
        "p_loo": float(np.nansum(tables.lpd) - total),
        "n": int((~np.isnan(tables.lpd)).sum()),
        "n_smoothed": int(has.sum()),
        "n_bad_k": int((k > limit).sum()),
        "k_max": float(k.max()) if np.isfinite(k.max(initial=-np.inf)) else None,
        "k_limit": float(limit),
        "n_draws": n_draws,
    }


def warnings(score: dict[str, Any], cell: str) -> list[str]:
    """What makes a score doubtful, in sentences."""
    sentences = []
    bad, n = score["n_bad_k"], score["n_smoothed"]
    if bad:
        sentences.append(
            say(
                "In {bad} of {n} cells (one per {cell}) the Pareto k is above "
                "{k_limit}: without them the posterior would differ, and the "
                "score flatters the model. The model is flexible there, or the "
                "data are unusual.",
                bad=bad,
                n=n,
                cell=cell,
                k_limit=f"{score['k_limit']:.2f}",
            )
        )
    if score["p_loo"] > 0.4 * score["n"]:
        sentences.append(
            say(
                "The model spends {p_loo} effective parameters on {n} cells: "
                "it can follow nearly every one of them.",
                p_loo=f"{score['p_loo']:.0f}",
                n=score["n"],
            )
        )
    return sentences
