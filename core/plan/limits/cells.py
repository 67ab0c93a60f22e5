"""Cells: limits of spend per channel and column, a column being a week or a geo.

low_ct <= x_ct <= high_ct      least_c <= sum_t x_ct <= most_c
sum_c x_ct <= column_most_t    budget - spare <= sum_ct x_ct <= budget

and, between neighbouring weeks, the limits of `core.plan.limits.change`. Programs read
the polytope of these limits; solvers that take a channel at a time read the table.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from core.plan.limits.change import Change, change_rows
from core.plan.limits.polytope import Polytope, Rows, budget_row, polytope, stacked


@dataclass(frozen=True)
class Cells:
    """What every cell, channel and column may spend. Currency.

    Attributes:
        names: Channels.
        columns: What the columns are called in messages.
        low: Least spend, channel column.
        high: Most spend; equal to `low` where a cell is locked.
        least: Least total of a channel.
        most: Most total of a channel.
        column_most: Most total of a column; inf where there is no limit.
        budget: What is spent in all.
        change: By how much spend may change from one column to the next.
        spare: What may be left of the budget.
    """

    names: tuple[str, ...]
    columns: tuple[str, ...]
    low: Float[np.ndarray, "channel column"]
    high: Float[np.ndarray, "channel column"]
    least: Float[np.ndarray, " channel"]
    most: Float[np.ndarray, " channel"]
    column_most: Float[np.ndarray, " column"]
    budget: float
    change: Change | None = None
    spare: float = 0.0

    @cached_property
    def polytope(self) -> Polytope:
        """The same as ranges and rows, channel after channel."""
        n, width = self.low.shape
        places = np.arange(n * width)
        limited = np.flatnonzero(np.isfinite(self.column_most))
        in_column = np.isin(places % width, limited)
        column = np.searchsorted(limited, places[in_column] % width)
        none = np.full(len(limited), -np.inf)
        blocks = [
            budget_row(n * width, self.budget - self.spare, self.budget),
            _sums(self.names, places, places // width, (self.least, self.most)),
            _sums(
                tuple(f"week {self.columns[t]}" for t in limited),
                places[in_column],
                column,
                (none, self.column_most[limited]),
            ),
        ]
        if self.change is not None:
            blocks.append(change_rows(self.change, self.names, self.columns))
        labels = tuple(f"{name} in {t}" for name in self.names for t in self.columns)
        return polytope(labels, self.low.ravel(), self.high.ravel(), stacked(*blocks))

    def of(self, place: int) -> "Cells":
        """One channel without the others."""
        part = slice(place, place + 1)
        return replace(
            self,
            names=self.names[part],
            low=self.low[part],
            high=self.high[part],
            least=self.least[part],
            most=self.most[part],
            change=None if self.change is None else self.change.of(place),
        )


def _sums(
    names: tuple[str, ...],
    cell: np.ndarray,
    row: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
) -> Rows:
    """Rows that are sums of cells."""
    return Rows(names, row, cell, np.ones(len(cell)), *ends)
