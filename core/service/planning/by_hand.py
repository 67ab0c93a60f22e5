"""What a plan becomes as somebody moves a control: gains, limits, budgets, fits."""

from core.plan.against.planned_forecast import (
    in_all,
    multiples,
    plan_total,
)
from core.plan.against.rescore import Between, Rescored, rescored
from core.plan.frontier import Move, Point, frontier, next_money, round_amount
from core.plan.limit_costs import LimitCost, limit_costs
from core.plan.limits.cents import difference

__all__ = [
    "Between",
    "LimitCost",
    "Move",
    "Point",
    "Rescored",
    "difference",
    "frontier",
    "in_all",
    "limit_costs",
    "multiples",
    "next_money",
    "plan_total",
    "rescored",
    "round_amount",
]
