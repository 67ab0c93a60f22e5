"""For analysts: where the next money goes, what limits cost, budgets, distributions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from core import text as fmt
from core.charts.planning import plan as figures
from core.service.horizons import CurveFiles
from core.service.planning.by_hand import Move, Point, next_money, round_amount
from core.service.records.fit import Run
from core.service.records.plan import with_details
from core.text.languages.language import marked, say
from core.view.sections.section import Table
from pages.plan import view as plan_view
from pages.ui import drawn, layout, navigation, planning, sections
from pages.ui.fields.amount import amount_field
from pages.ui.findings import plain
from pages.ui.planning import ChannelPlan

_VIEWS = (
    marked("Where the next {symbol} goes"),
    marked("Limits"),
    marked("Budgets"),
    marked("Distribution"),
)


def show(run: Run, files: CurveFiles, plan: ChannelPlan, units: fmt.Units) -> None:
    """The box; its charts are worked out once it is open.

    Args:
        run: The fit.
        files: Response curves of the plan's periods.
        plan: The plan of channels.
        units: Words for the units.
    """
    box = st.expander(
        say("For analysts"),
        key="plan.analysts",
        icon=":material/query_stats:",
        expanded=navigation.asked("plan.view") is not None,
        on_change="rerun",
    )
    with box:
        shown = st.segmented_control(
            say("Look at"),
            _VIEWS,
            default=_VIEWS[0],
            required=True,
            format_func=lambda view: say(view, symbol=units.symbol or say("unit")),
            key="plan.view",
            bind="query-params",
            persist_state="session",
            label_visibility="collapsed",
        )
        plan_view.firmness(with_details(plan.record, kpi_name=units.kpi_name))
        if not box.open:
            return
        if shown == _VIEWS[0]:
            moves(files, plan, units)
        elif shown == _VIEWS[1]:
            costs(files, plan, units)
        elif shown == _VIEWS[2]:
            budgets(run, files, plan, units)
        else:
            plan_view.distribution(run, plan, units)


def moves(files: CurveFiles, channel_plan: ChannelPlan, units: fmt.Units) -> None:
    """What an amount more or less would do in each channel."""
    curves = planning.curves_of(files)
    curves = channel_plan.scenario.as_bought(curves)
    usual = round_amount(channel_plan.record.budget)
    amount = amount_field(
        fmt.titled(say("Amount"), units.symbol),
        "plan.amount",
        usual,
        least=1.0,
        currency=units.currency,
    )
    amount = float(amount or usual)
    planned = np.array([channel.planned for channel in channel_plan.record.channels])
    now = {move.name: move for move in next_money(curves, curves.spend, amount)}
    order = sorted(
        next_money(curves, planned, amount), key=lambda move: -move.more.mean
    )
    size = fmt.money(amount, units.currency)
    st.caption(_best_move_sentence(order, size, units))
    best = say("Best")
    heads = (
        say("{size} more bring", size=size),
        best,
        say("{size} less lose", size=size),
    )
    _grid(
        say("What more or less spend would do in each channel"),
        (say("Channel"), *heads),
        [_changes(move, units) for move in order],
        {best: say("Probability that the amount brings most here.")},
    )
    about = fmt.titled(say("Marginal ROI"), units.roi) + "."
    mark = curves.horizon.compared_mark(is_scaled=False)
    _margins(order, now, about, mark)
    layout.remark(
        "From the planned spend, one channel at a time, outside its limits too. "
        "Brackets: 90 % intervals. ▲: beyond observed spend, extrapolated."
    )


def _margins(
    order: Sequence[Move], now: Mapping[str, Move], about: str, ran: str
) -> None:
    """Marginal ROI of each channel today and with the plan, and the mildest cut."""
    usual, planned = say("Marginal ROI, {ran}", ran=ran), say("With the plan")
    mildest = say("Mildest cut")
    helps = dict.fromkeys((usual, planned), about)
    helps[mildest] = say("Probability that a cut of the amount hurts least here.")
    _grid(
        say("Marginal ROI of each channel"),
        (say("Channel"), usual, planned, mildest),
        [
            (
                move.name,
                fmt.estimate(now[move.name].mroi, "ratio"),
                fmt.estimate(move.mroi, "ratio"),
                fmt.probability(move.mildest),
            )
            for move in order
        ],
        helps,
    )


def _changes(move: Move, units: fmt.Units) -> tuple[str, ...]:
    return (
        move.name + (" ▲" if move.beyond_seen else ""),
        units.estimate(move.more, signed=True),
        fmt.probability(move.best),
        units.estimate(move.less),
    )


def _grid(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    helps: Mapping[str, str],
) -> None:
    sections.grid(Table(title, heads, rows, texts=1, helps=helps))


def _best_move_sentence(order: Sequence[Move], size: str, units: fmt.Units) -> str:
    top = order[0]
    text = say(
        "The next {size} bring most in **{name}**: {more}, the best place with a "
        "probability of {best}.",
        size=size,
        name=plain(top.name),
        more=units.estimate(top.more),
        best=fmt.probability(top.best),
    )
    cuts = [move for move in order if move.less is not None]
    if cuts:
        mild = min(cuts, key=lambda move: move.less.mean)
        text += say(
            " A cut of {size} hurts least in **{name}**: {less} lost.",
            size=size,
            name=plain(mild.name),
            less=units.estimate(mild.less),
        )
    return text


_KINDS = {
    "most": marked("Most, {name}"),
    "least": marked("Least, {name}"),
    "locked": marked("Lock, {name}"),
    "group": marked("Group {name}"),
}


def costs(files: CurveFiles, channel_plan: ChannelPlan, units: fmt.Units) -> None:
    """What each limit that binds takes from the plan."""
    request = replace(
        channel_plan.scenario, budget=channel_plan.record.budget, find=None
    )
    # At the budget that was found, so that a limit is priced where the plan is.
    binding = planning.limit_costs_of(files, request, channel_plan.record.money)
    if not binding:
        layout.remark("No limit costs the plan anything.")
        return
    amount = round_amount(channel_plan.record.budget)
    size = fmt.money(amount, units.currency)
    first = binding[0]
    layout.remark(
        "**{kinds}** costs most: {cost} less than without it.",
        kinds=plain(say(_KINDS[first.kind], name=first.name)),
        cost=units.estimate(first.cost),
    )
    _costs_table(binding, amount, size, units)
    layout.remark(
        "How much more the best plan would be expected to bring without that one "
        "limit; a maximum is raised to twice the spend that ran. ▲: beyond "
        "observed spend, extrapolated."
    )


def _costs_table(
    binding: Sequence[Any], amount: float, size: str, units: fmt.Units
) -> None:
    room = say("More room")
    about = say(
        "What {size} more room in this limit would bring, with the money taken from "
        "elsewhere in the plan.",
        size=size,
    )
    rows = [
        (
            say(_KINDS[each.kind], name=each.name) + (" ▲" if each.beyond_seen else ""),
            units.estimate(each.cost),
            units.show(each.room and each.room * amount, signed=True),
        )
        for each in binding
    ]
    heads = say("Limit"), say("It costs"), room
    _grid(say("What each limit costs"), heads, rows, {room: about})


def budgets(
    run: Run, files: CurveFiles, channel_plan: ChannelPlan, units: fmt.Units
) -> None:
    """The best outcome over the budget, as a chart and a table."""
    request = replace(
        channel_plan.scenario, budget=channel_plan.record.budget, find=None
    )
    points = planning.along(files, request)
    if len(points) < 2:
        layout.remark("The limits allow no other budget.")
        return
    make = partial(figures.frontier, points, units=units)
    drawn.show("plan.frontier", make, files, request, run=run)
    gain, mroi = say("Gain"), say("Marginal ROI")
    helps = {
        gain: say("Over the same split at that budget."),
        mroi: fmt.titled(say("Expected marginal ROI"), units.roi) + ".",
    }
    best = say("Best {outcome_name}", outcome_name=units.outcome_in_text)
    rows = [_budget_row(point, units) for point in points]
    heads = say("Budget"), best, gain, mroi
    _grid(say("Best outcome by budget"), heads, rows, helps)
    layout.remark("●: this plan's budget. ▲: a channel beyond observed spend.")


def _budget_row(point: Point, units: fmt.Units) -> tuple[str, ...]:
    mark = " ●" if point.is_plan else ""
    mark += " ▲" if point.beyond_seen else ""
    return (
        fmt.money(point.budget, units.currency) + mark,
        units.estimate(point.outcome),
        units.show(point.gain.mean, signed=True),
        fmt.ratio(point.mroi.mean),
    )
