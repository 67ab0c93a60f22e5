r"""Single geos: what a fit has once per geo is judged together.

Of thousands of scalars some have an R-hat above any limit by chance, and none of them
is a result by itself. So the shared parameters are held to the limits one by one, and
those of single geos together: by the share that has too few effective draws, and by
the worst, against what chance shows of as many that mix as well as they must.

For m half chains of $n = \mathrm{ESS}/m$ effective draws that agree,
$(m - 1)\,n\,(\hat R^2 - 1)$ is about chi-squared with m - 1 degrees of freedom.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from core.dims import GEO
from core.fit.convergence import Table

#: Effective draws that a scalar must have, and that no scalar may be without.
ESS_LIMIT, ESS_LEAST = 400.0, 100.0
#: Share of single geos' scalars that may have fewer than the first.
SHARE = 0.05
#: How often the worst of scalars that mix well lies beyond the limit.
_FALSE_ALARM = 0.01


class Together(NamedTuple):
    """How the scalars of single geos did.

    Attributes:
        n: How many there are.
        share: Share with too few effective draws, in bulk or tail.
        least: Smallest effective sample size.
        rhat: Largest R-hat.
        limit: Up to which chance explains it.
        worst: Row of the largest R-hat in the table.
    """

    n: int
    share: float
    least: float
    rhat: float
    limit: float
    worst: int

    @property
    def agrees(self) -> bool:
        """Whether their chains did what they should."""
        enough = self.share <= SHARE and self.least >= ESS_LEAST
        return enough and self.rhat <= self.limit


def is_of_one_geo(table: Table) -> np.ndarray:
    """Which rows are parameters of a single one of several geos."""
    several = {
        name
        for name, axes in table.labels.items()
        if any(axis == GEO and len(labels) > 1 for axis, labels in axes)
    }
    return np.array([name in several for name in table.name], dtype=bool)


def together(table: Table, rows: np.ndarray, n_chains: int) -> Together | None:
    """What is said of the rows of single geos together; None where there are none.

    Args:
        table: Convergence of every scalar.
        rows: Which are of single geos.
        n_chains: Chains of the fit.
    """
    places = np.flatnonzero(rows)
    if not len(places):
        return None
    sizes = np.minimum(table.ess_bulk, table.ess_tail)[places]
    rhat = np.where(np.isnan(table.rhat), np.inf, table.rhat)[places]
    worst = int(np.argmax(rhat))
    return Together(
        n=len(places),
        share=float((~(sizes >= ESS_LIMIT)).mean()),
        least=float(np.nan_to_num(sizes).min()),
        rhat=float(rhat[worst]),
        limit=chance_limit(len(places), n_chains),
        worst=int(places[worst]),
    )


def chance_limit(n: int, n_chains: int) -> float:
    """Largest R-hat that chance shows of n scalars with just enough effective draws."""
    halves = 2 * n_chains
    # Bulk and folded: two figures each.
    beyond = chdtri(halves - 1, _FALSE_ALARM / (2 * n)) / (halves - 1)
    return float(np.sqrt(1 + beyond * halves / ESS_LIMIT))
