"""Saved plans of one kind."""

from pathlib import Path

from core.plan.record.plan_record import PlanRecord
from core.project.plans.plans import list_plans


def plans_over(project: Path, over: str) -> list[PlanRecord]:
    """The saved plans over channels, geos or weeks, newest first."""
    return [plan for plan in list_plans(project) if plan.over == over]
