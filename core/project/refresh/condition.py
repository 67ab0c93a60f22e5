"""Conditions: when a refresh is worth somebody's look, as `moved > 1 sd`."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import SpecError
from core.project.refresh.record import RefreshRecord

_SHAPE = re.compile(
    r"(moved|plan|actual|changed|new)\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*([a-z%]*)"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
#: Units of each quantity; the first one is what is meant where none is written.
_UNITS = {
    "moved": ("sd",),
    "plan": ("%",),
    "actual": ("%",),
    "changed": ("cells", "cell"),
    "new": ("periods", "period"),
}
#: What to look at where no number is asked about.
_DOUBT = "not trustworthy"


@dataclass(frozen=True)
class Condition:
    """One condition.

    Attributes:
        text: As it was written.
        quantity: `moved`: the largest move of a paid channel's ROI, in its standard
            deviations; `plan`: the change of what the plan of record brings, per cent;
            `actual`: actual less planned outcome, per cent; `changed`: changed cells
            of old rows; `new`: new periods; or `not trustworthy`, the fit's verdict.
        sign: How it is compared.
        number: With what.
    """

    text: str
    quantity: str
    sign: str = ">"
    number: float = 0.0

    def holds(self, record: RefreshRecord | None, verdict: str) -> bool:
        """Whether a refresh fulfils it; never where nothing came.

        Args:
            record: Of the refresh; None where no fit was refreshed.
            verdict: Of the new fit.
        """
        if self.quantity == _DOUBT:
            return bool(verdict) and verdict != "trustworthy"
        value = None if record is None else quantity(record, self.quantity)
        return value is not None and _COMPARE[self.sign](value, self.number)


def condition(text: str) -> Condition:
    """A condition as it is written.

    Raises:
        SpecError: It cannot be understood.
    """
    plain = " ".join(text.lower().split())
    if plain == _DOUBT:
        return Condition(text, _DOUBT)
    match = _SHAPE.fullmatch(plain)
    if match is None or match[4] not in ("", *_UNITS[match[1]]):
        raise SpecError(
            f'"{text}" is not a condition.',
            hint='Write one such as "moved > 1 sd", "plan < -5 %", "actual < -10 %", '
            '"changed > 0 cells", "new > 0 periods" or "not trustworthy".',
            where="--if",
        )
    return Condition(text, match[1], match[2], float(match[3]))


def quantity(record: RefreshRecord, name: str) -> float | None:
    """A number that a condition can be about; None where there is none."""
    plan, actuals = record.plan, record.actuals
    if name == "moved":
        return record.moved
    if name == "changed":
        return float(record.came.n_changed)
    if name == "new":
        return float(len(record.came.periods))
    if name == "plan":
        return plan and _change(plan.before.mean, plan.after.mean)
    return actuals and _change(actuals.planned.mean, actuals.actual)


def _change(before: float, after: float) -> float | None:
    """The change from one number to another, per cent."""
    return 100 * (after / before - 1) if before else None
