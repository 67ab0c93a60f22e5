"""The horizon of a scenario: the periods that a plan is for, as people state them.

[horizon]
periods = 13                 # default: a year of them
start = "2025-01-06"         # default: the first period after the data
as_fitted = true             # instead of both: the data's own periods
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import PlanError
from core.plan.scenario.amounts import finish, reader_of


@dataclass(frozen=True)
class HorizonWish:
    """What is said about the periods of a plan.

    Attributes:
        periods: How many; None for a year of them.
        start: A day in or before the first one, YYYY-MM-DD; None for the first period
            after the data.
        as_fitted: Whether the data's own periods are planned.
    """

    periods: int | None = None
    start: str | None = None
    as_fitted: bool = False

    def as_table(self) -> dict[str, Any]:
        """The wish in the words of a scenario file."""
        if self.as_fitted:
            return {"as_fitted": True}
        stated = {"periods": self.periods, "start": self.start}
        return {key: value for key, value in stated.items() if value is not None}


#: What is planned where nothing is said: the year after the data.
NEXT_YEAR = HorizonWish()


def horizon_wish(table: Mapping[str, Any], **flags: Any) -> HorizonWish:
    """The horizon of a scenario file.

    Args:
        table: The file; its `[horizon]`.
        flags: `periods`, `start` and `as_fitted` that go before what the file says;
            None for what was not said.

    Raises:
        PlanError: It is not understood, or contradicts itself.
    """
    stated = {
        key: value
        for key, value in flags.items()
        if value is not None and value is not False
    }
    if not stated:
        row = reader_of(table).child("horizon")
        stated = {
            "periods": row.integer("periods"),
            "start": row.converted("start", str),
            "as_fitted": row.boolean("as_fitted"),
        }
        finish(row)
    wish = HorizonWish(**stated)
    if wish.as_fitted and (wish.periods is not None or wish.start is not None):
        raise _fault(
            "The data's own periods have a start and a number already.",
            "Give periods and start, or as_fitted.",
        )
    return wish


def _fault(message: str, hint: str) -> PlanError:
    return PlanError(message, hint=hint, where="horizon")
