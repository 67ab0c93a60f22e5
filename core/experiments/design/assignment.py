"""Assignment: which geos get the treatment.

Two ways to draw candidates: stratified (geos in order of size are cut into strata, and
one of each is treated) and matched (pairs of geos that move alike, one of each is
treated). Candidates are scored by balance before the test and by how far their
counterfactual was off in earlier windows, where nothing was tested; the seed decides
which are drawn, so an assignment can be drawn again and audited.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from core.errors import SpecError
from core.experiments.panel import Panel
from core.experiments.reading.placebo import Placebos, earlier, placebos
from core.experiments.reading.synthetic import Periods, fit
from core.text import count, listed

#: Candidates that are drawn and scored.
_CANDIDATES = 120
#: Earlier windows that a candidate's own error counts beside that of all together, as
#: many windows: few windows say little about one candidate.
_POOLED = 4
#: Best candidates whose placebos are worked out.
_LOOKED_AT = 8
_RIDGE = np.inf


@dataclass(frozen=True)
class Constraints:
    """What an assignment has to keep to.

    Attributes:
        n_treated: Geos of each cell.
        cells: Groups that are treated in ways of their own.
        left_out: Geos that are in no arm.
        in_control: Geos that must not be treated.
        most_at_risk: Largest share of the KPI that is in treated geos.
        seed: Of the draw.
    """

    n_treated: int
    cells: int = 1
    left_out: tuple[str, ...] = ()
    in_control: tuple[str, ...] = ()
    most_at_risk: float = 0.3
    seed: int = 0


@dataclass(frozen=True)
class Assignment:
    """Treated geos, scored.

    Attributes:
        cells: Treated geos of each cell.
        control: Geos that are compared with.
        balance: Largest difference between a cell's and the control geos' mean KPI,
            in standard deviations over geos.
        share: Of the KPI in treated geos.
        error: Standard error of the lift of each cell, from placebos; share.
        aa: Effect that each cell seems to have in the last window before the test,
            where there is none, and its p.
        null: Placebos of each cell.
    """

    cells: tuple[tuple[str, ...], ...]
    control: tuple[str, ...]
    balance: float
    share: float
    error: tuple[float, ...]
    aa: tuple[tuple[float, float], ...]
    null: tuple[Placebos, ...]

    @property
    def passes(self) -> bool:
        """Whether no cell has an effect where there is none (A/A, p of 0.1 or more)."""
        return all(p >= 0.1 for _, p in self.aa)

    def as_dict(self) -> dict[str, Any]:
        """The assignment as the command line prints it."""
        return {
            "cells": [list(cell) for cell in self.cells],
            "control": list(self.control),
            "balance": self.balance,
            "share": self.share,
            "standard_error": list(self.error),
            "aa": [{"lift": lift, "p": p} for lift, p in self.aa],
            "passes": self.passes,
        }


def assign(panel: Panel, constraints: Constraints, length: int) -> Assignment:
    """The most precise of many drawn assignments, one that passes its A/A check first.

    Args:
        panel: The market up to now.
        constraints: What to keep to.
        length: Periods of the test.

    Raises:
        SpecError: No assignment keeps to the constraints.
    """
    used = panel.without(constraints.left_out)
    rng = np.random.default_rng(constraints.seed)
    candidates = _candidates(used, constraints, rng)
    score = _scores(used.kpi, candidates, length)
    assignments = [
        scored(used, _named(used, candidates[place]), length, seed=constraints.seed)
        for place in np.argsort(score)[:_LOOKED_AT]
    ]
    return min(assignments, key=lambda each: (not each.passes, max(each.error)))


def scored(
    panel: Panel, cells: tuple[tuple[str, ...], ...], length: int, *, seed: int = 0
) -> Assignment:
    """An assignment that somebody chose, scored.

    Args:
        panel: The market up to now, without geos that are left out.
        cells: Treated geos of each cell.
        length: Periods of the test.
        seed: Of the placebos.
    """
    treated = tuple(geo for cell in cells for geo in cell)
    everyone = panel.is_in(treated)
    periods = last_window(panel, length)
    level = panel.kpi.mean(axis=1)
    spread = float(level.std()) or 1.0
    nulls, aa, balance = [], [], []
    for cell in cells:
        inside = panel.is_in(cell)
        used = inside | ~everyone
        own = inside[used]
        kpi = panel.kpi[used]
        rng = np.random.default_rng(seed)
        fitted = fit(kpi, own[None], ~own[None], periods, ridge=_RIDGE)
        error = float(fitted.error[0])
        null = placebos(kpi, own, periods, error=error, ridge=_RIDGE, rng=rng)
        effect = float(fitted.effect(periods)[0])
        nulls.append(null)
        aa.append((effect, null.p_value(effect)))
        balance.append(abs(level[inside].mean() - level[~everyone].mean()) / spread)
    return Assignment(
        cells=cells,
        control=tuple(geo for geo in panel.geos if geo not in treated),
        balance=float(max(balance)),
        share=float(level[everyone].sum() / level.sum()),
        error=tuple(null.standard_error for null in nulls),
        aa=tuple(aa),
        null=tuple(nulls),
    )


def last_window(panel: Panel, length: int) -> Periods:
    """The last periods of the data, as many as a test would take.

    Raises:
        SpecError: The data are too short for that.
    """
    n_times = len(panel.times)
    if n_times < 12 + length:
        raise SpecError(
            f"The data have {count(n_times, 'period')}; a test of {length} needs "
            f"{12 + length} or more to say how precise it would be.",
            hint="Add earlier data, or ask for fewer weeks.",
            where="weeks",
        )
    return Periods(n_times - length, n_times)


def _candidates(
    panel: Panel, constraints: Constraints, rng: np.random.Generator
) -> np.ndarray:
    """Cells per geo: 0 for control, 1 and on for treated; candidate geo.

    Raises:
        SpecError: The constraints leave too few geos, or put too much at risk.
    """
    free = np.flatnonzero(~panel.is_in(constraints.in_control))
    wanted = constraints.n_treated * constraints.cells
    n_geos = len(panel.geos)
    if wanted > len(free) or n_geos - wanted < 2 or constraints.n_treated < 1:
        raise SpecError(
            f"{count(constraints.cells, 'cell')} of "
            f"{count(constraints.n_treated, 'geo')} cannot be drawn from "
            f"{count(len(free), 'geo')} and leave two as control.",
            hint="Treat fewer geos, or let more of them take part.",
            where="geos",
        )
    share = panel.kpi.mean(axis=1) / panel.kpi.mean(axis=1).sum()
    candidates = []
    for attempt in range(4 * _CANDIDATES):
        way = _stratified if attempt % 2 else _matched
        order = way(panel.kpi, free, wanted, rng)
        cells = np.zeros(n_geos, dtype=int)
        cells[order] = 1 + np.arange(wanted) % constraints.cells
        if share[cells > 0].sum() <= constraints.most_at_risk:
            candidates.append(cells)
        if len(candidates) == _CANDIDATES:
            break
    if not candidates:
        small = free[np.argsort(share[free])][:wanted]
        raise SpecError(
            f"No drawn assignment of {wanted} geos has at most "
            f"{100 * constraints.most_at_risk:.0f} % of the {panel.unit}.",
            hint=f"Treat fewer geos, or allow more at risk; the {wanted} smallest "
            f"({listed([panel.geos[place] for place in small], limit=5)}) have "
            f"{100 * share[small].sum():.0f} %.",
            where="most_at_risk",
        )
    return np.unique(candidates, axis=0)


def _stratified(kpi, free, n_treated: int, rng) -> np.ndarray:
    """One geo of each of as many strata of size as are wanted, largest first."""
    by_size = free[np.argsort(-kpi[free].mean(axis=1))]
    strata = np.array_split(by_size, n_treated)
    return np.array([rng.choice(stratum) for stratum in strata])


def _matched(kpi, free, n_treated: int, rng) -> np.ndarray:
    """One geo of each of the pairs that move most alike, pairs drawn at random."""
    index = kpi[free] / np.maximum(kpi[free].mean(axis=1, keepdims=True), 1e-300)
    apart = ((index[:, None] - index[None]) ** 2).mean(axis=2)
    np.fill_diagonal(apart, np.inf)
    open_, chosen = set(range(len(free))), []
    for place in rng.permutation(len(free)):
        if place not in open_ or len(chosen) == n_treated:
            continue
        open_.discard(place)
        if open_:
            others = np.array(sorted(open_))
            partner = int(others[np.argmin(apart[place, others])])
            open_.discard(partner)
            place = rng.choice([place, partner])
        chosen.append(free[place])
    rest = [geo for geo in free if geo not in chosen]
    more = rng.choice(rest, n_treated - len(chosen), replace=False) if rest else []
    return np.array([*chosen, *more], dtype=int)[:n_treated]


def _scores(
    kpi: np.ndarray, candidates: np.ndarray, length: int
) -> Float[np.ndarray, " candidate"]:
    """Error of each candidate's worst cell in windows where nothing was tested."""
    worst = np.zeros(len(candidates))
    last = Periods(kpi.shape[1] - length, kpi.shape[1])
    windows = [last, *earlier(last)]
    for cell in range(1, candidates.max() + 1):
        groups: Bool[np.ndarray, "candidate geo"] = candidates == cell
        squared = np.array(
            [
                fit(kpi, groups, candidates == 0, window, ridge=_RIDGE).effect(window)
                ** 2
                for window in windows
            ]
        )
        pooled = _POOLED * squared.mean()
        mean = (squared.sum(axis=0) + pooled) / (len(windows) + _POOLED)
        worst = np.maximum(worst, mean)
    return worst


def _named(panel: Panel, cells: np.ndarray) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(geo for geo, own in zip(panel.geos, cells, strict=True) if own == cell)
        for cell in range(1, cells.max() + 1)
    )
