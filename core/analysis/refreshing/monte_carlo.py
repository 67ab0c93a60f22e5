"""Monte-Carlo error: how far a mean of draws is from what endless draws would give."""

from typing import Any

import numpy as np
import xarray as xr

from core.dims import CHANNEL
from core.fit.convergence import effective_sizes, number, split

#: Measures of a summary, and the variables of the returns that they are means of.
_MEASURES = {
    "roi": "roi",
    "mroi": "mroi",
    "contribution": "incremental_outcome",
    "contribution_share": "contribution",
}


def with_monte_carlo_errors(
    summary: dict[str, Any], channels: xr.Dataset, chain: np.ndarray
) -> dict[str, Any]:
    """The summary, each channel with the Monte-Carlo error of its means, `mcse`.

    Args:
        summary: What `core.analysis.summary.summary` gives.
        channels: The returns whose means it holds.
        chain: The chain that each draw is of.
    """
    errors = {
        measure: monte_carlo_errors(channels[name].to_numpy(), chain)
        for measure, name in _MEASURES.items()
    }
    place = {str(name): i for i, name in enumerate(channels[CHANNEL].to_numpy())}
    rows = [
        row
        | {
            "mcse": {
                key: number(each[place[row["name"]]]) for key, each in errors.items()
            }
        }
        for row in summary["channels"]
    ]
    return summary | {"channels": rows}


def monte_carlo_errors(draws: np.ndarray, chain: np.ndarray) -> np.ndarray:
    """Standard error of the mean of each column: sd over the root of the ESS.

    The effective sample size is that of the mean (Vehtari et al., 2021), of the draws
    given: thinned draws have the error of the thinned mean.

    Args:
        draws: draw column.
        chain: The chain that each draw is of.

    Returns:
        One error per column; NaN where draws do not vary, are no numbers or too few.
    """
    names, counts = np.unique(chain, return_counts=True)
    shortest = counts.min()
    by_chain = np.stack([draws[chain == name][:shortest] for name in names])
    columns = np.moveaxis(by_chain.astype(float), 2, 0)
    errors = np.full(len(columns), np.nan)
    if shortest < 4:
        return errors
    good = np.isfinite(columns).all(axis=(1, 2)) & (np.ptp(columns, axis=(1, 2)) > 0)
    sizes = effective_sizes(split(columns[good]))
    errors[good] = columns[good].std(axis=(1, 2)) / np.sqrt(sizes)
    return errors
