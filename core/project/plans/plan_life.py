"""The life of a plan: draft, saved, proposed, approved, of record."""

import math
from collections.abc import Iterable
from pathlib import Path

from core.plan.record.plan_record import PlanRecord
from core.project.plans.plans import plan_of_record
from core.team.approval import approval_of
from core.team.settings import is_enforced
from core.text.languages.language import marked

DRAFT, SAVED, PROPOSED, APPROVED, OF_RECORD = (
    marked("Draft"),
    marked("Saved"),
    marked("Proposed"),
    marked("Approved"),
    marked("Of record"),
)
#: What a plan shares with its saved self, beside its numbers.
_SAME = ("over", "horizon", "run_id")
#: Amounts that differ by less are the same, currency.
_CENT = 0.011


def stages(project: Path) -> tuple[str, ...]:
    """The stages that a plan of the project goes through, the first first.

    Plans are proposed and approved where people sign in.
    """
    decided = (PROPOSED, APPROVED) if is_enforced(project) else ()
    return (DRAFT, SAVED, *decided, OF_RECORD)


def stage(project: Path, saved: PlanRecord | None) -> str:
    """The stage that a plan is at.

    Args:
        project: The project's folder.
        saved: The plan; None for one that is not saved.

    Raises:
        WorkspaceError: Its approval cannot be read.
    """
    if saved is None:
        return DRAFT
    if plan_of_record(project) == saved.plan_id:
        return OF_RECORD
    if not is_enforced(project):
        return SAVED
    steps = {"proposed": PROPOSED, "approved": APPROVED}
    return steps.get(approval_of(project, saved.plan_id).status, SAVED)


def saved_as(plan: PlanRecord, saved: Iterable[PlanRecord]) -> PlanRecord | None:
    """The saved plan that a plan is, the first of `saved`; None for a draft.

    Args:
        plan: Without an identifier.
        saved: Plans of the project.
    """
    return next((each for each in saved if _is_same(plan, each)), None)


def _is_same(plan: PlanRecord, saved: PlanRecord) -> bool:
    """Whether two plans are of one fit, for the same periods, limits and money."""
    if any(getattr(plan, name) != getattr(saved, name) for name in _SAME):
        return False
    if (
        plan.objective.name != saved.objective.name
        or plan.money.keys() != saved.money.keys()
    ):
        return False
    numbers, others = _numbers(plan), _numbers(saved)
    return len(numbers) == len(others) and all(
        math.isclose(one, other, abs_tol=_CENT)
        for one, other in zip(numbers, others, strict=True)
    )


def _numbers(plan: PlanRecord) -> list[float]:
    """Every amount that was decided, and its limits."""
    amounts = [
        -1.0 if amount is None else float(amount)
        for line in plan.channels
        for amount in (line.planned, line.low, line.high, line.locked, *line.weeks)
    ]
    return amounts + [cell.planned for cell in plan.cells]
