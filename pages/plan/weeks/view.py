"""Parts of the Weeks view: tiles, charts, the line of trust, progress."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts.planning import flight as figures
from core.service.planning.weeks_ahead import Weeks
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.service.runs import status
from core.text.languages.language import marked, say
from core.view.weeks import teaching_words, week_reasons
from pages.plan import view as of_plan
from pages.ui import drawn, layout, navigation, tables, words
from pages.ui.findings import plain
from pages.ui.guard import guarded


def tiles(plan: PlanRecord, units: fmt.Units) -> None:
    """Outcome and gain as of any plan, and what comes after it."""
    columns = st.columns(3, gap="small")
    of_plan.tiles(columns[:2], plan, units)
    with layout.card(columns[2]):
        text = None if plan.terminal is None else units.estimate(plan.terminal)
        layout.estimate(
            say("Carryover after the plan"), text, say(_AFTER), navigation.PLAN
        )


_AFTER = marked(
    "What the plan's media still bring in the weeks after it ends, if media then run "
    "as without the plan."
)


def below_the_map(plan: PlanRecord, channels: PlanRecord) -> None:
    """How good the plan is, and a click away how its sums come about.

    Args:
        plan: Of weeks.
        channels: The plan over channels of the same money.
    """
    of_plan.trust(plan)
    of_plan.of_budget(plan, plan)
    of_plan.add_up(plan, channels)


def reasons(plan: PlanRecord, weeks: Weeks, shapes: xr.Dataset | None) -> None:
    """Why each channel is dark here and packed there.

    Args:
        plan: Of weeks.
        weeks: The weeks to come.
        shapes: shapes.nc of the fit; None without it.
    """
    start = [str(day)[:10] for day in weeks.starts].index(plan.weeks[0])
    part = slice(start, start + len(plan.weeks))
    names = () if shapes is None else shapes["channel"].to_numpy().tolist()
    lines = []
    for line in (each for each in plan.channels if each.name in weeks.names):
        place = weeks.names.index(line.name)
        timing = week_reasons.Timing(
            line.name,
            np.array(line.weeks),
            np.array(line.booked, dtype=bool),
            float(weeks.dearest[place]),
            weeks.price[place, part],
            shapes.sel(channel=line.name) if line.name in names else None,
        )
        lines.append(week_reasons.why(timing))
    with st.expander(
        say("Why these weeks"), icon=":material/help_center:", expanded=True
    ):
        st.markdown("\n".join(f"- {plain(each)}" for each in lines if each))


def teaching(plan: PlanRecord | None) -> None:
    """What a plan that teaches costs, is to bring and to tell."""
    said = [] if plan is None else teaching_words.beside_rows(plan)
    if not said:
        return
    tiles = teaching_words.rows(plan)
    with st.expander(
        say("What the plan teaches"), icon=":material/school:", expanded=True
    ):
        for column, row in zip(st.columns(4, gap="small"), tiles, strict=False):
            centre, _, interval = row.value.partition(" (")
            with column.container(gap=None):
                st.metric(row.label, centre, help=navigation.explained(row.meaning))
                if interval:
                    st.caption(f"90 % ({interval}")
        st.markdown("\n".join(f"- {plain(each)}" for each in said))
        if rows := teaching_words.share_rows(plan):
            heads = teaching_words.share_heads(plan)
            tables.grid(pd.DataFrame(rows, columns=heads), say("What the plan teaches"))


def usual(
    names: tuple[str, ...], weeks: np.ndarray, amounts: np.ndarray, currency: str
) -> None:
    """What ran a year earlier, or stands for it, before there is a plan."""
    make = partial(
        figures.spend,
        names,
        weeks,
        amounts,
        title=say("Spend per week that ran"),
        currency=currency,
    )
    # Their sum stands for the amounts: an array is no key.
    key = names, str(weeks[0]), len(weeks), float(amounts.sum())
    drawn.show("flight.usual", make, *key)


def planned(run: Run, plan: xr.Dataset, reasons: list[list[str]]) -> None:
    """The plan's heat map; why its cells differ, where it teaches."""
    make = partial(
        figures.spend,
        [str(name) for name in plan["channel"].to_numpy()],
        plan["week"].to_numpy(),
        plan["spend"].to_numpy(),
        title=say("Planned spend per week"),
        currency=str(plan.attrs["currency"]),
        beyond=plan["beyond_seen"].to_numpy().astype(bool),
        reasons=reasons,
    )
    drawn.show("flight.spend", make, run=run)


def outcome(run: Run, plan: xr.Dataset) -> None:
    """Outcome by week."""
    drawn.show("flight.outcome", partial(figures.outcome, plan), run=run)


@guarded
def progress(run: Run) -> None:
    """A plan of weeks at work."""
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    st.progress(now.fraction, say("Planning the weeks: {now}", now=words.at_work(now)))
