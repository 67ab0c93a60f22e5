"""Plans of a project: listed, named, marked, approved, and held against what came."""

from collections.abc import Sequence
from pathlib import Path

from core.data.files.isolated import load_table
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.project.plans.plan_actuals import (
    actuals_template,
    laid_out_for,
    so_far,
    variance,
)
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
    fit: Run, record: PlanRecord, files: Sequence[tuple[Path | bytes, str]]
) -> PlanBesideActuals:
    """A plan beside what happened, by its fit and the files that somebody sent.

    Args:
        fit: What it was planned with.
        record: The plan.
        files: Path or content of each, and its name, for messages.

    Raises:
        DataError: They are not what is needed.
        PlanError: The plan begins after they end.
    """
    tables = {name: load_table(source, name) for source, name in files}
    return variance(fit.folder, record, laid_out_for(fit.folder, tables))
