"""The plan of a forecast: each channel's spend to come, and how much more of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.errors import PlanError
from core.service.planning.by_hand import begun_spend_in, multiples, with_plan
from core.service.projects.plans import list_plans, plan_of_record
from core.service.records.fit import Run
from core.service.records.forecast import replanned
from core.service.records.plan import Horizon, PlanRecord
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import layout, navigation, state, tables
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain
from pages.ui.reading import Opened

_BEFORE, _NOW = "before", "now"
_BELIEVED = marked(
    "Of it on channels without history, which bring what you believe: {names}."
)


@dataclass(frozen=True)
class OfPlan:
    """The plan that a forecast follows.

    Attributes:
        key: What tells it from others.
        multiples: Of the media from a year earlier, by paid channel.
        record: The plan; None where media run as a year earlier.
    """

    key: str = _BEFORE
    multiples: Mapping[str, float] = field(default_factory=dict)
    record: PlanRecord | None = None


def of_plan(here: Opened, view: xr.Dataset, horizon: Horizon) -> OfPlan:
    """The plan to follow: the one that is worked on, else that of record, else none.

    Args:
        here: The project.
        view: forecast.nc.
        horizon: The periods shown.
    """
    paid = {str(name) for name in view["paid"].to_numpy()}
    plans = _plans(here, paid)
    ran = horizon.as_it_ran
    labels = {_BEFORE: ran[:1].upper() + ran[1:]} | {
        key: _label(key, plan) for key, plan in plans.items()
    }
    usual, in_address = _first(here, labels), navigation.asked("forecast.of")
    chosen = one_of(
        say("Plan"),
        labels,
        "forecast.of",
        in_address if in_address in labels else usual,
        format_func=labels.get,
        persist_state="session",
        width=280,
        help=navigation.explained(
            say(
                "The media that the forecast assumes: the plan you are working on, a "
                "saved plan, or {ran}.",
                ran=ran,
            ),
            navigation.FORECAST,
        ),
    )
    # The plan being worked on has no name that an address could hold.
    navigation.remember("forecast.of", None if chosen in (usual, _NOW) else chosen)
    if chosen == _BEFORE:
        return OfPlan()
    try:
        at = multiples(plans[chosen], view, horizon.periods)
    except PlanError as error:
        st.caption(
            plain(
                say(
                    "{message} Until then, the forecast assumes the media that ran "
                    "({ran}).",
                    message=reworded(error.message),
                    ran=ran,
                )
            )
        )
        return OfPlan()
    return OfPlan(chosen, at, plans[chosen])


def _plans(here: Opened, paid: set[str]) -> dict[str, PlanRecord]:
    """Plans of these channels, and of new ones: that worked on, and saved ones."""
    working = state.draft("plan.working")
    plans = {} if working is None else {_NOW: working}
    plans |= {plan.plan_id: plan for plan in list_plans(here.folder)}
    return {
        key: plan
        for key, plan in plans.items()
        if {line.name for line in plan.channels if not line.is_belief} <= paid
    }


def _first(here: Opened, labels: Mapping[str, str]) -> str:
    record = plan_of_record(here.folder)
    return next((key for key in (_NOW, record) if key in labels), _BEFORE)


def _label(key: str, plan: PlanRecord) -> str:
    return say("The plan being worked on") if key == _NOW else plan.title


def forecast(
    run: Run, view: xr.Dataset, n: int, plan: OfPlan, changed: Mapping[str, float]
) -> xr.Dataset:
    """The periods shown with the media that the plan and whoever types say.

    Args:
        run: The fit.
        view: forecast.nc.
        n: Periods shown.
        plan: The plan that the forecast follows.
        changed: Multiples that were typed.
    """
    if plan.record is None:
        return replanned(view.isel(time=slice(n)), changed)
    return with_plan(run, plan.record, view, n, changed)


def _key(run: Run, plan: OfPlan) -> str:
    return f"forecast.plan.{run.run_id}.{plan.key}"


def typed(run: Run, view: xr.Dataset, plan: OfPlan) -> dict[str, float]:
    """Multiples that were typed; read before the table is drawn.

    Args:
        run: The fit.
        view: forecast.nc.
        plan: The plan that the forecast follows.
    """
    names = [str(name) for name in view["paid"].to_numpy()]
    edits = state.widget(_key(run, plan), {})
    edited = edits.get("edited_rows", {}) if isinstance(edits, Mapping) else {}
    changed = {}
    for row, changes in edited.items():
        value = changes.get("multiple")
        if value is not None and int(row) < len(names):
            changed[names[int(row)]] = min(max(float(value), 0.0), 3.0)
    return changed


def table(
    run: Run,
    some: xr.Dataset,
    plan: OfPlan,
    changed: Mapping[str, float],
    units: fmt.Units,
    horizon: Horizon,
) -> None:
    """Draw the table; channels without history are named below it.

    Args:
        run: The fit.
        some: The periods of forecast.nc that are shown.
        plan: The plan that the forecast follows.
        changed: Multiples of channels, with what was typed.
        units: Words for the units.
        horizon: These periods.
    """
    names = [str(name) for name in some["paid"].to_numpy()]
    if not names:
        return
    spend = some["spend"].sum("time").to_numpy().astype(float)
    frame = _frame(names, spend, plan, changed)
    tables.edit(
        frame,
        say("Spend to come of each channel"),
        _columns(names, units, horizon),
        key=_key(run, plan),
    )
    new = {}
    if plan.record is not None:
        new = begun_spend_in(plan.record, some, some.sizes["time"])
    total = sum(
        cost * changed.get(name, 1.0) for name, cost in zip(names, spend, strict=True)
    )
    total += sum(float(each.sum()) for each in new.values())
    amount, before = (fmt.money(c, units.currency) for c in (total, float(spend.sum())))
    layout.remark(
        "Spend to come: {shown}; {ran}: {before}. A plan says how much runs: its "
        "timing within these periods, controls and treatments are as they ran.",
        shown=amount,
        ran=horizon.as_it_ran,
        before=before,
    )
    if new:
        sums = [
            f"{name} {fmt.money(float(each.sum()), units.currency)}"
            for name, each in new.items()
        ]
        text = say(_BELIEVED, names=fmt.listed(sums))
        st.caption(plain(text))


def _columns(
    names: Sequence[str], units: fmt.Units, horizon: Horizon
) -> dict[str, Any]:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    before, ran = fmt.titled(horizon.brief_heading, units.symbol), horizon.as_it_ran
    is_last_year = horizon.has_last_year
    return {
        "channel": text(
            say("Channel"),
            pinned=True,
            disabled=True,
            width=tables.width(names, 82, 170),
        ),
        "before": text(
            before,
            disabled=True,
            width=round(20 + 6.4 * len(before)),
            alignment="right",
            help=say("What ran cost: {ran}.", ran=ran),
        ),
        "multiple": number(
            say("× last year") if is_last_year else say("× as it ran"),
            width=92,
            min_value=0.0,
            max_value=3.0,
            step=0.01,
            format="%.2f",
            help=say("A multiple of the media that ran: {ran}.", ran=ran),
        ),
        "planned": text(
            fmt.titled(say("To come"), units.symbol),
            disabled=True,
            width=84,
            alignment="right",
        ),
    }


def _frame(
    names: list[str], spend, plan: OfPlan, changed: Mapping[str, float]
) -> pd.DataFrame:
    """One row per paid channel."""
    planned = [
        float(cost) * changed.get(name, 1.0)
        for name, cost in zip(names, spend, strict=True)
    ]
    return pd.DataFrame(
        {
            "channel": names,
            "before": [fmt.table_amount(float(cost)) for cost in spend],
            "multiple": [round(plan.multiples.get(name, 1.0), 2) for name in names],
            "planned": [fmt.table_amount(cost) for cost in planned],
        }
    )
