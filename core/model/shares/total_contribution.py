"""The ROI prior of a market whose KPI has no value per unit."""

from collections.abc import Sequence
from numbers import Real

import numpy as np

from core.model.priors.prior import Prior, prior

#: Share of the KPI that paid media are expected to bring where a KPI unit has no
#: value: Meridian's total paid-media contribution prior.
TOTAL_CONTRIBUTION_MEAN = 0.4
TOTAL_CONTRIBUTION_SD = 0.2


def roi_of_total_contribution(
    spend: np.ndarray | Sequence[Real], kpi_total: Real
) -> Prior:
    """LogNormal ROI prior, in KPI units per currency, the same for all paid channels.

    Together, paid media bring 40 % (sd 20 %) of the KPI, in proportion to spend.

    Args:
        spend: Total spend of each paid channel.
        kpi_total: The KPI, summed over all geos and periods.

    References:
        Meridian 2.1, total paid media contribution prior.
    """
    spend = np.asarray(spend, float)
    mean = TOTAL_CONTRIBUTION_MEAN * kpi_total / spend.sum()
    # One sd for all channels, with which independent returns give the total the sd that
    # it should have.
    sd = TOTAL_CONTRIBUTION_SD * kpi_total / np.sqrt((spend**2).sum())
    variance = np.log1p((sd / mean) ** 2)
    loc = np.log(mean) - variance / 2
    return prior("LogNormal", loc=float(loc), scale=float(np.sqrt(variance)))
