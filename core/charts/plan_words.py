"""Words about a plan: what it makes large, and what its bound does not prove."""

from collections.abc import Mapping
from typing import Any

from core.charts import format as fmt

_PLAIN = ("mean", "profit")
_MEANINGS = {
    "p": "the outcome that {above} in 100 draws exceed",
    "cvar": "the mean of the worst {share} in 100 draws",
}


def objective(plan: Mapping[str, Any], units: fmt.Units) -> str:
    """What a cautious plan makes large, planned and now; empty for others.

    Args:
        plan: A plan as the command line prints it or the workspace keeps it.
        units: Words for the units.
    """
    told = plan["objective"]
    name = str(told["name"])
    if name in _PLAIN:
        return ""
    values = [told["planned"], told.get("current")]
    if name.startswith("reach:"):
        goal = units.show(float(name.removeprefix("reach:")))
        meaning, shown = f"probability of at least {goal}", _odds(values)
    else:
        kind = name.rstrip("0123456789")
        share = int(name.removeprefix(kind))
        meaning = _MEANINGS[kind].format(above=100 - share, share=share)
        shown = ["" if one is None else units.show(float(one)) for one in values]
    planned, now = shown
    return f"{meaning}: {planned}" + (f", now {now}" if now else "")


def _odds(values: list[float | None]) -> list[str]:
    return ["" if one is None else fmt.probability(float(one)) for one in values]


def reservation(plan: Mapping[str, Any]) -> str:
    """What the bound of a quantile or of odds leaves open; empty for others."""
    name = str(plan["objective"]["name"])
    is_bounded_well = name in _PLAIN or name.startswith("cvar")
    if is_bounded_well or plan["bound"]["gap"] is None:
        return ""
    return (
        "In this bound each draw has a plan of its own, which no one plan can be: "
        "what is left is not proven, not lost."
    )
