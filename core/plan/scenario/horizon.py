"""The horizon of a scenario: the periods that a plan is for, as people state them.

[horizon]
periods = 13                 # default: a year of them
start = "2025-01-06"         # default: the first period after the data
value = [1.0, 1.1]           # of a KPI unit over a year earlier's: one, or per period
as_fitted = true             # instead of all: the data's own periods
"""

import math
from collections.abc import Mapping
from typing import Any

from core.errors import PlanError, ValueRangeError
from core.plan.limits.stated import HorizonRequest
from core.plan.scenario.amounts import finish, reader_of
from core.toml.document import shown
from core.toml.table import amount_of

#: What is planned where nothing is said: the year after the data.
NEXT_YEAR = HorizonRequest()


def horizon_request(table: Mapping[str, Any], **flags: Any) -> HorizonRequest:
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
        if value is not None and value is not False and value != ()
    }
    if not stated:
        row = reader_of(table).child("horizon")
        stated = {
            "periods": row.integer("periods"),
            "start": row.converted("start", str),
            "as_fitted": row.boolean("as_fitted"),
            "value": row.converted("value", _values, ()),
        }
        finish(row)
    horizon = HorizonRequest(**stated)
    if horizon.as_fitted and (horizon.periods is not None or horizon.start is not None):
        raise _fault(
            "The data's own periods have a start and a number already.",
            "Give periods and start, or as_fitted.",
        )
    if horizon.as_fitted and horizon.value:
        raise _fault(
            "The data's own periods have the values that a KPI unit had in them.",
            "Leave value out, or plan periods ahead.",
        )
    return horizon


def _values(stated: Any) -> tuple[float, ...]:
    """Values of a KPI unit over a year earlier's.

    Raises:
        ValueRangeError: One is not a number above 0.
    """
    numbers = stated if isinstance(stated, list | tuple) else [stated]
    values = tuple(amount_of(each, 1.0) for each in numbers)
    if not values or not all(math.isfinite(each) and each > 0 for each in values):
        raise ValueRangeError(
            f"{shown(stated)} is not a value of a KPI unit over last year's.",
            hint="Use numbers above 0: 1.0 keeps last year's value, 1.1 is 10 % more.",
        )
    return values


def _fault(message: str, hint: str) -> PlanError:
    return PlanError(message, hint=hint, where="horizon")
