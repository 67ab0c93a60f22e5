"""Periods: the horizon that response curves are of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Horizon:
    """The periods that a plan is for.

    Attributes:
        start: First day of the first period, YYYY-MM-DD; empty where unknown.
        end: First day of the last one.
        periods: How many they are.
        as_fitted: Whether they are the data's own.
    """

    start: str = ""
    end: str = ""
    periods: int = 0
    as_fitted: bool = True

    def as_table(self) -> dict[str, Any]:
        """The horizon in the words of a scenario file."""
        if self.as_fitted:
            return {"as_fitted": True}
        return {"start": self.start, "periods": self.periods}


def horizon_of(about: Mapping[str, Any]) -> Horizon:
    """The horizon that a file of curves says its spend is of."""
    return Horizon(
        start=str(about.get("horizon_start", "")),
        end=str(about.get("horizon_end", "")),
        periods=int(about.get("horizon_periods", 0)),
        as_fitted=bool(about.get("as_fitted", 1)),
    )
