"""Totals of a market: what defaults need to know of the data.

A screen has them from the table, the worker from `InputData`; both ask the same
functions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.data.input_data import InputData
from core.data.mapping import PAID, SpendUnit


@dataclass(frozen=True)
class Totals:
    """Totals of a market over all geos and periods of the KPI.

    Attributes:
        outcome: Total outcome: revenue where KPI units have a value, else the KPI.
        spend: Total spend of each paid channel, in the units of its column.
        outcome_unit: `revenue` where the outcome is money, else `kpi`.
        spend_unit: What spend is counted in, as somebody said; None where nobody did.
        n_geos: Number of geos; one is a national market.
    """

    outcome: float
    spend: Mapping[str, float]
    outcome_unit: Literal["revenue", "kpi"]
    spend_unit: SpendUnit | None = None
    n_geos: int = 1

    @property
    def total_spend(self) -> float:
        """Spend of all paid channels."""
        return float(sum(self.spend.values()))


def totals(data: InputData) -> Totals:
    """The totals of a market."""
    spend: dict[str, float] = {}
    for kind in PAID:
        treatments = getattr(data, kind)
        if treatments:
            sums = np.asarray(treatments.spend, float).sum(axis=(0, 1))
            spend |= dict(zip(treatments.names, sums.tolist(), strict=True))
    return Totals(
        float(data.outcome.sum()),
        spend,
        data.outcome_unit,
        data.spend_unit,
        data.n_geos,
    )
