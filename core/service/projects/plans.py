"""Plans of a project: listed, named, marked, approved, and held against what came."""

from core.project.plans.plan_actuals import actuals_template, so_far
from core.project.plans.plans import (
    LONGEST_NAME,
    LONGEST_NOTES,
    delete_plan,
    list_plans,
    load_plan,
    mark_plan,
    plan_of_record,
    read_plans,
    rename_plan,
    with_fit,
)

__all__ = [
    "LONGEST_NAME",
    "LONGEST_NOTES",
    "actuals_template",
    "delete_plan",
    "list_plans",
    "load_plan",
    "mark_plan",
    "plan_of_record",
    "read_plans",
    "rename_plan",
    "so_far",
    "with_fit",
]
