"""Plans of weeks that are kept: back to the form."""

import numpy as np

from core.service.planning.scenario import StatedRow, stated
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from pages.plan.limits import Limit, Limits
from pages.plan.weeks import booked, form, limits
from pages.ui import state


def bring_back(plan: PlanRecord, run: Run) -> Limits:
    """Bring a plan's requests back to the form of weeks; its limits of channels.

    Args:
        plan: A plan of weeks.
        run: The fit that is shown.
    """
    scenario = plan.scenario
    form.put(scenario)
    days = list(plan.weeks)
    names = tuple(line.name for line in plan.channels)
    rows = stated(scenario).channel
    frame = booked.empty(names, days)
    for i, name in enumerate(names):
        row = rows.get(name, StatedRow())
        change = form.percent(row.change)
        frame.loc[i, "change"] = np.nan if change is None else change
        cells = dict.fromkeys(row.dark, 0.0) | dict(row.weeks)
        for day, amount in cells.items():
            if day in days:
                frame.loc[i, day] = np.float64(amount)
    state.keep(booked.booked_key(run, len(days), days[0]), frame)
    state.start_afresh("booked")
    limits.put(names, scenario)
    # The weeks spend the totals of a plan over channels, which are settled by now.
    return {line.name: Limit(line.planned, line.planned) for line in plan.channels}
