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
from core.plan.scenario.amounts import known, number, table_of

_KEYS = ("periods", "start", "as_fitted")


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
        said = {"periods": self.periods, "start": self.start}
        return {key: value for key, value in said.items() if value is not None}


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
    row = table_of(table, "horizon")
    known(row, _KEYS, "horizon")
    said = {
        key: value
        for key, value in flags.items()
        if value is not None and value is not False
    }
    if not said:
        count = number(row, "periods", "horizon")
        if count is not None and count != int(count):
            raise _fault(f"{count:g} periods cannot be planned.", "Give a whole one.")
        said = {
            "periods": None if count is None else int(count),
            "start": str(row["start"]) if "start" in row else None,
            "as_fitted": row.get("as_fitted", False) is True,
        }
    wish = HorizonWish(**said)
    if wish.as_fitted and (wish.periods is not None or wish.start is not None):
        raise _fault(
            "The data's own periods have a start and a number already.",
            "Give periods and start, or as_fitted.",
        )
    return wish


def _fault(message: str, hint: str) -> PlanError:
    return PlanError(message, hint=hint, where="horizon")
