"""Starts: when a test is best run.

Windows of the year differ in what a channel spends, in how large the outcome is, and so
in cost and precision; and what is learnt later is left with fewer weeks of the plan.
A few starts are tried. The value of a result takes a plan per bin of results, so it is
worked out where a start teaches most, scaled to the others by the share that they would
settle and the weeks that they leave, and worked out again where that promises most.
"""

from dataclasses import replace

import numpy as np

from core.experiments.design.candidate import Arm, Design, Kind, Stakes, design, stakes
from core.experiments.design.market import Market
from core.experiments.design.sample_value import Planner
from core.experiments.panel import Panel

#: Weeks after the data after which a test may begin.
STARTS = (0, 6, 13, 26)


def best_start(
    market: Market,
    planner: Planner,
    what: tuple[str, Kind],
    arm: Arm,
    weeks_of_plan: int,
) -> Design:
    """The design at the start with the largest net value of those that are tried.

    Args:
        market: What the fit says.
        planner: The plan that the result is for.
        what: The channel, and what happens to its spend.
        arm: Where, how long and how precise, at the first start.
        weeks_of_plan: That the result is for, from the first start on.
    """
    horizon = market.panel.periods(weeks_of_plan)
    every: list[tuple[Arm, int, Stakes]] = []
    for weeks in STARTS:
        delay = market.panel.periods(weeks) if weeks else 0
        left = horizon - delay - arm.length
        if every and left <= 0:
            break
        moved = _moved(market.panel, arm, delay)
        every.append((moved, horizon - delay, stakes(market, planner, *what, moved)))
    taught = np.array([at.learnt * max(left - arm.length, 0) for _, left, at in every])
    most = int(taught.argmax())
    first = design(market, planner, *what, every[most][0], every[most][1])
    scale = taught / taught[most] if taught[most] > 0 else np.ones(len(every))
    charged = np.array([float(at.charged.mean()) for _, _, at in every])
    best = int((first.value * scale - charged).argmax())
    if best == most:
        return first
    other = design(market, planner, *what, every[best][0], every[best][1])
    return max(first, other, key=lambda each: each.net.mean)


def _moved(panel: Panel, arm: Arm, delay: int) -> Arm:
    """The same test some periods later, at the outcome that is expected then."""
    if not delay:
        return arm
    start = str(np.datetime64(arm.start, "D") + delay * panel.step)
    if not arm.geos:
        return replace(arm, start=start)
    outcome = expected_outcome(panel, panel.is_in(arm.geos), arm.length, start)
    return replace(arm, start=start, outcome=outcome)


def expected_outcome(
    panel: Panel, inside: np.ndarray, length: int, start: str
) -> float:
    """Outcome of some geos in a window to come: that of the same weeks a year earlier.

    Where the data do not reach back that far, that of the last year's mean period.
    """
    per_period = panel.kpi[inside].sum(axis=0)
    first = panel.year_before(start)
    if 0 <= first and first + length <= len(per_period):
        return float(per_period[first : first + length].sum())
    return float(per_period[-round(364 / panel.step) :].mean() * length)
