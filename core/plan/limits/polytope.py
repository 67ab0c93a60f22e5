r"""Polytope: the spends that limits allow, over labelled cells, with named rows.

    low_j <= x_j <= high_j               or x_j = 0 where a cell may be off
    least_i <= sum_j A_ij x_j <= most_i  x_j in multiples of step_j

A cell is a channel, a channel in a geo, or a channel in a week. The first row is the
total of all cells, between the ends of the budget; the others are whatever joins cells:
groups, channels, geos, weeks, changes from week to week. Ranges and rows are linear;
being off and steps are not, and stand beside them.

Every solver reads its limits here, so that there is one matrix. Those that know more
of its structure (`core.plan.limits.cells`) are faster, not different.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

#: Share of a row's largest sum by which ranges alone may seem to break it.
_NEVER = 1e-9


@dataclass(frozen=True)
class Rows:
    """Limits of weighted sums of cells, by the entries of their matrix.

    Attributes:
        names: What they are called in messages.
        row: Row of each entry.
        cell: Cell of each entry.
        weight: Value of each entry.
        least: Smallest sum of each row; -inf for none.
        most: Largest; inf for none.
    """

    names: tuple[str, ...]
    row: Int[np.ndarray, " entry"]
    cell: Int[np.ndarray, " entry"]
    weight: Float[np.ndarray, " entry"]
    least: Float[np.ndarray, " row"]
    most: Float[np.ndarray, " row"]

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.names)

    def kept(self, which: Bool[np.ndarray, " row"]) -> "Rows":
        """Some of the rows."""
        inside, place = which[self.row], np.cumsum(which) - 1
        return Rows(
            tuple(np.array(self.names, dtype=object)[which]),
            place[self.row[inside]],
            self.cell[inside],
            self.weight[inside],
            self.least[which],
            self.most[which],
        )


def dense_rows(
    names: Sequence[str],
    weights: Float[np.ndarray, "row cell"],
    least: Sequence[float] | Float[np.ndarray, " row"],
    most: Sequence[float] | Float[np.ndarray, " row"],
) -> Rows:
    """Rows of a matrix that is written out."""
    row, cell = np.nonzero(weights)
    ends = (np.array(end, dtype=float) for end in (least, most))
    return Rows(tuple(names), row, cell, weights[row, cell], *ends)


def stacked(*blocks: Rows) -> Rows:
    """All rows, in the order of the blocks."""
    first = np.cumsum([0, *(block.n for block in blocks)])
    return Rows(
        tuple(name for block in blocks for name in block.names),
        np.concatenate([b.row + at for b, at in zip(blocks, first, strict=False)]),
        *(
            np.concatenate([getattr(block, key) for block in blocks])
            for key in ("cell", "weight", "least", "most")
        ),
    )


@dataclass(frozen=True)
class Polytope:
    """Spends that are allowed. Currency.

    Attributes:
        cells: What cells are called in messages.
        low: Least spend of a cell that is on.
        high: Most spend.
        rows: Joint limits, the budget first.
        off: Whether a cell may spend nothing instead.
        step: Spend comes in multiples of this; 0 for any amount.
    """

    cells: tuple[str, ...]
    low: Float[np.ndarray, " cell"]
    high: Float[np.ndarray, " cell"]
    rows: Rows
    off: Bool[np.ndarray, " cell"]
    step: Float[np.ndarray, " cell"]

    @cached_property
    def matrix(self) -> Float[np.ndarray, "row cell"]:
        """Weights of the rows, written out."""
        joint = self.rows
        matrix = np.zeros((joint.n, len(self.low)))
        matrix[joint.row, joint.cell] = joint.weight
        return matrix

    @cached_property
    def sparse(self) -> Any:
        """The same as a `scipy.sparse.csr_array`.

        SciPy is imported here: see `core.plan.limits.program`.
        """
        from scipy.sparse import csr_array

        joint = self.rows
        places = (joint.row, joint.cell)
        return csr_array((joint.weight, places), shape=(joint.n, len(self.low)))

    @property
    def is_whole(self) -> bool:
        """Whether cells may take every amount in their range."""
        return not (self.off.any() or self.step.any())

    @property
    def is_simple(self) -> bool:
        """Whether only a fixed budget joins the cells, each free in its range."""
        least, most = self.budgets
        return self.rows.n == 1 and least == most and self.is_whole

    @property
    def floor(self) -> Float[np.ndarray, " cell"]:
        """Least spend, on or off."""
        return np.where(self.off, 0.0, self.low)

    @property
    def budgets(self) -> tuple[float, float]:
        """Least and most of the budget."""
        return float(self.rows.least[0]), float(self.rows.most[0])

    def with_budget(self, least: float, most: float) -> "Polytope":
        """The same with other ends of the budget."""
        ends = np.array([least]), np.array([most])
        joint = self.rows
        least, most = (
            np.concatenate([end, rest[1:]])
            for end, rest in zip(ends, (joint.least, joint.most), strict=True)
        )
        return replace(self, rows=replace(joint, least=least, most=most))

    def around(self, spend: Float[np.ndarray, " cell"]) -> "Polytope":
        """The part in which the same cells are on, in any amount."""
        # Solvers leave a little in cells that are off, and take a little from those on.
        is_off = self.off & (spend < 0.5 * self.low)
        return replace(
            self,
            low=np.where(is_off, 0.0, self.low),
            high=np.where(is_off, 0.0, self.high),
            off=np.zeros_like(self.off),
            step=np.zeros_like(self.step),
        )

    def split_at(self, centre: Float[np.ndarray, " cell"]) -> "Polytope":
        """Moves away from a spend: a cell's rise, then (after all rises) its fall."""
        joint, n = self.rows, len(self.low)
        moved = Rows(
            joint.names,
            np.tile(joint.row, 2),
            np.concatenate([joint.cell, joint.cell + n]),
            np.concatenate([joint.weight, -joint.weight]),
            joint.least - self.sums(centre),
            joint.most - self.sums(centre),
        )
        sides = self.high - centre, centre - self.low
        return polytope(
            self.cells * 2, np.zeros(2 * n), np.maximum(np.concatenate(sides), 0), moved
        )

    def over(self, size: float) -> "Polytope":
        """The same in units of a size instead of currency."""
        joint = replace(
            self.rows, least=self.rows.least / size, most=self.rows.most / size
        )
        return replace(
            self,
            low=self.low / size,
            high=self.high / size,
            step=self.step / size,
            rows=joint,
        )

    def sums(self, spend: Float[np.ndarray, " cell"]) -> Float[np.ndarray, " row"]:
        """The rows' weighted sums."""
        joint = self.rows
        return np.bincount(
            joint.row, joint.weight * spend[joint.cell], minlength=joint.n
        )

    def keeps(
        self, spend: Float[np.ndarray, "*plan cell"], slack: float
    ) -> Bool[np.ndarray, "*plan"] | np.bool:
        """Whether joint limits hold within a slack, currency."""
        sums, joint = spend @ self.matrix.T, self.rows
        inside = (sums >= joint.least - slack) & (sums <= joint.most + slack)
        return inside.all(axis=-1)

    @property
    def floor_sums(self) -> Float[np.ndarray, " row"]:
        """Smallest sums that ranges alone allow."""
        return self._extremes(np.minimum)

    @property
    def high_sums(self) -> Float[np.ndarray, " row"]:
        """Largest sums that ranges alone allow."""
        return self._extremes(np.maximum)

    def _extremes(self, side: Any) -> Float[np.ndarray, " row"]:
        joint = self.rows
        ends = self.floor[joint.cell], self.high[joint.cell]
        sums = side(*(joint.weight * end for end in ends))
        return np.bincount(joint.row, sums, minlength=joint.n)

    def reduced(self) -> "Polytope":
        """Without the rows that ranges alone keep to; the budget stays."""
        joint, smallest, largest = self.rows, self.floor_sums, self.high_sums
        slack = _NEVER * np.maximum(np.abs(largest), 1.0)
        binds = (smallest < joint.least - slack) | (largest > joint.most + slack)
        binds[0] = True
        return self if binds.all() else replace(self, rows=joint.kept(binds))

    @property
    def is_separable(self) -> bool:
        """Whether rows after the budget are sums of cells that they do not share."""
        inner = self.rows.row > 0
        cells = self.rows.cell[inner]
        is_sum = bool((self.rows.weight[inner] == 1).all())
        return self.is_whole and is_sum and len(np.unique(cells)) == len(cells)


def polytope(
    cells: Sequence[str],
    low: Float[np.ndarray, " cell"],
    high: Float[np.ndarray, " cell"],
    rows: Rows,
    *,
    off: Bool[np.ndarray, " cell"] | None = None,
    step: Float[np.ndarray, " cell"] | None = None,
) -> Polytope:
    """A polytope; cells take any amount in their range where nothing else is said."""
    none = np.zeros(len(low))
    off = none > 0 if off is None else off
    return Polytope(tuple(cells), low, high, rows, off, none if step is None else step)


def budget_row(n: int, least: float, most: float) -> Rows:
    """The total of `n` cells."""
    return dense_rows(("the budget",), np.ones((1, n)), [least], [most])


def nearest_steps(
    places: Float[np.ndarray, "cell place"], step: Float[np.ndarray, " cell"]
) -> tuple[Float[np.ndarray, "cell place"], Float[np.ndarray, "cell place"]]:
    """The multiples of the step below and above; the place itself without a step."""
    size = np.where(step > 0, step, 1.0)[:, None]
    count = places / size
    near = np.round(count)
    count = np.where(np.abs(count - near) < 1e-9 * np.maximum(near, 1.0), near, count)
    free = step[:, None] <= 0
    below = np.where(free, places, np.floor(count) * size)
    return below, np.where(free, places, np.ceil(count) * size)
