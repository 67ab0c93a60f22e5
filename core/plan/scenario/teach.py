"""Teach: a plan of weeks that pays and from which the next plan learns.

[teach]                      # or teach = true
cost = "0.5 %"               # most that it may cost, of what media bring
later = 1                    # later horizons that use what is learned
seed = 1                     # of the signs and places of what varies
"""

import math
from dataclasses import dataclass
from typing import Any

from core.errors import PlanError, ValueRangeError
from core.toml.document import shown
from core.toml.table import TableReader, amount_of

#: Most later horizons.
MOST_LATER = 10


@dataclass(frozen=True)
class Teach:
    """What a plan of weeks may do to teach.

    Attributes:
        cost: Largest expected cost, as a share of what the plan that only earns brings.
        later: Later horizons of the same length that use what is learned.
        seed: Of the signs and places of what varies.
    """

    cost: float = 0.005
    later: int = 1
    seed: int = 1


def teach_of(root: TableReader) -> Teach | None:
    """What a scenario says of teaching; None where it does not ask for it."""
    stated = root.any("teach")
    if stated is None or isinstance(stated, bool):
        return Teach() if stated else None
    row = root.child("teach")
    first = Teach()
    cost = row.converted("cost", _share)
    later = row.integer("later", first.later)
    seed = row.integer("seed", first.seed)
    if later is not None and not 1 <= later <= MOST_LATER:
        hint = f"Use 1 to {MOST_LATER}: the horizons after this one."
        row.problem(f"{later} later horizons are not possible.", hint, "later")
    row.finish()
    if row.has_problems:
        return None
    return Teach(first.cost if cost is None else cost, later, abs(seed))


def _share(value: Any) -> float:
    share = amount_of(value, 1.0)
    if not (math.isfinite(share) and 0 < share <= 0.2):
        raise ValueRangeError(
            f"{shown(value)} is not a cost of learning.",
            hint='Use a share of what media bring, up to 20 %, such as "0.5 %".',
        )
    return share


def check_teach(
    teach: Teach | None, *, objective: str, finds: bool, fixed: bool
) -> None:
    """Refuse what cannot be planned for outcome and knowledge.

    Args:
        teach: What is asked.
        objective: Of the plan.
        finds: Whether the budget is to be found.
        fixed: Whether spend is prescribed.

    Raises:
        PlanError: It cannot be.
    """
    if teach is None:
        return
    wrong = (
        ("spend that is prescribed", "Leave out [spend]." if fixed else ""),
        ("a budget that is to be found", "Set a budget." if finds else ""),
        (f"the objective {objective}", "Use mean." if objective != "mean" else ""),
    )
    for what, hint in wrong:
        if hint:
            raise PlanError(
                f"Weeks are not planned for outcome and knowledge with {what}.",
                hint=f"{hint} Or leave out teach.",
                where="teach",
            )
