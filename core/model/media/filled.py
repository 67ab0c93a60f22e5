"""Filled: a model with empty periods after its last, which new ones take the place of.

What is compiled holds for one number of periods. So compiled functions are given a
number that few weeks more leave as it is: the next multiple of a power of two, an
eighth of the periods at most. The periods filled in are as if held out, without media
and worth nothing, so that nothing that is summed over periods knows of them; what is
given by period is cut off where they begin.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import numpy as np

from core.model.chunks import in_chunks
from core.model.media.structure import (
    BaselineArrays,
    GroupArrays,
    ModelArrays,
    Structure,
)

#: Posterior variables by period.
_BY_PERIOD = ("mu_t",)
#: Steps that a number of periods is rounded up in: between this and twice as many.
_STEPS = 8


class Filled(NamedTuple):
    """A model as its compiled functions are given it.

    Attributes:
        structure: Static; with the number of periods after filling.
        arrays: Of as many periods.
        n_more: How many of them were filled in.
    """

    structure: Structure
    arrays: ModelArrays
    n_more: int = 0

    def fill(self, tree: Any) -> Any:
        """Arrays whose last axis is of periods, with zeros in those filled in."""
        return _last(tree, self.n_more)

    def of(self, draws: Mapping[str, Any]) -> dict[str, Any]:
        """Posterior variables, those by period with zeros in the periods filled in."""
        return {**draws, **{x: self.fill(draws[x]) for x in _BY_PERIOD if x in draws}}

    def in_chunks(
        self, function: Callable[..., Any], draws: Mapping[str, Any], *others: Any
    ) -> Any:
        """A function of structure, arrays, draws and more, chunk by chunk of the draws.

        The arrays are without the linear block, of which draws have what is needed.
        """
        structure, arrays = self.structure, self.arrays._replace(block=None)
        return in_chunks(
            lambda some: function(structure, arrays, some, *others), self.of(draws)
        )

    def cut(self, tree: Any) -> Any:
        """Arrays whose last axis is of periods, without those filled in."""
        n = self.structure.n_times - self.n_more
        return jax.tree.map(lambda leaf: leaf[..., :n], tree)


def n_filled(n_times: int) -> int:
    """Periods that so many are filled up to.

    Args:
        n_times: One or more.
    """
    step = 2 ** int(math.log2(max(n_times / _STEPS, 1.0)))
    return -(-n_times // step) * step


def filled(structure: Structure, arrays: ModelArrays) -> Filled:
    """The same model with empty periods after its last.

    It stays as it is where periods have columns of the linear block or places of their
    own: noise that geos share, mediators.

    Args:
        structure: Static.
        arrays: Data and prior numbers.
    """
    n_more = n_filled(structure.n_times) - structure.n_times
    own = any(term.is_noise for term in structure.terms)
    if not n_more or own or structure.mediators or structure.tested:
        return Filled(structure, arrays)
    longer = replace(structure, n_times=structure.n_times + n_more)
    return Filled(longer, jax.device_put(_filled(arrays, n_more)), n_more)


def _later(values: Any, n_more: int, axis: int) -> Any:
    """Zeros after the last of an axis; of NumPy, which has nothing to compile."""
    if values is None or not n_more:
        return values
    values = np.asarray(values)
    more = [(0, 0)] * values.ndim
    more[axis] = (0, n_more)
    return np.pad(values, more)


def _last(tree: Any, n_more: int) -> Any:
    """Zeros after the last axis of every array of a tree."""
    return jax.tree.map(lambda leaf: _later(leaf, n_more, -1), tree)


def _filled(arrays: ModelArrays, n: int) -> ModelArrays:
    block = arrays.block._replace(
        **{name: _later(getattr(arrays.block, name), n, -2) for name in _BY_COLUMN},
        **{name: _later(getattr(arrays.block, name), n, -1) for name in _BY_CELL},
    )
    non_media = arrays.non_media
    if non_media is not None:
        non_media = non_media._replace(scaled=_later(non_media.scaled, n, -1))
    return arrays._replace(
        kpi=_later(arrays.kpi, n, -1),
        is_seen=_later(arrays.is_seen, n, -1),
        outcome_scale=_later(arrays.outcome_scale, n, -1),
        groups={name: _group(group, n) for name, group in arrays.groups.items()},
        non_media=non_media,
        baseline=_baseline(arrays.baseline, n),
        block=block,
        lifts=tuple(
            test._replace(others=_last(test.others, n), where=_later(test.where, n, -1))
            for test in arrays.lifts
        ),
    )


#: Of the linear block: what has periods before columns, and what has them last.
_BY_COLUMN = ("shared", "shocks")
_BY_CELL = ("by_geo", "local", "offset", "is_seen")


def _group(group: GroupArrays, n: int) -> GroupArrays:
    return group._replace(
        media=_last(group.media, n),
        counterfactual=_last(group.counterfactual, n),
        drift=_later(group.drift, n, -2),
    )


def _baseline(baseline: BaselineArrays, n: int) -> BaselineArrays:
    return baseline._replace(
        knot_weights=_later(baseline.knot_weights, n, -1),
        controls=_later(baseline.controls, n, -2),
        terms={
            name: term._replace(design=_later(term.design, n, -2))
            for name, term in baseline.terms.items()
        },
    )
