"""Plans of a project: listed, named, marked, approved, and held against what came."""

from pathlib import Path

from core.data.files.isolated import load_table
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.project.plans.plan_actuals import actuals_template, so_far, variance
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


def actuals_of(
    fit: Run, record: PlanRecord, source: Path | bytes, filename: str
) -> PlanBesideActuals:
    """A plan beside what happened, by its fit and a table that somebody sent.

    Args:
        fit: What it was planned with.
        record: The plan.
        source: Path or content of the table.
        filename: Its name, for messages.

    Raises:
        DataError: The table is not what is needed.
        PlanError: The plan begins after the table ends.
    """
    return variance(fit.folder, record, load_table(source, filename))
