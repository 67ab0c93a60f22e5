"""Placebo: the same read-out where nothing was tested, again and again.

Groups of as many geos as were treated are drawn from the geos that were not, and read
over the window of the test and over earlier windows of the same length. What they show
is the error of the method on these very data: it gives intervals, p, and the standard
error that a planned test would have (Abadie, Diamond and Hainmueller 2010; over
windows, Chernozhukov, Wuthrich and Zhu 2021).

A group that is fitted better before the window errs less in it, so each placebo counts
at the scale of the treated geos: the error before the window, its square averaged with
that of the median group, because a fit error of one group is itself uncertain.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.dims import INTERVAL
from core.errors import DataError
from core.experiments.reading.synthetic import RIDGES, Periods, balance, fit

#: Groups of geos that are drawn.
GROUPS = 200
#: Fewest periods before a window, and earlier windows that are tried.
_FEWEST_BEFORE, _WINDOWS = 12, 3
#: Groups that a ridge penalty is chosen with.
_FOR_RIDGE = 60
#: Error of the simplest counterfactual over the least at which it is still chosen.
_EARNED = 1.1


class Placebos(NamedTuple):
    """Effects where there was none.

    Attributes:
        cumulative: Up to each period of the window, as a share of the counterfactual,
            at the scale of the treated geos.
        is_now: Whether each is of the window of the test, not an earlier one.
    """

    cumulative: Float[np.ndarray, "placebo period"]
    is_now: Bool[np.ndarray, " placebo"]

    @property
    def effect(self) -> Float[np.ndarray, " placebo"]:
        """Over the whole window."""
        return self.cumulative[:, -1]

    @property
    def standard_error(self) -> float:
        """Root mean squared effect: nothing was tested, so all of it is error."""
        return float(np.sqrt((self.effect**2).mean()))

    def reach(self, mass: float = INTERVAL) -> Float[np.ndarray, " period"]:
        """Half the width of the interval up to each period."""
        return np.quantile(np.abs(self.cumulative), mass, axis=0)

    def p_value(self, effect: float) -> float:
        """Share of placebos at least as large, the test itself among them."""
        larger = int((np.abs(self.effect) >= abs(effect)).sum())
        return (1 + larger) / (1 + len(self.effect))


def groups_of(
    treated: Bool[np.ndarray, " geo"],
    n_groups: int,
    rng: np.random.Generator,
    sizes: Float[np.ndarray, " geo"],
) -> Bool[np.ndarray, "group geo"]:
    """Groups of geos that were not treated, each geo like one that was in size.

    Fewer geos than were treated where too few would be left to compare them with.

    Args:
        treated: Geos of the test.
        n_groups: How many.
        rng: Decides which.
        sizes: Mean KPI of each geo.
    """
    others = np.flatnonzero(~treated)
    n_drawn = max(min(int(treated.sum()), len(others) // 2), 1)
    rank = np.empty(len(sizes))
    rank[np.argsort(sizes)] = np.arange(len(sizes))
    ranks = rank[treated]
    groups = np.zeros((n_groups, len(treated)), dtype=bool)
    for group in groups:
        noise = rng.uniform(-0.5, 0.5, len(sizes)) * max(len(sizes) / 2, 4)
        noisy = rank + noise
        for place in rng.permutation(ranks)[:n_drawn]:
            free = others[~group[others]]
            group[free[np.argmin(np.abs(noisy[free] - place))]] = True
    return groups


def placebos(
    kpi: Float[np.ndarray, "geo time"],
    treated: Bool[np.ndarray, " geo"],
    periods: Periods,
    *,
    error: float,
    ridge: float,
    rng: np.random.Generator,
) -> Placebos:
    """Effects of groups that were not treated, now and before.

    Args:
        kpi: Of every geo.
        treated: Geos of the test, which no placebo uses in the test's window.
        periods: Of the test.
        error: Of the treated geos' fit before the test, see `Fit`.
        ridge: Of the counterfactual.
        rng: Decides on the groups.
    """
    sizes = kpi[:, : periods.before].mean(axis=1)
    groups = groups_of(treated, GROUPS, rng, sizes)
    parts, is_now, own = [], [], 1.0
    for window in (periods, *earlier(periods)):
        now = window == periods
        controls = ~groups & ~treated if now else ~groups
        fitted = fit(kpi, groups, controls, window, ridge=ridge)
        typical = float(np.median(fitted.error)) or 1.0
        if now:
            own = np.sqrt(1 + (error / typical) ** 2)
        scale = own / np.sqrt(1 + (fitted.error / typical) ** 2)
        parts.append(fitted.cumulative(window) * scale[:, None])
        is_now.append(np.full(GROUPS, now))
    return Placebos(np.concatenate(parts), np.concatenate(is_now))


def earlier(periods: Periods) -> list[Periods]:
    """Windows of the same length before a test, the last first, none overlapping."""
    fewest = max(_FEWEST_BEFORE, periods.before // 2)
    starts = range(periods.before - periods.length, fewest - 1, -periods.length)
    return [Periods(start, start + periods.length) for start in starts][:_WINDOWS]


def chosen_ridge(
    kpi: Float[np.ndarray, "geo time"],
    treated: Bool[np.ndarray, " geo"],
    periods: Periods,
    rng: np.random.Generator,
) -> float:
    """The penalty by placebos of earlier windows, which have not seen the test.

    The largest whose root mean squared effect is within a tenth of the least: ridge
    regression extrapolates beyond what control geos did, and has to earn that.
    """
    windows = earlier(periods)
    if not windows:
        return RIDGES[-1]
    sizes = kpi[:, : periods.before].mean(axis=1)
    groups = groups_of(treated, _FOR_RIDGE, rng, sizes)
    balanced = [balance(kpi, groups, ~groups, window) for window in windows]
    errors = [
        np.sqrt(np.mean([b.fit(ridge).effect(b.periods) ** 2 for b in balanced]))
        for ridge in RIDGES
    ]
    most = _EARNED * min(errors)
    return max(r for r, error in zip(RIDGES, errors, strict=True) if error <= most)


def enough(periods: Periods) -> None:
    """Refuse a window without a past.

    Raises:
        DataError: Too few periods lie before it.
    """
    if periods.before < _FEWEST_BEFORE:
        raise DataError(
            f"Only {periods.before} periods lie before the test; "
            f"{_FEWEST_BEFORE} are needed to fit its counterfactual.",
            hint="Add earlier data, or begin the test later.",
            where="start",
        )
