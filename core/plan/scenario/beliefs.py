"""Beliefs in a scenario file: channels that the fit has never seen run.

[belief.Podcast]
spend = 200_000              # over the plan's periods
roi = [0.8, 3.0]             # 90 % interval at that spend; default: as its kind
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import PlanError, ValueRangeError
from core.plan.response.belief import Belief
from core.toml.document import shown
from core.toml.table import TableReader, amount_of


def refuse_beliefs(table: Mapping[str, Any], over: str) -> None:
    """Refuse channels without history where no response by week or geo is believed in.

    Args:
        table: A scenario.
        over: What the plan is over.

    Raises:
        PlanError: It has some.
    """
    if table.get("belief"):
        names = ", ".join(table["belief"])
        raise PlanError(
            f"{names} never ran in this fit, and a plan over {over} needs a response "
            "that was fitted.",
            hint="Plan over channels, or take [belief] out and reserve the money.",
            where="belief",
        )


def read_belief(name: str, row: TableReader, names: Sequence[str]) -> Belief:
    """What a scenario says of a channel without history.

    Args:
        name: The channel.
        row: Its table; what is wrong with it is a problem there.
        names: Channels of the fit.
    """
    if name in names:
        hint = "Leave [belief] out: its response was measured. For a channel without "
        hint += "spend in these periods plan weeks."
        row.problem(f"{name} is a channel of this fit.", hint, "spend")
    spend = row.amount("spend")
    if spend is None or not (math.isfinite(spend) and spend > 0):
        hint = "Give what it could spend over the plan's periods, such as 200000."
        row.problem(f"The spend of {name} is not an amount above 0.", hint, "spend")
        spend = 1.0
    roi = row.converted("roi", roi_of)
    row.finish()
    return Belief(name, spend, roi)


def roi_of(value: Any) -> tuple[float, float]:
    """The ends of a 90 % interval of an ROI.

    Raises:
        ValueRangeError: It is none.
    """
    ends = value if isinstance(value, list | tuple) and len(value) == 2 else ()
    low, high = (amount_of(end, 1.0) for end in ends) if ends else (math.nan, math.nan)
    if not (0 < low < high < math.inf):
        raise ValueRangeError(
            f"{shown(value)} is not a range of an ROI.",
            hint="Give two numbers above 0, the smaller one first, such as [0.8, 3.0].",
        )
    return low, high
