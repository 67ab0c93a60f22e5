"""Estimates: a number with its uncertainty, as it is reported everywhere."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from core.dims import INTERVAL


class OptionalEstimate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is said of a number that need not be known: all five are None then.

    Attributes:
        mean: Of the draws.
        median: Of the draws.
        sd: Standard deviation.
        lo: Lower end of the interval with mass `core.dims.INTERVAL`.
        hi: Its upper end.
        probability_positive: Share of draws above zero, of a difference; else None.
    """

    mean: float | None
    median: float | None
    sd: float | None
    lo: float | None
    hi: float | None
    probability_positive: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a number."""
        return self.mean is not None

    def __getitem__(self, key: str) -> Any:
        """A number by its key in JSON."""
        return getattr(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """The same, or the default."""
        return getattr(self, key, default)

    def keys(self) -> tuple[str, ...]:
        """Keys in JSON."""
        return self.__struct_fields__

    def values(self) -> tuple[Any, ...]:
        """Numbers in the order of the keys."""
        return tuple(getattr(self, key) for key in self.__struct_fields__)

    def items(self) -> tuple[tuple[str, Any], ...]:
        """Keys with their numbers."""
        return tuple(zip(self.keys(), self.values(), strict=True))

    def __iter__(self) -> Iterator[str]:
        """Over the keys."""
        return iter(self.__struct_fields__)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.__struct_fields__)


Mapping.register(OptionalEstimate)  # until every reader reads attributes


class Estimate(OptionalEstimate, frozen=True, kw_only=True, omit_defaults=True):
    """What draws say about a number: mean, median, standard deviation, 90 % interval.

    All five are None where a draw is not finite.
    """

    mean: float
    median: float
    sd: float
    lo: float
    hi: float


class Part(OptionalEstimate, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a sum or of a change.

    Attributes:
        name: A channel, "Baseline", ...
        kind: "baseline", "events", "unexplained", or the channel's kind.
    """

    name: str
    kind: str


_Kind = TypeVar("_Kind", bound=OptionalEstimate)


def estimate(draws: np.ndarray) -> Estimate:
    """The estimate of draws.

    Args:
        draws: One number per posterior draw; any unit.

    Returns:
        In the draws' unit, the interval with mass `core.dims.INTERVAL`; None for all
        where there is no draw or one that is not finite.
    """
    if draws.size == 0 or not np.isfinite(draws).all():
        return _of()
    return _of(draws.mean(), draws.std(), np.quantile(draws, quantiles()))


def estimates(draws: np.ndarray) -> list[Estimate]:
    """The estimate of each column, such as a channel; draw column."""
    ends = np.quantile(draws, quantiles(), axis=0).T
    middles = zip(draws.mean(axis=0), draws.std(axis=0), ends, strict=True)
    return [_of(*each) for each in middles]


def weighted(draws: np.ndarray, weights: np.ndarray) -> Estimate:
    """The estimate of weighted draws; None for all where one is not finite.

    Half of a draw's weight lies on either side of it, so equal weights give nearly the
    quantiles of `estimate`.

    Args:
        draws: One number per draw.
        weights: Of each; they add up to one.
    """
    if not np.isfinite(draws).all():
        return _of()
    order = np.argsort(draws)
    share = np.cumsum(weights[order]) - 0.5 * weights[order]
    mean = weights @ draws
    sd = np.sqrt(weights @ (draws - mean) ** 2)
    return _of(mean, sd, np.interp(quantiles(), share, draws[order]))


def _of(mean=None, sd=None, ends=(None, None, None)) -> Estimate:
    numbers = (mean, sd, *ends)
    mean, sd, lo, median, hi = (
        each if each is None else float(each) for each in numbers
    )
    return Estimate(mean=mean, median=median, sd=sd, lo=lo, hi=hi)


def gain_of(draws: np.ndarray) -> Estimate:
    """The estimate of a difference, with the odds that it is above zero."""
    odds = probability_positive(draws)
    return msgspec.structs.replace(estimate(draws), probability_positive=odds)


def extended(of: type[_Kind], numbers: OptionalEstimate, /, **more: Any) -> _Kind:
    """The same numbers with what else a kind of estimate has, such as a name."""
    return of(**msgspec.structs.asdict(numbers), **more)


def probability_positive(draws: np.ndarray) -> float:
    """Share of draws above zero."""
    return float((draws > 0).mean())


def quantiles() -> tuple[float, float, float]:
    """Lower end, middle and upper end of the interval, as shares."""
    return (1 - INTERVAL) / 2, 0.5, (1 + INTERVAL) / 2


def interval(draws: np.ndarray) -> np.ndarray:
    """Lower and upper end of the interval over the first axis, as a new last one."""
    lo, _, hi = quantiles()
    return np.moveaxis(np.quantile(draws, (lo, hi), axis=0), 0, -1)
