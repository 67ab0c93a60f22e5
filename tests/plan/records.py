"""Plan records made by hand, for tests of what reads them."""

from typing import Any

import numpy as np

from core.estimate import Estimate, estimate, gain_of
from core.plan.advice.parts import Recommendation
from core.plan.record.parts import (
    AgainstToday,
    Bound,
    Line,
    Objective,
    Outcomes,
    Pair,
    Returns,
    Today,
)
from core.plan.record.plan_record import PlanRecord, as_draws
from core.plan.response.periods import Horizon
from core.project.refresh.record import RefreshRecord

AHEAD = Horizon("2024-01-01", "2024-12-23", 52, as_fitted=False)


def about(mean: float, sd: float = 1.0, odds: float | None = 0.9) -> Estimate:
    """An estimate around a mean."""
    return Estimate(
        mean=mean,
        median=mean,
        sd=sd,
        lo=mean - 1.64 * sd,
        hi=mean + 1.64 * sd,
        probability_positive=odds,
    )


def line(name: str, planned: float, current: float = 100.0, **more: Any) -> Line:
    """A channel or a geo."""
    common = {
        "comparison": current,
        "multiplier": planned / current if current else None,
        "outcome": Pair(about(2 * current), about(2 * planned)),
        "beyond_seen": False,
        "locked": False,
    }
    return Line(name=name, planned=planned, current=current, **(common | more))


def record(*lines: Line, **more: Any) -> PlanRecord:
    """A plan of these channels; one of two where none are named."""
    lines = lines or (line("TV", 120.0), line("Search", 80.0))
    budget = sum(each.planned for each in lines)
    now = sum(each.current for each in lines)
    rng = np.random.default_rng(1)
    draws = {"current": rng.normal(2 * now, 1, 50), "planned": rng.normal(500, 1, 50)}
    gain = draws["planned"] - draws["current"]
    reasons = more.get("reasons", ("It pays.",))
    common = {
        "over": "channels",
        "budget": budget,
        "horizon": AHEAD,
        "objective": Objective("mean", 500.0, 2 * now),
        "channels": lines,
        "outcome": Outcomes(**{name: estimate(each) for name, each in draws.items()}),
        "gain": gain_of(gain),
        "today": Today(now, about(2 * now)),
        "against_today": AgainstToday(
            budget - now, about(1.0), Returns(about(2.0), about(2.1)), None
        ),
        "bound": Bound(501.0, 0.002, "ceiling"),
        "advice": "change",
        "reasons": ("It pays.",),
        "on_split": Recommendation(more.get("advice", "change"), reasons),
        "robustness": (),
        "current_scaled": False,
        "scenario": {"horizon": AHEAD.as_table()},
        "currency": "EUR",
        "outcome_unit": "revenue",
        "draws": {name: as_draws(each) for name, each in draws.items()},
        "idle": (),
        "test": None,
        "supported": None,
        "best": None,
        "goal": None,
        "run_id": "20240102-030405-0a1b2c3d",
    }
    return PlanRecord(**(common | more))


def refresh_record(**more: Any) -> RefreshRecord:
    """What a refresh that moved nothing says."""
    common = {"before": "one", "after": "two", "causes": ("new data",), "channels": ()}
    common |= {"moved": 0.0, "moved_channel": None, "noise": 3.0}
    return RefreshRecord(**(common | more))
