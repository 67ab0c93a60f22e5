"""Buying: how a channel may be bought.

A field of `Buying` is one of a limit, `core.plan.limits.stated.Bound`, from which it
has its key in scenario files and its words; here it is a column of the screen's editor
and what the address, saved plans and undo keep. What it means is said by
`core.plan.scenario.table`, of weeks by `core.plan.scenario.week_limits`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from core.declared import Field
from core.plan.limits.stated import FIELDS

#: What a scenario says of a channel that is bought at its best frequency.
BEST = "best"
#: The largest gamma that a plan takes: at 0.9 ten times the units cost 10^10 times.
LARGEST = 0.9


@dataclass(frozen=True)
class Option(Field):
    """One way in which a channel may be bought.

    Attributes:
        stated_as: What a file says instead of true.
        least: The smallest number.
        most: The largest number.
        is_money: Whether it is an amount.
    """

    stated_as: Any = True
    least: float = 0.0
    most: float = math.inf
    is_money: bool = False

    @property
    def is_flag(self) -> bool:
        """Whether it is yes or no."""
        return isinstance(self.default, bool)

    def is_possible(self, value: Any) -> bool:
        """Whether it may have a value."""
        if self.is_flag or isinstance(value, bool):
            return self.is_flag and value is True
        is_number = isinstance(value, int | float) and value > 0
        return is_number and self.least <= value <= self.most and value < math.inf


def _option(default: bool | float, of: str, **rest: Any) -> Any:
    declared = FIELDS[of]
    words = {"key": declared.key, "label": declared.label, "help": declared.help}
    return field(default=default, metadata=words | rest)


@dataclass(frozen=True, kw_only=True)
class Buying:
    """How a channel is bought.

    Attributes:
        may_be_off: Whether it may spend nothing instead of its least, which is then
            that of a channel that is on.
        at_best_frequency: Whether its reach is bought at the frequency that pays most.
        step: Spend comes in multiples of this, currency; 0 for any amount.
        gamma: How much dearer a unit gets with volume, see
            `core.plan.response.price`; 0 for one price.
        price: What a unit costs over last year's.
    """

    may_be_off: bool = _option(False, "may_be_off")
    at_best_frequency: bool = _option(False, "frequency", stated_as=BEST)
    step: float = _option(0.0, "step", is_money=True)
    gamma: float = _option(0.0, "gamma", most=LARGEST)
    price: float = _option(1.0, "price", least=0.01, most=100.0)

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Buying":
        """What values by option say; one that cannot be is left out."""
        possible = {
            option.name: values.get(option.name)
            for option in OPTIONS
            if option.is_possible(values.get(option.name))
        }
        return Buying(**possible)

    @staticmethod
    def of_row(row: Mapping[str, Any]) -> "Buying":
        """What the row of a channel in a scenario file says, as `of`."""
        values = {
            option.name: value == option.stated_as if option.is_flag else value
            for option in OPTIONS
            if (value := row.get(option.key)) is not None
        }
        return Buying.of(values)

    def chosen(self) -> dict[str, bool | float]:
        """The options that are other than their default."""
        return {
            option.name: getattr(self, option.name)
            for option in OPTIONS
            if getattr(self, option.name) != option.default
        }

    def as_row(self) -> dict[str, Any]:
        """Those in the words of a scenario file."""
        chosen = self.chosen()
        return {
            option.key: option.stated_as if option.is_flag else chosen[option.name]
            for option in OPTIONS
            if option.name in chosen
        }


#: As they are declared.
OPTIONS = tuple(
    Option(each.name, each.default, **each.metadata) for each in fields(Buying)
)


def bought_otherwise(rows: Iterable[tuple[str, Buying]]) -> dict[str, Buying]:
    """The channels of which something is said, and only that."""
    return {name: Buying(**row.chosen()) for name, row in rows if row.chosen()}
