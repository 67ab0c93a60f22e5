"""Branch and bound, best first: the most that any part of a problem can still reach.

A part has a bound on what it holds; the part with the highest is cut, until that bound
is near enough to what was reached, nothing can be cut, or enough parts were looked at.
What a part is, how it is cut and what is reached there is the caller's.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

Part = TypeVar("Part")


class Bounded(NamedTuple):
    """What is known at the end.

    Attributes:
        bound: Nothing in any part is above this.
        count: Parts examined.
    """

    bound: float
    count: int


def best_first(
    first: tuple[Part, float],
    cut: Callable[[Part], Sequence[tuple[Part, float]] | None],
    is_close: Callable[[float], bool],
    most: int,
) -> Bounded:
    """A bound on all parts of a problem.

    Args:
        first: The whole problem, and its bound.
        cut: The parts of a part that can hold anything, each with its bound; None where
            it cannot be cut.
        is_close: Whether a bound is near enough to what was reached.
        most: Parts to examine before the bound is taken as it is.
    """
    whole, bound = first
    waiting = [(-bound, 0, whole)]
    settled, count = -np.inf, 1
    while waiting:
        if is_close(max(settled, -waiting[0][0])) or count >= most:
            break
        negative, _, part = heapq.heappop(waiting)
        inner = cut(part)
        if inner is None:
            settled = max(settled, -negative)
            continue
        for half, bound in inner:
            count += 1
            # No part reaches more than what it is of; the count decides ties, since
            # parts have no order.
            heapq.heappush(waiting, (max(-bound, negative), count, half))
    remaining = -waiting[0][0] if waiting else -np.inf
    return Bounded(max(settled, remaining), count)
