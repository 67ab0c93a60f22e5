"""Find: the budget itself, for a target or for the largest profit.

    profit    margin times incremental outcome, minus spend, as large as it can be
    mroi      spend until the next unit of currency brings no more than the target
    roi       the largest budget whose outcome is the target times what was spent
    outcome   the smallest budget with which the objective reaches the target

How it is found is in `core.plan.solve.budget`, over weeks in `core.plan.week_budget`.
"""

import math

from core.data.reading.findings import Finding
from core.plan.limits.findings import fault
from core.plan.limits.stated import Find
from core.toml.table import TableReader

KINDS = ("profit", "mroi", "roi", "outcome")
#: Profit per unit of revenue, at most: buyers come back, but 40 is a percentage.
_MOST = 3.0


def find_of(row: TableReader, outcome_unit: str) -> Find:
    """What the budget is found for; a KPI without value needs the margin."""
    numbers = {key: row.amount(key) for key in ("target", "least", "most")}
    numbers["margin"] = row.amount("margin", 1.0)
    find = Find(
        row.text("kind", "") or "",
        **{key: value for key, value in numbers.items() if value is not None},
    )
    if find.kind == "profit" and numbers["margin"] is None and outcome_unit == "kpi":
        row.problem(
            "A unit of the KPI has no value in money, so profit is not known.",
            "Give the profit per unit as margin, or set the value of the KPI on Data.",
            "margin",
        )
    if outcome_unit == "revenue" and find.margin > _MOST:
        row.problem(
            f"A margin of {find.margin:g} is {find.margin:g} times the revenue itself.",
            "Give the profit per unit of revenue: 0.4 for 40 %.",
            "margin",
        )
    row.finish()
    return find


def find_faults(find: Find, objective: str) -> list[Finding]:
    """What is wrong with the numbers of a request."""
    faults = []

    def wrong(message: str, hint: str, where: str = "budget") -> None:
        faults.append(fault(where, message, hint))

    if find.kind not in KINDS:
        wrong(f"No budget can be found for {find.kind!r}.", f"Use {_kinds()}.")
    elif find.kind != "profit" and not (find.target > 0 and math.isfinite(find.target)):
        wrong("The target is not a number above 0.", "Give one.")
    if not (find.margin > 0 and math.isfinite(find.margin)):
        hint = "Give the profit per unit of outcome, such as 0.4."
        wrong("The margin is not a number above 0.", hint)
    for amount in (find.least, find.most):
        if amount is not None and not (amount >= 0 and math.isfinite(amount)):
            wrong("A limit of the budget is not an amount.", "Give one.")
    if None not in (find.least, find.most) and find.least > find.most:
        wrong("The least budget is above the largest.", "Swap or change them.")
    if objective.startswith("reach") or (
        objective != "mean" and find.kind in ("profit", "mroi")
    ):
        text = f"A budget for {find.kind} needs the expected outcome."
        wrong(text, "Use the objective mean.", "objective")
    return faults


def _kinds() -> str:
    return f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
