"""Demand: which channels follow it in a fit, and what that means for their returns."""

from typing import Any

from core.model.build import Model
from core.text.sentences import listed


def follows_demand(model: Model) -> dict[str, Any]:
    """Which channels' spend follows demand, and what to make of it.

    Returns:
        `channels`, the names of those that follow; `untested`, those of them without a
        lift test; `sentence`, about the untested, empty where there are none.
    """
    names = [demand.channel for demand in model.demand if demand.follows]
    tested = {name for test in model.spec.experiments for name in test.channels}
    untested = [name for name in names if name not in tested]
    return {
        "channels": names,
        "untested": untested,
        "sentence": untested_sentence(untested),
    }


def of_channel(model: Model, name: str) -> dict[str, Any] | None:
    """Whether one channel follows demand, who decided, and why; None where unpaid."""
    for demand in model.demand:
        if demand.channel == name:
            return {
                "follows": demand.follows,
                "by": demand.by,
                "reason": demand.reason,
            }
    return None


def untested_sentence(names: list[str]) -> str:
    """What the return of channels that follow demand rests on without a lift test."""
    if not names:
        return ""
    if len(names) == 1:
        return (
            f"{names[0]} follows demand: its return rests on carryover and prior; a "
            "lift test would settle it."
        )
    return (
        f"{listed(names)} follow demand: their returns rest on carryover and prior; "
        "lift tests would settle them."
    )
