"""Lead: how much more one plan brings than another, draw by draw.

Two plans of one fit are evaluated on the same draws of the posterior, so whatever makes
media pay more or less moves both. Their difference is therefore far surer than their
intervals, which overlap, suggest.
"""

import numpy as np

from core.estimate import Estimate, gain_of
from core.plan.limits.cents import difference
from core.plan.record.plan_record import PlanRecord


def lead(plan: PlanRecord, other: PlanRecord) -> Estimate | None:
    """What a plan adds to another: profit where both count it, else their outcome.

    Profit is margin times outcome less spend. None where the draws of the two are not
    the same (another fit or another view), where they are for other periods, where
    their budgets differ and no margin says what an outcome is worth, and where profit
    is not known by draw: at two margins, or with spend on mediators, which differs from
    draw to draw while a record keeps its mean only.

    Args:
        plan: The plan.
        other: What it is held against.

    Returns:
        Currency for profit, else in units of the outcome, with the odds that it is
        above zero.
    """
    if not _is_paired(plan, other):
        return None
    added = difference(plan.draws_of("planned"), other.draws_of("planned"))
    spent = round(plan.budget - other.budget, 2)
    profits = [each.against_today.profit for each in (plan, other)]
    if None in profits:
        return None if spent else gain_of(added)
    first, second = (each.margin for each in profits)
    pays = any(each.cash is not None for each in (plan, other))
    if pays or not np.isclose(first, second):
        return None
    return gain_of(first * added - spent)


def _is_paired(plan: PlanRecord, other: PlanRecord) -> bool:
    """Whether the outcomes of two plans are those of the same draws."""
    alike = ("run_id", "over", "horizon", "discount", "outcome_unit", "currency")
    n_draws = {len(each.draws_of("planned")) for each in (plan, other)}
    is_same = all(getattr(plan, name) == getattr(other, name) for name in alike)
    return bool(plan.run_id) and is_same and n_draws != {0} and len(n_draws) == 1
