"""Cells: limits of spend per channel and column, a column being a week or a geo.

low_ct <= x_ct <= high_ct      least_c <= sum_t x_ct <= most_c
sum_c x_ct <= column_most_t    budget - spare <= sum_ct x_ct <= budget

and, between neighbouring weeks, the limits of `core.plan.limits.change`, and any other
sums of cells: groups, budgets of months. Programs read the polytope of these limits;
solvers that take a channel at a time read the table.

A cell may also be off, x_ct = 0, or at least low_ct, and a channel may be bought in
steps. Then the spends allowed are no longer convex: `relaxed` holds them all.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

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
        joint: Limits of other sums of cells, channel after channel.
        off: Cells that may spend nothing instead of `low`; None for none.
        step: Steps that a cell is bought in, 0 for any amount; None for none.
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
    joint: Rows | None = None
    off: Bool[np.ndarray, "channel column"] | None = None
    step: Float[np.ndarray, "channel column"] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether cells may take every amount in their range."""
        return self.off is None and self.step is None

    @property
    def n_named(self) -> int:
        """Rows of the polytope before those of columns: budget, channels, joint."""
        return 1 + len(self.names) + (0 if self.joint is None else self.joint.n)

    @property
    def fixed(self) -> Bool[np.ndarray, "channel column"]:
        """Cells whose spend is decided."""
        is_fixed = self.low == self.high
        return is_fixed if self.off is None else is_fixed & ~self.off

    @property
    def relaxed(self) -> "Cells":
        """The convex limits around these: any amount from nothing, change free."""
        if self.is_whole:
            return self
        if self.off is None:
            return replace(self, step=None)
        change = self.change
        if change is not None:
            ends = self.off[:, :-1] | self.off[:, 1:]
            change = replace(change, free=change.free | ends)
            change = None if change.free.all() else change
        low = np.where(self.off, 0.0, self.low)
        return replace(self, low=low, off=None, step=None, change=change)

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
            *([] if self.joint is None else [self.joint]),
            _sums(
                tuple(f"week {self.columns[t]}" for t in limited),
                places[in_column],
                column,
                (none, self.column_most[limited]),
            ),
        ]
        change = self.relaxed.change
        if change is not None:
            blocks.append(change_rows(change, self.names, self.columns))
        labels = tuple(f"{name} in {t}" for name in self.names for t in self.columns)
        return polytope(
            labels,
            self.low.ravel(),
            self.high.ravel(),
            stacked(*blocks),
            off=None if self.off is None else self.off.ravel(),
            step=None if self.step is None else self.step.ravel(),
        )

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
            joint=None,
            off=None if self.off is None else self.off[part],
            step=None if self.step is None else self.step[part],
        )


def _sums(
    names: tuple[str, ...],
    cell: np.ndarray,
    row: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
) -> Rows:
    """Rows that are sums of cells."""
    return Rows(names, row, cell, np.ones(len(cell)), *ends)
