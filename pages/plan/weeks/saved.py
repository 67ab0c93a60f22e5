"""Plans of weeks that are kept, and steps of their form: back to the form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.service.planning.scenario import StatedRow, stated
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from pages.plan.limits import Limit, Limits
from pages.plan.steps import Track
from pages.plan.weeks import booked, form, limits
from pages.ui import state
from pages.ui.planning import ChannelPlan


def bring_back(plan: PlanRecord, run: Run) -> Limits:
    """Bring a plan's requests back to the form of weeks; its limits of channels.

    Args:
        plan: A plan of weeks.
        run: The fit that is shown.
    """
    _put(run, plan.scenario, [line.name for line in plan.channels], plan.weeks)
    # The weeks spend the totals of a plan over channels, which are settled by now.
    return {line.name: Limit(line.planned, line.planned) for line in plan.channels}


def _put(
    run: Run, scenario: Mapping[str, Any], names: Sequence[str], days: Sequence[str]
) -> None:
    """Set the form of weeks to what a scenario asks for."""
    form.put(scenario)
    rows = stated(scenario).channel
    frame = booked.empty(tuple(names), list(days))
    for i, name in enumerate(names):
        row = rows.get(name, StatedRow())
        change = form.percent(row.change)
        frame.loc[i, "change"] = np.nan if change is None else change
        cells = dict.fromkeys(row.dark, 0.0) | dict(row.weeks)
        for day, amount in cells.items():
            if day in days:
                frame.loc[i, day] = np.float64(amount)
    state.keep(booked.booked_key(run, days), frame)
    state.start_afresh("booked")
    limits.put(tuple(names), scenario)


@dataclass(frozen=True)
class _Step:
    """What is asked of weeks.

    Attributes:
        run: The fit.
        names: Channels.
        days: First days of the weeks.
        spread: How far totals of channels may move, in percent.
        request: As a scenario file has it.
    """

    run: Run = field(compare=False)
    names: tuple[str, ...]
    days: tuple[str, ...]
    spread: int
    request: Mapping[str, Any]

    def bring_back(self) -> None:
        """Set the form to this step."""
        state.put("flight.spread", self.spread)
        _put(self.run, self.request, self.names, self.days)


_STEPS = Track("flight", _Step.bring_back)
#: Undo and redo.
buttons = _STEPS.buttons


def take_step(
    run: Run,
    channel_plan: ChannelPlan,
    names: tuple[str, ...],
    days: Sequence[str],
    request: Mapping[str, Any],
) -> None:
    """Keep what the form says now as a step; other totals of channels begin again.

    Args:
        run: The fit.
        channel_plan: The plan whose money the weeks spend.
        names: Channels, in the order of the tables.
        days: First days of the weeks.
        request: As a scenario file has it.
    """
    totals = [(line.name, line.planned) for line in channel_plan.record.channels]
    about = f"{run.run_id} {request['horizon']} {totals}"
    spread = int(state.widget("flight.spread", 0))
    _STEPS.take(about, _Step(run, names, tuple(days), spread, request))
