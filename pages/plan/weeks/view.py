"""Parts of the Weeks view: tiles, charts, the line of trust, progress."""

import numpy as np
import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts.planning import flight as figures
from core.jobs.status import status
from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.view import plan_words
from core.view.advice import compared_with
from pages.ui import drawn, layout, words
from pages.ui.findings import plain
from pages.ui.guard import guarded


def tiles(plan: PlanRecord | None, units: fmt.Units) -> None:
    """Outcome, gains and odds."""
    numbers = [
        (
            plan_words.brought(units),
            None if plan is None else plan.outcome["planned"],
        ),
        (
            "Gain" if plan is None else f"Gain over {compared_with(plan)}",
            None if plan is None else plan.gain,
        ),
        ("Gain over even weeks", None if plan is None else plan.gain_over_even),
        ("Carryover after the plan", None if plan is None else plan.terminal),
    ]
    columns = st.columns(4, gap="small")
    for place, (column, (label, estimate)) in enumerate(
        zip(columns, numbers, strict=True)
    ):
        with column.container(border=True, height="stretch", gap="xsmall"):
            shown, odds = None, ""
            if estimate is not None:
                shown = units.estimate(estimate, signed=place in (1, 2))
            if estimate is not None and place in (1, 2):
                chance = fmt.probability(estimate["probability_positive"])
                odds = f", better with {chance}"
            layout.estimate(label, shown, _HELP[place], odds)


_HELP = (
    plan_words.BROUGHT,
    "The plan less last year's weeks, both at the plan's budget.",
    "Compared with the same split, spread evenly over the weeks.",
    "What the plan's media still bring in the weeks after it ends, if media then run "
    "as in the same weeks last year.",
)


def bridge(plan: PlanRecord, channels: PlanRecord, units: fmt.Units) -> None:
    """Why the weeks bring another sum than the channels that they spend, in parts.

    Args:
        plan: Of weeks.
        channels: The plan over channels of the same money.
        units: Words for the units.
    """
    parts = plan_words.from_channels(plan, channels)
    if not parts:
        return
    shown = [f"{name} {units.show(value, signed=True)}" for name, value in parts[1:]]
    first = f"{parts[0][0]} {units.show(parts[0][1])}"
    total = units.show(plan.outcome["planned"]["mean"])
    st.caption(plain(f"{', '.join([first, *shown])}: together {total}."))


def trust(plan: PlanRecord, units: fmt.Units) -> None:
    """How good the plan is: its bound, what it inherits, spend never seen."""
    beyond = sum(sum(line.weeks_beyond_seen) for line in plan.channels)
    parts = [near] if (near := plan_words.bound(plan)) else []
    if plan.profit is not None:
        profit = plan.profit.planned
        parts.append(f"profit {fmt.estimate(profit, 'money', units.currency)}")
    if beyond:
        parts.append(f":orange[{beyond} cells beyond observed spend]")
    parts.append(f"media before the plan add {units.estimate(plan.inherited)}")
    parts.append(f"spends {fmt.exact(plan.budget, units.symbol, decimals=2)}")
    st.caption(" · ".join(plain(part) if "[" not in part else part for part in parts))
    if said := plan_words.robustness(plan):
        st.caption(plain(said))


def usual(
    names: tuple[str, ...], weeks: np.ndarray, amounts: np.ndarray, currency: str
) -> None:
    """Last year's spend in the same weeks, before there is a plan."""
    theme = layout.theme()
    figure = drawn.once(
        lambda: figures.spend(
            names,
            weeks,
            amounts,
            title="Spend per week, the same weeks last year",
            currency=currency,
            theme=theme,
        ),
        "flight.usual",
        names,
        str(weeks[0]),
        len(weeks),
        float(amounts.sum()),
    )
    layout.chart(figure, "flight.usual")


def planned(run: Run, plan: xr.Dataset) -> None:
    """The plan's heat map."""
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.spend(
            [str(name) for name in plan["channel"].to_numpy()],
            plan["week"].to_numpy(),
            plan["spend"].to_numpy(),
            title="Planned spend per week",
            currency=str(plan.attrs["currency"]),
            beyond=plan["beyond_seen"].to_numpy().astype(bool),
            theme=theme,
        ),
        run,
        "flight.spend",
    )
    layout.chart(figure, "flight.spend")


def outcome(run: Run, plan: xr.Dataset) -> None:
    """Outcome by week."""
    theme = layout.theme()
    figure = drawn.of_run(
        lambda: figures.outcome(plan, theme=theme), run, "flight.outcome"
    )
    layout.chart(figure, "flight.outcome")


@guarded
def progress(run: Run) -> None:
    """A plan of weeks at work."""
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    st.progress(now.fraction, f"Planning the weeks: {words.phase(now)}")
