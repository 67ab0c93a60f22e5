"""actuals: compare a saved plan with what happened, and why it differs."""

import argparse

from msgspec import to_builtins

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.estimate import OptionalEstimate
from core.service import plans
from core.service.records.plan import PlanBesideActuals
from core.view import what_happened


def actuals_command(options: argparse.Namespace) -> Answer:
    """Split actual less planned outcome into spend, response and baseline."""
    difference = plans.actuals(*plans.found(options.plan), options.file)
    return Answer(to_builtins(difference), actuals_text(difference))


def actuals_text(against: PlanBesideActuals) -> str:
    """The difference for people."""
    units = against.units

    def signed(part: OptionalEstimate) -> str:
        return units.estimate(part, bare=True, signed=True)

    parts = [(part.name.capitalize(), signed(part)) for part in against.parts]
    rows = [
        (
            row.name,
            fmt.exact(row.planned_spend, units.symbol, decimals=0),
            fmt.exact(row.actual_spend, units.symbol, decimals=0),
            signed(row.spend),
            signed(row.response),
        )
        for row in against.channels
    ]
    below = fmt.probability(against.probability_below)
    lines = [
        f"{against.name or 'Plan'}, {against.periods} periods from "
        f"{against.start} to {against.end}; brackets are 90 % intervals",
        "",
        f"Planned: {units.estimate(against.planned, bare=True)}",
        f"Expected at what was spent: {units.estimate(against.expected, bare=True)}",
        f"Actual: {units.show(against.actual)}; {below} of what the model thought "
        "possible lay below",
        "",
        table(
            ["Actual less planned", units.outcome_name],
            [*parts, ("Together", signed(against.difference))],
        ),
        "",
        table(
            ["Channel", "Planned spend", "Actual spend", "By spend", "By response"],
            rows,
        ),
        *what_happened.notes(against),
    ]
    return clean("\n".join(lines))
